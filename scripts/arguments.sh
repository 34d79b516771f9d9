# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Arguments of scripts.

# print_head
#
# Prints the comment at the head of the running script, from its fourth line.
print_head() {
    sed -n '4,/^set /{/^set /d;s/^# \{0,1\}//;p}' \
        "$(dirname "${BASH_SOURCE[0]}")/$(basename "$0")"
}

# only_option OPTION ARGUMENT
#
# Returns if the argument is empty or the option. Otherwise ends the script: --help prints the
# comment at its head, and another argument is an error.
only_option() {
    case $2 in
        '' | "$1") ;;
        -h | --help)
            print_head
            exit 0
            ;;
        *)
            echo "$(basename "${BASH_SOURCE[1]}"): unknown argument '$2'; try --help" >&2
            exit 2
            ;;
    esac
}
