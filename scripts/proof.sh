#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proofs that are too long for the tests: fuzzing, random programs, hostile arguments, killed
# processes, long programs, soaks. docs/reports/proof.md describes them.
#
#   bash scripts/proof.sh [quick]           a sample, as in CI
#   bash scripts/proof.sh long              before a release
#   bash scripts/proof.sh quick programs    one of: fuzz programs groups checked files
#                                        sync python primitives numbers wide processes long soak
#
# KOMPUTE_PROOF_BUILD=build/ci    a build with kompute_proof, kompute_fuzz_replay and _kp
# KOMPUTE_PROOF_SEED=N            default: the day's
#
# A failure prints the seed and what runs it again. Each proof also gets a planted fault, which it
# must find.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/arguments.sh
. scripts/arguments.sh

build=${KOMPUTE_PROOF_BUILD:-build/ci}
seed=${KOMPUTE_PROOF_SEED:-date}
size=quick
case ${1:-} in
    quick | long) size=$1 && shift ;;
    -h | --help) print_head && exit 0 ;;
esac
parts=${*:-fuzz programs groups checked files sync python primitives numbers errors wide processes long soak}
proof=$build/test/kompute_proof
# What the processes compile stays out of the user's cache.
KOMPUTE_CACHE_DIR=$(mktemp -d)
export KOMPUTE_CACHE_DIR
trap 'rm -rf "$KOMPUTE_CACHE_DIR"' EXIT

# volume QUICK LONG
volume() { if [ $size = quick ]; then echo "$1"; else echo "$2"; fi; }

# finds COMMAND...   a planted fault, which the command must report with status 1
finds() {
    local output status=0
    output=$("$@" 2>&1) || status=$?
    if [ "$status" -ne 1 ]; then
        echo "proof.sh: a planted fault was not found (status $status): $*" >&2
        echo "$output" >&2
        return 1
    fi
    echo "planted: $(grep -m 1 -v '^ *$' <<< "$output")"
}

part_fuzz() {
    "$build/test/fuzz/kompute_fuzz_replay" --seed "$seed" --rounds "$(volume 20000 1000000)" \
        --sources "$(volume 3000 100000)"
    for fault in crash error hang memory; do finds "$build/test/fuzz/kompute_fuzz_replay" --plant $fault; done
}
part_programs() {
    "$proof" programs --seed "$seed" --count "$(volume 3000 100000)"
    for fault in dispatch copy fill; do finds "$proof" programs --plant $fault; done
}
part_files() {
    "$proof" files --seed "$seed" --count "$(volume 2000 20000)"
    finds "$proof" files --plant checksum
}
part_groups() {
    "$proof" groups --seed "$seed" --count "$(volume 1000 50000)"
    for fault in dispatch copy; do finds "$proof" groups --plant $fault; done
}
part_checked() {
    "$proof" checked --seed "$seed" --count "$(volume 300 20000)"
    finds "$proof" checked --plant shared
}
part_sync() {
    local KOMPUTE_VALIDATION=sync
    export KOMPUTE_VALIDATION
    if ! "$proof" programs --count 1 --plant barrier > /dev/null 2>&1; then
        "$proof" programs --seed "$seed" --count "$(volume 300 10000)"
        "$proof" groups --seed "$seed" --count "$(volume 20 500)"
        for kind in programs groups; do finds "$proof" $kind --plant barrier; done
    elif [ "${KOMPUTE_ALLOW_NO_VALIDATION:-0}" = 1 ]; then
        echo "LEFT OUT: no validation layer is installed, so random programs were NOT validated"
    else
        echo "proof.sh: VK_LAYER_KHRONOS_validation is not installed, or finds nothing" >&2
        return 1
    fi
}
# Runs Python with the package of the build.
with_package() { PYTHONPATH=$PWD/$build/python build/venv/bin/python "$@"; }
# have_package WHAT   whether the package is built; else says what was left out
have_package() {
    ls "$build"/python/kp/_kp.*.so > /dev/null 2>&1 && [ -x build/venv/bin/python ] && return
    echo "LEFT OUT: the Python package is not built, so $1"
    return 1
}
part_python() {
    have_package "hostile arguments were NOT tried" || return 0
    with_package test/proof/python/hostile_arguments.py --seed "$seed" --count "$(volume 10000 200000)"
    for fault in signal error; do
        finds with_package test/proof/python/hostile_arguments.py --count 100 --plant $fault
    done
    if [ $size = long ]; then
        finds with_package test/proof/python/hostile_arguments.py --count 100 --plant hang
    fi
}
part_primitives() {
    have_package "primitives were NOT compared with NumPy" || return 0
    with_package test/proof/python/random_primitives.py --seed "$seed" --count "$(volume 60 5000)"
    finds with_package test/proof/python/random_primitives.py --count 60 --plant result
    with_package test/proof/python/random_sparse.py --seed "$seed" --count "$(volume 20 1000)"
    finds with_package test/proof/python/random_sparse.py --only 50 --plant result
}
part_numbers() {
    have_package "numbers were NOT compared with NumPy's and Python's" || return 0
    with_package test/proof/python/random_numbers.py --seed "$seed" --count "$(volume 90 5000)"
    finds with_package test/proof/python/random_numbers.py --count 30 --plant result
}
part_errors() {
    have_package "errors of functions were NOT measured" || return 0
    with_package test/proof/python/function_errors.py --seed "$seed" --count "$(volume 100 20000)"
    finds with_package test/proof/python/function_errors.py --count 100 --only exp --plant result
}
part_wide() {
    "$proof" wide --seed "$seed" --count "$(volume 20000 10000000)"
    finds "$proof" wide --count 1000 --plant ties
}
part_processes() {
    python3 test/proof/python/processes.py "$proof" --seed "$seed" --rounds "$(volume 10 200)" \
        --steps "$(volume 12 200)"
    finds python3 test/proof/python/processes.py "$proof" --rounds 1 --plant stale
}
part_long() {
    "$proof" long --count "$(volume 20000 100000)"
    finds "$proof" long --count 20000 --plant quadratic
}
part_soak() {
    "$proof" soak --count "$(volume 20000 1000000)"
    finds "$proof" soak --count 5000 --plant leak
    "$proof" threads --seed "$seed" --count "$(volume 5 60)"
    finds "$proof" threads --count 1 --plant race
}

summary=""
for part in $parts; do
    if ! declare -F "part_$part" > /dev/null; then
        echo "proof.sh: no part is called '$part'" >&2
        exit 2
    fi
    echo "--- $part"
    start=$SECONDS
    trap 'rm -rf "$KOMPUTE_CACHE_DIR"; echo "proof.sh: FAILED in part $part"' EXIT
    "part_$part"
    trap 'rm -rf "$KOMPUTE_CACHE_DIR"' EXIT
    summary="$summary$(printf '%6d s  %s' $((SECONDS - start)) "$part")"$'\n'
done
printf -- '--- proved\n%s' "$summary"
