// SPDX-License-Identifier: Apache-2.0
#include "launch/Launcher.hpp"

#include "base/Errors.hpp"
#include "base/Package.hpp"
#include "launch/Calls.hpp"
#include "launch/LaunchArguments.hpp"

namespace kp::python {
namespace {

/// A launcher whose __call__ is Python, in a list.
class PythonLauncher final : public Launcher {
public:
    PythonLauncher(std::string name, std::shared_ptr<TimingSink> profiler)
        : Launcher(std::move(name), std::move(profiler)) {}

    /// @param self  outlives every list that calls this
    void setSelf(PyObject* self) { mSelf = self; }

    using Launcher::operator();
    std::optional<Event> operator()(const LaunchOptions& options) override {
        const RunningCall* const call = RunningCall::current();
        py::dict keywords;
        if (call && call->queue)
            keywords["queue"] = py::handle(call->queue);
        keywords["wait_for"] = py::cast(options.waitFor);
        for (const Parameter& parameter : options.parameters)
            if (PyObject* const value = call ? call->find(parameter.name) : nullptr)
                keywords[parameter.name.c_str()] = py::handle(value);
        const py::object result = py::handle(mSelf)(**keywords);
        if (result.is_none())
            return std::nullopt;
        return handleOf<Event>(result, formatted("the result of launcher '{}'", name()).c_str());
    }

    bool globalSizeConfigured() const override {
        return !mSelf || py::cast<bool>(py::handle(mSelf).attr("global_size_configured")());
    }

    std::vector<ParameterInfo> parameters() const override {
        std::vector<ParameterInfo> infos;
        if (mSelf)
            for (const py::handle parameter : py::handle(mSelf).attr("parameters")())
                infos.push_back({toText(parameter, "a parameter"), "anything", {name()}});
        return infos;
    }

private:
    PyObject* mSelf = nullptr; ///< borrowed
};

template <typename Handle>
std::unique_ptr<Handle> makeLauncher(const std::string& name, const OptionalSink& profiler) {
    auto handle = std::make_unique<Handle>();
    handle->launcher = std::make_shared<PythonLauncher>(name, profiler.value_or(nullptr));
    return handle;
}

Launcher& launcherOf(py::handle object) {
    return *handleOf<LauncherHandle>(object).launcher;
}

/// Returns true for classes defined in Python, whose methods the C++ side calls.
bool isPython(py::handle object) {
    return dynamic_cast<PythonLauncher*>(&launcherOf(object)) != nullptr;
}

Event callUndefined(py::handle self, const py::args&, const py::kwargs&) {
    PyErr_Format(PyExc_NotImplementedError, "%s must define __call__()", typeNameOf(self));
    throw py::error_already_set();
}

py::dict parametersOf(py::handle self) {
    py::dict types;
    if (isPython(self))
        return types;
    for (const ParameterInfo& info : launcherOf(self).parameters())
        types[info.name.c_str()] = info.type;
    return types;
}

/// The check of a launcher that has no kernel of its own.
void checkArgumentType(py::handle self, const py::object& value, uint32_t index,
                       const py::object& name, const py::object& type) {
    const std::string& launcher = launcherOf(self).name();
    const std::string shown = name.is_none() ? std::to_string(index) : std::string(py::str(name));
    const auto refuse = [&](const std::string& expected, const std::string& given) {
        throw InvalidArgument(formatted("launcher '{}': argument {} '{}' is a {}, but was given {}",
                                        launcher, index, shown, expected, given));
    };
    if (PyType_Check(type.ptr()) &&
        PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), gType<MemoryHandle>)) {
        if (!PyObject_TypeCheck(value.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr())))
            refuse(reprOf(type), reprOf(value));
        return;
    }
    KernelArgument expected;
    expected.index = index;
    expected.kind = ArgumentKind::ePushConstant;
    expected.type = toScalarType(type);
    if (expected.type == shader::ScalarType::eUnknown)
        return;
    // Without an expected type, NumPy's numbers keep theirs.
    const bool typed = py::hasattr(value, "dtype");
    const ArgumentValue given = toArgument(value, typed ? nullptr : &expected, launcher, shown);
    if (given.kind() != ArgumentValue::Kind::eNumbers || given.type() != expected.type)
        refuse(typeName(expected), given.describe());
}

/// Runs a Python function. Its parameters are Python objects, which the library never sees.
class PythonHostLauncher final : public HostLauncher {
public:
    PythonHostLauncher(const std::string& name, const py::object& function,
                       std::vector<std::string> parameters, std::shared_ptr<Queue> defaultQueue,
                       std::shared_ptr<TimingSink> profiler)
        : HostLauncher(
              name, [](const Parameters&) {}, parameters, std::move(defaultQueue),
              std::move(profiler)),
          mFunction(holdFunction(function, formatted("launcher '{}': function", name))),
          mNames(std::move(parameters)) {}

private:
    std::function<void()> bindParameters(const LaunchOptions&) const override {
        py::dict given;
        const RunningCall* const call = RunningCall::current();
        for (const std::string& wanted : mNames) {
            PyObject* const value = call ? call->find(wanted) : nullptr;
            if (!value)
                throw InvalidArgument(
                    formatted("launcher '{}': parameter '{}' is missing", name(), wanted));
            given[wanted.c_str()] = py::handle(value);
        }
        return
            [function = mFunction, keywords = hold(given)] { callFromLibrary(function, keywords); };
    }

    Held mFunction;
    std::vector<std::string> mNames;
};

/// A kp.launcher.HostLauncher.
struct HostHandle final : HostInterfaceHandle {};

std::unique_ptr<HostHandle> makeHost(const std::string& name, const py::object& function,
                                     const std::vector<std::string>& parameters,
                                     const py::object& defaultQueue, const OptionalSink& profiler) {
    auto handle = std::make_unique<HostHandle>();
    handle->launcher = std::make_shared<PythonHostLauncher>(name, function, parameters,
                                                            toQueue(defaultQueue, "default_queue"),
                                                            profiler.value_or(nullptr));
    for (const std::string& parameter : parameters)
        handle->specs.push_back({parameter, name, {}, true});
    return handle;
}

} // namespace

std::shared_ptr<Launcher> launcherForList(py::handle object) {
    auto& handle = handleOf<LauncherHandle>(object);
    noteOwnCheck(object, handle);
    const py::object called = py::type::handle_of(object).attr("__call__");
    for (const py::handle base : py::reinterpret_borrow<py::tuple>(Py_TYPE(object.ptr())->tp_mro))
        if (isLibraryType(reinterpret_cast<PyTypeObject*>(base.ptr())) &&
            called.is(py::object(base.attr("__call__"))))
            return handle.launcher;
    auto launcher = std::dynamic_pointer_cast<PythonLauncher>(handle.launcher);
    if (!launcher)
        launcher = std::make_shared<PythonLauncher>(handle.launcher->name(), nullptr);
    launcher->setSelf(object.ptr());
    return launcher;
}

void bindLauncher(py::module_& module) {
    auto type = callableClass<LauncherHandle>(module, "Launcher", doc(R"(
        Base of everything that can be launched on a queue. A call returns an event at once.
    )"));
    setType<LauncherHandle>(type);
    Members(type, launcherOf)
        .def(py::init(&makeLauncher<LauncherHandle>), "name"_a, "profiler"_a = py::none())
        .def("__call__", &callUndefined, doc(R"(
            Launches and returns the event. Derived classes define it, with the keywords queue and
            wait_for and their parameters.
        )"))
        .property("name", &Launcher::name, "Its name in errors, trace and statistics.")
        .def(
            "global_size_configured",
            [](py::handle self) {
                return isPython(self) || launcherOf(self).globalSizeConfigured();
            },
            "Whether calls need no global size.")
        .def("parameters", &parametersOf, "Names and types of the parameters of a call.")
        .property(
            "events", &Launcher::events,
            "Profiled launches since the last `statistics`, and those that were unfinished then.")
        .property("statistics", &Launcher::statistics, doc(R"(
                Times of all profiled launches that have finished. Never waits: unfinished launches
                stay in `events` and are counted by a later read.
            )"))
        .method("_notify_profiler", &Launcher::notifyProfiler,
                "Passes the launches that have finished to the profiler now.")
        .method("clear_statistics", &Launcher::clearStatistics, "Discards all times and events.")
        .def(
            "_register_event",
            [](py::handle self, const Event& event) { launcherOf(self).addLaunch(event); },
            "event"_a, "Adds an event to `events`; for derived classes.")
        .def("__repr__", [](py::handle self) {
            return formatted("<kp.launcher.{} '{}'>",
                             std::string(py::str(py::type::of(self).attr("__name__"))),
                             launcherOf(self).name());
        });

    callableClass<KernelInterfaceHandle, LauncherHandle>(module, "OpenClKernelLauncherI", doc(R"(
        Base of kernel launchers. Derived classes define __call__, which launches a kernel without
        further arguments.)"))
        .def(py::init(&makeLauncher<KernelInterfaceHandle>), "name"_a, "profiler"_a = py::none())
        .def("check_kernel_arg", &checkArgumentType, "arg"_a, "arg_id"_a, "arg_name"_a = py::none(),
             "arg_type"_a = py::none(), doc(R"(
                 Raises InvalidArgument if a value is not of a type: a class of memory, or a dtype,
                 which NumPy's numbers must have and Python's must fit.)"));

    callableClass<HostInterfaceHandle, LauncherHandle>(module, "HostLauncherI", doc(R"(
        Base of launchers of host functions. Derived classes define __call__.)"))
        .def(py::init(&makeLauncher<HostInterfaceHandle>), "name"_a, "profiler"_a = py::none());

    auto host = callableClass<HostHandle, HostInterfaceHandle>(module, "HostLauncher", doc(R"(
        Launches a Python function among kernels. It runs on a thread of the library when all work
        before it is done; work after it waits for it. If it raises, waiting for its event raises
        the same exception, and work that depends on it fails.
    )"));
    host.def(py::init(&makeHost), "name"_a, "function"_a, "parameters"_a = py::tuple(),
             "default_queue"_a = py::none(), "profiler"_a = py::none());
    setCall(host, CallForm::ePlain);
}

} // namespace kp::python
