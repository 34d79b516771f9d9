// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Event.hpp>
#include <kompute/Queue.hpp>
#include <kompute/launch/Arguments.hpp>
#include <kompute/launch/KernelStatistics.hpp>

namespace kp {

/// Work items (global size) or work items of one group (local size) in x, y and z.
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

/// How one call of a launcher differs from its defaults.
struct LaunchOptions {
    std::shared_ptr<Queue> queue;       ///< null: the launcher's default
    std::vector<Event> waitFor;         ///< before anything is computed
    std::optional<WorkSize> globalSize; ///< without: the launcher's default
    std::optional<WorkSize> localSize;  ///< without: the launcher's default, then the shader's
    Parameters parameters;              ///< each launcher takes those it knows
    bool enqueueBarrier = true;         ///< IterativeKernelLauncher alone
};

/// A parameter that a launcher or a list takes.
struct ParameterInfo {
    std::string name;
    std::string type;                   ///< "float", "buffer of int32", ...
    std::vector<std::string> launchers; ///< names of those that take it
};

namespace launch {
class StepList;
class RunLog;
struct CallContext;
} // namespace launch

/// Something that can be launched on a queue: a kernel, a host function, a copy. Abstract.
///
/// A launcher is used by one thread at a time; different launchers may be used by different
/// threads. A call returns at once. Make launchers with std::make_shared where they go into lists.
class KOMPUTE_API Launcher : public std::enable_shared_from_this<Launcher> {
public:
    /// @param profiler  told of every profiled launch; may be null
    explicit Launcher(std::string name, std::shared_ptr<TimingSink> profiler = nullptr);
    virtual ~Launcher();
    Launcher(const Launcher&) = delete;
    Launcher& operator=(const Launcher&) = delete;

    const std::string& name() const { return mName; }

    /// Launches. With a queue that profiles, the event is also kept for events() and statistics().
    /// @return the event of the launch; empty where the launcher's rules say so
    ///         (IterativeKernelLauncher without a barrier)
    /// @throws InvalidArgument where something is missing or does not fit: the message names the
    ///         launcher, the argument, and what is expected and given. Nothing was launched then
    ///         and the launcher is as before. What comes to light only later fails the event
    virtual std::optional<Event> operator()(const LaunchOptions& options) = 0;
    std::optional<Event> operator()() { return (*this)(LaunchOptions{}); }

    /// True where a call needs no global size.
    virtual bool globalSizeConfigured() const = 0;
    /// What calls take as LaunchOptions::parameters.
    virtual std::vector<ParameterInfo> parameters() const { return {}; }

    /// Profiled launches since statistics() was read last, and those that were unfinished then,
    /// oldest first. Of a launcher whose statistics nobody reads, the newest kMaxEvents; the older
    /// ones that are done have gone into the statistics.
    std::vector<Event> events() const;
    static constexpr size_t kMaxEvents = 4096;

    /// Times of all profiled runs that are done by now. Never waits: what is unfinished stays in
    /// events() and counts in a later call. Adds up over calls until clearStatistics().
    KernelStatistics statistics();
    void clearStatistics();

    /// For the library's own files: adds what a call does to a list of steps.
    virtual void appendSteps(launch::StepList& steps, const launch::CallContext& context);
    launch::RunLog& runLog() const { return *mRunLog; }

protected:
    /// Runs the steps of appendSteps() on a queue, with trace and events.
    Event runSteps(const std::shared_ptr<Queue>& queue, const LaunchOptions& options);

private:
    std::string mName;
    std::unique_ptr<launch::RunLog> mRunLog;
    struct Cache;
    std::unique_ptr<Cache> mCache; ///< recorded command buffers of runSteps()
};

} // namespace kp
