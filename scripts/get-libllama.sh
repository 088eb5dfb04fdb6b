#!/bin/sh
# Puts llama.cpp into .cache/llama/ and prints the folder that WEIR_LLAMA_DIR
# wants. What is there already is not fetched or built again.
#
#     export WEIR_LLAMA_DIR=$(scripts/get-libllama.sh [--build])
#
# By default v0.4.0, built for the CPU, from npm's @node-llama-cpp/linux-x64,
# pinned by hash: 10 MB, seconds. x86-64 Linux with glibc 2.34 or later; without
# RPC and GPU. --build: v0.5.0 with RPC, from the source that PyPI's
# llama-cpp-python carries (77 MB), compiled for this machine: some ten minutes
# on two processors. The folder has ggml-rpc-server, too.
set -eu
cd "$(dirname "$0")/.."
dir=.cache/llama
mkdir -p "$dir"

say() {
	echo "get-libllama: $*" >&2
}

# check SHA512 FILE
check() {
	echo "$1  $2" | sha512sum --quiet -c >&2
}

work_begin() {
	work=$(mktemp -d "$dir/.work-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
}

fetch_built() {
	package=@node-llama-cpp/linux-x64
	version=3.21.1
	file=node-llama-cpp-linux-x64-$version.tgz
	sha512=4e8b63e914c3306a371682b6c8d51acffa069990f4a2502a4eb465b855169aed245b68bd4cecc7496d0e5820221a4cd10955f45ac5360b2510a3f5b6358b5d3c
	if [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ]; then
		say "the package is for Linux on x86-64; --build compiles one"
		exit 1
	fi
	if [ ! -d "$dir/package" ]; then
		work_begin
		if [ -e "$dir/$file" ]; then
			cp "$dir/$file" "$work"
		else
			say "fetching $package $version (10 MB)"
			(cd "$work" && npm pack --silent "$package@$version" >/dev/null)
		fi
		check $sha512 "$work/$file"
		tar -xzf "$work/$file" -C "$work"
		# The folder appears under its name only when it is complete.
		mv "$work/package" "$dir/package"
	fi
	echo "$PWD/$dir/package/bins/linux-x64"
}

# The source archive, through pip, which wants its build system for that.
fetch_source() {
	[ -e "$dir/$1" ] && return
	say "fetching llama-cpp-python's source (77 MB)"
	python3 -m venv "$work/venv"
	"$work/venv/bin/pip" -q download --no-deps --no-binary :all: \
		-d "$work" "llama-cpp-python==$2" >&2
	mv "$work/$1" "$dir/$1"
}

compile() {
	version=0.3.36
	file=llama_cpp_python-$version.tar.gz
	sha512=97b00ab7eed4192e38c7e6da2a1fad493a338492d1f91c9787fa5e37e5e290ac7bca1584fea9a00c331655dcb0a40c8a988baf6a2586b962f13904115b0c6632
	if [ ! -d "$dir/rpc-$version" ]; then
		work_begin
		fetch_source "$file" "$version"
		check $sha512 "$dir/$file"
		tar -xzf "$dir/$file" -C "$work"
		source=$work/llama_cpp_python-$version/vendor/llama.cpp
		say "compiling; this takes some ten minutes"
		cmake -S "$source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
			-DBUILD_SHARED_LIBS=ON -DGGML_RPC=ON -DGGML_CCACHE=OFF \
			-DCMAKE_BUILD_RPATH='$ORIGIN' -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON \
			-DCMAKE_INSTALL_RPATH='$ORIGIN' -DLLAMA_BUILD_COMMON=OFF \
			-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_TOOLS=OFF \
			-DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF \
			-DLLAMA_OPENSSL=OFF >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
		cmake --build "$work/build" --parallel "$(nproc)" --target llama \
			ggml-rpc >&2
		"${CXX:-c++}" -std=c++17 -O2 -I"$source/ggml/include" \
			"$source/tools/rpc/rpc-server.cpp" -L"$work/build/bin" -lggml \
			-lggml-base -Wl,-rpath,'$ORIGIN' -o "$work/build/bin/ggml-rpc-server"
		mv "$work/build/bin" "$dir/rpc-$version"
	fi
	echo "$PWD/$dir/rpc-$version"
}

case ${1-} in
'') fetch_built ;;
--build) compile ;;
*)
	say "found '$1', expected --build or nothing"
	exit 2
	;;
esac
