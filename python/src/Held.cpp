// SPDX-License-Identifier: Apache-2.0
#include "Held.hpp"

#include <condition_variable>
#include <utility>
#include <vector>

#include "Module.hpp"

namespace kp::python {
namespace {

std::mutex gMutex; ///< guards what follows; nothing else is locked or called while it is held
std::condition_variable gEnded;
std::vector<PyObject*>* gDropped = nullptr; // never freed: the library may drop until the end
bool gReleasing = false;                    // a release is asked for
bool gEnding = false;
int gRunning = 0;
thread_local bool tInCall = false;

int release(void*) {
    releaseHeld();
    return 0;
}

void drop(PyObject* object) {
    const std::lock_guard lock(gMutex);
    if (gEnding)
        return; // goes with the process
    gDropped->push_back(object);
    if (!gReleasing)
        gReleasing = Py_AddPendingCall(release, nullptr) == 0;
}

/// Says that Python code runs on a thread of the library.
class Running {
public:
    Running() {
        const std::lock_guard lock(gMutex);
        if (gEnding)
            throw Error(ErrorCode::eUnsupported,
                        "the interpreter is ending; host functions are not called any more");
        ++gRunning;
    }
    ~Running() {
        {
            const std::lock_guard lock(gMutex);
            --gRunning;
        }
        gEnded.notify_all();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
};

std::string messageOf(py::handle error) {
    std::string message = Py_TYPE(error.ptr())->tp_name;
    const py::object text = py::reinterpret_steal<py::object>(PyObject_Str(error.ptr()));
    const char* const utf8 = text ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
    if (utf8 && *utf8)
        message += std::string(": ") + utf8;
    PyErr_Clear();
    return message;
}

} // namespace

Held hold(py::handle object) {
    return Held(object.inc_ref().ptr(), drop);
}

void releaseHeld() {
    std::vector<PyObject*> dropped;
    {
        const std::lock_guard lock(gMutex);
        gReleasing = false;
        dropped.swap(*gDropped);
    }
    for (PyObject* const object : dropped)
        Py_DECREF(object);
}

PythonFailure::PythonFailure(py::handle error)
    : mError(hold(error)), mMessage(std::make_shared<const std::string>(messageOf(error))) {}

void PythonFailure::raise() const {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(mError.get())), mError.get());
}

void runFromLibrary(const std::function<void()>& code) {
    const Running running;
    const py::gil_scoped_acquire acquire;
    const bool outer = std::exchange(tInCall, true);
    try {
        code();
        tInCall = outer;
        releaseHeld();
    } catch (const py::error_already_set& error) {
        tInCall = outer;
        if (error.trace())
            PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
        throw PythonFailure(error.value());
    } catch (...) {
        tInCall = outer;
        throw;
    }
}

void callFromLibrary(const Held& function, const Held& keywords) {
    runFromLibrary(
        [&] { py::handle(function.get())(**py::reinterpret_borrow<py::dict>(keywords.get())); });
}

bool mustStopWaiting() {
    const std::lock_guard lock(gMutex);
    return tInCall && gEnding;
}

void endCallsFromLibrary() {
    const py::gil_scoped_release without;
    std::unique_lock lock(gMutex);
    gEnding = true;
    gEnded.wait(lock, [] { return gRunning == 0; });
}

void bindHeld() {
    gDropped = new std::vector<PyObject*>;
    py::register_local_exception_translator([](std::exception_ptr pointer) {
        try {
            if (pointer)
                std::rethrow_exception(pointer);
        } catch (const PythonFailure& failure) {
            failure.raise();
        }
    });
}

} // namespace kp::python
