// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/ClockCalibration.hpp"

#include <algorithm>
#include <array>
#include <string>

#if defined(_WIN32)
#include <windows.h>
#endif

#include "vulkan/device/Device.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/device/Result.hpp"

namespace kp::vulkan {
namespace {

// The clock that std::chrono::steady_clock reads.
#if defined(_WIN32)
constexpr VkTimeDomainEXT kHostDomain = VK_TIME_DOMAIN_QUERY_PERFORMANCE_COUNTER_EXT;

uint64_t toNanoseconds(uint64_t ticks) {
    LARGE_INTEGER frequency;
    QueryPerformanceFrequency(&frequency);
    const auto perSecond = static_cast<uint64_t>(frequency.QuadPart);
    // In two parts, since ticks x 10^9 may exceed 64 bits.
    return ticks / perSecond * 1'000'000'000 + ticks % perSecond * 1'000'000'000 / perSecond;
}
#else
#if defined(__APPLE__)
constexpr VkTimeDomainEXT kHostDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT;
#else
constexpr VkTimeDomainEXT kHostDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
#endif

uint64_t toNanoseconds(uint64_t ticks) {
    return ticks;
}
#endif

/// The functions of the enabled extension; both have the same signatures. volk's tables have one
/// name or the other, depending on its version.
struct CalibrationFunctions {
    PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT getDomains = nullptr;
    PFN_vkGetCalibratedTimestampsEXT getTimestamps = nullptr;

    explicit CalibrationFunctions(const Device& device) {
        const bool khr = device.plan().hasExtension("VK_KHR_calibrated_timestamps");
        if (!khr && !device.plan().hasExtension("VK_EXT_calibrated_timestamps"))
            return;
        const std::string suffix = khr ? "KHR" : "EXT";
        const InstanceTable& table = device.instance()->table();
        getDomains = reinterpret_cast<PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT>(
            table.vkGetInstanceProcAddr(
                device.instance()->handle(),
                ("vkGetPhysicalDeviceCalibrateableTimeDomains" + suffix).c_str()));
        getTimestamps =
            reinterpret_cast<PFN_vkGetCalibratedTimestampsEXT>(table.vkGetDeviceProcAddr(
                device.handle(), ("vkGetCalibratedTimestamps" + suffix).c_str()));
    }
};

bool offers(const CalibrationFunctions& functions, const Device& device) {
    const auto domains = enumerate<VkTimeDomainEXT>("vkGetPhysicalDeviceCalibrateableTimeDomains",
                                                    functions.getDomains, device.physical().handle);
    const auto has = [&](VkTimeDomainEXT domain) {
        return std::find(domains.begin(), domains.end(), domain) != domains.end();
    };
    return has(VK_TIME_DOMAIN_DEVICE_EXT) && has(kHostDomain);
}

} // namespace

std::optional<ClockSample> sampleClocks(const Device& device) {
    const CalibrationFunctions functions(device);
    if (!functions.getDomains || !functions.getTimestamps || !offers(functions, device))
        return std::nullopt;
    std::array<VkCalibratedTimestampInfoEXT, 2> infos{};
    for (VkCalibratedTimestampInfoEXT& info : infos)
        info.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
    infos[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
    infos[1].timeDomain = kHostDomain;
    // A reading may be interrupted, so the closest of a few is returned.
    constexpr int kReadings = 4;
    ClockSample best;
    best.deviationNs = UINT64_MAX;
    for (int reading = 0; reading < kReadings; ++reading) {
        std::array<uint64_t, 2> times{};
        uint64_t deviation = 0;
        device.check(
            functions.getTimestamps(device.handle(), 2, infos.data(), times.data(), &deviation),
            "vkGetCalibratedTimestamps");
        if (deviation < best.deviationNs)
            best = {times[0], toNanoseconds(times[1]), deviation};
    }
    return best;
}

} // namespace kp::vulkan
