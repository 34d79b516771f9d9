# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Functions of scripts for steps that take long.

# show_progress TITLE LOG PROCESS...
#
# Until all the processes have ended, says how long they have been running, and how far they are by
# LOG: on one line that is updated in a terminal, else every 15 seconds.
show_progress() {
    local title=$1 log=$2 start=$SECONDS interval=15 due process state
    shift 2
    [ ! -t 1 ] || interval=1
    due=$interval
    for process in "$@"; do
        while kill -0 "$process" 2> /dev/null; do
            sleep 0.2
            if [ $((SECONDS - start)) -lt "$due" ]; then continue; fi
            due=$((SECONDS - start + interval))
            # Ninja, make and pytest, and CTest say how far they are: [12/80], [ 15%], 3/8 Test.
            state=$(tail -c 40000 "$log" 2> /dev/null | grep -aoE '\[ *[0-9]+(/[0-9]+|%)\]|^ *[0-9]+/[0-9]+ Test' \
                | tail -n 1 | tr -d ' Test' || true)
            if [ -t 1 ]; then
                printf '\r\033[K%s ... %s %d s' "$title" "$state" $((SECONDS - start))
            else
                printf '%s ... %s %d s\n' "$title" "$state" $((SECONDS - start))
            fi
        done
    done
    [ ! -t 1 ] || printf '\r\033[K'
}

# with_progress LOG TITLE COMMAND...
#
# Runs a command with its output in LOG and shows its progress meanwhile. If the command fails, prints
# the end of LOG and returns the command's status.
with_progress() {
    local log=$1 title=$2 start=$SECONDS status=0 job
    shift 2
    mkdir -p "$(dirname "$log")"
    "$@" > "$log" 2>&1 < /dev/null &
    job=$!
    show_progress "$title" "$log" "$job"
    wait "$job" || status=$?
    if [ "$status" != 0 ]; then
        tail -n 60 "$log" >&2
        echo "$title: failed; the whole output is in $log" >&2
        return "$status"
    fi
    echo "$title: done in $((SECONDS - start)) s"
}
