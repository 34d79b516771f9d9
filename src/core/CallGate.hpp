// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

namespace kp {

/// Counts the calls that use the objects of a manager, so that Manager::destroy() does not destroy
/// objects that other threads' calls use. Thread-safe.
class CallGate {
public:
    /// Counts a call while it exists.
    class Call {
    public:
        /// @param gate  null: the object belongs to no manager, and nothing is counted
        /// @throws InvalidArgument while another thread destroys the manager
        explicit Call(const std::shared_ptr<CallGate>& gate) : Call(gate.get()) {}
        explicit Call(CallGate* gate) : mGate(gate) {
            if (mGate)
                mGate->enter();
        }
        ~Call() {
            if (mGate)
                mGate->leave();
        }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

    private:
        CallGate* const mGate;
    };

    /// Keeps the calls of other threads out while it exists.
    class Closed {
    public:
        /// @throws InvalidArgument if there are calls, or another thread has closed the gate
        explicit Closed(CallGate& gate) : mGate(gate) { mGate.close(); }
        ~Closed() { mGate.open(); }
        Closed(const Closed&) = delete;
        Closed& operator=(const Closed&) = delete;

    private:
        CallGate& mGate;
    };

private:
    enum class State { eOpen, eClosing, eClosed };

    void enter() {
        std::atomic<uint32_t>& calls = counter();
        calls.fetch_add(1);
        if (mState.load() != State::eOpen) [[unlikely]]
            enterClosed(calls);
    }
    void leave() { counter().fetch_sub(1, std::memory_order_release); }
    void enterClosed(std::atomic<uint32_t>& calls);
    void close();
    void open();

    /// Several counters, so that threads rarely share a cache line.
    std::atomic<uint32_t>& counter() {
        static std::atomic<size_t> threads{0};
        thread_local const size_t number = threads.fetch_add(1, std::memory_order_relaxed);
        return mCounters[number % mCounters.size()].calls;
    }

    struct alignas(64) Counter {
        std::atomic<uint32_t> calls{0};
    };
    std::array<Counter, 8> mCounters;
    std::atomic<State> mState{State::eOpen};
    std::atomic<std::thread::id> mCloser; ///< of a closed gate, whose calls may pass
};

} // namespace kp
