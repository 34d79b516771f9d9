// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include <algorithm>

#include <kompute/Cuda.hpp>

#include "base/CallArguments.hpp"
#include "base/Errors.hpp"
#include "base/Gil.hpp"
#include "base/Package.hpp"
#include "base/Waiting.hpp"
#include "core/Cuda.hpp"

namespace kp::python {

SequenceHandle::~SequenceHandle() {
    if (!sequence)
        return;
    const auto destroyed = [](Sequence& each) {
        try {
            each.destroy();      // waits, or cancels what still waits for an event
        } catch (const Error&) { // a lost device runs nothing
        }
    };
    const Event event = sequence->event();
    const bool mayWait = sequence->isRunning() && interruptions == python::interruptions();
    if (event.status() == EventStatus::eSubmitted && !(mayWait && waitInDestructor(event))) {
        // The manager lives as long, because its end would wait, too.
        std::function<void()> end = [kept = sequence, owner = manager]() mutable { kept.reset(); };
        if (runInBackground(end)) {
            sequence.reset();
            return;
        }
    }
    if (!sequence->isRunning() && event.status() != EventStatus::eQueued)
        return;
    // Destruction waits for work being submitted, whose pre_eval() may wait for the GIL.
    const ReleaseGil release;
    destroyed(*sequence);
    sequence.reset();
}

namespace {

/// Marks a sequence as being in a call that may run Python code.
/// @throws InvalidArgument if it is already
class Busy {
public:
    explicit Busy(SequenceHandle& handle) : mHandle(handle) {
        if (handle.busy)
            throw InvalidArgument(
                "this sequence is being recorded or submitted; record(), accesses(), "
                "pre_eval() and post_eval() of an operation, and other threads, "
                "cannot change it meanwhile");
        handle.busy = true;
        ++tUses;
        handle.interruptions = interruptions();
    }
    ~Busy() {
        --tUses;
        mHandle.busy = false;
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

private:
    SequenceHandle& mHandle;
};

/// @throws InvalidArgument if @p what cannot be called, because the sequence runs
void requireIdle(const SequenceHandle& handle, const char* what) {
    if (handle.sequence->isRunning())
        throw InvalidArgument(formatted(
            "{} was called while the sequence runs; call eval_await() first, or use another "
            "sequence (each thread needs its own)",
            what));
}

/// Releases the operations that have left the sequence.
void forgetOperations(SequenceHandle& handle) {
    if (handle.derived.empty())
        return;
    std::vector<std::shared_ptr<OpBase>> left; // destroyed last: that may run Python code
    std::vector<std::shared_ptr<OpBase>> kept;
    for (std::shared_ptr<OpBase>& operation : handle.derived)
        (operation.use_count() == 1 ? left : kept).push_back(std::move(operation));
    handle.derived.swap(kept);
}

/// Ends an evaluation, which may run Python code.
template <typename Call>
void finish(SequenceHandle& handle, Call&& call) {
    const Busy busy(handle);
    const AtEnd forget{[&handle] { forgetOperations(handle); }};
    call(*handle.sequence);
}

/// Calls a member function of the sequence that may run Python code.
/// @throws InvalidArgument if another thread destroys the manager
template <typename Call>
void change(SequenceHandle& handle, Call&& call) {
    requireOpen(*handle.manager);
    finish(handle, std::forward<Call>(call));
}

// --- for the garbage collector -------------------------------------------------------------------

/// The sequence has an operation twice, and its handle once. More owners are submissions that wait
/// for the host, and will call the operation.
constexpr long kOwnersWithoutSubmission = 3;

int traverseSequence(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    const auto* const handle = pointerOf<SequenceHandle>(self);
    if (!handle || handle->busy || handle->derived.empty() || handle->sequence->isRunning())
        return 0;
    for (const std::shared_ptr<OpBase>& operation : handle->derived)
        if (operation.use_count() <= kOwnersWithoutSubmission)
            if (const int result = visitDerived(*operation, visit, arg))
                return result;
    return 0;
}

int clearSequence(PyObject* self) {
    auto* const handle = pointerOf<SequenceHandle>(self);
    if (!handle || handle->busy || handle->derived.empty() || handle->sequence->isRunning())
        return 0;
    try {
        handle->sequence->destroy();
    } catch (const Error&) { // a lost device
    }
    std::vector<std::shared_ptr<OpBase>>().swap(handle->derived);
    return 0;
}

enum class Failed {
    eKeepRunning, ///< a wait that failed can be repeated, if the work may still run
    eLetGo        ///< the sequence can be used again at once, as after a timeout
};

/// Waits for a running sequence and finishes its evaluation.
void await(SequenceHandle& handle, uint64_t timeout = UINT64_MAX,
           Failed failed = Failed::eKeepRunning) {
    bool done = true;
    if (handle.sequence->isRunning()) {
        try {
            done = waitFor(handle.sequence->event(), timeout);
        } catch (const py::error_already_set&) { // Ctrl-C
            throw;
        } catch (...) {
            const EventStatus status = handle.sequence->event().status();
            if (failed == Failed::eLetGo || status == EventStatus::eError ||
                status == EventStatus::eComplete)
                finish(handle, [](Sequence& sequence) { sequence.evalAwait(0); }); // may throw, too
            throw;
        }
    }
    finish(handle, [done](Sequence& sequence) { sequence.evalAwait(done ? UINT64_MAX : 0); });
}

/// Returns the op argument of an evaluation; null if there is none.
std::shared_ptr<OpBase> optionalOperation(SequenceHandle& handle, PyObject* op) {
    return op && op != Py_None ? toOperation(op, &handle.derived) : nullptr;
}

void submit(SequenceHandle& handle, PyObject* op) {
    const std::shared_ptr<OpBase> operation = optionalOperation(handle, op);
    change(handle, [&operation](Sequence& sequence) {
        if (operation)
            sequence.evalAsync(operation);
        else
            sequence.evalAsync();
    });
}

// --- calls that CPython makes directly -----------------------------------------------------------
// Through pybind11 each takes several times as long; loops consist of these.

/// Runs @p body, which throws, with the sequence; returns the sequence.
template <typename Body>
PyObject* withSequence(PyObject* self, Body&& body) {
    return guarded([&] {
        body(handleOf<SequenceHandle>(self));
        Py_INCREF(self);
        return self;
    });
}

PyObject* record(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return withSequence(self, [&](SequenceHandle& handle) {
        const auto [op] = argumentsOf("record", {"op"}, values, count, names);
        if (!op)
            throw py::type_error("record() takes an operation");
        std::shared_ptr<OpBase> operation = toOperation(op, &handle.derived);
        change(handle, [&operation](Sequence& sequence) { sequence.record(std::move(operation)); });
    });
}

PyObject* eval(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return withSequence(self, [&](SequenceHandle& handle) {
        const auto [op] = argumentsOf("eval", {"op"}, values, count, names);
        requireIdle(handle, "eval()");
        submit(handle, op);
        if (handle.sequence->isRunning())
            await(handle, UINT64_MAX, Failed::eLetGo);
    });
}

PyObject* evalAsync(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return withSequence(self, [&](SequenceHandle& handle) {
        const auto [op, waitFor, stream] =
            argumentsOf("eval_async", {"op", "wait_for", "cuda_stream"}, values, count, names);
        const bool ordersCuda = stream && stream != Py_None;
        if (!waitFor && !ordersCuda) {
            submit(handle, op);
            return;
        }
        Manager& manager = *handle.manager->manager;
        std::vector<Event> events = toEvents(waitFor ? py::handle(waitFor) : py::none(), &manager);
        void* const cudaStream = ordersCuda ? toStream(stream, "cuda_stream") : nullptr;
        if (ordersCuda)
            events.push_back(manager.cudaEvent(cudaStream));
        std::shared_ptr<OpBase> operation = optionalOperation(handle, op);
        change(handle, [&](Sequence& sequence) {
            if (operation) {
                requireIdle(handle, "eval_async()");
                sequence.clear();
                sequence.record(std::move(operation));
            }
            sequence.evalAsync(events);
        });
        if (ordersCuda)
            letCudaWait(cudaStream, handle.sequence->event());
    });
}

PyObject* evalAwait(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    return withSequence(self, [&](SequenceHandle& handle) {
        const auto [wait] = argumentsOf("eval_await", {"wait"}, values, count, names);
        uint64_t timeout = UINT64_MAX;
        if (wait && wait != Py_None) {
            const std::optional<uint64_t> nanoseconds = toUnsigned(wait);
            if (!nanoseconds)
                throw py::value_error(formatted(
                    "wait is a whole number of nanoseconds, 0 or more, not {}", reprOf(wait)));
            timeout = *nanoseconds;
        }
        await(handle, timeout);
    });
}

PyMethodDef gFastMethods[] = {
    fastMethod("record", record, "(self: kp._kp.Sequence, op: kp._kp.OpBase) -> kp._kp.Sequence",
               R"(
        Appends an operation. After an evaluation the first record() starts a new recording.)"),
    fastMethod("eval", eval,
               "(self: kp._kp.Sequence, op: kp._kp.OpBase | None = None) -> kp._kp.Sequence",
               R"(
        Submits the recording (or replaces it by one operation first) and waits for it. Other
        threads run meanwhile; Ctrl-C raises KeyboardInterrupt and leaves the sequence running.)"),
    fastMethod("eval_async", evalAsync,
               "(self: kp._kp.Sequence, op: kp._kp.OpBase | None = None, wait_for: "
               "collections.abc.Iterable[object] = (), cuda_stream: object = None) -> "
               "kp._kp.Sequence",
               R"(
        Submits the recording (or replaces it by one operation first) and returns. The work starts
        when all events of `wait_for` are done; a CUDA stream there stands for its work so far. With
        `cuda_stream`, the work comes after that stream's current work, and before its later work.
        Wait with eval_await() or `await`.)"),
    fastMethod("eval_await", evalAwait,
               "(self: kp._kp.Sequence, wait: int | None = None) -> kp._kp.Sequence",
               R"(
        Waits for eval_async(). If `wait` nanoseconds pass first, is_running() becomes False and the
        sequence can be used again at once; the work continues. timed_out() tells.)"),
};

SequenceHandle& sequenceOf(py::handle self) {
    return handleOf<SequenceHandle>(self);
}

Sequence& sequenceIn(py::handle self) {
    return *sequenceOf(self).sequence;
}

std::string describeSequence(py::handle self) {
    const Sequence& sequence = sequenceIn(self);
    return formatted("<kp.Sequence {}>", !sequence.isInit()       ? "destroyed"
                                         : sequence.isRunning()   ? "running"
                                         : sequence.isRecording() ? "recording"
                                                                  : "idle");
}

bool cancelSequence(SequenceHandle& handle) {
    bool cancelled = false;
    change(handle, [&](Sequence& sequence) {
        const ReleaseGil release; // those who wait for the event are called
        cancelled = sequence.cancel();
    });
    return cancelled;
}

void destroySequence(py::handle self) {
    SequenceHandle& handle = sequenceOf(self);
    // What still waits for an event on the host is cancelled instead.
    if (handle.sequence->isRunning() && handle.sequence->event().status() != EventStatus::eQueued)
        waitForEnd(handle.sequence->event());
    const Use useManager(*handle.manager);
    change(handle, [](Sequence& sequence) {
        const ReleaseGil release;
        sequence.destroy();
    });
}

void evalAllSequences(const py::object& sequences) {
    std::vector<std::shared_ptr<Sequence>> all;
    std::vector<SequenceHandle*> handles;
    const py::list held(sequences);
    for (const py::handle item : held) {
        handles.push_back(&handleOf<SequenceHandle>(item, "an entry of sequences"));
        requireOpen(*handles.back()->manager);
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
    std::exception_ptr failure;
    for (SequenceHandle* handle : handles) {
        try {
            if (handle->sequence->isRunning())
                await(*handle, UINT64_MAX, Failed::eLetGo);
        } catch (const py::error_already_set&) { // Ctrl-C, or post_eval() of an operation
            throw;
        } catch (...) {
            if (!failure)
                failure = std::current_exception();
        }
    }
    if (failure)
        std::rethrow_exception(failure);
}

py::object makeSequence(py::handle self, const py::object& queueIndex, uint32_t totalTimestamps) {
    if (PyUnicode_Check(queueIndex.ptr()))
        return ofPackage("create_sequence")(self, queueIndex, totalTimestamps);
    const std::optional<uint64_t> index = toUnsigned(queueIndex);
    if (!index)
        throw py::type_error(
            formatted("queue_index is a whole number from 0 on, not {}", reprOf(queueIndex)));
    auto handle = std::make_unique<SequenceHandle>();
    handle->manager = sharedOf<ManagerHandle>(self);
    handle->sequence = handle->manager->manager->sequence(
        static_cast<uint32_t>(std::min<uint64_t>(*index, UINT32_MAX)), totalTimestamps);
    return py::cast(std::move(handle));
}

/// Binds a member function that may run Python code; it returns the sequence.
void bindChange(py::class_<SequenceHandle>& type, const char* name, void (Sequence::*member)(),
                const char* documentation) {
    type.def(
        name,
        [member](const py::object& self) {
            change(sequenceOf(self), [member](Sequence& sequence) { (sequence.*member)(); });
            return self;
        },
        documentation);
}

} // namespace

py::custom_type_setup sequenceTypeSetup() {
    return py::custom_type_setup([](PyHeapTypeObject* type) {
        type->ht_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
        type->ht_type.tp_traverse = traverseSequence;
        type->ht_type.tp_clear = clearSequence;
    });
}

void bindSequence(py::module_& module, Classes& classes) {
    classes.manager.def("sequence", &makeSequence, "queue_index"_a = 0, "total_timestamps"_a = 0,
                        doc(R"(
        A sequence on one of the manager's queues. `total_timestamps` is the number of operations
        that get_timestamps() covers. The old spelling sequence(name, queue_index) gets or creates
        a named sequence; see kp.compat.early.)"));

    auto& type = classes.sequence;
    for (PyMethodDef& method : gFastMethods)
        addMethod(type, method);
    bindChange(type, "begin", &Sequence::begin, doc(R"(
        Starts a recording; does nothing during one. record() calls it if needed.)"));
    bindChange(type, "end", &Sequence::end, "Ends the recording. eval_async() calls it if needed.");
    bindChange(type, "clear", &Sequence::clear, doc(R"(
        Removes the operations and ends the recording. The recorded commands can still be evaluated,
        without the hooks of their operations.)"));
    bindChange(type, "rerecord", &Sequence::rerecord,
               "Records the same operations again, for example after Algorithm.rebuild.");
    Members(type, sequenceIn)
        .method("is_recording", &Sequence::isRecording,
                "True from the first record(), or begin(), until end() or an evaluation.")
        .method("is_running", &Sequence::isRunning,
                "True from eval_async() until it was waited for.")
        .method("timed_out", &Sequence::timedOut,
                "True if the last eval_await() returned before the evaluation ended.")
        .method("is_init", &Sequence::isInit,
                "False once this sequence or its manager is destroyed.")
        .method("get_timestamps", &Sequence::getTimestamps, doc(R"(
                Device times of the last evaluation, in ticks: one at its start and one after each
                operation. For sequences created with total_timestamps.)"))
        .method("get_timestamps_ns", &Sequence::getTimestampsNs, "get_timestamps() in nanoseconds.")
        .method("event", &Sequence::event, "The event of the last submission.")
        .def(
            "cancel", [](py::handle self) { return cancelSequence(sequenceOf(self)); }, doc(R"(
            Cancels the last evaluation if it waits for an event on the host: it never runs, and
            waits for its event raise Cancelled. Work that was submitted cannot be cancelled.
            Returns whether there was something to cancel.)"))
        .def(
            "set_name",
            [](py::handle self, const std::string& name) {
                change(sequenceOf(self), [&](Sequence& sequence) { sequence.setName(name); });
            },
            "name"_a, doc(R"(
            Names the sequence in captures, in messages such as DeviceLost's, and in
            Manager.under_way(). An empty name takes it away.)"))
        .def("destroy", &destroySequence, doc(R"(
            Waits for running work and releases everything. A second call does nothing.)"));
    type.def_property_readonly("_manager", [](py::handle o) { return sequenceOf(o).manager; })
        .def("__await__",
             [](const py::object& object) {
                 return ofPackage("wait_sequence")(object).attr("__await__")();
             })
        .def("__repr__", &describeSequence);
    bindContextManager(type, [](py::handle self) {
        if (sequenceIn(self).isInit())
            destroySequence(self);
    });

    module.def("eval_all", &evalAllSequences, "sequences"_a, doc(R"(
        Evaluates several sequences in one submission, and waits for all of them. They are ordered
        as if evaluated one after the other.)"));
}

} // namespace kp::python
