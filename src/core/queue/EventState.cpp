// SPDX-License-Identifier: Apache-2.0
#include "core/queue/EventState.hpp"

#include <chrono>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Deadline.hpp"
#include "base/Process.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/queue/HostWorkers.hpp"

namespace kp {
namespace {

std::string errorText(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& thrown) {
        return thrown.what();
    } catch (...) {
        return "an exception that is not a std::exception";
    }
}

} // namespace

TimeSource::~TimeSource() = default;

uint64_t hostNanoseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
}

EventState::EventState(std::shared_ptr<vulkan::Device> device, vulkan::WaitMode waitMode,
                       std::shared_ptr<const std::string> queueName)
    : mDevice(std::move(device)), mWaitMode(waitMode), mQueueName(std::move(queueName)) {}

EventState::~EventState() {
    // A failure that was never queried would go unnoticed.
    if (mFaults && !mFaultsSeen)
        keepFaults(*mDevice, std::move(mFaults));
    if (mError && !mErrorSeen) {
        try {
            KP_LOG_ERROR("work {}failed and nothing waited for it: {}",
                         mQueueName ? "of " + *mQueueName + " " : std::string(), errorText(mError));
        } catch (...) { // a log sink that throws; a destructor must not
        }
    }
}

std::exception_ptr EventState::error() const {
    const std::lock_guard lock(mMutex);
    mErrorSeen = true;
    return mError;
}

void EventState::resolve(Phase phase) {
    std::vector<std::function<void()>> then;
    {
        const std::lock_guard lock(mMutex);
        mPhase.store(phase, std::memory_order_release);
        then.swap(mThen);
    }
    mResolved.notify_all();
    for (std::function<void()>& call : then)
        runFlat(std::move(call));
}

void EventState::submitted(Submitted work) {
    mPoint = work.point;
    if (work.needsFinish()) {
        mPadded = std::move(work.padded);
        mReports = std::move(work.reports);
        mUnfinished.store(true, std::memory_order_release);
    }
    if (mQueuedAt)
        mSubmittedAt = hostNanoseconds();
    resolve(Phase::eSubmitted);
}

void EventState::fail(std::exception_ptr error, bool inherited) {
    {
        const std::lock_guard lock(mMutex);
        mError = std::move(error);
        mErrorSeen = inherited;
        mSource.reset();
    }
    resolve(Phase::eFailed);
}

void EventState::whenResolved(std::function<void()> then) {
    {
        const std::lock_guard lock(mMutex);
        if (!resolved()) {
            mThen.push_back(std::move(then));
            return;
        }
    }
    runFlat(std::move(then));
}

void EventState::finishOnce() {
    if (!mUnfinished.load(std::memory_order_acquire))
        return;
    std::vector<std::shared_ptr<Memory>> finished; // destroyed after the lock is released
    // No wait returns before the rows are there.
    const std::lock_guard lock(mFinishMutex);
    if (!mUnfinished.load(std::memory_order_relaxed))
        return;
    pullRows(mPadded);
    finished.swap(mPadded);
    mFaults = takeFaults(mReports);
    mReports.clear();
    mUnfinished.store(false, std::memory_order_release);
}

std::exception_ptr EventState::faults() {
    const std::lock_guard lock(mFinishMutex);
    mFaultsSeen = true;
    return mFaults;
}

bool EventState::done() {
    switch (phase()) {
    case Phase::eQueued:
        return false;
    case Phase::eSubmitted:
        if (!mPoint.queue->poll(mPoint.value))
            return false;
        finishOnce();
        return true;
    default:
        return true;
    }
}

EventStatus EventState::status() {
    switch (phase()) {
    case Phase::eQueued:
        return mRunning.load(std::memory_order_relaxed) ? EventStatus::eSubmitted
                                                        : EventStatus::eQueued;
    case Phase::eDone:
        return EventStatus::eComplete;
    case Phase::eFailed:
        return EventStatus::eError;
    case Phase::eSubmitted:
        break;
    }
    try {
        if (!done())
            return EventStatus::eSubmitted;
        const std::lock_guard lock(mFinishMutex);
        return mFaults ? EventStatus::eError : EventStatus::eComplete;
    } catch (const std::exception&) {
        return EventStatus::eError;
    }
}

bool EventState::wait(uint64_t timeout) {
    const bool over = waitUntilOver(timeout);
    if (phase() == Phase::eFailed)
        std::rethrow_exception(error());
    if (over && phase() == Phase::eSubmitted) {
        mPoint.queue->requireSucceeded(mPoint.value);
        if (const std::exception_ptr found = faults())
            std::rethrow_exception(found);
    }
    return over;
}

bool EventState::waitUntilResolved(uint64_t timeout) {
    requireDriver();
    if (resolved())
        return true;
    std::unique_lock lock(mMutex);
    return Deadline(timeout).wait(mResolved, lock, [this] { return resolved(); });
}

bool EventState::waitUntilOver(uint64_t timeout) {
    if (!resolved()) {
        const Deadline deadline(timeout);
        if (!waitUntilResolved(timeout))
            return false;
        timeout = deadline.left();
    }
    requireDriver();
    if (phase() != Phase::eSubmitted)
        return true;
    if (!mPoint.queue->wait(mPoint.value, timeout, mWaitMode))
        return false;
    finishOnce();
    return true;
}

void EventState::timedBy(std::shared_ptr<TimeSource> source) {
    const std::lock_guard lock(mMutex);
    mSource = std::move(source);
}

void EventState::setHostTimes(uint64_t start, uint64_t end) {
    const std::lock_guard lock(mMutex);
    mTimes = {start, end};
    mSubmittedAt = start;
}

void EventState::readTimes() {
    std::shared_ptr<TimeSource> read; // destroyed after the lock is released
    const std::lock_guard lock(mMutex);
    if (!mSource)
        return;
    mTimes = mSource->readTimes();
    read = std::move(mSource);
    mSource.reset();
}

std::optional<EventProfile> EventState::profile(uint32_t part) {
    if (phase() == Phase::eFailed || !done())
        return std::nullopt;
    readTimes();
    const std::lock_guard lock(mMutex);
    if (mTimes.size() < 2)
        return std::nullopt;
    const size_t first = part == Event::kWhole ? 0 : part;
    const size_t last = part == Event::kWhole ? mTimes.size() - 1 : size_t{part} + 1;
    if (last >= mTimes.size())
        return std::nullopt;
    return EventProfile{mTimes[first], mTimes[last], mQueuedAt, mSubmittedAt};
}

} // namespace kp
