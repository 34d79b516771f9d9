// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include <kompute/group/DeviceGroup.hpp>

#include "core/Internals.hpp"
#include "group/Exchange.hpp"

namespace kp {

/// The state behind a DeviceGroup. Its buffers and kernels keep it alive. Thread-safe.
struct DeviceGroup::Impl {
    explicit Impl(const DeviceGroupOptions& options);
    Impl(const std::vector<std::shared_ptr<Manager>>& used, ExchangePath path);

    std::vector<uint32_t> ids;
    std::vector<std::shared_ptr<Manager>> managers;
    std::vector<std::shared_ptr<Queue>> queues;
    std::vector<uint32_t> deviceOfQueue;
    std::vector<uint32_t> firstQueue; ///< of each device
    std::unique_ptr<group::Exchange> exchange;

    /// @throws InvalidArgument if there is no such queue
    void requireQueue(uint32_t index) const;
    /// Returns the queues that a target selects from @p all.
    std::vector<uint32_t> choose(const GroupTarget& target, const std::vector<uint32_t>& all);
    /// Calls a function for each of these queues, as DeviceGroup::forEach does.
    std::vector<Event> forEach(const std::vector<uint32_t>& chosen, const Task& task,
                               const std::vector<Event>& waitFor);

private:
    void add(std::shared_ptr<Manager> manager, uint32_t queueCount);
    void connect(ExchangePath path);
    /// Returns the number of unfinished launches, for GroupTarget::any(). Requires the mutex.
    size_t pending(uint32_t queue);

    std::mutex mMutex;                        ///< guards the members below
    std::vector<std::deque<Event>> mLaunched; ///< by queue, oldest first
    uint32_t mNext = 0;                       ///< start of the search for the least busy queue
};

} // namespace kp
