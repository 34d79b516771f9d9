// SPDX-License-Identifier: Apache-2.0
#include "core/queue/HostWorkers.hpp"

#include <exception>
#include <utility>

#include "base/Process.hpp"

namespace kp {
namespace {

thread_local bool tWorker = false;

}

bool HostWorkers::isWorker() {
    return tWorker;
}

HostWorkers& HostWorkers::instance() {
    static auto* workers = new HostWorkers;
    static const EndOfProcess end([] { workers->stop(); },
                                  [] {
                                      keepHandle(workers);
                                      workers = new HostWorkers;
                                  },
                                  [] { workers->finish(); });
    return *workers;
}

template <typename Done>
bool HostWorkers::waitForTasks(std::unique_lock<std::mutex>& lock, const Done& done,
                               const size_t& ended) {
    if (mIdleAgain.wait_for(lock, endLimit(), done))
        return true;
    while (!done() && !(mTasks.empty() && ended + mDeviceWaits >= mThreads.size()))
        mIdleAgain.wait_for(lock, std::chrono::milliseconds(10));
    return done();
}

void HostWorkers::finish() {
    std::unique_lock lock(mMutex);
    waitForTasks(
        lock, [this] { return isIdle(); }, mIdle);
}

void HostWorkers::stop() {
    std::unique_lock lock(mMutex);
    mStopping = true;
    mChanged.notify_all();
    const bool allEnd = waitForTasks(
        lock, [this] { return mEnded == mThreads.size(); }, mEnded);
    lock.unlock();
    for (std::thread& thread : mThreads)
        allEnd ? thread.join() : thread.detach();
}

void HostWorkers::post(std::function<void()> task) {
    {
        std::unique_lock lock(mMutex);
        mTasks.push_back(std::move(task));
        if (mIdle < mTasks.size() && !mStopping) {
            try {
                mThreads.emplace_back([this] { run(); });
            } catch (const std::exception&) { // no more threads: an existing one does it later
                if (mThreads.empty()) {
                    const std::function<void()> own = std::move(mTasks.back());
                    mTasks.pop_back();
                    lock.unlock();
                    own();
                    return;
                }
            }
        }
    }
    mChanged.notify_one();
}

bool HostWorkers::release(std::shared_ptr<void> object, std::chrono::nanoseconds limit) {
    const auto isLast = [&] { return object.use_count() <= 1; };
    if (isLast() || tWorker)
        return isLast();
    const auto end = std::chrono::steady_clock::now() + limit;
    std::unique_lock lock(mMutex);
    mIdleAgain.wait_until(lock, end, [&] { return isLast() || mStopping || isIdle(); });
    return isLast();
}

void HostWorkers::run() {
    tWorker = true;
    std::unique_lock lock(mMutex);
    for (;;) {
        ++mIdle;
        mIdleAgain.notify_all();
        mChanged.wait(lock, [this] { return mStopping || !mTasks.empty(); });
        --mIdle;
        if (mTasks.empty()) {
            ++mEnded;
            mIdleAgain.notify_all();
            return;
        }
        {
            const std::function<void()> task = std::move(mTasks.front());
            mTasks.pop_front();
            lock.unlock();
            task();
        }
        lock.lock();
    }
}

void runFlat(std::function<void()> task) {
    thread_local std::deque<std::function<void()>>* waiting = nullptr;
    if (waiting) {
        waiting->push_back(std::move(task));
        return;
    }
    struct Reset {
        ~Reset() { waiting = nullptr; }
    };
    std::deque<std::function<void()>> tasks;
    tasks.push_back(std::move(task));
    waiting = &tasks;
    const Reset reset;
    while (!tasks.empty()) {
        const std::function<void()> next = std::move(tasks.front());
        tasks.pop_front();
        next();
    }
}

} // namespace kp
