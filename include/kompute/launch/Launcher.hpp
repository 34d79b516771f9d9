// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/launch/Arguments.hpp>
#include <kompute/launch/KernelStatistics.hpp>
#include <kompute/queue/Event.hpp>
#include <kompute/queue/Queue.hpp>

namespace kp {

/// A number of work items in x, y and z: of a launch (global size) or of a work group (local size).
struct WorkSize {
    WorkSize() = default;
    WorkSize(uint64_t sizeX, uint64_t sizeY = 1, uint64_t sizeZ = 1)
        : x(sizeX), y(sizeY), z(sizeZ) {}
    bool operator==(const WorkSize& other) const {
        return x == other.x && y == other.y && z == other.z;
    }
    bool operator!=(const WorkSize& other) const { return !(*this == other); }

    uint64_t x = 1;
    uint64_t y = 1;
    uint64_t z = 1;
};

/// Options of one call of a launcher.
struct LaunchOptions {
    std::shared_ptr<Queue> queue;       ///< null: the launcher's default, else its manager's
    std::vector<Event> waitFor;         ///< events to wait for first
    std::optional<WorkSize> globalSize; ///< default: the launcher's
    std::optional<WorkSize> localSize;  ///< default: the launcher's, else the shader's
    Parameters parameters;              ///< values of the parameters
    bool enqueueBarrier = true;         ///< for IterativeKernelLauncher only
};

/// A parameter that a launcher or a list takes.
struct ParameterInfo {
    std::string name;
    std::string type;                   ///< "float", "buffer of int32", ...
    std::vector<std::string> launchers; ///< names of the launchers that take it
};

namespace launch {
class StepList;
class RunLog;
struct CallContext;
} // namespace launch

/// Base class of everything that can be launched on a queue: a kernel, a host function, a copy.
///
/// Calls return at once. Create launchers for lists with std::make_shared. Thread safety: one
/// thread at a time per launcher; different launchers may be used by different threads.
class KOMPUTE_API Launcher : public std::enable_shared_from_this<Launcher> {
public:
    /// @param name      name in messages, trace and statistics
    /// @param profiler  notified of every profiled launch; may be null
    explicit Launcher(std::string name, std::shared_ptr<TimingSink> profiler = nullptr);
    virtual ~Launcher();
    Launcher(const Launcher&) = delete;
    Launcher& operator=(const Launcher&) = delete;

    const std::string& name() const { return mName; }

    /// Launches. On a profiling queue, the event is also kept for events() and statistics().
    /// @return the event of the launch; empty if the launcher documents it (IterativeKernelLauncher
    ///         without a barrier)
    /// @throws InvalidArgument if something is missing or does not match; the message names the
    ///         launcher, the argument, and the expected and given types. Nothing is launched then,
    ///         and the launcher is unchanged. Later errors fail the event
    virtual std::optional<Event> operator()(const LaunchOptions& options) = 0;
    std::optional<Event> operator()() { return (*this)(LaunchOptions{}); }

    /// Launches with parameters by name:
    ///
    ///     decay->launch(queue, {{"dt", 0.1f}}).wait();
    ///
    /// @param queue    null or left out: the launcher's default, else managerQueue()
    /// @param waitFor  events to wait for first
    /// @throws as operator()
    Event launch(const std::shared_ptr<Queue>& queue, const Parameters& parameters = {},
                 const std::vector<Event>& waitFor = {});
    Event launch(const Parameters& parameters = {}, const std::vector<Event>& waitFor = {}) {
        return launch(std::shared_ptr<Queue>(), parameters, waitFor);
    }

    /// Returns true if calls need no global size.
    virtual bool globalSizeConfigured() const = 0;
    /// Returns the parameters that LaunchOptions::parameters may contain.
    virtual std::vector<ParameterInfo> parameters() const { return {}; }

    /// Returns the profiled launches since the last statistics(), and those that were unfinished
    /// then, oldest first. If statistics() is never called, only the newest kMaxEvents are kept;
    /// older finished ones are already counted in the statistics.
    std::vector<Event> events() const;
    static constexpr size_t kMaxEvents = 4096;

    /// Returns the times of all profiled launches that have finished, accumulated since
    /// clearStatistics(). Never waits: unfinished launches stay in events() and are counted by a
    /// later call.
    KernelStatistics statistics();
    /// Passes the launches that have finished to the profiler now. Otherwise statistics() does it.
    void notifyProfiler();
    /// Discards all times and events.
    void clearStatistics();

    /// Returns the default queue of the manager that the launcher's kernel or memory was made with,
    /// for calls without a queue of launchers that have no default; null if it knows no manager.
    virtual const std::shared_ptr<Queue>& managerQueue() const;

    /// Returns an event to wait for before the next call. A call waits for the device if too many
    /// earlier ones are unfinished, and a caller that holds a lock can wait for this event without
    /// it. The event is done if a call would not wait.
    /// @throws DeviceLost
    Event ready() const;

    /// Counts a launch that a derived class made by itself, not through runSteps().
    void addLaunch(const Event& event, uint64_t bytes = 0);

    /// For the library's own files: appends the steps of a call to a list.
    virtual void appendSteps(launch::StepList& steps, const launch::CallContext& context);
    launch::RunLog& runLog() const { return *mRunLog; }

protected:
    /// Runs the steps of appendSteps() on a queue, with trace and events.
    Event runSteps(const std::shared_ptr<Queue>& queue, const LaunchOptions& options);

private:
    std::string mName;
    std::unique_ptr<launch::RunLog> mRunLog;
    struct Cache;
    std::unique_ptr<Cache> mCache; ///< command buffers recorded by runSteps()
};

} // namespace kp
