# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Functions of scripts/demo.sh and scripts/setup.sh for steps that take long.

# with_progress LOG TITLE COMMAND...
#
# Runs a command with its output in LOG. Meanwhile says how long it has been running: on one line
# that is updated in a terminal, else every 15 seconds. If the command fails, prints the end of LOG
# and returns the command's status.
with_progress() {
    local log=$1 title=$2 start=$SECONDS status=0 job state interval=15
    shift 2
    [ ! -t 1 ] || interval=1
    mkdir -p "$(dirname "$log")"
    "$@" > "$log" 2>&1 < /dev/null &
    job=$!
    while kill -0 "$job" 2> /dev/null; do
        sleep 0.2
        if [ $((SECONDS - start)) -lt "${due:=$interval}" ]; then continue; fi
        due=$((SECONDS - start + interval))
        # Ninja and make say how far they are: [12/80] or [ 15%].
        state=$(tail -c 400 "$log" | grep -aoE '\[ *[0-9]+(/[0-9]+|%)\]' | tail -n 1 || true)
        if [ -t 1 ]; then
            printf '\r\033[K%s ... %s %d s' "$title" "$state" $((SECONDS - start))
        else
            printf '%s ... %s %d s\n' "$title" "$state" $((SECONDS - start))
        fi
    done
    unset due
    wait "$job" || status=$?
    [ ! -t 1 ] || printf '\r\033[K'
    if [ "$status" != 0 ]; then
        tail -n 60 "$log" >&2
        echo "$title: failed; the whole output is in $log" >&2
        return "$status"
    fi
    echo "$title: done in $((SECONDS - start)) s"
}
