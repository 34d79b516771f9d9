// SPDX-License-Identifier: Apache-2.0
#include "base/Waiting.hpp"

#include <algorithm>
#include <atomic>
#include <exception>

#include <kompute/Error.hpp>

#include "base/Held.hpp"

namespace kp::python {
namespace {

std::atomic<int> gBackground{0}; ///< objects of BackgroundRun

} // namespace

uint64_t TimeLimit::left() const {
    const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - mStart;
    const auto used = static_cast<uint64_t>(passed.count());
    return mTimeout == UINT64_MAX ? mTimeout : mTimeout - std::min(used, mTimeout);
}

void throwIfInterrupted() {
    if (PyErr_CheckSignals() != 0)
        throw py::error_already_set();
    if (mustStopWaiting())
        throw Error(ErrorCode::eUnsupported, "the interpreter is ending; a host function can "
                                             "no longer wait");
}

bool waitFor(const Event& event, uint64_t timeout) {
    if (event.done()) // other threads need not run for that
        return event.wait(0);
    for (;;) {
        const uint64_t slice = std::min(timeout, kWaitSlice);
        bool done = false;
        {
            const py::gil_scoped_release release;
            done = event.wait(slice);
        }
        if (done)
            return true;
        throwIfInterrupted();
        if (timeout != UINT64_MAX)
            timeout -= slice;
        if (timeout == 0)
            return false;
    }
}

bool waitForAll(const std::vector<Event>& events, uint64_t timeout) {
    const TimeLimit limit(timeout);
    std::exception_ptr failure;
    for (const Event& event : events) {
        try {
            if (!waitFor(event, limit.left()))
                return false;
        } catch (const py::error_already_set&) { // Ctrl-C
            throw;
        } catch (...) {
            if (!failure)
                failure = std::current_exception();
        }
    }
    if (failure)
        std::rethrow_exception(failure);
    return true;
}

void waitForEnd(const Event& event) {
    try {
        waitFor(event);
    } catch (const py::error_already_set&) { // Ctrl-C
        throw;
    } catch (const std::exception&) {
    }
}

void waitForSubmitted(const Manager& manager) {
    for (const Event& event : manager.submittedWork())
        waitForEnd(event);
}

BackgroundRun::BackgroundRun() {
    ++gBackground;
}

BackgroundRun::~BackgroundRun() {
    --gBackground;
}

void awaitBackground() {
    const py::gil_scoped_release release;
    while (gBackground > 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void forgetBackground() {
    gBackground = 0;
}

} // namespace kp::python
