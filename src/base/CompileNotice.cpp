// SPDX-License-Identifier: Apache-2.0
#include "base/CompileNotice.hpp"

#include <atomic>
#include <cstdio>
#include <system_error>

#include <kompute/logger/Logger.hpp>

#include "base/Environment.hpp"

namespace kp {
namespace {

std::atomic<bool> gSaid{false};

} // namespace

CompileNotice::CompileNotice(const char* what) {
    if (gSaid.load(std::memory_order_relaxed))
        return;
    try {
        mThread = std::thread([this, what] {
            std::unique_lock lock(mMutex);
            if (!mChanged.wait_for(lock, kPatience, [this] { return mDone; }))
                say(what);
        });
    } catch (const std::system_error&) { // no thread, no notice
    }
}

CompileNotice::~CompileNotice() {
    if (!mThread.joinable())
        return;
    {
        const std::lock_guard lock(mMutex);
        mDone = true;
    }
    mChanged.notify_one();
    mThread.join();
}

void CompileNotice::say(const char* what) {
    if (gSaid.exchange(true))
        return;
    constexpr const char* kText =
        "compiling {} takes longer than a second; the result is cached for later runs";
    if (isTerminal(stderr))
        KP_LOG_WARN(kText, what);
    else
        KP_LOG_INFO(kText, what);
}

void CompileNotice::reset() {
    gSaid = false;
}

} // namespace kp
