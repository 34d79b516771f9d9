#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds Kompute for other platforms than this machine's and runs the results here, on Debian 12 as
# root. Installs missing packages. A table of the steps that ran closes the run.
#
#   scripts/platforms.sh                     all parts
#   scripts/platforms.sh PART...             the parts named (--help lists them)
#   scripts/platforms.sh --python PYTHON ... wheels for this interpreter, or for this version (3.14t), alone;
#                                            may be repeated
#   scripts/platforms.sh --sample [PART...]  of these parts, without manylinux, only the library and one example
#
# KOMPUTE_SKIP_SETUP=1   install nothing (a machine prepared in another way)
# KOMPUTE_JOBS=N         how many things to do at once (default: one per processor)
#
# It stops at the first part that fails. Everything is made in build/platforms.
set -euo pipefail

# shellcheck source=scripts/arguments.sh
. "$(dirname "${BASH_SOURCE[0]}")/arguments.sh"
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$source/build/platforms
program=platforms
export jobs=${KOMPUTE_JOBS:-$(nproc)} CMAKE_BUILD_PARALLEL_LEVEL=${KOMPUTE_JOBS:-$(nproc)}
all_parts="manylinux clang aarch64 musl windows"
parts="" sample="" interpreters=()
while [ "$#" -gt 0 ]; do
    case $1 in
        --python)
            [ "$#" -gt 1 ] || {
                echo "platforms.sh: --python needs an interpreter or a version" >&2
                exit 2
            }
            interpreters+=("$2")
            shift
            ;;
        --sample) sample=yes ;;
        -h | --help)
            print_head
            echo "parts: $all_parts"
            exit 0
            ;;
        *)
            if [[ " $all_parts " != *" $1 "* ]]; then
                echo "platforms.sh: no part is called '$1'; there are: $all_parts" >&2
                exit 2
            fi
            parts="$parts $1"
            ;;
    esac
    shift
done
if [ -n "$sample" ]; then
    if [[ " $parts " == *" manylinux "* ]]; then
        echo "platforms.sh: manylinux has no sample; name it without --sample" >&2
        exit 2
    fi
    all_parts=${all_parts/manylinux /}
fi
parts=${parts:-$all_parts}
mkdir -p "$work"

# shellcheck source=scripts/platforms/common.sh
. "$source/scripts/platforms/common.sh"
bash "$source/scripts/setup.sh"
for part in $parts; do
    # shellcheck source=/dev/null
    . "$source/scripts/platforms/$part.sh"
done
for part in $parts; do
    start=$SECONDS
    echo "=== $part"
    "part_$part"
    unset VK_DRIVER_FILES KOMPUTE_CACHE_DIR KOMPUTE_CROSS_ROOT KOMPUTE_ZIG_TOOLS
    unset CCACHE_COMPILERTYPE CCACHE_COMPILERCHECK
    say "$part took $((SECONDS - start)) s"
done

echo
echo "=== passed"
printf '%s' "$results"
