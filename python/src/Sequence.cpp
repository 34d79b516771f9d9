// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <pybind11/stl.h>

#include "CallArguments.hpp"
#include "Errors.hpp"
#include "Module.hpp"
#include "Operations.hpp"
#include "Waiting.hpp"

namespace kp::python {

SequenceHandle::~SequenceHandle() {
    if (!sequence || !sequence->isRunning())
        return;
    const Event event = sequence->event();
    const py::gil_scoped_release release;
    try {
        event.wait();
    } catch (const Error&) { // a lost device runs nothing any more
    }
}

namespace {

/// Marks a sequence as being in a call that may run Python code. @throws InvalidArgument where it
/// is already
class Busy {
public:
    explicit Busy(SequenceHandle& handle) : mHandle(handle) {
        if (handle.busy)
            throw InvalidArgument(
                "this sequence is being recorded or submitted; record(), accesses(), "
                "pre_eval() and post_eval() of an operation, and other threads, "
                "cannot change it meanwhile");
        handle.busy = true;
    }
    ~Busy() { mHandle.busy = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

private:
    SequenceHandle& mHandle;
};

/// Calls a member function of the sequence that may run Python code.
template <typename Call>
void change(SequenceHandle& handle, Call&& call) {
    const Busy busy(handle);
    call(*handle.sequence);
}

/// Waits for a running sequence and finishes its evaluation.
void await(SequenceHandle& handle, uint64_t timeout = UINT64_MAX) {
    bool done = true;
    if (handle.sequence->isRunning()) {
        try {
            done = waitFor(handle.sequence->event(), timeout);
        } catch (const DeviceLost&) {
            handle.sequence->evalAwait(0); // ends the evaluation, and says so again
            throw;
        }
    }
    change(handle, [done](Sequence& sequence) { sequence.evalAwait(done ? UINT64_MAX : 0); });
}

void submit(SequenceHandle& handle, PyObject* op) {
    const std::shared_ptr<OpBase> operation = op && op != Py_None ? toOperation(op) : nullptr;
    change(handle, [&operation](Sequence& sequence) {
        if (operation)
            sequence.evalAsync(operation);
        else
            sequence.evalAsync();
    });
}

// --- calls that CPython makes directly -----------------------------------------------------------
// Through pybind11 each costs several times as much; these are the ones that loops consist of.

PyObject* returned(PyObject* self) {
    Py_INCREF(self);
    return self;
}

PyObject* record(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return guarded([&] {
        auto& handle = handleOf<SequenceHandle>(self);
        CallArguments arguments("record", values, count, names);
        PyObject* const op = arguments.take("op");
        arguments.finish();
        if (!op)
            throw py::type_error("record() takes an operation");
        std::shared_ptr<OpBase> operation = toOperation(op);
        change(handle, [&operation](Sequence& sequence) { sequence.record(std::move(operation)); });
        return returned(self);
    });
}

PyObject* eval(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return guarded([&] {
        auto& handle = handleOf<SequenceHandle>(self);
        CallArguments arguments("eval", values, count, names);
        PyObject* const op = arguments.take("op");
        arguments.finish();
        if (handle.sequence->isRunning())
            throw InvalidArgument(
                "eval() was called while the sequence runs; call eval_await() first");
        submit(handle, op);
        if (handle.sequence->isRunning())
            await(handle);
        return returned(self);
    });
}

PyObject* evalAsync(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return guarded([&] {
        auto& handle = handleOf<SequenceHandle>(self);
        CallArguments arguments("eval_async", values, count, names);
        PyObject* const op = arguments.take("op");
        PyObject* const waitFor = arguments.take("wait_for");
        arguments.finish();
        if (!waitFor) {
            submit(handle, op);
            return returned(self);
        }
        const std::vector<Event> events = toEvents(waitFor);
        std::shared_ptr<OpBase> operation = op && op != Py_None ? toOperation(op) : nullptr;
        change(handle, [&](Sequence& sequence) {
            if (operation) {
                if (sequence.isRunning())
                    sequence.begin(); // says what is wrong
                sequence.clear();
                sequence.record(std::move(operation));
            }
            sequence.evalAsync(events);
        });
        return returned(self);
    });
}

PyObject* evalAwait(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return guarded([&] {
        auto& handle = handleOf<SequenceHandle>(self);
        CallArguments arguments("eval_await", values, count, names);
        PyObject* const wait = arguments.take("wait");
        arguments.finish();
        uint64_t timeout = UINT64_MAX;
        if (wait && wait != Py_None) {
            timeout = PyLong_AsUnsignedLongLong(wait);
            if (PyErr_Occurred()) {
                PyErr_Clear();
                throw py::value_error("wait is a whole number of nanoseconds, 0 or more");
            }
        }
        await(handle, timeout);
        return returned(self);
    });
}

PyMethodDef gFastMethods[] = {
    fastMethod(
        "record", record,
        "record(self: kp._kp.Sequence, op: kp._kp.OpBase) -> kp._kp.Sequence\n\n"
        "Appends an operation. After an evaluation the first record() starts a new recording."),
    fastMethod(
        "eval", eval,
        "eval(self: kp._kp.Sequence, op: kp._kp.OpBase | None = None) -> kp._kp.Sequence\n\n"
        "Submits what is recorded (or replaces it by one operation first) and waits for it.\n"
        "Other threads run meanwhile; Ctrl-C raises KeyboardInterrupt and leaves the sequence\n"
        "running."),
    fastMethod("eval_async", evalAsync,
               "eval_async(self: kp._kp.Sequence, op: kp._kp.OpBase | None = None, wait_for: "
               "collections.abc.Iterable[kp._kp.Event] = ()) -> kp._kp.Sequence\n\n"
               "Submits what is recorded (or replaces it by one operation first) and returns. The\n"
               "work starts when all events of `wait_for` are done. Wait with eval_await() or\n"
               "`await`."),
    fastMethod(
        "eval_await", evalAwait,
        "eval_await(self: kp._kp.Sequence, wait: int | None = None) -> kp._kp.Sequence\n\n"
        "Waits for eval_async(). When `wait` nanoseconds are over first, is_running() becomes\n"
        "False and the sequence can be used again at once; the work goes on."),
};

std::string describe(SequenceHandle& handle) {
    const Sequence& sequence = *handle.sequence;
    return std::string("<kp.Sequence ") +
           (!sequence.isInit()       ? "destroyed"
            : sequence.isRunning()   ? "running"
            : sequence.isRecording() ? "recording"
                                     : "idle") +
           ">";
}

void destroy(SequenceHandle& handle) {
    if (handle.sequence->isRunning())
        waitFor(handle.sequence->event());
    change(handle, [](Sequence& sequence) { sequence.destroy(); });
}

void evalAllSequences(const py::object& sequences) {
    std::vector<std::shared_ptr<Sequence>> all;
    std::vector<SequenceHandle*> handles;
    const py::list held(sequences);
    for (const py::handle item : held) {
        handles.push_back(&handleOf<SequenceHandle>(item, "an entry of sequences"));
        if (std::find(all.begin(), all.end(), handles.back()->sequence) != all.end())
            throw InvalidArgument("a sequence to evaluate was given twice");
        all.push_back(handles.back()->sequence);
    }
    {
        std::vector<std::unique_ptr<Busy>> busy;
        for (SequenceHandle* handle : handles)
            busy.push_back(std::make_unique<Busy>(*handle));
        evalAllAsync(all);
    }
    for (SequenceHandle* handle : handles)
        if (handle->sequence->isRunning())
            await(*handle);
}

} // namespace

void bindSequence(py::module_& module, Classes& classes) {
    auto& type = classes.sequence;
    for (PyMethodDef& method : gFastMethods)
        type.attr(method.ml_name) = py::reinterpret_steal<py::object>(
            PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &method));

    const auto self = [](py::handle object) -> SequenceHandle& {
        return handleOf<SequenceHandle>(object);
    };
    type.def(
            "begin",
            [self](const py::object& object) {
                change(self(object), [](Sequence& sequence) { sequence.begin(); });
                return object;
            },
            "Starts a recording; nothing where one is on. record() does it by itself.")
        .def(
            "end",
            [self](const py::object& object) {
                change(self(object), [](Sequence& sequence) { sequence.end(); });
                return object;
            },
            "Ends the recording. eval_async() does it by itself.")
        .def(
            "clear",
            [self](const py::object& object) {
                change(self(object), [](Sequence& sequence) { sequence.clear(); });
                return object;
            },
            "Forgets the operations and ends the recording. What was recorded can still be\n"
            "evaluated, without the hooks of its operations.")
        .def(
            "rerecord",
            [self](const py::object& object) {
                change(self(object), [](Sequence& sequence) { sequence.rerecord(); });
                return object;
            },
            "Records the same operations again, for instance after Algorithm.rebuild.")
        .def(
            "is_recording", [self](py::handle o) { return self(o).sequence->isRecording(); },
            "True from the first record(), or begin(), until end() or an evaluation.")
        .def(
            "is_running", [self](py::handle o) { return self(o).sequence->isRunning(); },
            "True from eval_async() until it was waited for.")
        .def(
            "is_init", [self](py::handle o) { return self(o).sequence->isInit(); },
            "False once this sequence or its manager was destroyed.")
        .def(
            "get_timestamps", [self](py::handle o) { return self(o).sequence->getTimestamps(); },
            "Device times of the last evaluation, in ticks: one at its start and one after each\n"
            "operation. For sequences made with total_timestamps.")
        .def(
            "get_timestamps_ns",
            [self](py::handle o) { return self(o).sequence->getTimestampsNs(); },
            "get_timestamps() in nanoseconds.")
        .def(
            "event", [self](py::handle o) { return self(o).sequence->event(); },
            "The last submission, to be waited for anywhere.")
        .def(
            "destroy", [self](py::handle o) { destroy(self(o)); },
            "Waits for what runs, and lets go of everything. A second call does nothing.")
        .def_property_readonly("_manager", [self](py::handle o) { return self(o).manager; })
        .def("__enter__", [](const py::object& object) { return object; })
        .def("__exit__",
             [self](py::handle o, const py::args&) {
                 if (self(o).sequence->isInit())
                     destroy(self(o));
             })
        .def("__await__",
             [](const py::object& object) {
                 return py::module_::import("kp._waiting")
                     .attr("wait_sequence")(object)
                     .attr("__await__")();
             })
        .def("__repr__", [self](py::handle o) { return describe(self(o)); });

    module.def("eval_all", &evalAllSequences, py::arg("sequences"),
               "Evaluates several sequences at the price of one submission, and waits for all.\n"
               "They are ordered as if evaluated one after the other.");
}

} // namespace kp::python
