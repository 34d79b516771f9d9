# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# 64-bit Arm Linux: cross-built with Debian's g++ against Debian's packages of arm64, which are only
# unpacked, and run by qemu-user with that architecture's software driver.

part_aarch64() {
    local root=$work/aarch64/root build=$work/aarch64/build emulated
    need g++-aarch64-linux-gnu qemu-user cmake ninja-build ccache glslang-tools
    [ -e /usr/include/vk_mem_alloc.h ] || fail "vk_mem_alloc.h is not installed (scripts/setup.sh does)"
    unpacked_packages arm64 "$root" libc6 libstdc++6 libvulkan1 mesa-vulkan-drivers libvulkan-dev \
        libvulkan-volk-dev glslang-dev glslang-tools spirv-tools libspirv-cross-c-shared-dev libfmt-dev \
        nlohmann-json3-dev libvkfft-dev
    cp -L /usr/include/vk_mem_alloc.h "$root/usr/include/"
    export KOMPUTE_CROSS_ROOT=$root

    quietly cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_TOOLCHAIN_FILE="$source/cmake/toolchains/aarch64.cmake" \
        -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
        -DKOMPUTE_GLSLANG_VALIDATOR="$(command -v glslangValidator)" -DKOMPUTE_OPT_FETCH=OFF \
        -DKOMPUTE_OPT_BUILD_EXAMPLES=ON
    quietly nice -n 10 cmake --build "$build" --parallel "$jobs" --target array_multiplication

    # The loader reads manifests of this machine, too, unless it is told which one to use.
    export KOMPUTE_CACHE_DIR=off
    VK_DRIVER_FILES=$(find "$root/usr/share/vulkan/icd.d" -name 'lvp_icd*.json')
    export VK_DRIVER_FILES
    emulated=(qemu-aarch64 -L "$root" -E "LD_LIBRARY_PATH=$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu")
    quietly "${emulated[@]}" "$(find "$build/examples" -name array_multiplication -type f)"
    result "Linux aarch64" "library, example array_multiplication" \
        "right results; qemu-user, Mesa's software driver"
    unset VK_DRIVER_FILES KOMPUTE_CACHE_DIR
}
