// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

/// Commands that are recorded when they are submitted.
class LateCommands {
public:
    virtual ~LateCommands() = default;
    /// Called once, or again if it threw. @throws OutOfMemory
    virtual VkCommandBuffer record() = 0;
};

/// Work that a Queue submits later, in this order. Not thread-safe.
class Gathering {
public:
    struct Entry {
        VkCommandBuffer recorded;           ///< which the caller keeps until it has run
        std::shared_ptr<LateCommands> late; ///< null if recorded; the gathering keeps it
        uint64_t value = 0; ///< of the launch that ends with this entry; 0 if none does
    };

    void add(std::span<const VkCommandBuffer> commandBuffers) {
        for (const VkCommandBuffer commandBuffer : commandBuffers)
            mEntries.push_back({commandBuffer, nullptr});
    }
    void add(std::shared_ptr<LateCommands> commands) {
        mEntries.push_back({VK_NULL_HANDLE, std::move(commands)});
    }
    /// Returns late commands that follow all else, so that more can be added to them; null if a
    /// command buffer does.
    LateCommands* last() const { return mEntries.empty() ? nullptr : mEntries.back().late.get(); }
    /// Ends a launch, which consists of everything added since the last one.
    void end(uint64_t value) {
        if (!mEntries.empty())
            mEntries.back().value = value;
    }
    /// Drops everything added since the last launch ended.
    void cancel() {
        while (!mEntries.empty() && mEntries.back().value == 0)
            mEntries.pop_back();
    }

    /// Moves the first launches to @p taken, up to the one with this value.
    void take(uint64_t value, std::vector<Entry>& taken) {
        taken.reserve(taken.size() + mEntries.size()); // so that nothing below throws
        for (uint64_t last = 0; last < value && !mEntries.empty(); mEntries.pop_front()) {
            last = std::max(last, mEntries.front().value);
            taken.push_back(std::move(mEntries.front()));
        }
    }

private:
    std::deque<Entry> mEntries;
};

} // namespace kp::vulkan
