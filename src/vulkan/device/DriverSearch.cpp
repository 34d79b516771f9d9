// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/DriverSearch.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/Environment.hpp"
#include "base/Text.hpp"

namespace kp::vulkan {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> manifestFolders() {
    std::vector<std::string> folders;
#if defined(_WIN32)
    return folders;
#else
    const auto add = [&](const std::string& base) {
        const std::string folder = (fs::path(base) / "vulkan" / "icd.d").string();
        if (std::find(folders.begin(), folders.end(), folder) == folders.end())
            folders.push_back(folder);
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
    fs::directory_iterator entry(folder, error);
    if (error)
        return "not there";
    for (const fs::directory_iterator end; entry != end && !error; entry.increment(error))
        if (entry->path().extension() == ".json")
            names.push_back(entry->path().filename().string());
    std::sort(names.begin(), names.end());
    return names.empty() ? "no manifest" : join(names);
}

} // namespace

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
#if defined(_WIN32)
    return "install the GPU vendor's graphics driver";
#elif defined(__APPLE__)
    return "install the Vulkan SDK or molten-vk";
#else
    return "install the GPU's driver, or mesa-vulkan-drivers, which also runs on the CPU";
#endif
}

} // namespace kp::vulkan
