// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// A device like an H200.
inline DeviceTraits largeDevice() {
    DeviceTraits traits;
    traits.maxViewBytes = (uint64_t{1} << 31) - 16;
    traits.maxGroupSize = 1024;
    traits.maxGroupCount = 65535;
    traits.sharedBytes = 48 * 1024;
    traits.minSubgroupSize = 32;
    traits.maxSubgroupSize = 32;
    traits.subgroups = true;
    traits.memoryModel = true;
    traits.isNvidia = true;
    return traits;
}

inline std::vector<Dispatch> dispatchesOf(const Plan& plan) {
    std::vector<Dispatch> dispatches;
    for (const Step& step : plan.steps)
        if (const auto* const dispatch = std::get_if<Dispatch>(&step))
            dispatches.push_back(*dispatch);
    return dispatches;
}

/// Expects what BoundPlan relies on: views within the device's limits and within scratch memory,
/// and equally many push constants in all dispatches of a kernel.
inline void expectSound(const Plan& plan, const DeviceTraits& traits) {
    std::map<uint32_t, size_t> words;
    for (const Dispatch& dispatch : dispatchesOf(plan)) {
        ASSERT_LT(dispatch.kernel, plan.kernels.size());
        EXPECT_GT(dispatch.groups, 0u);
        const size_t count = dispatch.views.size() + dispatch.push.size();
        EXPECT_LE(count * sizeof(uint32_t), 128u); // what every device has
        EXPECT_EQ(words.emplace(dispatch.kernel, count).first->second, count);
        for (const View& view : dispatch.views) {
            EXPECT_GT(view.bytes, 0u);
            EXPECT_LE(view.bytes, traits.maxViewBytes);
            EXPECT_EQ(view.offset % view.elementBytes, 0u);
            if (view.memory >= plan.arguments) {
                ASSERT_LT(view.memory - plan.arguments, plan.scratch.size());
                EXPECT_LE(view.offset + view.bytes, plan.scratch[view.memory - plan.arguments]);
            }
        }
    }
}

/// Expects that the views of an argument cover each of its
/// bytes once.
inline void expectCoversOnce(const Plan& plan, uint32_t memory, uint64_t bytes) {
    std::map<uint64_t, uint64_t> parts;
    for (const Dispatch& dispatch : dispatchesOf(plan))
        for (const View& view : dispatch.views)
            if (view.memory == memory) {
                EXPECT_TRUE(parts.emplace(view.offset, view.bytes).second) << view.offset;
            }
    uint64_t end = 0;
    for (const auto& [offset, size] : parts) {
        EXPECT_EQ(offset, end);
        end = offset + size;
    }
    EXPECT_EQ(end, bytes);
}

} // namespace kp::primitives
