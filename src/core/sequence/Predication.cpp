// SPDX-License-Identifier: Apache-2.0
#include "core/sequence/Predication.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

#include "core/algorithm/BoundState.hpp"
#include "vulkan/queue/Barriers.hpp"

namespace kp {

Predication::Slot Predication::next(const std::array<uint32_t, 3>& groups) {
    const size_t number = mNext++;
    if (number == dispatches() && !mComplete) {
        mFull.insert(mFull.end(), groups.begin(), groups.end());
        reserve(dispatches());
    }
    if (number >= dispatches() ||
        !std::equal(groups.begin(), groups.end(),
                    mFull.begin() + static_cast<ptrdiff_t>(number * kSlotWords)))
        throw InvalidArgument(
            "the operations of a step recorded other dispatches than in the first "
            "step; each step must record the same");
    return {counts().get(), number * kSlotWords * sizeof(uint32_t)};
}

Predication::Slot Predication::nextIndirect(BoundState& bound, VkCommandBuffer commandBuffer,
                                            const Slot& given) {
    // Without the copy, there is nothing to do.
    const Slot slot = next({0, 0, 0});
    copy(bound, commandBuffer, given, slot);
    vulkan::recordHazardBarrier(
        bound.device(), commandBuffer,
        {vulkan::bit(vulkan::WorkKind::eCompute), vulkan::bit(vulkan::WorkKind::eIndirect)});
    return slot;
}

} // namespace kp
