# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# 64-bit Arm Linux: cross-built with Debian's g++ against Debian's packages of arm64, which are only
# unpacked, and run by qemu-user with that architecture's software driver.

# What runs random or exhaustive programs for seconds, and for many minutes under an emulator.
aarch64_slow_tests="HazardOracle.*:LevelOrder.*:TuningFile.*:SourceLimits.*:SpirvLimits.*:ConvertShaders.*:TuningSpace.*"
aarch64_slow_tests="$aarch64_slow_tests:*Damaged*:*Every*:Compile.RefusesExpressionsThatWouldOverflowTheStack"
aarch64_device_tests="AlgorithmTest CopyTest FillTest ImageTest ManagerTest SequenceTest TensorTest"
# Tests of 16-bit floats: Debian 12's software driver for arm64 (Mesa 22.3, LLVM 15) aborts as it compiles these for
# any shader, or lacks shaderFloat16.
aarch64_half_tests="--deselect=python/tests/package/test_messages.py::test_types_have_the_names_of_numpy"
aarch64_half_tests="$aarch64_half_tests --deselect=python/tests/kernels/test_jit.py::test_is_compiled_for_each_type"

part_aarch64() {
    local root=$work/aarch64/root build=$work/aarch64/build tools=$work/aarch64/tools emulated name count
    local targets=(array_multiplication)
    [ -n "$sample" ] || targets+=(kompute_unit_tests kompute_device_tests)
    need g++-aarch64-linux-gnu qemu-user cmake ninja-build ccache glslang-tools
    [ -e /usr/include/vk_mem_alloc.h ] || fail "vk_mem_alloc.h is not installed (scripts/setup.sh does)"
    unpacked_packages arm64 "$root" libc6 libstdc++6 libvulkan1 mesa-vulkan-drivers libvulkan-dev \
        libvulkan-volk-dev glslang-dev glslang-tools spirv-tools libspirv-cross-c-shared-dev libfmt-dev \
        nlohmann-json3-dev libvkfft-dev libgtest-dev python3.11-dev python3.11-venv
    cp -L /usr/include/vk_mem_alloc.h "$root/usr/include/"
    export KOMPUTE_CROSS_ROOT=$root
    local cross=(
        -DCMAKE_TOOLCHAIN_FILE="$source/cmake/toolchains/aarch64.cmake" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
        -DKOMPUTE_GLSLANG_VALIDATOR="$(command -v glslangValidator)" -DKOMPUTE_OPT_FETCH=OFF
    )

    quietly cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
        "${cross[@]}" -DKOMPUTE_OPT_BUILD_EXAMPLES=ON -DKOMPUTE_OPT_BUILD_TESTS=ON \
        -DKOMPUTE_DEVICE_TESTS="${aarch64_device_tests// /;}"
    quietly cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"

    # The loader reads manifests of this machine, too, unless it is told which one to use.
    export KOMPUTE_CACHE_DIR=off
    VK_DRIVER_FILES=$(find "$root/usr/share/vulkan/icd.d" -name 'lvp_icd*.json')
    export VK_DRIVER_FILES
    emulated=(qemu-aarch64 -L "$root" -E "LD_LIBRARY_PATH=$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu")
    quietly timeout 300 "${emulated[@]}" "$(find "$build/examples" -name array_multiplication -type f)"
    result "Linux aarch64" "library, example array_multiplication" \
        "right results; qemu-user, Mesa's software driver"
    [ -z "$sample" ] || return 0
    # Some tests, of how a process ends and of the environment, start it again, which needs the emulator in the kernel.
    quietly timeout 1800 "${emulated[@]}" "$build/test/kompute_unit_tests" --gtest_brief=1 \
        --gtest_filter="-*DeathTest*:$aarch64_slow_tests"
    count=$(passed_tests)
    result "Linux aarch64" "unit tests, but for the slowest" "$count passed; qemu-user"
    quietly timeout 1800 "${emulated[@]}" "$build/test/kompute_device_tests" --gtest_brief=1 \
        --gtest_filter="-*DeathTest*:EnvironmentTest.*"
    count=$(passed_tests)
    result "Linux aarch64" "a sample of the device tests" "$count passed; qemu-user, Mesa's software driver"

    # The tests of a wheel look into it with nm.
    mkdir -p "$tools"
    for name in nm readelf; do ln -sf "$(command -v "aarch64-linux-gnu-$name")" "$tools/$name"; done
    unpacked_python "$root" 3.11 qemu-aarch64 -L "$root"
    older_glibc aarch64 aarch64-linux-gnu-g++
    rm -f "$work"/wheels/*_aarch64.whl
    PATH=$tools:$PATH CC=aarch64-linux-gnu-gcc PYTEST_ADDOPTS=$aarch64_half_tests \
        CMAKE_ARGS="${CMAKE_ARGS:-} ${cross[*]} -DCMAKE_MODULE_LINKER_FLAGS='$older_link'" \
        bash "$source/scripts/wheels.sh" --sample --emulated aarch64 --work "$work/aarch64/wheel" \
        --output "$work/wheels" "$root/usr/bin/python3.11"
    wheel_results "Linux aarch64" "$work/aarch64/wheel" "$work"/wheels/*_aarch64.whl
}
