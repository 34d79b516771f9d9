// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kompute/launch/Launcher.hpp>
#include <kompute/operations/OpBase.hpp>

#include "base/Text.hpp"
#include "core/Repeater.hpp"
#include "launch/RunLog.hpp"

namespace kp::launch {

/// One part of a call: a device operation, a host function, or the call of a launcher that a user
/// implemented. One of the three is set.
struct Step {
    Launcher* launcher = nullptr;
    RunLog* listLog = nullptr;         ///< log of the list that runs the step; may be null
    std::shared_ptr<OpBase> operation; ///< never changes afterwards
    std::function<void()> host;
    std::function<std::optional<Event>(const std::shared_ptr<Queue>&, const std::vector<Event>&)>
        call;
    uint64_t bytes = 0;              ///< transferred by copies and fills
    std::shared_ptr<Memory> changed; ///< memory whose host view becomes stale; may be null
    std::string message;             ///< for the trace; empty if it is off
};

/// The steps of one call, in order. Reused between calls for its capacity.
class StepList {
public:
    Step& add(Launcher& launcher) {
        Step& step = mSteps.emplace_back();
        step.launcher = &launcher;
        return step;
    }
    void clear() { mSteps.clear(); }
    std::vector<Step>& steps() { return mSteps; }

private:
    std::vector<Step> mSteps;
};

/// The call that a launcher adds its steps for.
struct CallContext {
    const LaunchOptions& options;
    const Queue& queue;
    bool tracing = false;

    /// Sets the trace message of a step if the trace is on.
    template <typename... Values>
    void trace(Step& step, fmt::format_string<Values...> format, Values&&... values) const {
        if (tracing)
            step.message = formatted(format, std::forward<Values>(values)...);
    }
};

/// Runs steps on a queue: consecutive device operations in one submission, host functions between
/// submissions. Keeps the recorded command buffers for the next call. Used by one thread at a time.
class StepRunner {
public:
    StepList& steps() { return mSteps; }

    /// Runs steps(). Without any, returns an event that is done when @p waitFor is.
    Event run(const std::shared_ptr<Queue>& queue, const std::vector<Event>& waitFor);

private:
    /// Moves the operations out of these steps.
    Event runDevice(Queue& queue, size_t first, size_t end, const std::vector<Event>& waitFor,
                    size_t segment, bool timed);

    StepList mSteps;
    Repeater::Operations mOperations;
    std::vector<std::shared_ptr<Repeater>> mRepeaters; ///< one per submission of a call
    std::weak_ptr<vulkan::Device> mDevice;             ///< device of the repeaters
};

/// Returns true if the trace is on. Fast.
bool tracing();

} // namespace kp::launch
