// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include <kompute/group/DeviceGroup.hpp>

#include "group/Exchange.hpp"

namespace kp {

/// The state behind a DeviceGroup, which its buffers and kernels keep. Thread-safe.
struct DeviceGroup::Impl {
    explicit Impl(const DeviceGroupOptions& options);
    Impl(const std::vector<std::shared_ptr<Manager>>& used, ExchangePath path);

    std::vector<uint32_t> ids;
    std::vector<std::shared_ptr<Manager>> managers;
    std::vector<std::shared_ptr<Queue>> queues;
    std::vector<uint32_t> deviceOfQueue;
    std::vector<uint32_t> firstQueue; ///< of each device
    std::unique_ptr<group::Exchange> exchange;

    /// @throws InvalidArgument where there is no such queue
    void requireQueue(uint32_t index) const;
    /// Queues that a target means, where "all" are @p all.
    std::vector<uint32_t> choose(const GroupTarget& target, const std::vector<uint32_t>& all);
    /// Work that a queue was given, for GroupTarget::any().
    void noteLaunched(uint32_t queue, const Event& event);

    /// As DeviceGroup::forEach, for these queues.
    std::vector<Event> forEach(const std::vector<uint32_t>& chosen, const Task& task,
                               const std::vector<Event>& waitFor);

private:
    void add(std::shared_ptr<Manager> manager, uint32_t queueCount);
    void connect(ExchangePath path);
    size_t pending(uint32_t queue);

    std::mutex mMutex;                        ///< guards what follows
    std::vector<std::deque<Event>> mLaunched; ///< for each queue, oldest first
    uint32_t mNext = 0;                       ///< where the search for the least busy one begins
};

} // namespace kp
