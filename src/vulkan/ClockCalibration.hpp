// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace kp::vulkan {

class Device;

/// The clocks of device and host, read at the same moment.
struct ClockSample {
    uint64_t deviceTicks = 0;
    uint64_t hostNs = 0;      ///< of std::chrono::steady_clock
    uint64_t deviationNs = 0; ///< how far apart the two readings may be
};

/// Reads both clocks through VK_KHR_calibrated_timestamps or its EXT ancestor. Empty where the
/// device was made without them or cannot relate its clock to the host's steady one; then times of
/// the two can only be related by what is known of submissions. Thread-safe.
/// @throws Error where the driver fails
std::optional<ClockSample> sampleClocks(const Device& device);

} // namespace kp::vulkan
