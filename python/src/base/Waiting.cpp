// SPDX-License-Identifier: Apache-2.0
#include "base/Waiting.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Gil.hpp"
#include "base/Held.hpp"

namespace kp::python {
namespace {

std::atomic<int> gBackground{0};                 ///< functions that run in the background
std::atomic<bool> gBackgroundEnded{false};       ///< no more of them
uint64_t gInterruptions = 0;                     ///< guarded by the GIL
auto& gRaiseNext = *new std::vector<py::object>; ///< exceptions of signal handlers; by the GIL

/// Counts a function that runs in the background.
struct BackgroundRun {
    BackgroundRun() { ++gBackground; }
    ~BackgroundRun() { --gBackground; }
    BackgroundRun(const BackgroundRun&) = delete;
    BackgroundRun& operator=(const BackgroundRun&) = delete;
};

int raiseNext(void*) {
    if (gRaiseNext.empty())
        return 0;
    const py::object error = std::move(gRaiseNext.front());
    gRaiseNext.erase(gRaiseNext.begin());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    return -1;
}

} // namespace

uint64_t TimeLimit::left() const {
    const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - mStart;
    const auto used = static_cast<uint64_t>(passed.count());
    return mTimeout == UINT64_MAX ? mTimeout : mTimeout - std::min(used, mTimeout);
}

void throwIfInterrupted() {
    // Log messages wait as pending calls; one may say why this takes so long.
    if (PyErr_CheckSignals() != 0 || Py_MakePendingCalls() != 0) {
        ++gInterruptions;
        throw py::error_already_set();
    }
    if (mustStopWaiting())
        throw Error(ErrorCode::eUnsupported, "the interpreter is ending; a host function can "
                                             "no longer wait");
}

uint64_t interruptions() {
    return gInterruptions;
}

bool waitFor(const Event& event, uint64_t timeout) {
    if (event.done()) // other threads need not run for that
        return event.wait(0);
    for (;;) {
        const uint64_t slice = std::min(timeout, kWaitSlice);
        bool done = false;
        {
            const ReleaseGil release;
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

bool waitInDestructor(const Event& event) noexcept {
    try {
        waitFor(event);
        return true;
    } catch (py::error_already_set& error) { // Ctrl-C
        gRaiseNext.push_back(error.value());
        if (Py_AddPendingCall(raiseNext, nullptr) != 0) {
            gRaiseNext.pop_back();
            error.discard_as_unraisable("the end of an object that the device uses");
        }
        return false;
    } catch (const std::exception&) { // the work failed, or the interpreter ends
        return event.done();
    }
}

void waitForSubmitted(const Manager& manager) {
    for (const Event& event : manager.submittedWork())
        waitForEnd(event);
}

void waitForEvaluations(Manager& manager) {
    std::vector<Event> awaited;
    do {
        for (const Event& event : awaited)
            waitForEnd(event);
        awaited = manager.cancelWaiting();
        std::erase_if(awaited, [](const Event& event) {
            const EventStatus status = event.status();
            return status == EventStatus::eComplete || status == EventStatus::eError;
        });
    } while (!awaited.empty());
}

bool unfinished(const Manager& manager) noexcept {
    try {
        if (manager.isInit())
            for (const Event& event : manager.submittedWork())
                if (!event.done())
                    return true;
    } catch (const std::exception&) { // a lost device runs nothing
    }
    return false;
}

bool runInBackground(std::function<void()>& function) {
    if (gBackgroundEnded)
        return false;
    const auto owned = std::make_shared<std::function<void()>>(std::move(function));
    try {
        std::thread([kept = owned, run = std::make_shared<BackgroundRun>()] {
            (*kept)();
            *kept = nullptr;
        }).detach();
        return true;
    } catch (const std::system_error&) { // no more threads
        function = std::move(*owned);
        return false;
    }
}

void endBackground() {
    gBackgroundEnded = true; // while no other thread is between its check and its start
    const ReleaseGil release;
    while (gBackground > 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void forgetBackground() {
    gBackground = 0;
}

} // namespace kp::python
