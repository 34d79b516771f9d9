// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/launch/CopyLauncher.hpp>
#include <kompute/launch/Launcher.hpp>

namespace kp {

/// Launches several launchers one after the other, in one submission on one queue. The list is
/// recorded once and resubmitted as long as nothing changes; changed parameters are recorded again,
/// in a fraction of a microsecond per kernel. Host launchers and copies of host memory split the
/// list into segments with one submission each, linked by events. The call still returns at once.
///
///     kp::KernelListLauncher step("step");
///     step.pushKernels(predict, correct);
///     step(queue).wait();
///
/// Thread safety: one thread at a time.
class KOMPUTE_API KernelListLauncher {
public:
    /// @param profiler  notified of each profiled launch; may be null
    explicit KernelListLauncher(std::string name, std::shared_ptr<TimingSink> profiler = nullptr);
    ~KernelListLauncher();
    KernelListLauncher(const KernelListLauncher&) = delete;
    KernelListLauncher& operator=(const KernelListLauncher&) = delete;

    const std::string& name() const;

    /// Appends a launcher; ignores null. The launcher's default queue is not used.
    /// @throws InvalidArgument if the launcher has no default global size, or takes a parameter of
    ///         a known name with a different type. The list is then unchanged
    KernelListLauncher& push(std::shared_ptr<Launcher> launcher);
    /// Appends the launchers that are currently in another list; ignores null.
    KernelListLauncher& push(const std::shared_ptr<KernelListLauncher>& list);
    template <typename... L>
    KernelListLauncher& pushKernels(const std::shared_ptr<L>&... launchers) {
        (push(launchers), ...);
        return *this;
    }
    template <typename L>
    KernelListLauncher& operator+=(const std::shared_ptr<L>& launcher) {
        return push(launcher);
    }
    KernelListLauncher& operator+=(std::nullptr_t) { return *this; }

    /// Appends a copy; see CopyLauncher. Offsets are in bytes.
    KernelListLauncher& pushCopyHostDevice(std::string variable, CopyEnd source,
                                           CopyEnd destination, CopyRange range = {});
    /// @throws InvalidArgument also if an end is not on the device
    KernelListLauncher& pushCopyDeviceToDevice(std::string variable, CopyEnd source,
                                               CopyEnd destination, CopyRange range = {});
    KernelListLauncher& pushCopyHostToDevice(std::string variable, CopyEnd source,
                                             CopyEnd destination, uint64_t destinationOffset = 0);
    KernelListLauncher& pushCopyDeviceToHost(std::string variable, CopyEnd source,
                                             CopyEnd destination, uint64_t sourceOffset = 0);

    /// Launches the whole list. Only the first launcher waits for @p waitFor. An empty list waits
    /// for them on the host and returns an event that is done.
    /// @param queue       null: managerQueue()
    /// @param parameters  passed to every launcher that takes a parameter of the name
    /// @return the event of the last launcher
    /// @throws InvalidArgument if there is no queue, or a parameter is unknown, missing or does not
    ///         match. Nothing is launched then
    Event operator()(const std::shared_ptr<Queue>& queue, const std::vector<Event>& waitFor = {},
                     const Parameters& parameters = {});

    Event operator()() { return (*this)(nullptr); }
    /// Returns the default queue of the manager of the first launcher that knows one; null if none
    /// does.
    const std::shared_ptr<Queue>& managerQueue() const;

    Event ready() const; ///< see Launcher::ready()

    /// Returns the names and types of all parameters, and the launchers that take each.
    std::vector<ParameterInfo> parameters() const;
    std::vector<std::shared_ptr<Launcher>> launchers() const;
    size_t size() const;

    /// Return the profiled launches of this list, and their times by launcher name; see Launcher.
    std::vector<Event> events() const;
    StatisticsByName statistics();
    void notifyProfiler();
    void clearStatistics();

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
