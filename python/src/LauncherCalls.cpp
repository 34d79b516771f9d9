// SPDX-License-Identifier: Apache-2.0
//
// What calls of launchers and lists have in common.
#include "Held.hpp"
#include "Launchers.hpp"
#include "Waiting.hpp"

namespace kp::python {
namespace {

thread_local RunningCall* tCall = nullptr;

/// Fewer than the library takes before a launch waits for the oldest.
constexpr size_t kMostInFlight = 24;

} // namespace

RunningCall::RunningCall(PyObject* queueOfCall, Callable& callable)
    : queue(queueOfCall), mCallable(callable), mOuter(tCall) {
    if (callable.busy)
        throw InvalidArgument("this launcher is in a call already; its generators, launchers made "
                              "in Python and other threads cannot call it meanwhile");
    callable.busy = true;
    tCall = this;
}

RunningCall::~RunningCall() {
    tCall = mOuter;
    mCallable.busy = false;
}

RunningCall* RunningCall::current() {
    return tCall;
}

PyObject* RunningCall::find(const std::string& name) const {
    for (const auto& [known, value] : given)
        if (known == name)
            return value;
    return nullptr;
}

void addParameter(Parameters& parameters, RunningCall& call, const Callable& callable,
                  PyObject* name, PyObject* value) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(name, &size);
    if (!text)
        throw py::error_already_set();
    std::string key(text, static_cast<size_t>(size));
    const ParameterSpec* found = nullptr;
    bool pythonTakesIt = false;
    for (const ParameterSpec& spec : callable.specs)
        if (spec.name == key) {
            pythonTakesIt |= spec.anything;
            if (!spec.anything && !found)
                found = &spec;
        }
    if (pythonTakesIt)
        call.given.emplace_back(key, value);
    ArgumentValue converted =
        found ? toArgument(value, &found->expected, found->launcher, key) : ArgumentValue();
    parameters.emplace_back(std::move(key), std::move(converted));
}

void limitInFlight(Callable& callable) {
    while (callable.recent.size() >= kMostInFlight) {
        const Event oldest = std::move(callable.recent.front());
        callable.recent.pop_front();
        // What waits on the host is bounded by nothing but what the host asks for.
        if (oldest.value() != 0 && !oldest.done())
            waitFor(oldest);
    }
}

void noteInFlight(Callable& callable, const Event& event) {
    callable.recent.push_back(event);
}

} // namespace kp::python
