# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Functions of scripts/platforms.sh and packaging/test.sh. They set these variables first:
#
#   program  the prefix of messages
#   source   the root of the source tree
#   work     the absolute path of a working folder
#   jobs     how many things to do at once
#   sample   for the parts of scripts/platforms.sh: not empty if only the library and one example are wanted

# shellcheck source=scripts/functions.sh
. "$source/scripts/functions.sh"
# shellcheck source=scripts/interpreters.sh
. "$source/scripts/interpreters.sh"

# What ends the script without a word of its own names itself.
set -E
trap 'echo "$program: FAILED: ${BASH_SOURCE[0]##*/}, line $LINENO: $BASH_COMMAND" >&2' ERR

# result PLATFORM WHAT HOW   adds a row to the table that is printed at the end
results=""
result() {
    results="$results$(printf '%-28s %-44s %s' "$1" "$2" "$3")"$'\n'
    say "$1: $2: $3"
}

# passed_tests   prints how many tests the last command, a program of GoogleTest, says that passed; fails if none did
passed_tests() {
    local count
    count=$(sed -nE 's/.*\[  PASSED  \] ([0-9]+) tests?.*/\1/p' "$work/log")
    [ "${count:-0}" -gt 0 ] || fail "no test ran"
    echo "$count"
}

# need PACKAGE...   installs the missing ones of Debian's packages
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

# debian_archive   prints the address that this machine's package lists have of Debian's archive
debian_archive() {
    { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources \
        2> /dev/null || true; } | grep -m 1 -oE '(https?|file|copy)://[^ ]*/debian/?( |$)' \
        || fail "no package list of this machine names Debian's archive"
}

# foreign_apt ARCHITECTURE[:SUITE] ARGUMENTS...   apt-get with package lists of its own, which name the
# packages of an architecture in a suite of Debian (default: bookworm); the machine's own lists stay as they
# are. As nothing is installed by this state, `install --download-only` gets all that a package depends on.
# The architecture "source" names source packages.
foreign_apt() {
    local folder=$work/apt-${1/:/-} architecture=${1%%:*} suite=bookworm kind=deb
    [[ $1 != *:* ]] || suite=${1#*:}
    [ "$architecture" != source ] || architecture=$(dpkg --print-architecture) kind=deb-src
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
        uri=$(debian_archive)
        mkdir -p "$folder/parts" "$folder/lists/partial" "$folder/archives/partial"
        touch "$folder/status"
        echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" \
            > "$folder/parts/$suite.list"
        quietly apt-get "${options[@]}" update -qq
        touch "$folder/updated"
    fi
    apt-get "${options[@]}" "$@"
}

# unpacked_packages ARCHITECTURE[:SUITE] FOLDER PACKAGE...   unpacks Debian's packages, and all that they
# depend on, without installing them
unpacked_packages() {
    local architecture=$1 folder=$2 packages package
    shift 2
    [ "$(cat "$folder/packages" 2> /dev/null)" != "$*" ] || return 0
    say "unpacking packages of $architecture: $*"
    rm -rf "$folder"
    mkdir -p "$folder"
    quietly foreign_apt "$architecture" install -y -qq --no-install-recommends --download-only "$@"
    # Of all downloaded packages, the ones that these need: apt-get lists the packages that are not
    # in an (empty) folder.
    packages=$(foreign_apt "$architecture" -o Dir::Cache::archives=/nonexistent install -y -qq \
        --no-install-recommends --print-uris "$@" | cut -d ' ' -f 2)
    for package in $packages; do dpkg -x "$work/apt-${architecture/:/-}/archives/$package" "$folder"; done
    echo "$*" > "$folder/packages"
}

# unpacked_sources [--skip-patches] FOLDER SUITE PACKAGE...   unpacks the sources of Debian's packages into
# FOLDER/PACKAGE, with Debian's patches or without them; fails if the server lacks one that its list names
unpacked_sources() {
    local folder suite name options=()
    if [ "$1" = --skip-patches ]; then
        options=("$1")
        shift
    fi
    folder=$1 suite=$2
    shift 2
    mkdir -p "$folder"
    for name in "$@"; do
        [ ! -d "$folder/$name" ] || continue
        say "unpacking the source of $name"
        rm -rf "$folder/download"
        mkdir "$folder/download"
        (cd "$folder/download" && quietly foreign_apt "source:$suite" source -qq --download-only "$name" \
            && quietly dpkg-source "${options[@]}" --extract ./*.dsc unpacked) || return 1
        mv "$folder/download/unpacked" "$folder/$name"
        rm -rf "$folder/download"
    done
}

# unpacked_python ROOT VERSION [EMULATOR...]   makes ROOT/usr/bin/pythonVERSION an interpreter that works
# here, although its packages (pythonVERSION-dev, pythonVERSION-venv) are only unpacked: it runs with the C
# library beside it, through an emulator if one is given, and finds its files where they are
unpacked_python() {
    local root=$1 python=$1/usr/bin/python$2 version=$2 loader folders
    shift 2
    [ ! -e "$python.program" ] || return 0
    loader=$(find "$root" -name 'ld-linux-*.so.[0-9]' -print -quit)
    # Newer releases of Debian have no /lib of their own.
    folders=$(find "$root" -maxdepth 3 -path '*/lib/*-linux-gnu' | paste -s -d :)
    # What Debian compiled into them: the folders of headers and of pip.
    sed -i "s#'/usr#'$root/usr#g" "$root/usr/lib/python$version"/_sysconfigdata_*.py
    cp "$root/usr/include"/*-linux-gnu/"python$version/pyconfig.h" "$root/usr/include/python$version/"
    mv "$python" "$python.program"
    {
        echo "#!/bin/sh"
        echo "exec $* '$loader' --library-path '$folders' --argv0 \"\$0\" '$python.program' \"\$@\""
    } > "$python"
    chmod +x "$python"
}

# python_tool PACKAGE==VERSION...   installs packages of PyPI into $work/tools
python_tool() {
    [ -x "$work/tools/bin/python" ] || quietly python3 -m venv "$work/tools"
    quietly "$work/tools/bin/python" -m pip install --disable-pip-version-check "$@"
}

# older_glibc PROCESSOR COMPILER   makes a library to link to instead of this machine's C
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
            stub=$(find "$folder/zig" -name "$name" -print -quit)
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

# wheel_results PLATFORM FOLDER WHEEL...   adds a row for each wheel that scripts/wheels.sh tested in FOLDER
max_wheel_kib=8192
wheel_results() {
    local platform=$1 folder=$2 wheel tag policy newest kib
    shift 2
    for wheel in "$@"; do
        tag=$(sed -E 's/.*-(cp[0-9]+t?)-m[a-z]+linux_.*/\1/' <<< "$wheel")
        policy=$(grep -oE '(many|musl)linux_[0-9]+_[0-9]+' <<< "$wheel" | sort -V | tail -n 1)
        kib=$(du -k "$wheel" | cut -f 1)
        newest=manylinux_2_28
        [[ $policy != musl* ]] || newest=musllinux_1_2
        [ "$(printf '%s\n' "$policy" "$newest" | sort -V | tail -n 1)" = "$newest" ] \
            || fail "$(basename "$wheel") needs a newer C library than $newest"
        [ "$kib" -le "$max_wheel_kib" ] || fail "$(basename "$wheel") has $kib KiB of $max_wheel_kib"
        result "$platform, $tag" "wheel, $policy, $kib KiB" \
            "in a clean environment: $(tail -n 1 "$folder/tests-$tag.log")"
    done
}

# cross_dependencies ROOT SOURCES   unpacks what the library is built from for a system that Debian has
# no packages for, and sets `dependencies`: the options of CMake that name it
cross_dependencies() {
    [ -e /usr/include/vk_mem_alloc.h ] || fail "vk_mem_alloc.h is not installed (scripts/setup.sh does)"
    unpacked_packages amd64 "$1" spirv-headers googletest libvulkan-dev libvulkan-volk-dev libfmt-dev \
        nlohmann-json3-dev libvkfft-dev
    cp -L /usr/include/vk_mem_alloc.h "$1/usr/include/"
    unpacked_sources "$2" bookworm glslang spirv-tools spirv-cross
    dependencies=(
        -DKOMPUTE_GLSLANG_VALIDATOR="$(command -v glslangValidator)"
        -DKOMPUTE_OPT_FETCH=OFF
        -DFETCHCONTENT_SOURCE_DIR_SPIRV_HEADERS="$1/usr"
        -DFETCHCONTENT_SOURCE_DIR_SPIRV_TOOLS="$2/spirv-tools"
        -DFETCHCONTENT_SOURCE_DIR_GLSLANG="$2/glslang"
        -DFETCHCONTENT_SOURCE_DIR_SPIRV_CROSS="$2/spirv-cross"
        -DFETCHCONTENT_SOURCE_DIR_GOOGLETEST="$1/usr/src/googletest"
        -Dfmt_DIR="$(find "$1/usr/lib" -path '*/cmake/fmt')"
        -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
    )
}
