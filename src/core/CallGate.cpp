// SPDX-License-Identifier: Apache-2.0
#include "core/CallGate.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

namespace kp {

void CallGate::enterClosed(std::atomic<uint32_t>& calls) {
    for (;;) {
        State state = mState.load();
        if (state == State::eClosed && mCloser.load() == std::this_thread::get_id())
            return; // destroy() calls the objects
        if (state == State::eOpen)
            return;
        calls.fetch_sub(1);
        if (state == State::eClosed)
            throw InvalidArgument("another thread is destroying the manager of this object");
        while ((state = mState.load()) == State::eClosing)
            std::this_thread::yield();
        calls.fetch_add(1);
    }
}

void CallGate::close() {
    State open = State::eOpen;
    if (!mState.compare_exchange_strong(open, State::eClosing))
        throw InvalidArgument("another thread is destroying this manager");
    const bool used = std::ranges::any_of(
        mCounters, [](const Counter& counter) { return counter.calls.load() > 0; });
    if (used) {
        mState.store(State::eOpen);
        throw InvalidArgument(
            "Manager::destroy() was called while another thread is in a call that "
            "uses the manager's objects; let the call return first");
    }
    mCloser.store(std::this_thread::get_id());
    mState.store(State::eClosed);
}

void CallGate::open() {
    mCloser.store({});
    mState.store(State::eOpen);
}

} // namespace kp
