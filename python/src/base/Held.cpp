// SPDX-License-Identifier: Apache-2.0
#include "base/Held.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>

#include <kompute/Error.hpp>

#include "base/Gil.hpp"
#include "base/Package.hpp"
#include "base/Process.hpp"
#include "base/Values.hpp"

namespace kp::python {
namespace {

std::mutex gMutex; ///< guards the rest; nothing else is locked or called while it is held
std::condition_variable gEnded;
auto& gDropped = *new std::vector<PyObject*>; ///< never freed: the library may drop until the end
std::atomic<bool> gAnyDropped{false};         ///< written under the lock, read without
bool gReleasing = false;                      ///< a release is pending
bool gEnding = false;
int gRunning = 0;
thread_local bool tInCall = false;

int releasePending(void*) {
    releaseHeld();
    return 0;
}

void drop(PyObject* object) {
    if (gForked)
        return; // freed with the process; another thread may have held the lock
    const std::lock_guard lock(gMutex);
    if (gEnding)
        return; // freed with the process
    gDropped.push_back(object);
    gAnyDropped.store(true, std::memory_order_release);
    if (!gReleasing)
        gReleasing = Py_AddPendingCall(releasePending, nullptr) == 0;
}

/// Counts the Python code that runs on threads of the library.
void startCall() {
    const std::lock_guard lock(gMutex);
    if (gEnding)
        throw Error(ErrorCode::eUnsupported,
                    "the interpreter is ending; host functions are no longer called");
    ++gRunning;
}

void endCall() {
    {
        const std::lock_guard lock(gMutex);
        --gRunning;
    }
    gEnded.notify_all();
}

std::string messageOf(py::handle error) {
    const auto text = py::reinterpret_steal<py::object>(PyObject_Str(error.ptr()));
    const char* const utf8 = text ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
    PyErr_Clear();
    if (!utf8 || !*utf8)
        return typeNameOf(error);
    return formatted("{}: {}", typeNameOf(error), utf8);
}

/// Empties the frames of a function that has failed: the exception may be kept for long, and must
/// not keep the function's variables. The lines of the traceback stay.
void clearFrames(const py::error_already_set& error) {
    try {
        ofPackage("clear_frames")(error.value(), error.trace());
    } catch (py::error_already_set&) { // the interpreter is ending
    }
}

} // namespace

Held hold(py::handle object) {
    return Held(object.inc_ref().ptr(), drop);
}

Held holdFunction(py::handle function, std::string_view argument) {
    requireCallable(function, argument);
    return hold(function);
}

void release(py::object object) {
    if (object && !holdsGil())
        drop(object.release().ptr());
}

void releaseHeld() {
    if (!gAnyDropped.load(std::memory_order_acquire))
        return;
    std::vector<PyObject*> dropped;
    {
        const std::lock_guard lock(gMutex);
        gReleasing = false;
        gAnyDropped.store(false, std::memory_order_relaxed);
        dropped.swap(gDropped);
    }
    for (PyObject* const object : dropped)
        Py_DECREF(object);
}

PythonFailure::PythonFailure(py::handle error, bool kept)
    : mError(hold(error)), mMessage(std::make_shared<const std::string>(messageOf(error))),
      mKept(kept) {}

void PythonFailure::raise() const {
    auto error = py::reinterpret_borrow<py::object>(mError.get());
    try {
        if (mKept)
            error = ofPackage("copied_error")(error);
    } catch (py::error_already_set&) { // the interpreter is ending
    }
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

void throwFailure(const py::error_already_set& error, bool kept) {
    if (error.trace())
        PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
    throw PythonFailure(error.value(), kept);
}

void runFromLibrary(const std::function<void()>& code) {
    startCall();
    const AtEnd end{endCall};
    const AcquireGil acquire;
    try {
        {
            const AtEnd restore{[outer = std::exchange(tInCall, true)] { tInCall = outer; }};
            code();
        }
        releaseHeld();
    } catch (const py::error_already_set& error) {
        clearFrames(error);
        throwFailure(error, true);
    }
}

void callFromLibrary(const Held& function, const Held& keywords) {
    runFromLibrary([&] {
        const auto given = keywords ? py::reinterpret_borrow<py::dict>(keywords.get()) : py::dict();
        py::handle(function.get())(**given);
    });
}

bool mustStopWaiting() {
    const std::lock_guard lock(gMutex);
    return tInCall && gEnding;
}

void endCallsFromLibrary() {
    const ReleaseGil without;
    std::unique_lock lock(gMutex);
    gEnding = true;
    gEnded.wait(lock, [] { return gRunning == 0; });
}

} // namespace kp::python
