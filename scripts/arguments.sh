# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Arguments of scripts that have at most one option.

# only_option OPTION ARGUMENT
#
# Returns if the argument is empty or the option. Otherwise ends the script: --help prints the
# comment at its head, and another argument is an error.
only_option() {
    case $2 in
        '' | "$1") ;;
        -h | --help)
            sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[1]}"
            exit 0
            ;;
        *)
            echo "$(basename "${BASH_SOURCE[1]}"): unknown argument '$2'; try --help" >&2
            exit 2
            ;;
    esac
}
