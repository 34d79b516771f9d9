#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The cost of including a header of the library, beside <vulkan/vulkan.hpp>, which every
# program written for the original Kompute pays for: lines after preprocessing, and processor time
# to preprocess and to compile. Times are the least of several runs taken in turn: other programs only
# ever add to a time, so the least varies by a hundredth where the median varies by a tenth. On a busy
# machine even the least can be too high, so a ratio above the limit is measured up to three times as
# often before the program fails.
#
#   include_cost.sh COMPILER HEADER LIMIT [-I FOLDER]...
#   KOMPUTE_INCLUDE_COST_LIMIT (LIMIT), KOMPUTE_INCLUDE_COST_RUNS (5)
set -euo pipefail
export LC_ALL=C

usage='usage: include_cost.sh COMPILER HEADER LIMIT [-I FOLDER]...'
compiler=${1:?$usage}
header=${2:?$usage}
limit=${KOMPUTE_INCLUDE_COST_LIMIT:-${3:?$usage}}
shift 3
runs=${KOMPUTE_INCLUDE_COST_RUNS:-5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "#include <$header>" > "$folder/ours.cpp"
echo '#include <vulkan/vulkan.hpp>' > "$folder/theirs.cpp"

# seconds FILE COMMAND...   appends the processor seconds of COMMAND to FILE
seconds() {
    local file=$1
    shift
    local TIMEFORMAT='%3U %3S'
    { time "$@" > /dev/null 2> "$folder/messages"; } 2> "$folder/time" || {
        cat "$folder/messages" >&2
        exit 1
    }
    awk '{ print $1 + $2 }' "$folder/time" >> "$file"
}

least() { sort -n "$1" | head -n 1; }

for name in ours theirs; do
    "$compiler" -std=c++17 -E "$@" "$folder/$name.cpp" | grep -vc '^#' > "$folder/$name.lines"
done
measure() {
    local name
    for _ in $(seq "$runs"); do
        for name in ours theirs; do
            seconds "$folder/$name.preprocess" "$compiler" -std=c++17 -E "$@" "$folder/$name.cpp"
            seconds "$folder/$name.compile" \
                "$compiler" -std=c++17 -c "$@" "$folder/$name.cpp" -o "$folder/$name.o"
        done
    done
}

# above_limit QUANTITY   whether ours costs more than the limit allows
above_limit() {
    awk "BEGIN { exit !($(least "$folder/ours.$1") > $limit * $(least "$folder/theirs.$1")) }"
}

for _ in 1 2 3; do
    measure "$@"
    above_limit preprocess || above_limit compile || break
done

status=0
printf '%-24s %14s %14s %8s\n' 'include cost (C++17)' "${header##*/}" vulkan.hpp ratio
row() {
    local ours theirs
    ours=$(least "$folder/ours.$2") theirs=$(least "$folder/theirs.$2")
    printf '%-24s %14s %14s %8.3f\n' "$1" "$ours" "$theirs" "$(awk "BEGIN { print $ours / $theirs }")"
    if above_limit "$2"; then
        echo "FAILED: $1 is over $limit of vulkan.hpp" >&2
        status=1
    fi
}
row 'lines' lines
row 'preprocess, s' preprocess
row 'compile, s' compile
exit "$status"
