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

/// Launchers that run one after the other on the queue given with the call, in one submission: it
/// is recorded once and submitted again as long as nothing changes; changed parameters are recorded
/// anew, which costs a fraction of a microsecond for each kernel. Host launchers, and copies of
/// host memory, split the list into segments of one submission each, joined by events; the call
/// returns at once all the same.
///
/// Used by one thread at a time.
class KOMPUTE_API KernelListLauncher {
public:
    explicit KernelListLauncher(std::string name, std::shared_ptr<TimingSink> profiler = nullptr);
    ~KernelListLauncher();
    KernelListLauncher(const KernelListLauncher&) = delete;
    KernelListLauncher& operator=(const KernelListLauncher&) = delete;

    const std::string& name() const;

    /// Appends a launcher. Null is ignored. Its default queue is not used.
    /// @throws InvalidArgument where its global size is not configured, or it takes a parameter of
    /// a
    ///         name that another one has with a different type; the list is then as before
    KernelListLauncher& push(std::shared_ptr<Launcher> launcher);
    /// Appends the launchers that another list holds now. Null is ignored.
    KernelListLauncher& push(const std::shared_ptr<KernelListLauncher>& list);
    /// Several at once.
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

    /// Copies; see CopyLauncher. Offsets and counts in bytes.
    KernelListLauncher& pushCopyHostDevice(std::string variable, CopyEnd source,
                                           CopyEnd destination, CopyRange range = {});
    /// @throws InvalidArgument also where an end is not on the device
    KernelListLauncher& pushCopyDeviceToDevice(std::string variable, CopyEnd source,
                                               CopyEnd destination, CopyRange range = {});
    KernelListLauncher& pushCopyHostToDevice(std::string variable, CopyEnd source,
                                             CopyEnd destination, uint64_t destinationOffset = 0);
    KernelListLauncher& pushCopyDeviceToHost(std::string variable, CopyEnd source,
                                             CopyEnd destination, uint64_t sourceOffset = 0);

    /// Launches everything. Only the first waits for @p waitFor. An empty list waits for them on
    /// the host, and returns an event that is done.
    /// @param parameters  for every launcher that knows the name
    /// @return the event of the last launcher
    /// @throws InvalidArgument where the queue is null, or a parameter is unknown, missing or does
    ///         not fit. Nothing was launched then
    Event operator()(const std::shared_ptr<Queue>& queue, const std::vector<Event>& waitFor = {},
                     const Parameters& parameters = {});

    /// Names, types and takers of all parameters.
    std::vector<ParameterInfo> parameters() const;
    std::vector<std::shared_ptr<Launcher>> launchers() const;
    size_t size() const;

    /// Profiled launches of this list since statistics() was read last; see Launcher::events.
    std::vector<Event> events() const;
    /// Times of the profiled runs in this list, by launcher name; see Launcher::statistics.
    StatisticsByName statistics();
    void clearStatistics();

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
