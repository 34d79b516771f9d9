// SPDX-License-Identifier: Apache-2.0
#include "vulkan/profiles/KnownProfiles.hpp"

#include <iterator>

#include <adreno-7xx.json.hpp>
#include <amd-rdna3.json.hpp>
#include <apple-m.json.hpp>
#include <intel-arc.json.hpp>
#include <kompute/Error.hpp>
#include <mali-g7xx.json.hpp>
#include <raspberry-pi-5.json.hpp>
#include <vulkan-1.1-least.json.hpp>

#include "base/Text.hpp"
#include "base/files/Files.hpp"

namespace kp::vulkan {
namespace {

struct KnownProfile {
    const char* name;
    std::string_view text;
};

constexpr KnownProfile kKnownProfiles[] = {
    {"adreno-7xx", ADRENO_7XX_JSON},
    {"amd-rdna3", AMD_RDNA3_JSON},
    {"apple-m", APPLE_M_JSON},
    {"intel-arc", INTEL_ARC_JSON},
    {"mali-g7xx", MALI_G7XX_JSON},
    {"raspberry-pi-5", RASPBERRY_PI_5_JSON},
    {"vulkan-1.1-least", VULKAN_1_1_LEAST_JSON},
};

/// Far above the size of a profile.
constexpr uint64_t kMaxProfileBytes = 1u << 20;

} // namespace

std::vector<std::string> profileNames() {
    std::vector<std::string> names;
    for (const KnownProfile& known : kKnownProfiles)
        names.emplace_back(known.name);
    return names;
}

std::shared_ptr<const DeviceProfile> findProfile(const std::string& given) {
    for (const KnownProfile& known : kKnownProfiles)
        if (given == known.name)
            return parseProfile(known.text, given);
    if (given.ends_with(".json")) {
        const auto text = readFile(given, kMaxProfileBytes);
        if (!text)
            fail<InvalidArgument>("the device profile '{}' cannot be read, or is larger than 1 MiB",
                                  given);
        return parseProfile(*text, given);
    }
    const std::vector<std::string> names = profileNames();
    fail<InvalidArgument>("there is no device profile '{}'; did you mean '{}'? There are {}; the "
                          "path of a file ends with .json",
                          given, nearest(given, names), join(names));
}

} // namespace kp::vulkan
