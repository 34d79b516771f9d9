// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <kompute/launch/KernelStatistics.hpp>

namespace kp::launch {

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
    std::vector<Event> events() const;
    /// Counts the launches that have finished, and returns the statistics.
    KernelStatistics statistics();
    void clear();

private:
    struct Run {
        Event event;
        uint64_t bytes;
    };

    /// Counts a run if it has ended. @return true if it has
    bool count(const Run& run);

    const std::string mName;
    const std::shared_ptr<TimingSink> mSink;
    mutable std::mutex mMutex;
    std::deque<Run> mRuns;
    KernelStatistics mStatistics;
};

} // namespace kp::launch
