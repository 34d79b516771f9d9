// SPDX-License-Identifier: Apache-2.0
//
// Launches as spans of their queues, and the clocks that they are timed by.
#include <algorithm>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>

#include "core/EventState.hpp"
#include "launch/ProfilerImpl.hpp"
#include "vulkan/ClockCalibration.hpp"
#include "vulkan/QueryPools.hpp"

namespace kp {
namespace {

constexpr const char* kHostFunctions = "host functions";
constexpr uint64_t kBetweenCalibrationsNs = 1'000'000'000;

} // namespace

std::optional<ClockCalibration> calibrationOf(const vulkan::Device& device) {
    const std::optional<vulkan::ClockSample> sample = vulkan::sampleClocks(device);
    if (!sample)
        return std::nullopt;
    const double period = device.physical().properties.limits.timestampPeriod;
    ClockCalibration calibration;
    calibration.deviceNs = vulkan::toNanoseconds({sample->deviceTicks}, 64, period).front();
    calibration.hostNs = sample->hostNs;
    calibration.deviationNs = sample->deviationNs;
    return calibration;
}

bool calibrateClock(const Manager& manager, ClockCalibration& calibration) {
    const std::shared_ptr<vulkan::Device> device = vulkan::Device::find(manager.nativeDevice());
    const std::optional<ClockCalibration> now = device ? calibrationOf(*device) : std::nullopt;
    if (now)
        calibration = *now;
    return now.has_value();
}

const std::string& Profiler::Impl::nameOf(const vulkan::Device& device) {
    const auto [place, isNew] = deviceNames.try_emplace(device.physical().deviceUuid);
    if (!isNew)
        return place->second;
    const std::string model = device.physical().name();
    std::string chosen = model;
    const auto isTaken = [&] {
        return std::any_of(deviceNames.begin(), deviceNames.end(),
                           [&](const auto& known) { return known.second == chosen; });
    };
    for (int number = 2; isTaken(); ++number)
        chosen = model + " (" + std::to_string(number) + ")";
    return place->second = chosen;
}

bool Profiler::calibrate(const std::string& device, const Manager& manager) {
    if (const auto found = vulkan::Device::find(manager.nativeDevice())) {
        const std::lock_guard lock(mImpl->mutex);
        mImpl->deviceNames[found->physical().deviceUuid] = device;
    }
    ClockCalibration calibration;
    if (!calibrateClock(manager, calibration))
        return false;
    addCalibration(device, calibration);
    return true;
}

void Profiler::addTiming(const std::string& name, const Event& event, const EventProfile& profile,
                         uint64_t) {
    const std::shared_ptr<vulkan::Device> device =
        event.state() ? event.state()->device() : nullptr;
    std::string label = kHostFunctions;
    uint64_t calibratedAt = 0;
    {
        const std::lock_guard lock(mImpl->mutex);
        if (device)
            label = mImpl->nameOf(*device);
        const auto clock = mImpl->clocks.find(label);
        if (clock != mImpl->clocks.end() && !clock->second.calibrations.empty())
            calibratedAt = clock->second.calibrations.back().hostNs;
    }
    const uint64_t now = hostNow();
    if (!device) {
        if (calibratedAt == 0)
            addCalibration(label, {now, now, 0});
    } else if (now > calibratedAt + kBetweenCalibrationsNs) {
        try {
            if (const std::optional<ClockCalibration> calibration = calibrationOf(*device))
                addCalibration(label, *calibration);
        } catch (const Error&) { // a lost device: its times are placed by submissions
        }
    }
    addDeviceSpan({name, label, event.queueName(), profile.start,
                   std::max(profile.start, profile.end), profile.submitted});
}

} // namespace kp
