#!/bin/sh
# Puts llama.cpp v0.4.0, built for the CPU, into .cache/llama/ and prints the
# folder that WEIR_LLAMA_DIR wants. From npm's @node-llama-cpp/linux-x64, pinned
# by hash: 10 MB, seconds; what is there already is not fetched again. x86-64
# Linux with glibc 2.34 or later; without RPC and GPU.
#
#     export WEIR_LLAMA_DIR=$(scripts/get-libllama.sh)
set -eu
cd "$(dirname "$0")/.."
package=@node-llama-cpp/linux-x64
version=3.21.1
file=node-llama-cpp-linux-x64-$version.tgz
sha512=4e8b63e914c3306a371682b6c8d51acffa069990f4a2502a4eb465b855169aed245b68bd4cecc7496d0e5820221a4cd10955f45ac5360b2510a3f5b6358b5d3c
dir=.cache/llama

if [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ]; then
	echo "get-libllama: the package is for Linux on x86-64" >&2
	exit 1
fi
mkdir -p "$dir"
if [ ! -d "$dir/package" ]; then
	work=$(mktemp -d "$dir/.fetch-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
	if [ -e "$dir/$file" ]; then
		cp "$dir/$file" "$work"
	else
		echo "get-libllama: fetching $package $version (10 MB)" >&2
		(cd "$work" && npm pack --silent "$package@$version" >/dev/null)
	fi
	echo "$sha512  $work/$file" | sha512sum --quiet -c >&2
	tar -xzf "$work/$file" -C "$work"
	# The folder appears under its name only when it is complete.
	mv "$work/package" "$dir/package"
fi
echo "$PWD/$dir/package/bins/linux-x64"
