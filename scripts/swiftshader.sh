#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Finds SwiftShader, a second software driver, and prints the path of its ICD file. It has no 64-bit numbers, no
# 8- or 16-bit storage and subgroups of 4, as many devices. Takes it from the package chromium-common, which need
# not be installed: only the driver is unpacked, to build/swiftshader. Prints nothing, and says why on standard error,
# if it is not to be had.
#
# KOMPUTE_SWIFTSHADER=FILE        this ICD file instead
# KOMPUTE_SKIP_SETUP=1            download nothing
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$PWD/build/swiftshader
for icd in "${KOMPUTE_SWIFTSHADER:-}" /usr/lib/chromium/vk_swiftshader_icd.json \
    "$folder/usr/lib/chromium/vk_swiftshader_icd.json"; do
    if [ -n "$icd" ] && [ -e "$icd" ]; then
        echo "$icd"
        exit 0
    fi
done

leave_out() {
    echo "LEFT OUT: SwiftShader $1, so nothing was tested on it" >&2
    exit 0
}
[ "${KOMPUTE_SKIP_SETUP:-0}" != 1 ] || leave_out "is not installed"
command -v apt-get > /dev/null || leave_out "is taken from a package of Debian's, and there is no apt-get"
mkdir -p "$folder"
# Of 32 MB, the two files of the driver are kept.
(cd "$folder" && apt-get download -qq chromium-common > download.log 2>&1) \
    || leave_out "could not be downloaded ($(tail -n 1 "$folder/download.log"))"
if ! dpkg-deb --fsys-tarfile "$folder"/chromium-common_*.deb \
    | tar -C "$folder" -xf - ./usr/lib/chromium/libvk_swiftshader.so \
        ./usr/lib/chromium/vk_swiftshader_icd.json 2> "$folder/download.log"; then
    rm -rf "$folder"/usr "$folder"/*.deb
    leave_out "is not in the package chromium-common"
fi
rm -f "$folder"/*.deb
echo "$folder/usr/lib/chromium/vk_swiftshader_icd.json"
