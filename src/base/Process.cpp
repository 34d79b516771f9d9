// SPDX-License-Identifier: Apache-2.0
#include "base/Process.hpp"

#include <cstdlib>
#include <mutex>
#include <new>
#include <set>

#include <kompute/Error.hpp>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define KOMPUTE_CAN_FORK
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <windows.h>
#endif

namespace kp {

std::atomic<bool> detail::gDriverGone{false};

namespace {

std::atomic<bool> gForked{false};
std::atomic<std::chrono::milliseconds> gEndLimit{std::chrono::seconds(10)};
std::atomic<void (*)()> gFinish{nullptr};
std::atomic<void (*)(bool forked)> gLeave{nullptr};

/// Returns true once the system has ended all other threads and detached the drivers. The
/// static objects of a DLL are destroyed only then on Windows, a program's before.
bool othersHaveEnded() {
#if defined(_WIN32)
    const HMODULE system = GetModuleHandleW(L"ntdll.dll");
    const auto symbol = system ? GetProcAddress(system, "RtlDllShutdownInProgress") : nullptr;
    return symbol && reinterpret_cast<BOOLEAN(NTAPI*)()>(reinterpret_cast<void (*)()>(symbol))();
#else
    return false;
#endif
}

void leaveDriver(bool forked) {
    auto* const leave = gLeave.load();
    if (!leave || driverGone())
        return;
    leave(forked || othersHaveEnded());
    detail::gDriverGone = true;
}

void watchForks() {
#if defined(KOMPUTE_CAN_FORK)
    [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] {
        EndOfProcess::renewAll();
        gForked = gForked || gLeave.load() != nullptr;
        leaveDriver(true);
    });
#endif
}

/// Thread-local objects of the thread that ends the process are destroyed before static objects.
struct FinishAtExit {
    ~FinishAtExit() {
        if (driverGone())
            return;
        EndOfProcess::finishAll();
        gFinish.load()();
    }
};

bool isMainThread() {
#if defined(__linux__)
    return syscall(SYS_gettid) == getpid();
#else
    return false;
#endif
}

} // namespace

std::chrono::milliseconds endLimit() {
    return gEndLimit.load(std::memory_order_relaxed);
}

void setEndLimit(std::chrono::milliseconds limit) {
    gEndLimit.store(limit, std::memory_order_relaxed);
}

bool forked() {
    return gForked;
}

void keepHandle(const void* handle) noexcept {
    struct Kept {
        const void* handle;
        Kept* next;
    };
    static std::atomic<Kept*> first{nullptr};
    if (auto* const kept = new (std::nothrow) Kept{handle, nullptr})
        kept->next = first.exchange(kept);
}

void throwDriverGone() {
    if (forked())
        throw Unsupported(
            "this process was forked from one that had used a device already, and drivers do not "
            "survive that; make the first Manager after the fork, or start processes without a "
            "fork (Python's multiprocessing: \"spawn\" or \"forkserver\")");
    throw Unsupported("the process ends: its devices have finished and can no longer be used");
}

void noteDriverUse(const void* instance, void (*finish)(), void (*leave)(bool forked)) {
    static auto& mutex = *new std::mutex; // never destroyed: calls may come until the end
    static auto& noted = *new std::set<const void*>;
    const std::lock_guard lock(mutex);
    if (!noted.insert(instance).second)
        return;
    gFinish = finish;
    gLeave = leave;
    watchForks();
    // Handlers run in the reverse order of their registration, so this one precedes the handlers of
    // drivers and layers that were loaded before this call.
    std::atexit([] { leaveDriver(false); });
    if (isMainThread())
        thread_local const FinishAtExit atExit;
}

std::atomic<EndOfProcess*> EndOfProcess::sFirst{nullptr};

EndOfProcess::EndOfProcess(void (*end)(), void (*renew)(), void (*finish)())
    : mEnd(end), mRenew(renew), mFinish(finish) {
    watchForks();
    mNext = sFirst.load();
    while (!sFirst.compare_exchange_weak(mNext, this)) {
    }
}

EndOfProcess::~EndOfProcess() {
    mRenew = nullptr; // the object stays in the list, and its memory, which is static, too
    if (!othersHaveEnded())
        mEnd();
}

void EndOfProcess::renewAll() {
    for (EndOfProcess* each = sFirst; each; each = each->mNext)
        if (auto* const renew = each->mRenew.load())
            renew();
}

void EndOfProcess::finishAll() {
    for (EndOfProcess* each = sFirst; each; each = each->mNext)
        each->mFinish();
}

} // namespace kp
