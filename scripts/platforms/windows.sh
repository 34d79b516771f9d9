# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# 64-bit Windows: cross-built with Debian's mingw-w64, the compilers of shaders too, from the sources of
# Debian's packages, and run by Wine, whose Vulkan passes calls on to this machine's software driver. Wine
# needs a display for that; Xvfb has one without a screen.

windows_device_tests="AlgorithmTest CopyTest ExternalMemoryTest FillTest KernelLauncherTest ManagerTest ReduceTest"
windows_device_tests="$windows_device_tests SequenceTest SortTest TensorTest TransferTest WaitTest"
windows_examples="array_multiplication async_queues autotuned_matmul"

# on_wine SECONDS PROGRAM ARGUMENTS...
on_wine() {
    local seconds=$1 dlls
    shift
    dlls="$(dirname "$(x86_64-w64-mingw32-g++-posix -print-file-name=libstdc++-6.dll)")"
    env WINEPREFIX="$work/windows/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" \
        WINEPATH="${dlls//\//\\};\\usr\\x86_64-w64-mingw32\\lib" LC_ALL=C.UTF-8 \
        timeout -k 10 "$seconds" xvfb-run -a /usr/lib/wine/wine64 "$@"
}

# runs_on_wine SECONDS PROGRAM ARGUMENTS...   A program that crashes as it ends has the status 0 there.
runs_on_wine() {
    quietly on_wine "$@"
    ! grep -a 'wine: Unhandled' "$work/log" >&2 || fail "$2 crashed"
}

part_windows() {
    local folder=$work/windows examples=array_multiplication targets=(kompute) name count
    if [ -z "$sample" ]; then
        examples=$windows_examples
        targets+=(kompute_unit_tests kompute_device_tests)
    fi
    # shellcheck disable=SC2206
    targets+=($examples)
    local root=$folder/root sources=$folder/sources build=$folder/build
    need g++-mingw-w64-x86-64-posix wine64 xvfb xauth dpkg-dev cmake ninja-build ccache glslang-tools python3
    local dependencies
    cross_dependencies "$root" "$sources"

    # A shared library, which the examples use; the tests are linked with its objects.
    export KOMPUTE_CROSS_ROOT=$root
    quietly cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON \
        -DCMAKE_TOOLCHAIN_FILE="$source/cmake/toolchains/mingw-w64.cmake" \
        -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
        "${dependencies[@]}" \
        -DCMAKE_INSTALL_PREFIX="$folder/prefix" -DKOMPUTE_OPT_WERROR=ON -DKOMPUTE_OPT_BUILD_EXAMPLES=ON -DKOMPUTE_OPT_BUILD_TESTS=ON \
        -DKOMPUTE_DEVICE_TESTS="${windows_device_tests// /;}"
    quietly cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"
    [[ $(x86_64-w64-mingw32-objdump -p "$build/libkompute.dll") != *"DLL Name: vulkan-1.dll"* ]] \
        || fail "libkompute.dll needs vulkan-1.dll to start"

    # The loader reads manifests of other drivers, too, unless it is told which one to use.
    VK_DRIVER_FILES=$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json')
    export VK_DRIVER_FILES KOMPUTE_CACHE_DIR=off
    quietly on_wine 300 wineboot --init
    cp "$build/libkompute.dll" "$build/examples/"
    for name in $examples; do
        cp "$(find "$build/examples" -mindepth 2 -name "$name.exe")" "$build/examples/"
        runs_on_wine 300 "$build/examples/$name.exe"
    done
    result "Windows x86-64" "libkompute.dll, examples ${examples// /, }" \
        "right results; Wine, Mesa's software driver"
    [ -z "$sample" ] || return 0
    runs_on_wine 1200 "$build/test/kompute_unit_tests.exe"
    count=$(passed_tests)
    result "Windows x86-64" "unit tests" "$count passed; Wine"
    # Vulkan's loader is this machine's: it does not see variables that a Windows program sets.
    runs_on_wine 1800 "$build/test/kompute_device_tests.exe" \
        --gtest_filter=-EnvironmentTest.ReportsTheMissingDriverByPath
    count=$(passed_tests)
    result "Windows x86-64" "a sample of the device tests" "$count passed; Wine, Mesa's software driver"
}
