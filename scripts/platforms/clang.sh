# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# Linux with Debian's Clang in place of GCC, and GCC's C++ library: what the preset ci builds, warnings as errors, but
# without optimization. The part musl uses Clang with libc++.

clang_device_tests="AlgorithmTest CopyTest FeatureTest FillTest ManagerTest SequenceTest TensorTest"

part_clang() {
    local build=$work/clang targets=(kompute array_multiplication) version count
    [ -n "$sample" ] || targets+=(kompute_unit_tests kompute_device_tests)
    need clang cmake ninja-build ccache glslang-tools
    version=$(clang++ -dumpversion)
    quietly cmake --preset ci -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
        -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
        -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
        -DKOMPUTE_DEVICE_TESTS="${clang_device_tests// /;}"
    quietly cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"

    export KOMPUTE_CACHE_DIR=off
    quietly "$(find "$build/examples" -name array_multiplication -type f)"
    result "Linux x86-64, Clang $version" "library, example array_multiplication" "right results"
    [ -z "$sample" ] || return 0
    quietly "$build/test/kompute_unit_tests" --gtest_brief=1
    count=$(passed_tests)
    result "Linux x86-64, Clang $version" "unit tests" "$count passed"
    quietly "$build/test/kompute_device_tests" --gtest_brief=1
    count=$(passed_tests)
    result "Linux x86-64, Clang $version" "a sample of the device tests" "$count passed"
}
