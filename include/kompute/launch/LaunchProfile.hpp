// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/launch/KernelStatistics.hpp>
#include <kompute/queue/Queue.hpp>

namespace kp {

/// Adds the launches on a queue to a profiler, until it ends: kernels of arrays by their functions
/// ("multiply, add", "sum of sqrt"), operations by their class ("sort" for an OpSort), and
/// launchers that have no profiler of their own by their names.
///
///     auto profiler = std::make_shared<kp::Profiler>();
///     {
///         const kp::LaunchProfile profile(manager.defaultQueue(), profiler); // used by arrays
///         sqrt(x * x + 1).evaluate();
///     }
///     std::puts(profiler->table().c_str());
///
/// Timed launches run one after the other. Thread-safe.
class KOMPUTE_API LaunchProfile {
public:
    /// @throws InvalidArgument if an argument is null, or another LaunchProfile has the queue
    LaunchProfile(std::shared_ptr<Queue> queue, std::shared_ptr<TimingSink> profiler);
    /// Calls end(), and ignores its errors.
    ~LaunchProfile();
    LaunchProfile(const LaunchProfile&) = delete;
    LaunchProfile& operator=(const LaunchProfile&) = delete;

    /// Waits for the launches, and adds them. Further calls have no effect.
    /// @throws DeviceLost
    void end();

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
