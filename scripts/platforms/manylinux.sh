# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# Wheels for x86-64 Linux with glibc 2.28 or newer. They are built from the sdist and tested in clean environments, see
# scripts/wheels.sh. The interpreters are this machine's, and for the others CPython of newer
# releases of Debian, which is only unpacked. Debian has no free-threaded ones, so those are built
# from its source packages, which its server does not always have.

# suite_of VERSION   prints the suite of Debian that a CPython is taken from; nothing for this
# machine's
suite_of() {
    case $1 in
        3.13 | 3.13t) echo trixie ;;
        3.14 | 3.14t | 3.15) echo forky ;;
    esac
}

# unpacked_interpreter VERSION   unpacks Debian's CPython, and sets `python` to it
unpacked_interpreter() {
    local folder=$work/python$1
    unpacked_packages "amd64:$(suite_of "$1")" "$folder" "python$1-dev" "python$1-venv"
    unpacked_python "$folder" "$1"
    python=$folder/usr/bin/python$1
}

# free_threaded_interpreter VERSION   builds the free-threaded CPython, and sets `python` to it; to nothing if the
# server lacks its source
free_threaded_interpreter() {
    local folder=$work/python$1 package=python${1%t}
    python=$folder/bin/python$1
    [ ! -e "$folder/built" ] || return 0
    need dpkg-dev libffi-dev libssl-dev make zlib1g-dev
    # Debian's patches are for interpreters with the lock alone.
    if ! unpacked_sources --skip-patches "$folder/sources" "$(suite_of "$1")" "$package"; then
        python=
        return
    fi
    mkdir -p "$folder/build"
    say "building the free-threaded CPython ${1%t}"
    (cd "$folder/build" && quietly env CC="ccache gcc" CXX="ccache g++" "$folder/sources/$package/configure" \
        --disable-gil --disable-test-modules --prefix="$folder" \
        && quietly make -j "$jobs" && quietly make install)
    rm -rf "$folder/build"
    touch "$folder/built"
}

part_manylinux() {
    local version python chosen=()
    need ccache g++ python3-dev python3-venv
    # shellcheck disable=SC2206
    [ "${#interpreters[@]}" -gt 0 ] || interpreters=($python_versions)
    for version in "${interpreters[@]}"; do
        if [[ " $python_versions " != *" $version "* ]]; then
            python=$version
        elif [ -z "$(suite_of "$version")" ]; then
            python=$(installed_python "$version")
        elif [[ $version == *t ]]; then
            python=$(installed_python "$version")
            [ -n "$python" ] || free_threaded_interpreter "$version"
        else
            unpacked_interpreter "$version"
        fi
        if [ -n "$python" ]; then
            chosen+=("$python")
        else
            result "Linux x86-64, CPython $version" "no wheel" "neither this machine nor Debian's server has it"
        fi
    done
    [ "${#chosen[@]}" -gt 0 ] || fail "none of these interpreters is available: ${interpreters[*]}"
    older_glibc x86_64 g++
    rm -f "$work"/wheels/*_x86_64.whl
    CMAKE_ARGS="${CMAKE_ARGS:-} -DCMAKE_MODULE_LINKER_FLAGS='$older_link'" \
        bash "$source/scripts/wheels.sh" --sample --work "$work/manylinux" --output "$work/wheels" \
        "${chosen[@]}"
    wheel_results "Linux x86-64" "$work/manylinux" "$work"/wheels/*_x86_64.whl
}
