#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the benchmarks (Release, build/benchmark) and runs them: the library beside raw Vulkan and,
# where nvcc and a GPU are, CUDA.
#
#   bash scripts/benchmark.sh                       everything; prints a table
#   bash scripts/benchmark.sh --quick               fewer rounds and sizes
#   bash scripts/benchmark.sh --json FILE           all numbers
#   bash scripts/benchmark.sh --chart FILE.svg      a chart of the ratios
#   bash scripts/benchmark.sh --sizes FILE.svg      a chart of primitives over sizes
#   bash scripts/benchmark.sh --page docs/reports/benchmarks.md   the table put into that page
#   bash scripts/benchmark.sh --check               exit with 1 where a target is missed
#   bash scripts/benchmark.sh submit record         these groups alone: submit launch record
#                                                   pipeline memory transfer concurrency
#                                                   primitives cold flat; and sweep, for --sizes
#   bash scripts/benchmark.sh --no-build            use an earlier build
#
# KOMPUTE_DEVICE=...    which device (default: the best)
# KOMPUTE_COMMIT=...    the measured commit, where there is no git
# On a software driver the programs keep themselves to one processor.
set -euo pipefail
# shellcheck source=scripts/arguments.sh
. "$(dirname "${BASH_SOURCE[0]}")/arguments.sh"
here=$(pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

all_groups="submit launch record pipeline memory transfer concurrency primitives cold flat"
groups="" quick="" check="" json="" chart="" sizes="" page="" build=1
absolute() { case $1 in /*) printf '%s' "$1" ;; *) printf '%s/%s' "$here" "$1" ;; esac; }
while [ "$#" -gt 0 ]; do
    case $1 in
        --quick) quick=--quick ;;
        --check) check=--check ;;
        --no-build) build=0 ;;
        --json | --chart | --sizes | --page)
            [ "$#" -gt 1 ] || { echo "benchmark.sh: $1 needs a file" >&2; exit 2; }
            declare "${1#--}=$(absolute "$2")"
            shift
            ;;
        -h | --help)
            print_head
            exit 0
            ;;
        *)
            if [[ " $all_groups sweep " != *" $1 "* ]]; then
                echo "benchmark.sh: what is '$1'? See --help" >&2
                exit 2
            fi
            groups="$groups $1"
            ;;
    esac
    shift
done
groups=${groups:-$all_groups}
if [ -n "$sizes" ] && [[ " $groups " != *" sweep "* ]]; then groups="$groups sweep"; fi

folder=build/benchmark
if [ "$build" = 1 ]; then
    generator=()
    if command -v ninja > /dev/null && [ ! -e "$folder/CMakeCache.txt" ]; then generator=(-G Ninja); fi
    mkdir -p "$folder"
    programs="kompute_benchmark kompute_benchmark_flatness kompute_cold_start_kompute
              kompute_cold_start_raw"
    cmake -S . -B "$folder" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release \
        -DKOMPUTE_OPT_ENABLE_BENCHMARK=ON > "$folder/configure.log" || {
        cat "$folder/configure.log"
        exit 1
    }
    grep 'benchmarks with CUDA' "$folder/configure.log"
    if grep -q 'benchmarks with CUDA: ON' "$folder/configure.log"; then
        programs="$programs kompute_cold_start_cuda"
    fi
    # shellcheck disable=SC2086
    cmake --build "$folder" --parallel "${KOMPUTE_JOBS:-$(nproc)}" --target $programs \
        > "$folder/build.log" || { grep -E 'error|FAILED' -A5 "$folder/build.log"; exit 1; }
fi

results=$folder/results
rm -rf "$results"
mkdir -p "$results"
status=0
# run NAME SECONDS COMMAND...   stops it after so long; its output until then counts
run() {
    local name=$1 seconds=$2 result=0
    shift 2
    timeout --kill-after=5 "$seconds" "$@" --json "$results/$name.json" || result=$?
    if [ "$result" -ne 0 ]; then
        if [ "$result" -eq 124 ] || [ "$result" -eq 137 ]; then
            echo "$name: stopped after $seconds seconds"
        elif [ -z "$check" ] || [ "$result" -ne 1 ]; then
            echo "$name: ended with status $result"
        fi
        status=1
    fi
}

start=$SECONDS
head=""
for group in $groups; do
    case $group in
        cold)
            runs=9
            if [ -n "$quick" ]; then runs=3; fi
            run "$group" 120 python3 benchmark/cold_start/run.py "$folder/benchmark" --runs $runs
            ;;
        flat)
            full=--full
            if [ -n "$quick" ]; then full=; fi
            run "$group" 180 "$folder/benchmark/kompute_benchmark_flatness" $check $full
            ;;
        sweep)
            run "$group" 300 "$folder/benchmark/kompute_benchmark" --sweep $quick $head
            head=--no-head
            ;;
        *)
            run "$group" 120 "$folder/benchmark/kompute_benchmark" $check $quick $head \
                --benchmark_filter="^$group/"
            head=--no-head
            ;;
    esac
done
echo
echo "measured in $((SECONDS - start)) s"

files=()
for group in $groups; do files+=("$results/$group.json"); done
options=()
if [ -n "$json" ]; then options+=(--json "$json"); fi
if [ -n "$chart" ]; then options+=(--chart "$chart"); fi
if [ -n "$sizes" ]; then options+=(--sizes "$sizes"); fi
if [ -n "$page" ]; then options+=(--page "$page"); fi
python3 scripts/benchmark_report.py "${files[@]}" "${options[@]}" $check || status=1
if [ -n "$check" ]; then exit "$status"; fi
