// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/Loader.hpp"

#include <mutex>
#include <string>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include <kompute/Error.hpp>

#include "base/Environment.hpp"
#include "base/Text.hpp"

namespace kp::vulkan {
namespace {

#if defined(_WIN32)
constexpr const char* kLibraries = "vulkan-1.dll";
constexpr const char* kInstall = "install a graphics driver with Vulkan, or the Vulkan runtime";
#elif defined(__APPLE__)
constexpr const char* kLibraries = "libvulkan.dylib, libvulkan.1.dylib, libMoltenVK.dylib";
constexpr const char* kInstall = "install the Vulkan SDK, or vulkan-loader and molten-vk";
#else
constexpr const char* kLibraries = "libvulkan.so.1, libvulkan.so";
constexpr const char* kInstall =
    "install libvulkan1 and a driver such as mesa-vulkan-drivers (Fedora and Arch: vulkan-loader)";
#endif

std::mutex& loaderMutex() {
    static auto* mutex = new std::mutex;
    return *mutex;
}

// The library is never closed, since drivers keep threads and thread-local data.
PFN_vkGetInstanceProcAddr openLibrary(const char* path, std::string& reason) {
#ifdef _WIN32
    HMODULE library = LoadLibraryA(path);
    if (!library) {
        reason = formatted("LoadLibrary failed with error {}", GetLastError());
        return nullptr;
    }
    auto* symbol = reinterpret_cast<void (*)()>(GetProcAddress(library, "vkGetInstanceProcAddr"));
#else
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* text = dlerror();
        reason = text ? text : "dlopen failed";
        return nullptr;
    }
    auto* symbol = reinterpret_cast<void (*)()>(dlsym(library, "vkGetInstanceProcAddr"));
#endif
    if (!symbol)
        reason = "it has no vkGetInstanceProcAddr";
    return reinterpret_cast<PFN_vkGetInstanceProcAddr>(symbol);
}

void openNamed(const std::string& path) {
    std::string reason;
    const auto getInstanceProcAddr = openLibrary(path.c_str(), reason);
    if (!getInstanceProcAddr)
        throw Unsupported(formatted("the Vulkan loader named by KOMPUTE_VULKAN_LIBRARY cannot be "
                                    "used: '{}'; correct the variable, or unset it to use the "
                                    "system's ({})",
                                    path, kLibraries),
                          {reason});
    volkInitializeCustom(getInstanceProcAddr);
}

template <typename Function>
void promote(Function& core, Function extension) {
    if (!core)
        core = extension;
}

} // namespace

PFN_vkGetInstanceProcAddr loaderGetInstanceProcAddr() {
    const std::lock_guard lock(loaderMutex());
    static bool loaded = false;
    if (loaded)
        return vkGetInstanceProcAddr;

    const std::string named = environment("KOMPUTE_VULKAN_LIBRARY");
    if (!named.empty())
        openNamed(named);
    else if (volkInitialize() != VK_SUCCESS || !vkGetInstanceProcAddr)
        fail<Unsupported>("no Vulkan loader was found (looked for {}): {}, or name the library in "
                          "the environment variable KOMPUTE_VULKAN_LIBRARY",
                          kLibraries, kInstall);
    loaded = true;
    return vkGetInstanceProcAddr;
}

void loadDeviceTable(VolkDeviceTable& table, VkDevice device,
                     PFN_vkGetDeviceProcAddr getDeviceProcAddr) {
    const std::lock_guard lock(loaderMutex());
    const auto previous = vkGetDeviceProcAddr;
    vkGetDeviceProcAddr = getDeviceProcAddr;
    volkLoadDeviceTable(&table, device);
    vkGetDeviceProcAddr = previous;

    promote(table.vkGetSemaphoreCounterValue, table.vkGetSemaphoreCounterValueKHR);
    promote(table.vkWaitSemaphores, table.vkWaitSemaphoresKHR);
    promote(table.vkSignalSemaphore, table.vkSignalSemaphoreKHR);
    promote(table.vkGetBufferDeviceAddress, table.vkGetBufferDeviceAddressKHR);
    promote(table.vkResetQueryPool, table.vkResetQueryPoolEXT);
    promote(table.vkQueueSubmit2, table.vkQueueSubmit2KHR);
    promote(table.vkCmdPipelineBarrier2, table.vkCmdPipelineBarrier2KHR);
    promote(table.vkCmdWriteTimestamp2, table.vkCmdWriteTimestamp2KHR);
    promote(table.vkGetDeviceBufferMemoryRequirements,
            table.vkGetDeviceBufferMemoryRequirementsKHR);
    promote(table.vkGetDeviceImageMemoryRequirements, table.vkGetDeviceImageMemoryRequirementsKHR);
}

} // namespace kp::vulkan
