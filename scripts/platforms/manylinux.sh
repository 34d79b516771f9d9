# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# Wheels for x86-64 Linux with glibc 2.28 or newer, one for each CPython from 3.10 to 3.14 that is
# found, built from the sdist and tested in clean environments. See scripts/wheels.sh.

max_wheel_kib=8192

part_manylinux() {
    local output=$work/wheels wheel tag policy kib
    need ccache g++ python3-venv
    older_glibc x86_64 g++
    rm -rf "$output"
    CMAKE_ARGS="-DCMAKE_MODULE_LINKER_FLAGS='$older_link'" \
        nice -n 10 bash "$source/scripts/wheels.sh" --no-tests --output "$output" "${interpreters[@]}"
    for wheel in "$output"/*.whl; do
        tag=$(sed -E 's/.*-(cp[0-9]+t?)-manylinux.*/\1/' <<< "$wheel")
        policy=$(grep -oE 'manylinux_[0-9]+_[0-9]+' <<< "$wheel" | sort -V | tail -n 1)
        kib=$(du -k "$wheel" | cut -f 1)
        [ "$(printf '%s\nmanylinux_2_28\n' "$policy" | sort -V | tail -n 1)" = manylinux_2_28 ] \
            || fail "$(basename "$wheel") needs a newer glibc than 2.28"
        [ "$kib" -le "$max_wheel_kib" ] || fail "$(basename "$wheel") has $kib KiB of $max_wheel_kib"
        result "Linux x86-64, $tag" "wheel, $policy, $kib KiB" \
            "installed in a clean environment; one dispatch is right"
    done
}
