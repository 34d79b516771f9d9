// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <kompute/launch/KernelStatistics.hpp>

namespace kp::launch {

/// The profiled launches of one launcher that are not in its statistics yet, and its statistics.
/// Keeps no more than a fixed number of launches that are done, whoever fetches. Thread-safe.
class RunLog {
public:
    RunLog(std::string name, std::shared_ptr<TimingSink> sink);
    /// The sink is told of what is done by now.
    ~RunLog();
    RunLog(const RunLog&) = delete;
    RunLog& operator=(const RunLog&) = delete;

    void add(Event event, uint64_t bytes);
    std::vector<Event> events() const;
    /// Takes in what is done by now.
    KernelStatistics statistics();
    void clear();
    const std::string& name() const { return mName; }

private:
    struct Run {
        Event event;
        uint64_t bytes;
    };

    /// @return true where the run is over, and was counted
    bool count(const Run& run);

    const std::string mName;
    const std::shared_ptr<TimingSink> mSink;
    mutable std::mutex mMutex;
    std::deque<Run> mRuns;
    KernelStatistics mStatistics;
};

} // namespace kp::launch
