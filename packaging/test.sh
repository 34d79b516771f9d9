#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes each package that can be made on Debian 12, installs it apart from the system, and runs a
# program that uses it. A table of what ran closes the run.
#
#   packaging/test.sh             all
#   packaging/test.sh PART...     sbom, cpack (of the finished build in build/ci), conan, debian (as root)
#
# Installs what is missing from PyPI into build/packaging. The Debian packages are built and installed in
# fresh systems below build/packaging/debian, with packages of the distribution.
set -euo pipefail

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$source/build/packaging
jobs=${KOMPUTE_JOBS:-$(nproc)}
mkdir -p "$work"
program=packages
# shellcheck source=scripts/platforms/common.sh
. "$source/scripts/platforms/common.sh"

version=$(sed -nE 's/.*VERSION_STRING "(.*)"/\1/p' "$source/include/kompute/Version.hpp")

# consumer PREFIX NAME   builds the consumer of test/package against an installation and runs it
consumer() {
    quietly cmake -S "$source/test/package/find_package" -B "$work/$2-consumer" \
        -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH="$1" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
    quietly cmake --build "$work/$2-consumer" --parallel "$jobs" --target consumer
    quietly env LD_LIBRARY_PATH="$1/lib:$1/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" "$work/$2-consumer/consumer"
}

part_sbom() {
    quietly bash "$source/packaging/release.sh" --check
    python3 "$source/packaging/sbom.py" "$source/LICENSE" > "$work/kompute.cdx.json"
    # The schema's own validator.
    python_tool 'cyclonedx-python-lib[json-validation]==11.12.0'
    quietly "$work/tools/bin/python" - "$work/kompute.cdx.json" << 'END'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(f"not CycloneDX 1.5: {error}" if error else 0)
END
    result SBOM "CycloneDX 1.5" "valid by the schema"
}

part_cpack() {
    [ -e "$source/build/ci/CPackConfig.cmake" ] || fail "build/ci is not configured (scripts/test.sh build)"
    rm -rf "$work/cpack" "$work"/cpack-*
    quietly cpack --config "$source/build/ci/CPackConfig.cmake" -B "$work/cpack"
    mkdir -p "$work/cpack-tgz" "$work/cpack-deb"
    tar -xf "$work/cpack/kompute-$version-Linux.tar.gz" -C "$work/cpack-tgz" --strip-components=1
    dpkg -x "$work"/cpack/kompute_*.deb "$work/cpack-deb"
    consumer "$work/cpack-tgz" cpack-tgz
    consumer "$work/cpack-deb/usr" cpack-deb
    result CPack "tgz, deb" "a program built with each runs"
}

part_conan() {
    python_tool conan==2.34.0
    local conan=$work/tools/bin/conan shared
    # The compiler cache then has the objects of the first library for the second one.
    export CONAN_HOME=$work/conan CCACHE_BASEDIR=$work/conan CCACHE_NOHASHDIR=1
    [ -e "$CONAN_HOME/profiles/default" ] || quietly "$conan" profile detect
    quietly "$conan" remote disable '*'
    for shared in False True; do
        quietly "$conan" create "$source/packaging/conan" -o "kompute/*:shared=$shared" \
            -s build_type=Debug -c tools.build:jobs="$jobs" \
            -c tools.cmake.cmake_layout:test_folder="$work/conan-test" \
            -c tools.cmake.cmaketoolchain:user_presets=
        result Conan "$([ "$shared" = True ] && echo shared || echo static) library" \
            "conan create without a remote; two programs built with it run"
    done
}

# in_system ROOT COMMAND   runs a command of bash, as root, in the system that is installed in ROOT
in_system() {
    # shellcheck disable=SC2016
    unshare -m bash -c '
        set -e
        mount --make-rprivate /
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        mkdir -p "$1/ccache" "$3"
        mount --bind "$3" "$1/ccache"
        exec chroot "$1" env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin CCACHE_DIR=/ccache KOMPUTE_CACHE_DIR=off \
            DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" bash -ec "$2"' _ "$1" "$2" "${CCACHE_DIR:-$HOME/.cache/ccache}"
}

# fresh_system ROOT   makes ROOT a Debian 12 of the packages that every installation has
fresh_system() {
    local base=$work/debian/base
    if [ ! -e "$base.done" ]; then
        rm -rf "$base"
        quietly debootstrap --variant=minbase --include=ca-certificates bookworm "$base" "$(debian_archive)"
        touch "$base.done"
    fi
    rm -rf "$1"
    cp -a "$base" "$1"
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
}

part_debian() {
    need debootstrap lintian
    local folder=$work/debian build=$work/debian/build clean=$work/debian/clean tree newer
    tree=kompute-$version
    mkdir -p "$folder"

    fresh_system "$build"
    mkdir -p "$build/src/$tree"
    clean_copy "$build/src/$tree"
    tar -C "$build/src" -czf "$build/src/kompute_$version.orig.tar.gz" --exclude="$tree/packaging" "$tree"
    cp -r "$source/packaging/debian" "$build/src/$tree/debian"
    rm -r "$build/src/$tree/packaging"
    # Debian 12 has no Vulkan Memory Allocator, and an older pybind11. Both are headers alone.
    for newer in trixie:libvulkan-memory-allocator-dev forky:pybind11-dev; do
        (cd "$build/src" && quietly foreign_apt "amd64:${newer%%:*}" download "${newer#*:}")
    done
    quietly in_system "$build" "apt-get update -qq
        apt-get install -y -qq --no-install-recommends build-essential ccache libpython3-dev
        dpkg -i /src/*.deb
        apt-get build-dep -y -qq --no-install-recommends /src/$tree"
    rm "$build"/src/*.deb
    quietly in_system "$build" "cd /src/$tree && dpkg-buildpackage -us -uc --jobs=$jobs"
    quietly lintian --allow-root --fail-on error,warning "$build/src/kompute_$version-1_$(dpkg --print-architecture).changes"
    [ ! -s "$work/log" ] || cat "$work/log"

    fresh_system "$clean"
    mkdir -p "$clean/src"
    cp -r "$build/src/$tree" "$clean/src/source"
    rm -rf "$clean"/src/source/obj-*
    cp "$build"/src/*.deb "$clean/src/"
    rm -f "$clean"/src/*-dbgsym_*
    quietly in_system "$clean" "apt-get update -qq
        apt-get install -y -qq --no-install-recommends /src/*.deb cmake g++ glslang-tools make \
            mesa-vulkan-drivers pkg-config
        cd /src/source && sh debian/tests/installed"
    result Debian "libkompute1, libkompute-dev, python3-kp" \
        "lintian finds no error and no warning; installed in a fresh Debian 12, programs run"
}

all_parts="sbom cpack conan debian"
parts=${*:-$all_parts}
for part in $parts; do
    declare -F "part_$part" > /dev/null || fail "no part is called '$part'; there are: $all_parts"
done
for part in $parts; do "part_$part"; done
echo
echo "=== passed"
printf '%s' "$results"
