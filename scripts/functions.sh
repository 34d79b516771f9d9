# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# Functions of scripts that build and try things. Most need these variables:
#
#   program  the prefix of messages
#   source   the root of the source tree
#   work     a working folder, for the output of the last command

# shellcheck source=scripts/progress.sh
. "$(dirname "${BASH_SOURCE[0]}")/progress.sh"

say() { echo "$program: $*"; }
fail() {
    echo "$program: FAILED: $*" >&2
    exit 1
}

# quietly COMMAND...   shows what it prints only if it fails
quietly() {
    "$@" > "$work/log" 2>&1 || {
        tail -n 100 "$work/log" >&2
        fail "$*"
    }
}

# clean_copy FOLDER   copies the files of a fresh clone, with uncommitted changes
clean_copy() {
    mkdir -p "$1"
    if git -C "$source" rev-parse --is-inside-work-tree > /dev/null 2>&1; then
        # Skips tracked files that were deleted.
        (cd "$source" && git ls-files -z --cached --others --exclude-standard \
            | while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done) \
            | tar -C "$source" --null --files-from=- -cf - | tar -C "$1" -xf -
    else
        tar -C "$source" --exclude=./build --exclude='./build-*' --exclude=__pycache__ -cf - . \
            | tar -C "$1" -xf -
    fi
}

# in_shards COMMAND...   runs a pytest command once per processor, up to four, each with its share
# of the tests (python/tests/conftest.py), side by side, and shows what each printed.
in_shards() {
    local count=${KOMPUTE_JOBS:-$(nproc)} shard code status=5 output
    count=$((count < 4 ? count : 4))
    local -a processes=()
    output=$(mktemp -d)
    for ((shard = 0; shard < count; ++shard)); do
        KOMPUTE_TEST_SHARD=$shard/$count "$@" > "$output/$shard" 2>&1 3>&1 &
        processes+=($!)
    done
    show_progress "pytest, the first of $count processes" "$output/0" "${processes[@]}"
    for ((shard = 0; shard < count; ++shard)); do
        code=0
        wait "${processes[shard]}" || code=$?
        cat "$output/$shard"
        # 5 is pytest's "no tests", which is a failure if all of them end so.
        if [ "$code" != 5 ] && { [ "$status" = 5 ] || [ "$status" = 0 ]; }; then status=$code; fi
    done
    rm -r "$output"
    return "$status"
}

# beside LOG COMMAND...   runs a command in the background once fewer than $jobs run, with its output in LOG.
beside_logs=() beside_processes=()
beside() {
    local log=$1
    shift
    while [ "$(jobs -rp | wc -l)" -ge "${jobs:-1}" ]; do sleep 0.2; done
    "$@" > "$log" 2>&1 < /dev/null &
    beside_processes+=($!)
    beside_logs+=("$log")
}

# finish_beside TITLE   waits for these commands and shows their output; fails if one of them did.
finish_beside() {
    local i status=0
    show_progress "$1" /dev/null "${beside_processes[@]}"
    for i in "${!beside_processes[@]}"; do
        wait "${beside_processes[i]}" || status=$?
        cat "${beside_logs[i]}"
    done
    beside_logs=() beside_processes=()
    return "$status"
}
