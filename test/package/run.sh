#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Uses kompute in every documented way, each time in a small C++17 program that runs: find_package
# and pkg-config with a static and a shared installation, add_subdirectory, and FetchContent from
# the source tree. find_package also in a C++20 and a C++23 program. A program that compiles no shader
# must stay small with the static library, also a C program that runs saved programs.
#
#   run.sh BUILD WORK     BUILD: a finished static build of kompute; WORK: a working folder
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
mkdir -p "$2"
build=$(cd "$1" && pwd)
work=$(cd "$2" && pwd)
cxx=${CXX:-c++}
jobs=${KOMPUTE_JOBS:-$(nproc)}
generator="Unix Makefiles"
if command -v ninja > /dev/null; then generator=Ninja; fi
launcher=()
if command -v ccache > /dev/null; then
    launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache)")
fi
rm -rf "${work:?}"/*
program=package
# shellcheck source=scripts/functions.sh
. "$source/scripts/functions.sh"

# configure SOURCE BINARY [CMAKE ARGUMENTS]...
configure() {
    local from=$1 to=$2
    shift 2
    quietly cmake -S "$from" -B "$to" -G "$generator" -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_CXX_FLAGS_DEBUG=-O1 "${launcher[@]}" "$@"
    quietly cmake --build "$to" --parallel "$jobs"
}

# A pattern that matches a path only from its start, so that a source folder /kompute does not match
# ${prefix}/include/kompute.
whole_path() {
    printf '(^|[^A-Za-z0-9_./}-]|-I|-L)%s' "$(sed 's/[].[^$*+?(){}|\\]/\\&/g' <<< "$1")"
}

# An installation must not depend on its first location.
install_elsewhere() {
    quietly cmake --install "$1" --prefix "$work/before/prefix"
    mkdir -p "$work/after"
    mv "$work/before/prefix" "$work/after/$2"
    if grep -rIlE --include='*.cmake' --include='*.pc' -e "$(whole_path "$work")" \
        -e "$(whole_path "$source")" "$work/after/$2"; then
        fail "the files above contain a path of the build"
    fi
}

run() {
    say "$1"
    shift
    "$@" || fail "$*"
}

only_needs_system_libraries() {
    local needed
    needed=$(ldd "$1" | grep -E 'vulkan|SPIRV|spirv|glslang|fmt' || true)
    [ -z "$needed" ] || fail "$1 needs $needed"
}

# A program that never compiles shaders must not contain the shader compiler.
# stays_small PROGRAM BYTES
stays_small() {
    local bytes max_bytes=$2
    strip -o "$work/stripped" "$1"
    bytes=$(stat -c %s "$work/stripped")
    say "$(basename "$1") has $bytes bytes, at most $max_bytes allowed"
    [ "$bytes" -le "$max_bytes" ] || fail "$1 is too large: $(nm -C "$1" \
        | grep -c 'glslang::\|spvtools::opt::') symbols of the shader compiler are in it"
}

# runs_without_compilers NAME PREFIX   programs that link kompute::runtime alone
runs_without_compilers() {
    local name=$1 prefix=$2 each found
    configure "$here/runtime" "$work/runtime-$name" "-DCMAKE_PREFIX_PATH=$prefix"
    for each in run_program runtime; do
        each=$work/runtime-$name/$each
        run "kompute::runtime, $(basename "$each"), $name" "$each" "$work/sort.kp"
        only_needs_system_libraries "$each"
        stays_small "$each" 2500000
    done
    # The library is a part of the program, or beside it.
    found=$(find "$prefix" -name 'libkompute_runtime.so.*.*')
    if [ -n "$found" ]; then
        only_needs_system_libraries "$found"
        is_hardened "$found"
        stays_small "$found" 2500000
    fi
    if nm -C "${found:-$each}" | grep -E '(glslang|spvtools|spirv_cross)::[A-Za-z:~]*\(|spv[A-Z][A-Za-z]+$'; then
        fail "the functions above are in kompute::runtime"
    fi
}

# is_hardened LIBRARY   its tables are read-only, its stack is not code, and it looks nowhere special
# for other libraries
is_hardened() {
    # No grep -q: it would end the program before it, and pipefail takes that for a failure.
    readelf -lW "$1" | grep GNU_RELRO > /dev/null || fail "$1 is not linked with -z relro"
    readelf -dW "$1" | grep -E 'BIND_NOW|FLAGS.* NOW' > /dev/null || fail "$1 is not linked with -z now"
    if readelf -lW "$1" | grep GNU_STACK | grep E > /dev/null; then fail "$1 has an executable stack"; fi
    if readelf -dW "$1" | grep -E 'RPATH|RUNPATH'; then fail "$1 has a path for libraries"; fi
    nm -D "$1" | grep __stack_chk_fail > /dev/null || fail "$1 has no stack protector"
    if [ "$(uname -m)" = x86_64 ]; then
        local landings
        landings=$(objdump -d --no-show-raw-insn "$1" | grep -c endbr64 || true)
        [ "$landings" -gt 1000 ] || fail "$1 is not built with -fcf-protection"
    fi
}

# A dependency is fetched by its tag, or by the commit that is asked for and no other.
fetches_what_is_pinned() {
    local repository=$work/repository good moved
    rm -rf "$repository" "$work/pinned"
    git init -q "$repository"
    git_in() { git -C "$repository" -c user.name=test -c user.email=test@localhost "$@"; }
    git_in commit -q --allow-empty -m first
    git_in tag v1
    good=$(git -C "$repository" rev-parse HEAD)
    git_in commit -q --allow-empty -m second
    git_in tag -f v1 > /dev/null
    moved=$(git -C "$repository" rev-parse HEAD)
    # pinned [CMAKE ARGUMENT]...
    pinned() {
        rm -rf "$work/pinned"
        cmake -S "$here/pinned" -B "$work/pinned" "-DKOMPUTE_SOURCE=$source" \
            "-DREPOSITORY=$repository" "$@" 2>&1
    }
    pinned | grep "is commit $moved" > /dev/null || fail "a tag was not fetched"
    pinned "-DPINNED=$good" | grep "is commit $good" > /dev/null \
        || fail "a moved tag was fetched in place of the pinned commit"
    pinned "-DPINNED=$moved" "-DKOMPUTE_COMMIT_dependency=$good" | grep "is commit $good" > /dev/null \
        || fail "KOMPUTE_COMMIT_<name> did not take the place of the pinned commit"
    local missing=${good//[0-9]/0} wrong
    for wrong in "PINNED=$missing" "KOMPUTE_COMMIT_dependency=$missing"; do
        if pinned "-D$wrong" > "$work/pinned.log"; then fail "a commit that does not exist was fetched"; fi
        grep "$missing of" "$work/pinned.log" > /dev/null || fail "the error does not name the commit: $wrong"
    done
    for wrong in v1 "${good:0:39}"; do
        if pinned "-DKOMPUTE_COMMIT_dependency=$wrong" > /dev/null; then fail "taken for a commit: $wrong"; fi
    done
    pinned "-DPINNED=$moved" > /dev/null
    git -C "$work/pinned/_deps/dependency-src" -c user.name=test -c user.email=test@localhost \
        commit -q --allow-empty -m changed
    if cmake -S "$here/pinned" -B "$work/pinned" > "$work/pinned.log" 2>&1; then
        fail "a folder that was changed after it was fetched passed for the commit"
    fi
    # Every dependency names a commit, as docs/guides/building.md says.
    local fetched by_tag
    fetched=$(tr '\n' ' ' < "$source/cmake/KomputeDependencies.cmake" | grep -oE 'kompute_fetch(_files)?\([^)]*\)')
    by_tag=$(sed -nE '/COMMIT/!s/^[^(]*\(([a-z0-9_]+).*/\1/p' <<< "$fetched" | tr '\n' ' ')
    [ "$(wc -l <<< "$fetched")" -ge 8 ] || fail "fetched dependencies were not found"
    [ -z "$by_tag" ] || fail "dependencies without a commit: $by_tag"
}

# Of the built-in shaders, only Kompute 0.9's are for users.
only_has_public_headers() {
    local found
    found=$(cd "$1/include" && LC_ALL=C && echo *)
    [ "$found" = "ShaderLogisticRegression.hpp ShaderOpMult.hpp kompute" ] \
        || fail "the include folder has other files: $found"
}

# consume NAME PREFIX   find_package and pkg-config with an installation
consume() {
    local name=$1 prefix=$2 library_folder
    configure "$here/find_package" "$work/find_package-$name" "-DCMAKE_PREFIX_PATH=$prefix"
    run "find_package, $name" "$work/find_package-$name/consumer"
    run "find_package, precompiled shader, $name" "$work/find_package-$name/precompiled"
    only_needs_system_libraries "$work/find_package-$name/consumer"
    only_has_public_headers "$prefix"

    library_folder=$(dirname "$(find "$prefix" -name pkgconfig -type d)")
    export PKG_CONFIG_PATH=$library_folder/pkgconfig
    # shellcheck disable=SC2046
    quietly "$cxx" -std=c++17 $(pkg-config --cflags kompute) "$here/main.cpp" \
        -o "$work/pkg_config-$name" $(pkg-config --libs kompute)
    run "pkg-config, $name" env "LD_LIBRARY_PATH=$library_folder:${LD_LIBRARY_PATH:-}" \
        "$work/pkg_config-$name"
    # shellcheck disable=SC2046
    quietly "$cxx" -std=c++17 $(pkg-config --cflags kompute) \
        "-I$work/find_package-$name/kompute_shaders/precompiled" "$here/precompiled.cpp" \
        -o "$work/precompiled-$name" $(pkg-config --libs kompute)
    run "pkg-config, precompiled shader, $name" \
        env "LD_LIBRARY_PATH=$library_folder:${LD_LIBRARY_PATH:-}" "$work/precompiled-$name"
    [ "$(pkg-config --modversion kompute)" = "$(sed -nE 's/.*VERSION_STRING "(.*)"/\1/p' "$source/include/kompute/Version.hpp")" ] \
        || fail "pkg-config and Version.hpp have different versions"
}

say "fetched dependencies"
fetches_what_is_pinned

# --- a static installation ----------------------------------------------------------------------
install_elsewhere "$build" static
archive=$(find "$work/after/static" -name libkompute.a)
[ -n "$archive" ] || fail "no libkompute.a was installed"
foreign=$(nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }' | grep -v 'NK\?2kp\|^kp_' || true)
[ -z "$foreign" ] || fail "libkompute.a defines foreign symbols: $foreign"
consume static "$work/after/static"
for standard in 20 23; do
    configure "$here/find_package" "$work/find_package-c++$standard" \
        "-DCMAKE_PREFIX_PATH=$work/after/static" "-DCONSUMER_STANDARD=$standard"
    run "find_package, C++$standard" "$work/find_package-c++$standard/consumer"
done
stays_small "$work/find_package-static/precompiled" 4100000
stays_small "$work/precompiled-static" 4100000

# --- programs of the C header, which run without a shader compiler --------------------------------
# compile_c NAME   test/package/NAME.c
compile_c() {
    # shellcheck disable=SC2046
    quietly "${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Werror -c $(pkg-config --cflags kompute) \
        "$here/$1.c" -o "$work/$1.o"
    # shellcheck disable=SC2046
    quietly "$cxx" "$work/$1.o" -o "$work/$1" $(pkg-config --libs kompute)
}
compile_c save_program
compile_c run_program
run "a saved program" "$work/save_program" "$work/sort.kp"
run "a saved program in C" "$work/run_program" "$work/sort.kp"
stays_small "$work/run_program" 2500000
runs_without_compilers static "$work/after/static"

# --- libstdc++'s debug mode, in which containers have another layout --------------------------------
# compile_with FLAG   compiles and links main.cpp
compile_with() {
    # shellcheck disable=SC2046
    "$cxx" -std=c++17 "$1" $(pkg-config --cflags kompute) "$here/main.cpp" -o "$work/flagged" \
        $(pkg-config --libs kompute) > "$work/log" 2>&1
}
if compile_with -D_GLIBCXX_DEBUG; then fail "a program in debug mode links"; fi
grep -q "needsLibkomputeBuiltWith_GLIBCXX_DEBUG" "$work/log" \
    || fail "no message says why a program in debug mode does not link: $(cat "$work/log")"
quietly compile_with -D_GLIBCXX_ASSERTIONS
run "pkg-config, with _GLIBCXX_ASSERTIONS" "$work/flagged"

# --- the program of the README ------------------------------------------------------------------
sed -n '/^```cpp$/,/^```$/{/^```/d;p}' "$source/README.md" > "$work/readme.cpp"
# shellcheck disable=SC2046
quietly "$cxx" -std=c++17 $(pkg-config --cflags kompute) "$work/readme.cpp" -o "$work/readme" \
    $(pkg-config --libs kompute)
[ "$("$work/readme")" = "1 4 9 " ] || fail "the program of the README printed something else"
say "the program of the README works"

# --- inside another CMake project ---------------------------------------------------------------
# Both projects use one folder, so that ccache has the results of the second one.
configure "$here/add_subdirectory" "$work/tree" "-DKOMPUTE_SOURCE=$source"
run "add_subdirectory, static" "$work/tree/consumer"
rm -rf "$work/tree"
quietly cmake -S "$here/add_subdirectory" -B "$work/plain" -G "$generator" "-DKOMPUTE_SOURCE=$source" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
[ "$(grep -c -- ' -O2 .*/src/' "$work/plain/compile_commands.json")" -gt 0 ] \
    || fail "the library is not optimised in a project without a build type"
say "a project without a build type gets an optimised library"
configure "$here/fetch_content" "$work/tree" "-DKOMPUTE_SOURCE=$source" -DBUILD_SHARED_LIBS=ON \
    -DKOMPUTE_OPT_INSTALL=ON
run "FetchContent, shared" "$work/tree/consumer"

# --- a shared installation ------------------------------------------------------------------------
install_elsewhere "$work/tree" shared
library=$(find "$work/after/shared" -name libkompute.so)
[ -n "$library" ] || fail "no libkompute.so was installed"
only_needs_system_libraries "$library"
foreign=$(nm -D --defined-only "$library" | awk '$2 != "W" && $2 != "V" && $2 != "u" { print $3 }' \
    | grep -v 'NK\?2kp\|^kp_' || true)
[ -z "$foreign" ] || fail "libkompute.so exports foreign symbols: $foreign"
is_hardened "$library"
consume shared "$work/after/shared"
runs_without_compilers shared "$work/after/shared"
run "the C header from Python" python3 "$here/program.py" "$library"
say "everything works"
