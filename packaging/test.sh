#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes each package that can be made on Debian 12, installs it apart from the system, and runs a
# program that uses it.
#
#   packaging/test.sh             all
#   packaging/test.sh PART...     sbom, cpack (of the finished build in build/ci)
#
# Installs what is missing from PyPI into build/packaging.
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

parts=${*:-sbom cpack}
for part in $parts; do
    declare -F "part_$part" > /dev/null || fail "no part is called '$part'; there are: sbom cpack"
done
for part in $parts; do "part_$part"; done
echo
printf '%s' "$results"
