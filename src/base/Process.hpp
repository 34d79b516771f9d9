// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

namespace kp {

namespace detail {
extern std::atomic<bool> gDriverGone;
}

/// Returns true if this process may no longer call its Vulkan drivers: it was forked from one that
/// used them, whose driver threads and locks it does not have; or it ends, and the destructors of
/// drivers and layers have run or are about to. Objects that are destroyed then leave everything
/// to the system.
inline bool driverGone() {
    return detail::gDriverGone.load(std::memory_order_relaxed);
}

/// How long the end of a device, or of the process, waits for abandoned work, such as a kernel that
/// never ends. After that, the device's resources are kept.
std::chrono::milliseconds endLimit();
/// Sets another limit, for tests.
void setEndLimit(std::chrono::milliseconds limit);

/// Returns true in a child that was forked from a process that had used a driver.
bool forked();

/// Keeps a handle that only the driver could destroy, so that leak checkers still find its memory.
void keepHandle(const void* handle) noexcept;

[[noreturn]] void throwDriverGone();

/// @throws Unsupported if driverGone()
inline void requireDriver() {
    if (driverGone()) [[unlikely]]
        throwDriverGone();
}

/// Call it after a driver or layer was loaded. Neither function may throw. Thread-safe.
/// @param instance  the loaded driver or layer; a second call for the same one does nothing
/// @param finish  waits for all work. It is called if the main thread ends the process and this
///                call came from it, before the first static object is destroyed: a driver may
///                still run its first work, and create static objects with it.
/// @param leave  is called before driverGone() becomes true: at the end of the process, to finish
///               all work before the static objects of drivers and layers are destroyed, and in a
///               forked child. It must keep objects that only the driver can destroy.
void noteDriverUse(const void* instance, void (*finish)(), void (*leave)(bool forked));

/// Ends threads of the library. Make it a static object, defined after the owner of the threads.
class EndOfProcess {
public:
    /// No function may throw.
    /// @param end     is called when the process ends or the library is unloaded
    /// @param renew   is called in a forked child, which has none of the threads and may find locks
    ///                held forever: replaces their owners
    /// @param finish  waits for the threads' work, which may be more work for devices. It is called
    ///                before the function of the same name that noteDriverUse() has
    EndOfProcess(
        void (*end)(), void (*renew)(), void (*finish)() = [] {});
    ~EndOfProcess();
    EndOfProcess(const EndOfProcess&) = delete;
    EndOfProcess& operator=(const EndOfProcess&) = delete;

    /// For the child after a fork.
    static void renewAll();
    /// For the end of the process.
    static void finishAll();

private:
    static std::atomic<EndOfProcess*> sFirst; ///< of a list; a fork may come at any time
    void (*const mEnd)();
    std::atomic<void (*)()> mRenew;
    void (*const mFinish)();
    EndOfProcess* mNext = nullptr;
};

} // namespace kp
