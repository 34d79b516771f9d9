// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace kp::benchmark {

/// A set of running threads, each with its own task.
class Workers {
public:
    explicit Workers(std::vector<std::function<void()>> tasks) {
        for (auto& task : tasks)
            mThreads.emplace_back([this, call = std::move(task)] {
                for (uint64_t seen = 0;;) {
                    mRound.wait(seen);
                    seen = mRound.load();
                    if (mStop)
                        return;
                    call();
                    if (mBusy.fetch_sub(1) == 1)
                        mBusy.notify_one();
                }
            });
    }
    ~Workers() {
        mStop = true;
        mRound.fetch_add(1);
        mRound.notify_all();
        for (std::thread& thread : mThreads)
            thread.join();
    }
    /// Runs every task once and returns when all are done.
    void run() {
        mBusy = static_cast<int>(mThreads.size());
        mRound.fetch_add(1);
        mRound.notify_all();
        for (int busy = mBusy; busy > 0; busy = mBusy)
            mBusy.wait(busy);
    }

private:
    std::atomic<uint64_t> mRound{0};
    std::atomic<int> mBusy{0};
    std::atomic<bool> mStop{false};
    std::vector<std::thread> mThreads;
};

} // namespace kp::benchmark
