// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/Loader.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <sstream>

#include <kompute/Error.hpp>

#include "base/DynamicLibrary.hpp"
#include "base/Environment.hpp"
#include "base/Text.hpp"
#include "base/files/Path.hpp"

namespace kp::vulkan {
namespace {

#if defined(_WIN32)
constexpr const char* kLibraries = "vulkan-1.dll";
constexpr const char* kInstall = "install a graphics driver with Vulkan, or the Vulkan runtime";
constexpr const char* kInstallDriver = "install the GPU vendor's graphics driver";
#elif defined(__APPLE__)
constexpr const char* kLibraries = "libvulkan.dylib, libvulkan.1.dylib, libMoltenVK.dylib";
constexpr const char* kInstall = "install the Vulkan SDK, or vulkan-loader and molten-vk";
constexpr const char* kInstallDriver = "install the Vulkan SDK or molten-vk";
#else
constexpr const char* kLibraries = "libvulkan.so.1, libvulkan.so";
constexpr const char* kInstall =
    "install libvulkan1 and a driver such as mesa-vulkan-drivers (Fedora and Arch: vulkan-loader)";
constexpr const char* kInstallDriver =
    "install the GPU's driver, or mesa-vulkan-drivers, which also runs on the CPU";
#endif

std::mutex& loaderMutex() {
    static auto* mutex = new std::mutex;
    return *mutex;
}

PFN_vkGetInstanceProcAddr openLoader(const std::string& path, std::string& reason) {
    void* library = openLibrary(path, reason);
    void* function = findFunction(library, "vkGetInstanceProcAddr");
    if (library != nullptr && function == nullptr)
        reason = "it has no vkGetInstanceProcAddr";
    return reinterpret_cast<PFN_vkGetInstanceProcAddr>(function);
}

template <typename Function>
void promote(Function& core, Function extension) {
    if (!core)
        core = extension;
}

std::vector<std::string> manifestFolders() {
    std::vector<std::string> folders;
#if defined(_WIN32)
    return folders;
#else
    const auto add = [&](const std::string& base) {
        const auto folder = toPath(base) / "vulkan" / "icd.d";
        if (std::find(folders.begin(), folders.end(), folder) == folders.end())
            folders.push_back(toText(folder));
    };
    const auto addAll = [&](const std::string& list) {
        std::istringstream bases(list);
        for (std::string base; std::getline(bases, base, ':');)
            if (!base.empty())
                add(base);
    };
    const std::string home = environment("HOME");
    add(environment("XDG_CONFIG_HOME", home + "/.config"));
    addAll(environment("XDG_CONFIG_DIRS", "/etc/xdg"));
    add("/usr/local/etc");
    add("/etc");
    add(environment("XDG_DATA_HOME", home + "/.local/share"));
    addAll(environment("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    return folders;
#endif
}

std::string contentsOf(const std::string& folder) {
    std::error_code error;
    std::vector<std::string> names;
    std::filesystem::directory_iterator entry(toPath(folder), error);
    if (error)
        return "not there";
    for (; entry != std::filesystem::directory_iterator() && !error; entry.increment(error))
        if (entry->path().extension() == ".json")
            names.push_back(toText(entry->path().filename()));
    std::sort(names.begin(), names.end());
    return names.empty() ? "no manifest" : join(names);
}

} // namespace

PFN_vkGetInstanceProcAddr loaderGetInstanceProcAddr() {
    const std::lock_guard lock(loaderMutex());
    static bool loaded = false;
    if (loaded)
        return vkGetInstanceProcAddr;

    const std::string named = environment("KOMPUTE_VULKAN_LIBRARY");
    std::string reason;
    if (named.empty()) {
        if (volkInitialize() != VK_SUCCESS || !vkGetInstanceProcAddr)
            fail<Unsupported>("no Vulkan loader was found (looked for {}): {}, or name the library "
                              "in the environment variable KOMPUTE_VULKAN_LIBRARY",
                              kLibraries, kInstall);
    } else if (const auto getInstanceProcAddr = openLoader(named, reason)) {
        volkInitializeCustom(getInstanceProcAddr);
    } else {
        throw Unsupported(formatted("the Vulkan loader named by KOMPUTE_VULKAN_LIBRARY cannot be "
                                    "used: '{}'; correct the variable, or unset it to use the "
                                    "system's ({})",
                                    named, kLibraries),
                          {reason});
    }
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
    promote(table.vkGetBufferDeviceAddress, table.vkGetBufferDeviceAddressKHR);
    promote(table.vkResetQueryPool, table.vkResetQueryPoolEXT);
    promote(table.vkCmdPipelineBarrier2, table.vkCmdPipelineBarrier2KHR);
}

std::vector<std::string> driverSearchReport() {
    std::vector<std::string> report;
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES",
                             "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"})
        if (const std::string value = environment(name); !value.empty())
            report.push_back(formatted("{}={}", name, value));
    if (!environment("VK_DRIVER_FILES").empty() || !environment("VK_ICD_FILENAMES").empty()) {
        report.push_back("the driver manifests that these variables name are the only ones read");
        return report;
    }
    report.push_back("VK_DRIVER_FILES and VK_ICD_FILENAMES are not set");
    for (const std::string& folder : manifestFolders())
        report.push_back(formatted("{}: {}", folder, contentsOf(folder)));
#if defined(_WIN32)
    report.push_back("the registry key SOFTWARE\\Khronos\\Vulkan\\Drivers and the display drivers");
#endif
    return report;
}

std::string driverInstallHint() {
    return kInstallDriver;
}

} // namespace kp::vulkan
