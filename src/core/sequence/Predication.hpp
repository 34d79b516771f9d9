// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "vulkan/device/Vulkan.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp {

class BoundState;

/// Makes dispatches indirect ones, so that the device can switch them off: a kernel sets the group
/// counts in counts() to 0. All steps that are recorded with it have the same dispatches, which
/// share their counts. Used by one thread at a time.
class Predication {
public:
    static constexpr size_t kSlotWords = 3;

    /// Group counts in a buffer.
    struct Slot {
        const vulkan::Buffer* buffer;
        uint64_t offset;
    };

    virtual ~Predication() = default;

    /// Begins the next step.
    /// @param first  its first dispatch, counted from 0
    void beginStep(size_t first) { mNext = first; }
    /// Returns the group counts of the next dispatch of the step.
    /// @throws InvalidArgument if it is another one than in the first step
    Slot next(const std::array<uint32_t, 3>& groups);
    /// Same, of an indirect dispatch. Records commands that copy the counts from the given slot,
    /// with the barrier that an indirect dispatch then needs. They bind a pipeline.
    Slot nextIndirect(BoundState& bound, VkCommandBuffer commandBuffer, const Slot& given);

    /// Returns the memory with the group counts: kSlotWords of each dispatch.
    virtual const std::shared_ptr<vulkan::Buffer>& counts() const = 0;

protected:
    /// Returns the counts of all dispatches that are not switched off.
    const std::vector<uint32_t>& full() const { return mFull; }
    size_t dispatches() const { return mFull.size() / kSlotWords; }
    /// States that full() is complete: dispatches that it lacks are refused from now on.
    void finish() { mComplete = true; }

private:
    /// Makes counts() hold so many dispatches.
    virtual void reserve(size_t dispatches) = 0;
    /// Records a copy of group counts, by dispatches that are switched off like others.
    virtual void copy(BoundState& bound, VkCommandBuffer commandBuffer, const Slot& from,
                      const Slot& to) = 0;

    std::vector<uint32_t> mFull;
    size_t mNext = 0;
    bool mComplete = false;
};

} // namespace kp
