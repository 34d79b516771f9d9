# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Functions of test/package/python.sh and scripts/wheels.sh. They set these variables first:
#
#   program  the prefix of messages
#   source   the root of the source tree
#   work     the absolute path of a working folder
#   driver   "no" if there is no Vulkan driver that the interpreters could load

version=$(sed -nE 's/.*VERSION_STRING "(.*)"/\1/p' "$source/include/kompute/Version.hpp")

# Lets ccache reuse the results of builds in other folders, also of one in the source tree.
export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
[[ $work != "$source"/* ]] || CCACHE_BASEDIR=$source
export TMPDIR=$work/tmp
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH PYTHONHOME
mkdir -p "$TMPDIR"

# shellcheck source=scripts/functions.sh
. "$source/scripts/functions.sh"

# The tests need pytest and the packages of kompute's optional parts.
test_packages=('pytest>=7' 'Pillow>=9' 'matplotlib>=3.5' 'dask[array]>=2024.8' 'distributed>=2024.8')

# test_folder FOLDER   copies the tests, but nothing that 'import kp' could find
test_folder() {
    local part
    mkdir -p "$1/python"
    cp "$source/pyproject.toml" "$1/"
    for part in tests examples; do
        [ ! -d "$source/python/$part" ] || cp -r "$source/python/$part" "$1/python/"
    done
}

# smoke PYTHON [OPTION...]   checks the package installed for PYTHON, with and without a Vulkan loader
smoke() {
    local preloaded=()
    if [ "${driver:-yes}" = yes ]; then
        (cd "$work/tmp" && env LD_BIND_NOW=1 "$@" -I -X dev -W error \
            "$source/test/package/python_smoke.py" "$version") || fail "the installed package"
        [ -e "$work/no_vulkan.so" ] || quietly "${CC:-cc}" -shared -fPIC -O1 -o "$work/no_vulkan.so" \
            "$source/test/package/no_vulkan.c" -ldl
        preloaded=("LD_PRELOAD=$work/no_vulkan.so")
    fi
    [ "$(uname -s)" = Linux ] || return 0
    (cd "$work/tmp" && env -u KOMPUTE_VULKAN_LIBRARY "${preloaded[@]}" "$@" -I -X dev -W error \
        "$source/test/package/python_smoke.py" "$version" --without-vulkan) \
        || fail "the installed package without Vulkan"
}

# command_line FOLDER   runs the package's commands in the environment FOLDER
command_line() {
    (cd "$work/tmp" && quietly "$1/bin/kp" --help && quietly "$1/bin/convert_shaders" --help \
        && quietly "$1/bin/python" -I -m kp --help)
}
