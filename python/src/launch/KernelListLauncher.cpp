// SPDX-License-Identifier: Apache-2.0
#include "base/Package.hpp"
#include "launch/Calls.hpp"

namespace kp::python {
namespace {

KernelListLauncher& listOf(py::handle object) {
    return *handleOf<ListHandle>(object).list;
}

/// Adds conversions, each once.
void addKnownSpecs(ListHandle& list, const std::vector<ParameterSpec>& specs) {
    for (const ParameterSpec& spec : specs) {
        bool known = false;
        for (const ParameterSpec& other : list.specs)
            known |= other.name == spec.name && other.anything == spec.anything;
        if (!known)
            list.specs.push_back(spec);
    }
}

/// Adds the conversions of a member's parameters.
void addSpecs(ListHandle& list, const Launcher& launcher, py::handle member) {
    const auto& specs = handleOf<LauncherHandle>(member).specs;
    if (!specs.empty()) {
        addKnownSpecs(list, specs);
        return;
    }
    for (const ParameterInfo& info : launcher.parameters())
        list.specs.push_back({info.name, launcher.name(), {}, true});
}

void pushOne(ListHandle& list, py::handle object) {
    if (object.is_none())
        return;
    if (list.busy)
        throw InvalidArgument(
            formatted("list '{}' is in a call; it cannot be changed meanwhile", list.list->name()));
    if (isA<ListHandle>(object)) {
        auto& other = handleOf<ListHandle>(object);
        list.list->push(other.list);
        const py::list members = other.members.attr("copy")(); // the list may be this one
        const std::vector<ParameterSpec> specs = other.specs;
        list.checked |= other.checked;
        for (const py::handle member : members)
            list.members.append(member);
        if (&other != &list) {
            list.specs.insert(list.specs.end(), specs.begin(), specs.end());
            list.unready.insert(list.unready.end(), other.unready.begin(), other.unready.end());
        }
        return;
    }
    if (!isA<LauncherHandle>(object))
        throw py::type_error(
            formatted("list '{}' takes launchers, lists of launchers and None, not {}",
                      list.list->name(), kindOf(object)));
    const std::shared_ptr<Launcher> launcher = launcherForList(object);
    list.list->push(launcher);
    list.members.append(object);
    auto& handle = handleOf<LauncherHandle>(object);
    list.checked |= handle.checks;
    if (launcher == handle.launcher && !handle.ready)
        list.unready.push_back(&handle); // which knows the types of its parameters later
    else
        addSpecs(list, *launcher, object);
}

std::unique_ptr<ListHandle> makeList(const std::string& name, const OptionalSink& profiler) {
    auto handle = std::make_unique<ListHandle>();
    handle->list = std::make_shared<KernelListLauncher>(name, profiler.value_or(nullptr));
    return handle;
}

py::object pushKernels(const py::object& self, const py::args& launchers) {
    auto& handle = handleOf<ListHandle>(self);
    for (const py::handle launcher : launchers)
        pushOne(handle, launcher);
    return self;
}

/// Pushes a CopyLauncher, as an object like any other.
py::object pushCopy(const py::object& self, const py::object& name, const py::object& src,
                    const py::object& dst, const py::object& srcOffset, const py::object& dstOffset,
                    const py::object& bytes) {
    pushOne(handleOf<ListHandle>(self),
            ofPackage("CopyLauncher")(name, src, dst, srcOffset, dstOffset, bytes));
    return self;
}

/// @throws InvalidArgument if the ends of a copy are on the wrong sides
void requireEnds(const py::object& name, const py::object& src, bool srcOnDevice,
                 const py::object& dst, bool dstOnDevice, const char* rule) {
    if (isA<MemoryHandle>(src) != srcOnDevice || isA<MemoryHandle>(dst) != dstOnDevice)
        throw InvalidArgument(
            formatted("launcher '{}': a copy from {}", std::string(py::str(name)), rule));
}

py::dict describeParameters(const KernelListLauncher& list) {
    py::dict parameters;
    for (const ParameterInfo& info : list.parameters())
        parameters[info.name.c_str()] = py::make_tuple(info.type, info.launchers);
    return parameters;
}

void bindCopies(py::class_<ListHandle>& type) {
    const auto none = py::none();
    type.def("push_copy_host_device", &pushCopy, "varname"_a, "src"_a, "dst"_a,
             "src_device_offset"_a = none, "dst_device_offset"_a = none, "byte_count"_a = none,
             "Appends a copy between tensors, or a tensor and an array, in bytes.")
        .def(
            "push_copy_device_to_device",
            [](const py::object& self, const py::object& name, const py::object& src,
               const py::object& dst, const py::object& srcOffset, const py::object& dstOffset,
               const py::object& bytes) {
                requireEnds(name, src, true, dst, true,
                            "device to device has a tensor on both ends");
                return pushCopy(self, name, src, dst, srcOffset, dstOffset, bytes);
            },
            "varname"_a, "src"_a, "dst"_a, "src_device_offset"_a = none,
            "dst_device_offset"_a = none, "byte_count"_a = none, "Appends a copy between tensors.")
        .def(
            "push_copy_host_to_device",
            [none](const py::object& self, const py::object& name, const py::object& src,
                   const py::object& dst, const py::object& dstOffset) {
                requireEnds(name, src, false, dst, true,
                            "host to device goes from an array to a tensor");
                return pushCopy(self, name, src, dst, none, dstOffset, none);
            },
            "varname"_a, "src"_a, "dst"_a, "dst_device_offset"_a = none,
            "Appends a copy from an array, with its contents at the time of the copy.")
        .def(
            "push_copy_device_to_host",
            [none](const py::object& self, const py::object& name, const py::object& src,
                   const py::object& dst, const py::object& srcOffset) {
                requireEnds(name, src, true, dst, false,
                            "device to host goes from a tensor to an array");
                return pushCopy(self, name, src, dst, srcOffset, none, none);
            },
            "varname"_a, "src"_a, "dst"_a, "src_device_offset"_a = none,
            "Appends a copy to an array.");
}

} // namespace

void ListHandle::prepare(const std::shared_ptr<Queue>& queue, const std::vector<Event>& waitFor) {
    const std::shared_ptr<Queue>& used = queue ? queue : list->managerQueue();
    if (!used)
        return; // the launch names the missing arguments
    for (LauncherHandle* const member : unready) {
        const RunningCall running(nullptr, *member);
        if (!member->ready)
            member->prepare(used, waitFor);
        addKnownSpecs(*this, member->specs);
    }
    unready.clear();
}

void bindKernelListLauncher(py::module_& module) {
    auto type = callableClass<ListHandle>(module, "KernelListLauncher", doc(R"(
        Launchers that run one after the other on the queue given with the call, in one submission.
        Host launchers, and copies of arrays, split it; the call still returns at once.)"));
    setType<ListHandle>(type);
    Members(type, listOf)
        .def(py::init(&makeList), "name"_a, "profiler"_a = py::none())
        .def("push_kernels", &pushKernels,
             "Appends launchers and the contents of lists; ignores None. Returns the list.")
        .def(
            "__iadd__",
            [](const py::object& self, const py::object& launcher) {
                pushOne(handleOf<ListHandle>(self), launcher);
                return self;
            },
            "launcher"_a, "push_kernels() of one.")
        .property("name", &KernelListLauncher::name, "As given.")
        .property(
            "launchers",
            [](py::handle self) { return handleOf<ListHandle>(self).members.attr("copy")(); },
            "The launchers, with pushed lists expanded.")
        .method("__len__", &KernelListLauncher::size)
        .property("parameters", &describeParameters,
                  "Name -> (type, names of the launchers that take it).")
        .property("events", &KernelListLauncher::events, doc(R"(
                Profiled launches of this list since the last `statistics`, and those that were
                unfinished then.)"))
        .property(
            "statistics", &KernelListLauncher::statistics,
            "Times of the profiled launches that have finished, by launcher name. Never waits.")
        .method("_notify_profiler", &KernelListLauncher::notifyProfiler,
                "Passes the launches that have finished to the profiler now.")
        .method("clear_statistics", &KernelListLauncher::clearStatistics,
                "Discards all times and events.")
        .method("__repr__", [](const KernelListLauncher& list) {
            return formatted("<kp.launcher.KernelListLauncher '{}' of {}>", list.name(),
                             list.size());
        });
    bindCopies(type);
    setListCall(type);
}

} // namespace kp::python
