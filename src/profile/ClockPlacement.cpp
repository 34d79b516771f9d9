// SPDX-License-Identifier: Apache-2.0
#include "profile/ClockPlacement.hpp"

#include <algorithm>

namespace kp::profile {

ClockPlacement::ClockPlacement(const Profiler::Impl& impl, const std::string& device) {
    if (const auto found = impl.calibrations.find(device); found != impl.calibrations.end())
        mCalibrations = found->second;
    if (calibrated())
        return;
    // The smallest offset for which no span starts before its submission.
    for (const Profiler::Impl::Span& span : impl.spans) {
        const uint32_t queue = impl.nodes[span.node].queue;
        if (queue == Profiler::Impl::kNoParent || impl.queues[queue].device != device ||
            span.submittedNs == 0)
            continue;
        const int64_t offset = static_cast<int64_t>(span.submittedNs - span.startNs);
        mOffset = mKnown ? std::max(mOffset, offset) : offset;
        mKnown = true;
    }
}

int64_t ClockPlacement::hostNs(uint64_t deviceNs) const {
    if (!calibrated())
        return static_cast<int64_t>(deviceNs) + mOffset;
    const auto offsetOf = [](const ClockCalibration& at) {
        return static_cast<int64_t>(at.hostNs - at.deviceNs);
    };
    const auto after = std::upper_bound(
        mCalibrations.begin(), mCalibrations.end(), deviceNs,
        [](uint64_t time, const ClockCalibration& at) { return time < at.deviceNs; });
    if (after == mCalibrations.begin())
        return static_cast<int64_t>(deviceNs) + offsetOf(*after);
    const ClockCalibration& before = *(after - 1);
    if (after == mCalibrations.end() || after->deviceNs == before.deviceNs)
        return static_cast<int64_t>(deviceNs) + offsetOf(before);
    const double part = static_cast<double>(deviceNs - before.deviceNs) /
                        static_cast<double>(after->deviceNs - before.deviceNs);
    const auto drift = static_cast<double>(offsetOf(*after) - offsetOf(before));
    return static_cast<int64_t>(deviceNs) + offsetOf(before) + static_cast<int64_t>(part * drift);
}

uint64_t ClockPlacement::deviationNs() const {
    uint64_t worst = 0;
    for (const ClockCalibration& calibration : mCalibrations)
        worst = std::max(worst, calibration.deviationNs);
    return worst;
}

const char* ClockPlacement::description() const {
    if (calibrated())
        return "calibrated timestamps";
    return mKnown ? "aligned by submission times, not calibrated"
                  : "not related to the host's clock";
}

} // namespace kp::profile
