// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace kp::vulkan {

class Device;

/// The clocks of the device and the host at one moment.
struct ClockSample {
    uint64_t deviceTicks = 0;
    uint64_t hostNs = 0;      ///< std::chrono::steady_clock
    uint64_t deviationNs = 0; ///< the two readings are at most this far apart
};

/// Reads both clocks through VK_KHR_calibrated_timestamps or its EXT ancestor. Empty if neither is
/// enabled or the device cannot relate its clock to the host's steady one. Thread-safe.
/// @throws Error if the driver fails
std::optional<ClockSample> sampleClocks(const Device& device);

} // namespace kp::vulkan
