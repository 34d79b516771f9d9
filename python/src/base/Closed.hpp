// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

#include "base/Handles.hpp"
#include "base/Waiting.hpp"

namespace kp::python {

/// Gives other threads time to end their calls.
inline void letCallsEnd() {
    {
        const ReleaseGil release;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    throwIfInterrupted();
}

/// Refuses new calls of a manager or a group while it exists, so that destroy() wins against
/// threads that make one call after the other. Created and destroyed with the GIL held.
template <typename Handle>
class Closed {
public:
    /// @throws InvalidArgument if this thread is in such a call, or another thread destroys it
    explicit Closed(Handle& handle) : mHandle(handle) {
        if (tUses > 0)
            throw InvalidArgument("destroy() was called by a function that a call of a manager has "
                                  "called; call it after that call has returned");
        requireOpen(handle);
        handle.closing = true;
    }
    ~Closed() { mHandle.closing = false; }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

    /// Waits for the calls that run.
    void waitForCalls() const {
        while (mHandle.users > 0)
            letCallsEnd();
    }

private:
    Handle& mHandle;
};

/// Calls a function that destroys closed managers, without the GIL.
template <typename Destroy>
void destroyClosed(const Destroy& destroy) {
    // Calls that hold the GIL are counted by the library alone. They are short.
    constexpr int kAttempts = 1000;
    for (int attempt = 1;; ++attempt) {
        try {
            return runBetweenSignals(destroy);
        } catch (const InvalidArgument&) {
            if (attempt == kAttempts)
                throw;
        }
        letCallsEnd();
    }
}

} // namespace kp::python
