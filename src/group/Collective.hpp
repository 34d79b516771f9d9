// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "group/BufferImpl.hpp"

namespace kp::group {

/// Transfers between copies of buffers, as one launch on the queues of these copies. Consists of
/// steps; each runs after the one before. Used by one thread.
class Collective {
public:
    /// Starts the first step.
    explicit Collective(std::shared_ptr<DeviceGroup::Impl> group, ReduceKernels kernels = {})
        : mGroup(std::move(group)), mSteps{{{}, std::move(kernels)}} {}

    /// Starts another step.
    /// @param kernels  empty: received bytes replace those at the destination
    void addStep(ReduceKernels kernels = {}) { mSteps.push_back({{}, std::move(kernels)}); }
    /// Adds a transfer to the current step, from a copy to another one of any buffer.
    void transfer(const Buffer::Impl& from, uint32_t source, uint64_t sourceOffset,
                  const Buffer::Impl& to, uint32_t destination, uint64_t destinationOffset,
                  uint64_t bytes);
    /// Adds a transfer of the rows that both copies hold.
    void transferCommon(const Buffer::Impl& from, uint32_t source, const Buffer::Impl& to,
                        uint32_t destination);
    /// Adds the queue of a copy, which may have nothing to transfer.
    void involve(const Buffer::Impl& buffer, uint32_t copy);

    /// @return one event per queue, in the order of the queues
    std::vector<Event> launch(const std::vector<Event>& waitFor);
    /// Returns the index of a queue's event.
    size_t indexOf(uint32_t queue) const;

private:
    struct Step {
        std::vector<DeviceTransfer> transfers;
        ReduceKernels kernels;
    };

    std::shared_ptr<DeviceGroup::Impl> mGroup;
    std::vector<Step> mSteps;
    std::vector<uint32_t> mQueues;
};

} // namespace kp::group
