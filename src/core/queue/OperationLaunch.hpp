// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kompute/operations/OpBase.hpp>
#include <kompute/queue/Event.hpp>

#include "core/queue/QueueImpl.hpp"

namespace kp {

/// The names of timed launches in profiles. Taken before the launch, which may move operations.
class LaunchNames {
public:
    /// @param first  instead of launchNameOf() the first operation, unless it is empty
    LaunchNames(const std::vector<std::shared_ptr<OpBase>>& operations, bool timed,
                std::string_view first = {});
    /// Passes the launches to the queue's log, if they are timed.
    void log(const Queue::Impl& queue, const Event& event) const;

private:
    std::vector<std::string> mNames; ///< empty unless timed
};

/// Operations that are launched once, one after the other. A launch that waits for the host keeps
/// them until it is submitted; after that, only the memory that they use is kept, until they have
/// run. Thread-safe.
class OperationLaunch {
public:
    using Operations = std::vector<std::shared_ptr<OpBase>>;

    /// A launch waits if the device is this many launches behind.
    static constexpr uint64_t kMaxLead = 1024;
    /// Returns the point that a launch would wait for; empty if it would not wait.
    static vulkan::TimelinePoint waitsFor(vulkan::Queue& queue);

    /// An active LaunchCapture takes them instead.
    /// @param operations  not empty, none null
    /// @throws the operations' exceptions when they are recorded, unless that happens later
    static Event launch(Queue::Impl& queue, Operations operations,
                        const std::vector<Event>& waitFor, bool timed);
};

} // namespace kp
