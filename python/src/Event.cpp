// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <condition_variable>
#include <optional>

#include <pybind11/native_enum.h>
#include <pybind11/stl.h>

#include "Events.hpp"
#include "Held.hpp"
#include "Module.hpp"
#include "Waiting.hpp"
#include "core/Dependencies.hpp"

namespace kp::python {

std::vector<Event> toEvents(py::handle waitFor) {
    std::vector<Event> events;
    if (waitFor.is_none())
        return events;
    if (PyObject_TypeCheck(waitFor.ptr(), gType<Event>))
        return {handleOf<Event>(waitFor, "wait_for")};
    for (const py::handle item : py::reinterpret_borrow<py::object>(waitFor))
        if (!item.is_none())
            events.push_back(handleOf<Event>(item, "an entry of wait_for"));
    return events;
}

uint64_t toTimeout(std::optional<double> seconds) {
    if (!seconds)
        return UINT64_MAX;
    if (!(*seconds >= 0))
        throw py::value_error("timeout is a number of seconds, 0 or more");
    const double nanoseconds = *seconds * 1e9;
    return nanoseconds < 1.8e19 ? static_cast<uint64_t>(nanoseconds) : UINT64_MAX;
}

namespace {

/// Calls a function in a thread of the library when the event is over.
void whenOver(const Event& event, std::function<void()> call) {
    Dependencies dependencies(nullptr, nullptr);
    dependencies.addOrder(event);
    std::move(dependencies).then([call = std::move(call)](const std::exception_ptr&, auto&&) {
        call();
    });
}

} // namespace

void keepUntilOver(const std::vector<Event>& events, const std::shared_ptr<PyObject>& object) {
    for (const Event& event : events)
        if (!event.done())
            whenOver(event, [object] {});
}

namespace {

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
        whenOver(event, [signal] {
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
            const py::gil_scoped_release release;
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

const char* nameOf(EventStatus status) {
    switch (status) {
    case EventStatus::eQueued:
        return "queued";
    case EventStatus::eSubmitted:
        return "submitted";
    case EventStatus::eComplete:
        return "complete";
    case EventStatus::eError:
        break;
    }
    return "error";
}

void fail(py::handle self, const py::object& error) {
    auto& event = handleOf<UserEvent>(self);
    py::object instance = error;
    if (PyExceptionClass_Check(error.ptr()))
        instance = error();
    if (!PyExceptionInstance_Check(instance.ptr()))
        throw py::type_error(std::string("error is an exception, not a ") +
                             Py_TYPE(error.ptr())->tp_name);
    const auto failure = std::make_exception_ptr(PythonFailure(instance));
    const py::gil_scoped_release release;
    event.fail(failure);
}

void bindProfile(py::module_& module) {
    py::class_<EventProfile>(module, "EventProfile", "When profiled work ran, in nanoseconds.")
        .def_readonly("start", &EventProfile::start, "Of the device's clock; see Event.profile.")
        .def_readonly("end", &EventProfile::end, "Of the device's clock.")
        .def_readonly("queued", &EventProfile::queued,
                      "Of the host's clock (time.monotonic_ns on Linux): the call.")
        .def_readonly("submitted", &EventProfile::submitted,
                      "Of the host's clock: the device was given it.")
        .def_property_readonly("duration", &EventProfile::duration, "From start to end.")
        .def("__repr__", [](const EventProfile& profile) {
            return "<kp.EventProfile of " + std::to_string(profile.duration()) + " ns>";
        });
}

} // namespace

void bindEvent(py::module_& module, Classes& classes) {
    py::native_enum<EventStatus>(module, "EventStatus", "enum.IntEnum",
                                 "How far the work behind an event has come.\n\n"
                                 "queued: it waits on the host for something else. submitted: the\n"
                                 "device has it, or the host function runs. complete: done.\n"
                                 "error: it failed or could not be started; wait() says why.")
        .value("queued", EventStatus::eQueued)
        .value("submitted", EventStatus::eSubmitted)
        .value("complete", EventStatus::eComplete)
        .value("error", EventStatus::eError)
        .finalize();
    bindProfile(module);
    classes.event.def(py::init<>(), "An event that is done already.")
        .def_property_readonly(
            "done", [](py::handle self) { return handleOf<Event>(self).done(); },
            "True once the work is over, done or failed. Never waits.")
        .def_property_readonly(
            "status", [](py::handle self) { return handleOf<Event>(self).status(); },
            "How far the work has come. Never waits.")
        .def_property_readonly(
            "profile", [](py::handle self) { return handleOf<Event>(self).profile(); },
            "When it ran; None until it is done, where it failed, and where its queue did not\n"
            "profile it. Device times of one device compare with each other. Never waits.")
        .def_property_readonly(
            "value", [](py::handle self) { return handleOf<Event>(self).value(); },
            "The queue's count at this point; 0 for what the device was not given.")
        .def_property_readonly(
            "queue_name", [](py::handle self) { return handleOf<Event>(self).queueName(); },
            "Name of the kp.Queue it was launched on; empty where there is none.")
        .def(
            "wait",
            [](py::handle self, std::optional<double> timeout) {
                return waitFor(Event(handleOf<Event>(self)), toTimeout(timeout));
            },
            py::arg("timeout") = py::none(),
            "Waits until the work is done, or `timeout` seconds are over; says which. Raises what\n"
            "made it fail: for a host function, what that raised.")
        .def(
            "_call_when_over",
            [](py::handle self, const py::object& function) {
                whenOver(handleOf<Event>(self),
                         [call = hold(function), keywords = hold(py::dict())] {
                             try {
                                 callFromLibrary(call, keywords);
                             } catch (const std::exception&) {
                                 // the event loop was closed, or the interpreter is ending
                             }
                         });
            },
            py::arg("function"),
            "Calls a function in a thread of the library once the event is over.")
        .def("__await__",
             [](const py::object& self) {
                 return py::module_::import("kp._waiting")
                     .attr("wait_event")(self)
                     .attr("__await__")();
             })
        .def("__repr__", [](py::handle self) {
            return std::string("<kp.") +
                   (PyObject_TypeCheck(self.ptr(), gType<UserEvent>) ? "UserEvent " : "Event ") +
                   nameOf(handleOf<Event>(self).status()) + ">";
        });
    classes.userEvent.def(py::init<>())
        .def(
            "set",
            [](py::handle self) {
                UserEvent event = handleOf<UserEvent>(self);
                const py::gil_scoped_release release;
                event.set();
            },
            "Signals it. What waits for it is started in this call.")
        .def("fail", &fail, py::arg("error"),
             "Fails it with an exception, and with it all that waits for it.");
    module.def("wait_all", &waitAll, py::arg("events"), py::arg("timeout") = py::none(),
               "Waits until all are done, or `timeout` seconds are over; says which. Once all are\n"
               "over, raises the first failure in the order of the list.");
    module.def("wait_any", &waitAny, py::arg("events"), py::arg("timeout") = py::none(),
               "Waits until one is done; gives its place in the list, or None where `timeout`\n"
               "seconds were over first. Raises where the first that is over failed.");
}

} // namespace kp::python
