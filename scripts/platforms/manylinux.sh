# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# Wheels for x86-64 Linux with glibc 2.28 or newer. They are built from the sdist and tested in clean environments, see
# scripts/wheels.sh. The interpreters are those of this machine, and for the others CPython of newer releases of
# Debian, which is only unpacked. Debian has no free-threaded one, so that is built from its source package.

# VERSION:SUITE   no release of Debian has 3.10 or 3.12
unpacked_pythons="3.13:trixie 3.14:forky 3.15:forky"

# unpacked_interpreter VERSION   makes one of `unpacked_pythons`, and sets `python` to it
unpacked_interpreter() {
    local folder=$work/python$1 pair
    for pair in $unpacked_pythons; do
        [ "${pair%:*}" = "$1" ] || continue
        unpacked_packages "amd64:${pair#*:}" "$folder" "python$1-dev" "python$1-venv"
        unpacked_python "$folder" "$1"
        python=$folder/usr/bin/python$1
    done
}

# free_threaded_interpreter   builds the free-threaded CPython 3.13, and sets `python` to it
free_threaded_interpreter() {
    local folder=$work/python3.13t
    if [ -e "$folder/built" ]; then
        python=$folder/bin/python3.13t
        return
    fi
    need dpkg-dev libffi-dev libssl-dev make zlib1g-dev
    # Debian's patches are for interpreters with the lock alone.
    unpacked_sources --skip-patches "$folder/sources" trixie python3.13
    mkdir -p "$folder/build"
    say "building the free-threaded CPython 3.13"
    (cd "$folder/build" && quietly env CC="ccache gcc" CXX="ccache g++" "$folder/sources/python3.13/configure" \
        --disable-gil --disable-test-modules --prefix="$folder" \
        && quietly make -j "$jobs" && quietly make install)
    python=$folder/bin/python3.13t
    rm -rf "$folder/build"
    touch "$folder/built"
}

part_manylinux() {
    local version python
    need ccache g++ python3-dev python3-venv
    if [ "${#interpreters[@]}" = 0 ]; then
        for version in $python_versions; do
            python=""
            case $version in
                3.13t) free_threaded_interpreter ;;
                *) unpacked_interpreter "$version" ;;
            esac
            python=${python:-$(installed_python "$version")}
            if [ -n "$python" ]; then
                interpreters+=("$python")
            else
                result "Linux x86-64, CPython $version" "no wheel" "neither this machine nor Debian has it"
            fi
        done
    fi
    older_glibc x86_64 g++
    rm -f "$work"/wheels/*_x86_64.whl
    CMAKE_ARGS="${CMAKE_ARGS:-} -DCMAKE_MODULE_LINKER_FLAGS='$older_link'" \
        bash "$source/scripts/wheels.sh" --sample --work "$work/manylinux" --output "$work/wheels" \
        "${interpreters[@]}"
    wheel_results "Linux x86-64" "$work/manylinux" "$work"/wheels/*_x86_64.whl
}
