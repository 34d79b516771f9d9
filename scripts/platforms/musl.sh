# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# Linux with the C library musl: built with the compiler, musl and libc++ of the PyPI package ziglang, the compilers
# of shaders from the sources of Debian's packages, and run by Debian's musl. There is no Vulkan driver for musl
# in Debian, so only what needs none runs.

part_musl() {
    local folder=$work/musl zig name count
    local root=$folder/root sources=$folder/sources build=$folder/build tools=$folder/tools
    need musl dpkg-dev cmake ninja-build ccache glslang-tools python3
    python_tool ziglang==0.16.0
    zig=$("$work/tools/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/zig
    mkdir -p "$tools"
    for name in cc c++; do
        printf '#!/bin/sh\nexec "%s" %s -target x86_64-linux-musl -dynamic -fno-sanitize=undefined "$@"\n' \
            "$zig" "$name" > "$tools/$name"
    done
    for name in ar ranlib; do printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$name" > "$tools/$name"; done
    chmod +x "$tools"/*
    local dependencies
    cross_dependencies "$root" "$sources"

    export KOMPUTE_CROSS_ROOT=$root KOMPUTE_ZIG_TOOLS=$tools
    export CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK=content
    quietly cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_TOOLCHAIN_FILE="$source/cmake/toolchains/musl.cmake" \
        -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
        "${dependencies[@]}" \
        -DKOMPUTE_OPT_BUILD_EXAMPLES=ON -DKOMPUTE_OPT_BUILD_TESTS=ON
    quietly cmake --build "$build" --parallel "$jobs" --target kompute array_multiplication \
        kompute_unit_tests

    export KOMPUTE_CACHE_DIR=off
    quietly "$build/test/kompute_unit_tests" --gtest_brief=1
    count=$(passed_tests)
    result "Linux x86-64, musl" "libkompute.a, unit tests" "$count passed"
    name=$(find "$build/examples" -name array_multiplication -type f)
    if "$name" > "$work/log" 2>&1; then fail "$name found a Vulkan driver"; fi
    grep "no Vulkan loader" "$work/log" > /dev/null || fail "$name says: $(cat "$work/log")"
    result "Linux x86-64, musl" "example array_multiplication" "says that there is no Vulkan loader"
    unset KOMPUTE_CROSS_ROOT KOMPUTE_ZIG_TOOLS KOMPUTE_CACHE_DIR CCACHE_COMPILERTYPE CCACHE_COMPILERCHECK
}
