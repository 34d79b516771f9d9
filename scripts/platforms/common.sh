# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Functions of scripts/platforms.sh and packaging/test.sh. They set these variables first:
#
#   program  the prefix of messages
#   source   the root of the source tree
#   work     the absolute path of a working folder
#   jobs     how many things to do at once

say() { echo "${program:-platforms}: $*"; }
fail() {
    echo "${program:-platforms}: FAILED: $*" >&2
    exit 1
}

# quietly COMMAND...   shows what it prints only if it fails
quietly() {
    "$@" > "$work/log" 2>&1 || {
        tail -n 60 "$work/log" >&2
        fail "$*"
    }
}

# result PLATFORM WHAT HOW   adds a row to the table that is printed at the end
results=""
result() {
    results="$results$(printf '%-28s %-44s %s' "$1" "$2" "$3")"$'\n'
    say "$1: $2: $3"
}

# need PACKAGE...   installs those of Debian's packages that are missing
need() {
    local name absent=()
    for name in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$name" 2> /dev/null || true) == ?i* ]] \
            || absent+=("$name")
    done
    [ "${#absent[@]}" -gt 0 ] || return 0
    [ "${KOMPUTE_SKIP_SETUP:-0}" != 1 ] || fail "not installed: ${absent[*]}"
    say "installing ${absent[*]}"
    quietly env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    quietly env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${absent[@]}"
}

# foreign_apt ARCHITECTURE ARGUMENTS...   apt-get with package lists of its own, which name the packages of
# an architecture; the machine's own lists stay as they are. As nothing is installed by this state,
# `install --download-only` gets all that a package depends on.
foreign_apt() {
    local folder=$work/apt-$1 architecture=$1
    shift
    local options=(
        -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
        -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/parts"
        -o "Dir::State::Lists=$folder/lists" -o "Dir::State::status=$folder/status"
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
        -o "Dir::Cache::archives=$folder/archives" -o APT::Sandbox::User=root
    )
    if [ ! -e "$folder/updated" ]; then
        local uri
        uri=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
            /etc/apt/sources.list.d/*.sources 2> /dev/null || true; } \
            | grep -oE '(https?|file|copy)://[^ ]*/debian/?( |$)' | head -n 1)
        [ -n "$uri" ] || fail "no package list of this machine names Debian's archive"
        mkdir -p "$folder/parts" "$folder/lists/partial" "$folder/archives/partial"
        touch "$folder/status"
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri bookworm main" \
            > "$folder/parts/bookworm.list"
        quietly apt-get "${options[@]}" update -qq
        touch "$folder/updated"
    fi
    apt-get "${options[@]}" "$@"
}

# unpacked_packages ARCHITECTURE FOLDER PACKAGE...   unpacks Debian's packages, and all that they depend
# on, without installing them
unpacked_packages() {
    local architecture=$1 folder=$2 package
    shift 2
    [ "$(cat "$folder/packages" 2> /dev/null)" != "$*" ] || return 0
    say "unpacking packages of $architecture: $*"
    rm -rf "$folder"
    mkdir -p "$folder"
    quietly foreign_apt "$architecture" install -y -qq --no-install-recommends --download-only "$@"
    for package in "$work/apt-$architecture/archives"/*.deb; do dpkg -x "$package" "$folder"; done
    echo "$*" > "$folder/packages"
}

# python_tool PACKAGE==VERSION...   installs packages of PyPI into $work/tools
python_tool() {
    [ -x "$work/tools/bin/python" ] || quietly python3 -m venv "$work/tools"
    quietly "$work/tools/bin/python" -m pip install --disable-pip-version-check "$@"
}

# older_glibc PROCESSOR COMPILER   makes what a shared library is linked to instead of this machine's C
# library, so that it runs with glibc 2.28 and newer, and sets `older_link`, the linker's arguments.
#
# The functions that a C library exports, and their versions, are all that matters at link time. Zig
# knows them for every release of glibc. Its stubs stand in for the libraries; the compiler, its
# libstdc++ (linked statically) and everything else are this machine's own.
older_glibc() {
    local folder=$work/glibc-2.28/$1 zig name stub nonshared
    nonshared=$("$2" -print-file-name=libc_nonshared.a)
    if [ ! -e "$folder/libc.so" ]; then
        python_tool ziglang==0.16.0
        zig=$("$work/tools/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/zig
        mkdir -p "$folder"
        echo 'int unused;' > "$folder/unused.c"
        quietly env ZIG_GLOBAL_CACHE_DIR="$folder/zig" ZIG_LOCAL_CACHE_DIR="$folder/zig" \
            "$zig" cc -target "$1-linux-gnu.2.28" -shared "$folder/unused.c" -o "$folder/unused.so"
        for name in libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 libld.so.2; do
            stub=$(find "$folder/zig" -name "$name" | head -n 1)
            [ -n "$stub" ] || fail "Zig made no stub of $name"
            cp "$stub" "$folder/$name"
        done
        quietly "$2" -x c -O2 -fPIC -fvisibility=hidden -c "$source/scripts/platforms/older_glibc.c" \
            -o "$folder/older_glibc.o"
        quietly ar rcs "$folder/libolder_glibc.a" "$folder/older_glibc.o"
        ln -sf libm.so.6 "$folder/libm.so"
        echo "GROUP ( $folder/libc.so.6 $folder/libolder_glibc.a $nonshared AS_NEEDED (" \
            "$folder/libpthread.so.0 $folder/libdl.so.2 $folder/libld.so.2 ) )" > "$folder/libc.so"
    fi
    older_link="-L$folder -static-libstdc++"
}
