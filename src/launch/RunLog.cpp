// SPDX-License-Identifier: Apache-2.0
#include "launch/RunLog.hpp"

#include <utility>

#include <kompute/Error.hpp>
#include <kompute/launch/Launcher.hpp>

namespace kp::launch {

RunLog::RunLog(std::string name, std::shared_ptr<TimingSink> sink)
    : mName(std::move(name)), mSink(std::move(sink)) {}

RunLog::~RunLog() {
    try {
        if (mSink)
            statistics();
    } catch (...) { // out of memory: the times are lost
    }
}

bool RunLog::count(const Run& run) {
    try {
        if (!run.event.done())
            return false;
        if (const std::optional<EventProfile> profile = run.event.profile()) {
            mStatistics.add(profile->duration(), run.bytes);
            if (mSink)
                mSink->addTiming(mName, run.event, *profile, run.bytes);
        } else if (run.event.status() != EventStatus::eError) {
            mStatistics.addUnprofiled();
        }
    } catch (const DeviceLost&) { // it never gets a time
    }
    return true;
}

void RunLog::add(Event event, uint64_t bytes) {
    const std::lock_guard lock(mMutex);
    mRuns.push_back({std::move(event), bytes});
    // Nobody may ever call statistics(). Two at a time, so that a long backlog shrinks, too.
    for (int i = 0; i < 2 && mRuns.size() > Launcher::kMaxEvents && count(mRuns.front()); ++i)
        mRuns.pop_front();
}

std::vector<Event> RunLog::events() const {
    const std::lock_guard lock(mMutex);
    std::vector<Event> events;
    events.reserve(mRuns.size());
    for (const Run& run : mRuns)
        events.push_back(run.event);
    return events;
}

KernelStatistics RunLog::statistics() {
    const std::lock_guard lock(mMutex);
    std::deque<Run> unfinished;
    for (Run& run : mRuns)
        if (!count(run))
            unfinished.push_back(std::move(run));
    mRuns.swap(unfinished);
    return mStatistics;
}

void RunLog::clear() {
    const std::lock_guard lock(mMutex);
    mRuns.clear();
    mStatistics = {};
}

} // namespace kp::launch
