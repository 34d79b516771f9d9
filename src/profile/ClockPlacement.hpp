// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/ProfilerImpl.hpp"

namespace kp::profile {

/// Converts the times of a device's clock to host time: by calibrations, interpolated between them;
/// else by the submission times of the device's spans; else not at all. Plain data.
class ClockPlacement {
public:
    /// @param impl  its mutex must be held
    ClockPlacement(const Profiler::Impl& impl, const std::string& device);

    /// Returns host time in nanoseconds; device time if the two are unrelated. Negative for times
    /// before the start of the host's clock.
    int64_t hostNs(uint64_t deviceNs) const;
    bool calibrated() const { return !mCalibrations.empty(); }
    /// Returns true if host times are known, exactly or from submission times.
    bool known() const { return calibrated() || mKnown; }
    /// Returns the maximum deviation of the calibrations.
    uint64_t deviationNs() const;
    /// Describes the conversion for readers of a trace.
    const char* description() const;

private:
    std::vector<ClockCalibration> mCalibrations;
    int64_t mOffset = 0; ///< host minus device time, without calibrations
    bool mKnown = false;
};

} // namespace kp::profile
