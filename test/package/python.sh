#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Python package as users do and tests the installation: with 'pip install .' in a
# clean clone, and from the sdist, each in a clean virtual environment.
#
#   python.sh WORK [PYTEST ARGUMENTS]...    WORK: a working folder
#
# Afterwards WORK/from-clone is an environment with the package and the requirements of its tests,
# and WORK/run a folder to run pytest in.
#
# PYTHON=...   the interpreter (default: python3)
set -euo pipefail

program="python-package"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
mkdir -p "${1:?a working folder}"
work=$(cd "$1" && pwd)
shift
rm -rf "${work:?}"/*
# shellcheck source=test/package/python_common.sh
. "$here/python_common.sh"
python=${PYTHON:-python3}

# environment FOLDER [PIP ARGUMENTS]...   creates a virtual environment and installs packages
environment() {
    local folder=$1
    shift
    quietly "$python" -m venv "$folder"
    quietly "$folder/bin/python" -m pip install "$@"
}

# --- from a clean clone ---------------------------------------------------------------------------
start=$SECONDS
clean_copy "$work/clone"
environment "$work/from-clone" "$work/clone"
quietly "$work/from-clone/bin/python" -m pip check
smoke "$work/from-clone/bin/python"
command_line "$work/from-clone"
say "'pip install .' from a clean clone works ($((SECONDS - start)) s)"

start=$SECONDS
quietly "$work/from-clone/bin/python" -m pip install build "${test_packages[@]}"
test_folder "$work/run"
(cd "$work/run" \
    && in_shards "$work/from-clone/bin/python" -m pytest -q -p no:cacheprovider "$@") \
    || fail "the tests of the installed package"
say "the tests of the installed package passed ($((SECONDS - start)) s)"

# Type checkers and most tests see the package in the source tree. So its files must be the same.
installed=$("$work/from-clone/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
diff -r -x __pycache__ -x '_kp.*.so' "$work/clone/python/kp" "$installed/kp" \
    || fail "the package does not have the files of the source tree"
say "the package has the files of the source tree"

# --- from the sdist -------------------------------------------------------------------------------
start=$SECONDS
quietly "$work/from-clone/bin/python" -m build --sdist --outdir "$work/dist" "$work/clone"
sdist=$work/dist/kompute-$version.tar.gz
[ -f "$sdist" ] || fail "no $(basename "$sdist") was built"
environment "$work/from-sdist" "$sdist"
smoke "$work/from-sdist/bin/python"
command_line "$work/from-sdist"
say "the sdist ($(du -k "$sdist" | cut -f 1) KiB) builds and works ($((SECONDS - start)) s)"
