# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
#
# Functions that find interpreters of Python for scripts/wheels.sh and scripts/platforms.sh. A version is named as in
# the names of programs: 3.12, or 3.13t for a free-threaded build.

# The versions that there are wheels for.
python_versions="3.10 3.11 3.12 3.13 3.13t 3.14 3.14t 3.15"

# python_version PYTHON   prints the version of an interpreter that there are wheels for, otherwise nothing
python_version() {
    local found
    found=$("$1" -c 'import sys, sysconfig
if sys.implementation.name == "cpython":
    print("%d.%d%s" % (*sys.version_info[:2], "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""))' \
        2> /dev/null) || return 0
    [[ " $python_versions " != *" $found "* ]] || echo "$found"
}

# installed_python VERSION   prints an interpreter on PATH, Debian's own, or one under pyenv that modules and
# environments can be made with; nothing if there is none
installed_python() {
    local python
    for python in "python$1" "/usr/bin/python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"${1%t}".*/bin/"python$1"; do
        [ "$(python_version "$python")" = "$1" ] || continue
        "$python" -c 'import ensurepip, os, sys, sysconfig
assert os.path.exists(sysconfig.get_path("include") + "/Python.h")
print(sys.executable)' 2> /dev/null || continue
        return
    done
}
