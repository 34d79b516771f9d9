#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the sdist and, from it, a wheel for each CPython from 3.10 to 3.15 and free-threaded ones, repairs the
# wheels with auditwheel, and tests each one in a clean virtual environment, away from the source tree.
#
#   scripts/wheels.sh                         for every such interpreter on PATH or under pyenv
#   scripts/wheels.sh python3.12 /opt/py/bin/python
#                                             for these
#   scripts/wheels.sh --output FOLDER ...     put the results there (default: dist)
#   scripts/wheels.sh --work FOLDER ...       build there (default: build/wheels)
#   scripts/wheels.sh --sample ...            run the tests of a few files, not all of them
#   scripts/wheels.sh --emulated aarch64 ...  the interpreters run by an emulator of this processor: this
#                                             machine's interpreters of the same versions build the wheels,
#                                             with the compiler that CMAKE_ARGS names, and only tests run
#                                             on the given ones, for half an hour at most
#   scripts/wheels.sh --without-driver ...    the interpreters are for a C library that there is no Vulkan driver
#                                             for: run those tests of a few files that need none
#
# The library itself is compiled once, and the bindings for each interpreter. In a free-threaded CPython the
# module switches the global interpreter lock on, which it relies on; its tests run with the lock.
#
# A wheel runs on systems whose C library is at least as new as the one it was built with. For wheels
# that run on older systems, too, build with cibuildwheel, for which pyproject.toml holds the settings.
set -euo pipefail

# shellcheck source=scripts/arguments.sh
. "$(dirname "${BASH_SOURCE[0]}")/arguments.sh"
program=wheels
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
output=$source/dist
work=$source/build/wheels
emulated=""
driver=yes
tests=all
limit=()
sample=(compat/test_kompute_api.py arrays/test_arrays.py kernels/test_jit.py package/test_messages.py
    core/test_shaders.py)
interpreters=()
while [ "$#" -gt 0 ]; do
    case $1 in
        --output | --work | --emulated)
            [ "$#" -gt 1 ] || {
                echo "wheels.sh: $1 needs an argument" >&2
                exit 2
            }
            case $1 in
                --output) output=$2 ;;
                --work) work=$2 ;;
                *) emulated=$2 limit=(timeout 1800) ;;
            esac
            shift
            ;;
        --sample) tests=sample ;;
        --without-driver)
            tests=sample driver=no
            sample=(package/test_convert_shaders.py package/test_introspection.py package/test_messages.py
                kernels/test_jit_arguments.py kernels/test_jit_errors.py kernels/test_kernel.py
                core/test_shaders.py compat/test_pyshader.py launchers/test_profiler.py arrays/test_array_messages.py
                functions/test_array_reductions.py functions/test_numpy_signatures.py)
            export KOMPUTE_WITHOUT_DRIVER=1
            ;;
        -h | --help)
            print_head
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
mkdir -p "$output" "$work"
output=$(cd "$output" && pwd)
work=$(cd "$work" && pwd)
rm -rf "${work:?}"/*
# shellcheck source=test/package/python_common.sh
. "$source/test/package/python_common.sh"
# shellcheck source=scripts/interpreters.sh
. "$source/scripts/interpreters.sh"
export PATH=$PATH:/usr/sbin:/sbin

# --- the interpreters -------------------------------------------------------------------------------
declare -A chosen=()
if [ "${#interpreters[@]}" -gt 0 ]; then
    for python in "${interpreters[@]}"; do
        found=$(python_version "$python")
        [ -n "$found" ] || fail "$python is not a CPython of these versions: $python_versions"
        chosen[$found]=$python
    done
else
    for found in $python_versions; do
        python=$(installed_python "$found")
        [ -z "$python" ] || chosen[$found]=$python
    done
fi
[ "${#chosen[@]}" -gt 0 ] || fail "no CPython of these versions was found: $python_versions"
versions=$(printf '%s\n' "${!chosen[@]}" | sort -V)
for minor in $versions; do say "Python $minor: ${chosen[$minor]}"; done

# --- the sdist --------------------------------------------------------------------------------------
quietly python3 -m venv "$work/tools"
quietly "$work/tools/bin/python" -m pip install --require-hashes -r "$source/scripts/wheel-tools.txt"
clean_copy "$work/clone"
quietly "$work/tools/bin/python" -m build --sdist --outdir "$output" "$work/clone"
sdist=$output/kompute-$version.tar.gz
[ -f "$sdist" ] || fail "no $(basename "$sdist") was built"
say "built $(basename "$sdist"), $(du -k "$sdist" | cut -f 1) KiB"
mkdir "$work/source"
tar -xf "$sdist" -C "$work/source" --strip-components=1

# --- the wheels -------------------------------------------------------------------------------------
auditwheel() { env "PATH=$work/tools/bin:$PATH" "$work/tools/bin/auditwheel" "$@"; }

# list WHEEL   the names of the files in it
list() { "$work/tools/bin/python" -c 'import sys, zipfile
print("\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))' "$1"; }

# python_path NAME   the folder of $python with this name
python_path() { "$python" -c "import sysconfig; print(sysconfig.get_path('$1'))"; }

# build_wheel   builds the wheel of $python into $work/raw-$tag
build_wheel() {
    local environment=$work/build-$tag options=() arguments=${CMAKE_ARGS:-}
    # Objects that do not depend on the interpreter are reused from the first one. CMake's findings
    # do depend on it.
    rm -f "$work/cmake/CMakeCache.txt"
    if [ -n "$emulated" ]; then
        # The build asks its interpreter about the other one's suffix and platform.
        quietly "python$minor" -m venv "$environment"
        quietly "$environment/bin/python" -m pip install 'scikit-build-core>=1.0' 'pybind11>=3.1,<4'
        cp "$(python_path stdlib)"/_sysconfigdata_*.py "$environment/lib/python$minor/site-packages/"
        options=(--no-build-isolation)
        arguments="$arguments -Dpybind11_DIR=$("$environment/bin/python" -m pybind11 --cmakedir)"
        arguments="$arguments -DPython_INCLUDE_DIR=$(python_path include)"
        export _PYTHON_HOST_PLATFORM=linux-$emulated
        export _PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata__$emulated-linux-gnu
    else
        quietly "$python" -m venv "$environment"
    fi
    CMAKE_ARGS=$arguments quietly "$environment/bin/python" -m pip wheel --no-deps "${options[@]}" \
        --wheel-dir "$work/raw-$tag" --config-settings build-dir="$work/cmake" "$work/source"
    unset _PYTHON_HOST_PLATFORM _PYTHON_SYSCONFIGDATA_NAME
}

# install_packages PACKAGE...   installs packages into the environment $work/test-$tag of $python
install_packages() {
    if [ -n "$emulated" ]; then
        local platforms=() glibc
        for glibc in $(seq 17 28); do platforms+=(--platform "manylinux_2_${glibc}_$emulated"); done
        quietly python3 -m pip install --only-binary=:all: --python-version "$minor" "${platforms[@]}" \
            --target "$work/test-$tag/lib/python$minor/site-packages" "$@"
    else
        quietly "$work/test-$tag/bin/python" -m pip install --prefer-binary "$@"
    fi
}

# free_threaded PYTHON   checks what importing the package does to an interpreter without the lock
free_threaded() {
    (cd "$work/tmp" && quietly "$1" -I -c 'import sys, warnings
import numpy
assert not sys._is_gil_enabled(), "the lock is on before the module is imported"
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import kp
assert [w for w in caught if "kp._kp" in str(w.message)], "CPython did not warn"
assert sys._is_gil_enabled(), "the module did not switch the lock on"')
    (cd "$work/tmp" && quietly "$1" -I -X gil=0 -c 'try:
    import kp
except ImportError as error:
    assert "global interpreter lock" in str(error), error
else:
    raise SystemExit("the module runs without the lock")')
}

summary=""
for minor in $versions; do
    python=${chosen[$minor]}
    tag=cp${minor/./}
    # The module relies on the lock. Switching it on is a warning, which the tests take for an error.
    lock=()
    [[ $minor != *t ]] || lock=(-X gil=1)
    start=$SECONDS

    mkdir -p "$work/raw-$tag" "$work/repaired-$tag"
    build_wheel
    raw=$(find "$work/raw-$tag" -name "kompute-$version-${tag%t}-$tag-*.whl")
    [ -n "$raw" ] || fail "no wheel for $tag was built"

    quietly auditwheel repair --wheel-dir "$work/repaired-$tag" "$raw"
    wheel=$(find "$work/repaired-$tag" -name "kompute-$version-${tag%t}-$tag-m*linux_*.whl")
    [ -n "$wheel" ] || fail "auditwheel gave no wheel for $tag: $(ls "$work/repaired-$tag")"
    # What auditwheel adds would be a second copy of something that the machine has to give, above
    # all of the Vulkan loader, which only works as the one that the drivers were installed for.
    foreign=$(list "$wheel" | grep -E '\.libs/|libvulkan|^[^/]*\.so' || true)
    [ -z "$foreign" ] || fail "$(basename "$wheel") brings libraries with it: $foreign"
    policy=$(sed -E "s/.*-$tag-(.*)\\.whl/\\1/" <<< "$(basename "$wheel")")

    quietly "$python" -m venv ${emulated:+--without-pip} "$work/test-$tag"
    install_packages "$wheel"
    smoke "${limit[@]}" "$work/test-$tag/bin/python" "${lock[@]}"
    [ "${#lock[@]}" = 0 ] || free_threaded "$work/test-$tag/bin/python"
    if [ -z "$emulated" ]; then
        quietly "$work/test-$tag/bin/python" -m pip check
        command_line "$work/test-$tag"
    fi
    files=()
    if [ "$tests" = sample ]; then
        install_packages "${test_packages[0]}"
        files=("${sample[@]/#/python/tests/}")
    else
        install_packages "${test_packages[@]}"
    fi
    rm -rf "$work/run"
    test_folder "$work/run"
    (cd "$work/run" && env ${lock:+PYTHON_GIL=1} "${limit[@]}" "$work/test-$tag/bin/python" -m pytest -q \
        -p no:cacheprovider "${files[@]}") \
        | tee "$work/tests-$tag.log" || fail "the tests of $(basename "$wheel")"
    result=$(tail -n 1 "$work/tests-$tag.log")
    cp "$wheel" "$output/"
    summary="$summary$(printf '%-6s %-40s %6d KiB %5d s  %s' "$tag" "$policy" \
        "$(du -k "$wheel" | cut -f 1)" $((SECONDS - start)) "$result")"$'\n'
done

echo
say "passed; in $output:"
printf '%s' "$summary"
