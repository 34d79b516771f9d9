#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the sdist and, from it, a wheel for each CPython from 3.10 to 3.14, repairs the wheels with
# auditwheel, and tests each one in a clean virtual environment, away from the source tree.
#
#   scripts/wheels.sh                         for every such interpreter on PATH or under pyenv
#   scripts/wheels.sh python3.12 /opt/py/bin/python
#                                             for these
#   scripts/wheels.sh --output FOLDER ...     put the results there (default: dist)
#   scripts/wheels.sh --no-tests ...          import and compute once, but leave out pytest
#
# A wheel runs on systems whose C library is at least as new as the one it was built with. For wheels
# that run on older systems, too, build with cibuildwheel, for which pyproject.toml holds the settings.
set -euo pipefail

name=wheels
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
output=$source/dist
tests=yes
interpreters=()
while [ "$#" -gt 0 ]; do
    case $1 in
        --output)
            [ "$#" -gt 1 ] || {
                echo "wheels.sh: --output needs a folder" >&2
                exit 2
            }
            output=$2
            shift
            ;;
        --no-tests) tests=no ;;
        -h | --help)
            sed -n "4,/^set /{/^set /d;s/^# \\{0,1\\}//;p}" "${BASH_SOURCE[0]}"
            exit 0
            ;;
        -*)
            echo "wheels.sh: no option is called '$1' (--help lists them)" >&2
            exit 2
            ;;
        *) interpreters+=("$1") ;;
    esac
    shift
done
mkdir -p "$output" "$source/build/wheels"
output=$(cd "$output" && pwd)
work=$source/build/wheels
rm -rf "${work:?}"/*
# shellcheck source=test/package/python_common.sh
. "$source/test/package/python_common.sh"
export PATH=$PATH:/usr/sbin:/sbin

# --- the interpreters -------------------------------------------------------------------------------
# usable PYTHON   prints its version where it is a CPython that there are wheels for
usable() {
    "$1" -c 'import sys
if sys.implementation.name == "cpython" and (3, 10) <= sys.version_info[:2] <= (3, 14):
    print("%d.%d" % sys.version_info[:2])' 2> /dev/null || true
}

declare -A chosen=()
if [ "${#interpreters[@]}" -gt 0 ]; then
    for python in "${interpreters[@]}"; do
        found=$(usable "$python")
        [ -n "$found" ] || fail "$python is no CPython from 3.10 to 3.14"
        chosen[$found]=$python
    done
else
    for minor in 10 11 12 13 14; do
        for python in "python3.$minor" \
            "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$minor"*/bin/python; do
            if [ "$(usable "$python")" = "3.$minor" ] \
                && "$python" -c 'import ensurepip, sysconfig, os
assert os.path.exists(sysconfig.get_path("include") + "/Python.h")' 2> /dev/null; then
                chosen[3.$minor]=$python
                break
            fi
        done
    done
fi
[ "${#chosen[@]}" -gt 0 ] || fail "no CPython from 3.10 to 3.14 was found"
versions=$(printf '%s\n' "${!chosen[@]}" | sort -V)
for minor in $versions; do say "Python $minor: ${chosen[$minor]}"; done

# --- the sdist --------------------------------------------------------------------------------------
first=${chosen[$(head -n 1 <<< "$versions")]}
quietly "$first" -m venv "$work/tools"
quietly "$work/tools/bin/python" -m pip install --require-hashes -r "$source/scripts/wheel-tools.txt"
clean_copy "$work/clone"
quietly "$work/tools/bin/python" -m build --sdist --outdir "$output" "$work/clone"
sdist=$output/kompute-$version.tar.gz
[ -f "$sdist" ] || fail "no $(basename "$sdist") was built"
say "built $(basename "$sdist"), $(du -k "$sdist" | cut -f 1) KiB"

# --- the wheels -------------------------------------------------------------------------------------
auditwheel() { env "PATH=$work/tools/bin:$PATH" "$work/tools/bin/auditwheel" "$@"; }

# list WHEEL   the names of the files in it
list() { "$work/tools/bin/python" -c 'import sys, zipfile
print("\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))' "$1"; }

summary=""
for minor in $versions; do
    python=${chosen[$minor]}
    tag=cp${minor/./}
    start=$SECONDS

    mkdir -p "$work/raw-$tag" "$work/repaired-$tag"
    quietly "$python" -m venv "$work/build-$tag"
    quietly "$work/build-$tag/bin/python" -m pip wheel --no-deps --wheel-dir "$work/raw-$tag" "$sdist"
    raw=$(find "$work/raw-$tag" -name "kompute-$version-$tag-$tag-*.whl")
    [ -n "$raw" ] || fail "no wheel for $tag was built"

    quietly auditwheel repair --wheel-dir "$work/repaired-$tag" "$raw"
    wheel=$(find "$work/repaired-$tag" -name "kompute-$version-$tag-$tag-manylinux_*.whl")
    [ -n "$wheel" ] || fail "auditwheel gave no wheel for $tag: $(ls "$work/repaired-$tag")"
    # What auditwheel adds would be a second copy of something that the machine has to give, above
    # all of the Vulkan loader, which only works as the one that the drivers were installed for.
    foreign=$(list "$wheel" | grep -E '\.libs/|libvulkan|^[^/]*\.so' || true)
    [ -z "$foreign" ] || fail "$(basename "$wheel") brings libraries with it: $foreign"
    policy=$(sed -E "s/.*-$tag-(.*)\\.whl/\\1/" <<< "$(basename "$wheel")")

    quietly "$python" -m venv "$work/test-$tag"
    quietly "$work/test-$tag/bin/python" -m pip install "$wheel"
    quietly "$work/test-$tag/bin/python" -m pip check
    smoke "$work/test-$tag/bin/python"
    command_line "$work/test-$tag"
    result="not tested further"
    if [ "$tests" = yes ]; then
        quietly "$work/test-$tag/bin/python" -m pip install "${test_packages[@]}"
        rm -rf "$work/run"
        test_folder "$work/run"
        (cd "$work/run" && "$work/test-$tag/bin/python" -m pytest -q -p no:cacheprovider) \
            | tee "$work/tests-$tag.log" || fail "the tests of $(basename "$wheel")"
        result=$(tail -n 1 "$work/tests-$tag.log")
    fi
    cp "$wheel" "$output/"
    summary="$summary$(printf '%-6s %-40s %6d KiB %5d s  %s' "$tag" "$policy" \
        "$(du -k "$wheel" | cut -f 1)" $((SECONDS - start)) "$result")"$'\n'
done

echo
say "passed; in $output:"
printf '%s' "$summary"
