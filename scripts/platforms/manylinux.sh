# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# Wheels for x86-64 Linux with glibc 2.28 or newer, for Debian 12's CPython and for those of newer releases of
# Debian, which are only unpacked. They are built from the sdist and tested in clean environments. See
# scripts/wheels.sh.

# VERSION:SUITE   no release of Debian has 3.10 or 3.12
unpacked_pythons="3.13:trixie 3.14:forky 3.15:forky"

part_manylinux() {
    local version
    need ccache g++ python3-dev python3-venv
    if [ "${#interpreters[@]}" = 0 ]; then
        interpreters=(/usr/bin/python3)
        for version in $unpacked_pythons; do
            unpacked_packages "amd64:${version#*:}" "$work/python${version%:*}" \
                "python${version%:*}-dev" "python${version%:*}-venv"
            unpacked_python "$work/python${version%:*}" "${version%:*}"
            interpreters+=("$work/python${version%:*}/usr/bin/python${version%:*}")
        done
    fi
    older_glibc x86_64 g++
    rm -f "$work"/wheels/*_x86_64.whl
    CMAKE_ARGS="${CMAKE_ARGS:-} -DCMAKE_MODULE_LINKER_FLAGS='$older_link'" \
        nice -n 5 bash "$source/scripts/wheels.sh" --sample --work "$work/manylinux" --output "$work/wheels" \
        "${interpreters[@]}"
    wheel_results "Linux x86-64" "$work/manylinux" "$work"/wheels/*_x86_64.whl
}
