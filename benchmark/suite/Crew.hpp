// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace kp::benchmark {

/// Threads that are there already, each with a piece of work of its own.
class Crew {
public:
    explicit Crew(std::vector<std::function<void()>> work) {
        for (auto& each : work)
            mThreads.emplace_back([this, call = std::move(each)] {
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
    ~Crew() {
        mStop = true;
        mRound.fetch_add(1);
        mRound.notify_all();
        for (std::thread& thread : mThreads)
            thread.join();
    }
    /// Every thread does its work once; returns when all are done.
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
