// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include <pybind11/native_enum.h>

#include "base/CallArguments.hpp"
#include "base/Errors.hpp"
#include "base/Gil.hpp"
#include "base/Package.hpp"
#include "base/Waiting.hpp"
#include "core/Cuda.hpp"

namespace kp::python {
namespace {

/// Returns a timeout argument in nanoseconds; None waits forever. @throws ValueError
uint64_t toTimeout(std::optional<double> seconds) {
    if (!seconds)
        return UINT64_MAX;
    if (!(*seconds >= 0))
        throw py::value_error("timeout is a number of seconds, 0 or more");
    const double nanoseconds = *seconds * 1e9;
    return nanoseconds < 1.8e19 ? static_cast<uint64_t>(nanoseconds) : UINT64_MAX;
}

/// Same for an argument that CPython passes; null waits forever. @throws TypeError, ValueError
uint64_t toTimeout(PyObject* seconds) {
    if (!seconds || seconds == Py_None)
        return UINT64_MAX;
    const double number = PyFloat_AsDouble(seconds);
    if (number == -1 && PyErr_Occurred())
        throw py::error_already_set();
    return toTimeout(std::optional<double>(number));
}

// Called by CPython directly: a loop of launches and waits consists of it.
PyObject* wait(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return guarded([&] {
        const Event event = handleOf<Event>(self);
        const auto [timeout] = argumentsOf("wait", {"timeout"}, values, count, names);
        return PyBool_FromLong(waitFor(event, toTimeout(timeout)));
    });
}

PyMethodDef gWait = fastMethod(
    "wait", wait, "(self: kp._kp.Event, timeout: typing.SupportsFloat | None = None) -> bool", R"(
                Waits until the work is done, or `timeout` seconds have passed: returns False then.
                Raises the reason if the work failed; for a host function, its exception.
            )");

using EventHolder = py::class_<Event>::holder_type;

bool waitAll(const py::object& list, std::optional<double> timeout) {
    return waitForAll(toEvents(list), toTimeout(timeout));
}

std::optional<size_t> firstDone(const std::vector<Event>& events) {
    for (size_t i = 0; i < events.size(); ++i)
        if (events[i].done()) {
            events[i].wait();
            return i;
        }
    return std::nullopt;
}

std::optional<size_t> waitAny(const py::object& list, std::optional<double> timeout) {
    std::vector<Event> events;
    for (const py::handle item : list)
        events.push_back(handleOf<Event>(item, "an entry of events"));
    if (events.empty())
        throw InvalidArgument("wait_any() was given no events");
    const TimeLimit remaining(toTimeout(timeout));
    if (const std::optional<size_t> first = firstDone(events))
        return first;
    struct Signal {
        std::mutex mutex;
        std::condition_variable changed;
        bool any = false;
    };
    const auto signal = std::make_shared<Signal>();
    if (remaining.left() == 0)
        return std::nullopt;
    for (const Event& event : events)
        whenDone(event, [signal] {
            {
                const std::lock_guard lock(signal->mutex);
                signal->any = true;
            }
            signal->changed.notify_all();
        });
    for (;;) {
        const uint64_t left = remaining.left();
        bool any = false;
        {
            const ReleaseGil release;
            std::unique_lock lock(signal->mutex);
            any =
                signal->changed.wait_for(lock, std::chrono::nanoseconds(std::min(left, kWaitSlice)),
                                         [&signal] { return signal->any; });
        }
        if (any)
            return firstDone(events);
        throwIfInterrupted();
        if (left == 0)
            return std::nullopt;
    }
}

constexpr const char* kStatusNames[] = {"queued", "submitted", "complete", "error"};

void failEvent(py::handle self, const py::object& error) {
    auto& event = handleOf<UserEvent>(self);
    py::object instance = error;
    if (PyExceptionClass_Check(error.ptr()))
        instance = error();
    if (!PyExceptionInstance_Check(instance.ptr()))
        throwTypeError("error", "an exception", error);
    const auto failure = std::make_exception_ptr(PythonFailure(instance, true));
    const ReleaseGil release;
    event.fail(failure);
}

void callWhenOver(py::handle self, const py::object& function) {
    whenDone(handleOf<Event>(self), [call = hold(function)] {
        try {
            callFromLibrary(call);
        } catch (const std::exception&) {
            // the event loop is closed, or the interpreter is ending
        }
    });
}

std::string describeEvent(py::handle self) {
    return formatted("<kp.{} {}>", isA<UserEvent>(self) ? "UserEvent" : "Event",
                     kStatusNames[static_cast<int>(handleOf<Event>(self).status())]);
}

Event& eventOf(py::handle self) {
    return handleOf<Event>(self);
}

void bindStatus(py::module_& module) {
    py::native_enum<EventStatus> type(module, "EventStatus", "enum.IntEnum", doc(R"(
        State of the work behind an event.

        queued: it waits on the host for other work. submitted: the device has it, or the host
        function is running. complete: finished. error: it failed or could not start; wait() raises
        the reason.
    )"));
    for (const EventStatus status : {EventStatus::eQueued, EventStatus::eSubmitted,
                                     EventStatus::eComplete, EventStatus::eError})
        type.value(kStatusNames[static_cast<int>(status)], status);
    type.finalize();
}

void bindProfile(py::module_& module) {
    py::class_<EventProfile>(module, "EventProfile", "Times of profiled work, in nanoseconds.")
        .def_readonly("start", &EventProfile::start, "Of the device's clock; see Event.profile.")
        .def_readonly("end", &EventProfile::end, "Of the device's clock.")
        .def_readonly("queued", &EventProfile::queued,
                      "Of the host's clock (time.monotonic_ns on Linux): the launch.")
        .def_readonly("submitted", &EventProfile::submitted,
                      "Of the host's clock: the submission to the device.")
        .def_property_readonly("duration", &EventProfile::duration, "From start to end.")
        .def("__repr__", [](const EventProfile& profile) {
            return formatted("<kp.EventProfile of {} ns>", profile.duration());
        });
}

} // namespace

std::vector<Event> toEvents(py::handle waitFor, Manager* manager) {
    std::vector<Event> events;
    if (waitFor.is_none())
        return events;
    if (isA<Event>(waitFor))
        return {handleOf<Event>(waitFor, "wait_for")};
    const auto add = [&](py::handle item, const char* argument) {
        if (isA<Event>(item) || !isStream(item))
            events.push_back(handleOf<Event>(item, argument));
        else if (manager)
            events.push_back(manager->cudaEvent(toStream(item, argument)));
        else
            throw py::type_error(formatted("{} is a CUDA stream, but the GPU of this call is not "
                                           "known; give Manager.cuda_event(stream) instead",
                                           argument));
    };
    if (!PyList_Check(waitFor.ptr()) && !PyTuple_Check(waitFor.ptr()) && isStream(waitFor)) {
        add(waitFor, "wait_for");
        return events;
    }
    for (const py::handle item : py::reinterpret_borrow<py::object>(waitFor))
        if (!item.is_none())
            add(item, "an entry of wait_for");
    return events;
}

PyObject* toPython(Event&& event) {
    static_assert(sizeof(EventHolder) == sizeof(void*));
    auto value = std::make_unique<Event>(std::move(event));
    PyObject* const object = gType<Event>->tp_alloc(gType<Event>, 0); // fills it with zeros
    if (!object)
        throw py::error_already_set();
    // As pybind11 lays it out, but not in its map from C++ objects to Python objects, where nothing
    // looks for this one.
    auto* const instance = reinterpret_cast<py::detail::instance*>(object);
    instance->simple_layout = true;
    instance->owned = true;
    instance->simple_value_holder[0] = value.get();
    new (&instance->simple_value_holder[1]) EventHolder(std::move(value));
    instance->simple_holder_constructed = true;
    return object;
}

py::custom_type_setup eventTypeSetup() {
    return py::custom_type_setup([](PyHeapTypeObject* heap) {
        heap->ht_type.tp_dealloc = [](PyObject* self) {
            auto* const instance = reinterpret_cast<py::detail::instance*>(self);
            PyTypeObject* const type = Py_TYPE(self);
            const bool asMade = type == gType<Event> && instance->simple_layout &&
                                instance->simple_holder_constructed &&
                                !instance->simple_instance_registered && !instance->weakrefs &&
                                !instance->has_patients;
            if (!asMade) {
                py::detail::pybind11_object_dealloc(self);
                return;
            }
            {
                const py::error_scope kept;
                reinterpret_cast<EventHolder*>(&instance->simple_value_holder[1])->~EventHolder();
            }
            type->tp_free(self);
            Py_DECREF(type);
        };
    });
}

void keepUntilOver(const std::vector<Event>& events, const Held& object) {
    for (const Event& event : events)
        if (!event.done())
            whenDone(event, [object] {});
}

void bindEvent(py::module_& module, Classes& classes) {
    bindStatus(module);
    bindProfile(module);
    addMethod(classes.event, gWait);
    Members(classes.event, eventOf)
        .def(py::init<>(), "An event that is already done.")
        .property("done", &Event::done, "True once the work has finished or failed. Never waits.")
        .property("status", &Event::status, "State of the work. Never waits.")
        .property("profile", &Event::profile, doc(R"(
                Times of the work; None until it is done, if it failed, or if its queue did not
                profile it. Device times compare with others of the same device. Never waits.
            )"))
        .property("value", &Event::value, doc(R"(
                The queue's submission count at this point; 0 for work that is not submitted to a
                device.
            )"))
        .property("queue_name", &Event::queueName,
                  "Name of the kp.Queue that it was launched on; empty if there is none.")
        .def("_call_when_over", &callWhenOver, "function"_a,
             "Calls a function on a thread of the library once the event is over.")
        .def("__await__",
             [](const py::object& object) {
                 return ofPackage("wait_event")(object).attr("__await__")();
             })
        .def("__repr__", &describeEvent);
    classes.userEvent.def(py::init<>())
        .def(
            "set",
            [](py::handle self) {
                UserEvent event = handleOf<UserEvent>(self);
                const ReleaseGil release;
                event.set();
            },
            "Signals it. Work that waits for it starts within this call.")
        .def("fail", &failEvent, "error"_a,
             "Fails it with an exception, and with it all work that waits for it.");
    module.def("wait_all", &waitAll, "events"_a, "timeout"_a = py::none(), doc(R"(
        Waits until all events are done, or `timeout` seconds have passed: returns False then. After
        all have ended, raises the first failure in list order.
    )"));
    module.def("wait_any", &waitAny, "events"_a, "timeout"_a = py::none(), doc(R"(
        Waits until one event is done; returns its index, or None if `timeout` seconds have passed.
        Raises if that event failed.
    )"));
}

} // namespace kp::python
