// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/launch/Launcher.hpp>
#include <kompute/operations/OpBase.hpp>

#include "base/Text.hpp"
#include "core/queue/Repeater.hpp"

// State that all launchers share.

namespace kp::launch {

/// Throws InvalidArgument with a formatted message that begins with the launcher's name.
template <typename... Values>
[[noreturn]] void throwFor(const std::string& launcher, fmt::format_string<Values...> format,
                           Values&&... values) {
    fail<InvalidArgument>("launcher '{}': {}", launcher,
                          formatted(format, std::forward<Values>(values)...));
}

/// Returns the element of a list with this name; null if there is none.
template <typename List>
auto findNamed(List& list, const std::string& name) {
    const auto found = std::ranges::find(list, name, &List::value_type::name);
    return found == list.end() ? nullptr : &*found;
}

/// ParameterInfo::type of parameters that accept any value.
inline constexpr const char* kAnyType = "anything";

/// @throws InvalidArgument if @p given has a parameter that is not in @p known
void requireKnownParameters(const std::string& launcher, const Parameters& given,
                            const std::vector<ParameterInfo>& known);

/// Returns the queue of a call: its own, else the default, else the default queue of the launcher's
/// manager.
/// @throws InvalidArgument if there is none, or the launcher does not take a parameter of the call
const std::shared_ptr<Queue>& queueFor(const Launcher& launcher, const LaunchOptions& options,
                                       const std::shared_ptr<Queue>& defaultQueue);

/// The statistics of one launcher, and its profiled launches that are not in them yet. Keeps at
/// most Launcher::kMaxEvents finished launches. Thread-safe.
class RunLog {
public:
    RunLog(std::string name, std::shared_ptr<TimingSink> sink);
    /// Passes the launches that have finished to the sink.
    ~RunLog();
    RunLog(const RunLog&) = delete;
    RunLog& operator=(const RunLog&) = delete;

    void add(Event event, uint64_t bytes);
    bool hasSink() const { return mSink != nullptr; }
    std::vector<Event> events() const;
    /// Counts the launches that have finished, and returns the statistics.
    KernelStatistics statistics();
    /// Passes the launches that have finished to the sink, each once, without counting them.
    void notifySink();
    void clear();

private:
    struct Run {
        Event event;
        uint64_t bytes;
        bool notified = false;
    };

    /// Counts a run if it has ended. @return true if it has
    bool count(Run& run);
    /// Passes a run that has ended to the sink, once.
    void notify(Run& run, const EventProfile& profile);

    const std::string mName;
    const std::shared_ptr<TimingSink> mSink;
    mutable std::mutex mMutex;
    std::deque<Run> mRuns;
    KernelStatistics mStatistics;
};

/// One part of a call: a device operation, a host function, or the call of a launcher that a user
/// implemented. One of the three is set.
struct Step {
    Launcher* launcher = nullptr;
    RunLog* listLog = nullptr;         ///< log of the list that runs the step; may be null
    std::shared_ptr<OpBase> operation; ///< never changes afterwards
    std::function<void()> host;
    std::function<std::optional<Event>(const std::shared_ptr<Queue>&, const std::vector<Event>&)>
        call;
    uint64_t bytes = 0;  ///< transferred by copies and fills
    std::string message; ///< for the trace; empty if it is off
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
    /// See Launcher::ready().
    Event ready() const;

private:
    /// Moves the operations out of these steps.
    Event runDevice(Queue& queue, size_t first, size_t end, const std::vector<Event>& waitFor,
                    size_t segment, bool timed);

    StepList mSteps;
    Repeater::Operations mOperations;
    std::vector<std::shared_ptr<Repeater>> mRepeaters; ///< one per submission of a call
    vulkan::Queue* mQueue = nullptr; ///< of the last call; the repeaters keep its device
};

/// Returns true if the trace is on. Fast.
bool tracing();

} // namespace kp::launch
