// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pybind11/stl.h>

#include "Groups.hpp"
#include "Held.hpp"
#include "KernelLaunchers.hpp"
#include "Module.hpp"
#include "Shaders.hpp"

namespace kp::python {
namespace {

/// What DeviceGroup.kernel() makes a kernel of.
struct Given {
    std::string name;
    KernelSignature signature;
    std::vector<uint32_t> given; ///< arguments of the signature that are the caller's to give
    py::list buffers;            ///< that were given

    /// Null where there is none.
    const KernelArgument* at(uint64_t index) const {
        return index < signature.arguments().size() ? &signature.arguments()[index] : nullptr;
    }
};
/// Of the oldest Vulkan version among the devices, so that the shader fits all.
std::vector<uint32_t> toGroupSpirv(const DeviceGroup& group, py::handle shader) {
    uint32_t version = UINT32_MAX;
    for (size_t i = 0; i < group.size(); ++i)
        version = std::min(version, group[i].deviceInfo().apiVersion & ~uint32_t{0xFFF});
    return toSpirv(shader, version);
}

GroupArgument toGroupArgument(py::handle value, const KernelArgument* expected, Given& kernel,
                              const std::string& name) {
    if (!PyObject_TypeCheck(value.ptr(), gType<BufferHandle>))
        return GroupArgument(toArgument(value, expected, kernel.name, name));
    kernel.buffers.append(value);
    return GroupArgument(handleOf<BufferHandle>(value).buffer);
}

GroupArgument namedArgument(Given& kernel, py::handle key, py::handle value) {
    if (PyUnicode_Check(key.ptr())) {
        const auto name = py::cast<std::string>(key);
        GroupArgument argument = toGroupArgument(value, kernel.signature.find(name), kernel, name);
        argument.name = name;
        return argument;
    }
    const uint32_t index = toArgumentIndex(key, kernel.name);
    const KernelArgument* const expected = kernel.at(index);
    GroupArgument argument =
        toGroupArgument(value, expected, kernel, expected ? expected->name : "");
    argument.index = index;
    return argument;
}

/// All by position, or pairs of an index or a name and a value; or a dict of those.
GroupArguments toGroupArguments(Given& kernel, py::handle given) {
    GroupArguments arguments;
    if (given.is_none())
        return arguments;
    if (PyDict_Check(given.ptr())) {
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given))
            arguments.push_back(namedArgument(kernel, key, value));
        return arguments;
    }
    for (const py::handle entry : given) {
        if (PyTuple_Check(entry.ptr()) && PyTuple_GET_SIZE(entry.ptr()) == 2 &&
            isArgumentKey(PyTuple_GET_ITEM(entry.ptr(), 0))) {
            arguments.push_back(namedArgument(kernel, PyTuple_GET_ITEM(entry.ptr(), 0),
                                              PyTuple_GET_ITEM(entry.ptr(), 1)));
            continue;
        }
        const size_t place = arguments.size();
        const KernelArgument* const expected =
            place < kernel.given.size() ? kernel.at(kernel.given[place]) : nullptr;
        arguments.push_back(toGroupArgument(entry, expected, kernel,
                                            expected ? expected->name : std::to_string(place)));
    }
    return arguments;
}

/// Work items for a shard: the same for all, or what a Python function says.
std::function<WorkSize(const Shard&)> toGlobalSize(const py::object& size) {
    if (size.is_none())
        return nullptr;
    if (!PyCallable_Check(size.ptr()))
        return [fixed = *toWorkSize(size, "global_work_size")](const Shard&) { return fixed; };
    return [function = hold(size)](const Shard& shard) {
        return withinLibrary([&] {
            const py::object items = py::handle(function.get())(shard);
            if (items.is_none())
                throw py::type_error("global_work_size() gave None; it gives a number or up to "
                                     "three of them");
            return *toWorkSize(items, "what global_work_size() gave");
        });
    };
}

/// A dict as launchers take it, or names that are the shader's own.
ParametersMap toParameters(const std::string& kernel, const py::object& map) {
    if (map.is_none())
        return {};
    if (PyDict_Check(map.ptr()))
        return toParametersMap(kernel, map);
    py::dict same;
    for (const py::handle name : map)
        same[name] = name;
    return toParametersMap(kernel, same);
}

std::vector<BufferHandle*> buffersOf(const GroupKernelHandle& kernel) {
    std::vector<BufferHandle*> buffers;
    for (const py::handle buffer : kernel.buffers)
        buffers.push_back(&handleOf<BufferHandle>(buffer));
    return buffers;
}

std::unique_ptr<GroupKernelHandle>
makeGroupKernel(py::handle self, const py::object& shader, const py::object& args,
                const py::object& globalWorkSize, const py::object& localWorkSize, bool roundUp,
                const py::object& parametersMap, const std::string& name) {
    handleOf<GroupHandle>(self);
    auto handle = std::make_unique<GroupKernelHandle>();
    handle->group = py::cast<std::shared_ptr<GroupHandle>>(self);
    GroupHandle& group = *handle->group;
    std::vector<uint32_t> spirv = toGroupSpirv(*group.group, shader);
    Given given{name, KernelSignature(reflect(spirv)), {}, py::list()};
    for (const KernelArgument& argument : given.signature.arguments())
        if (!GroupKernel::givesArgument(argument))
            given.given.push_back(argument.index);
    GroupKernelOptions options;
    options.globalSize = toGlobalSize(globalWorkSize);
    options.localSize = toWorkSize(localWorkSize, "local_work_size");
    options.roundUp = roundUp;
    options.parameters = toParameters(name, parametersMap);
    for (const auto& [parameter, target] : options.parameters) {
        const KernelArgument* const expected =
            target.index ? given.at(*target.index) : given.signature.find(target.name);
        if (expected)
            handle->parameters.emplace_back(parameter, *expected);
    }
    const GroupArguments arguments = toGroupArguments(given, args);
    handle->buffers = given.buffers;
    const Uses<BufferHandle> uses(buffersOf(*handle));
    handle->kernel = endWithoutGil(withoutGil(group, [&] {
        return std::make_shared<GroupKernel>(*group.group, name, spirv, arguments, options);
    }));
    return handle;
}

std::vector<Event> call(py::handle self, const py::object& waitFor, const py::object& target,
                        const py::kwargs& given) {
    auto& handle = handleOf<GroupKernelHandle>(self);
    const GroupTarget where = toGroupTarget(target, *handle.group);
    const std::vector<Event> waits = toEvents(waitFor);
    Parameters parameters;
    for (const auto& [key, value] : given) {
        auto name = py::cast<std::string>(key);
        const KernelArgument* expected = nullptr;
        for (const auto& [known, argument] : handle.parameters)
            if (known == name)
                expected = &argument;
        ArgumentValue converted = toArgument(value, expected, handle.kernel->name(), name);
        parameters.emplace_back(std::move(name), std::move(converted));
    }
    const Uses<BufferHandle> uses(buffersOf(handle));
    return withoutGil(*handle.group, [&] {
        const std::lock_guard lock(handle.calls);
        return (*handle.kernel)(waits, parameters, where);
    });
}

} // namespace

void bindGroupKernel(py::module_& module) {
    py::class_<GroupKernelHandle> type(
        module, "GroupKernel",
        "A kernel on every device of a group, each working on its copy or shard of the buffers.\n"
        "Made by DeviceGroup.kernel.");
    gType<GroupKernelHandle> = reinterpret_cast<PyTypeObject*>(type.ptr());
    type.def(
            "__call__", &call, py::arg("wait_for") = py::none(), py::arg("target") = "all",
            "Launches it on the devices that `target` chooses (\"all\", \"any\" or the index of a\n"
            "queue), exactly once on each, and returns at once with an event for each of them.\n"
            "Parameters are given by name.")
        .def_property_readonly(
            "name",
            [](py::handle self) { return handleOf<GroupKernelHandle>(self).kernel->name(); },
            "Its name in errors, trace and statistics.")
        .def_property_readonly(
            "group", [](py::handle self) { return handleOf<GroupKernelHandle>(self).group; },
            "Its devices.")
        .def("__repr__", [](py::handle self) {
            return "<kp.GroupKernel '" + handleOf<GroupKernelHandle>(self).kernel->name() + "'>";
        });

    GroupClass group(
        py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(gType<GroupHandle>)));
    group.def(
        "kernel", &makeGroupKernel, py::arg("shader"), py::arg("args") = py::none(),
        py::arg("global_work_size") = py::none(), py::arg("local_work_size") = py::none(),
        py::kw_only(), py::arg("round_up") = true, py::arg("parameters_map") = py::none(),
        py::arg("name") = "kernel",
        "A kernel on every device. `shader` is SPIR-V, GLSL or a path. `args` has all arguments\n"
        "by position, or pairs of an index or a name and a value, or a dict of those: buffers of\n"
        "this group, and values as launchers take them. `global_work_size` counts work items: a\n"
        "number or up to three, the same for each device, or a function that gives them for a\n"
        "kp.Shard; without, the elements of the shard. `parameters_map` is name -> index, name in\n"
        "the shader or (index, type) of what is given with each call, or just names.\n\n"
        "Push constants kp_shard_index, kp_shard_count, kp_shard_offset, kp_shard_shape and\n"
        "kp_whole_shape are given by the group, as far as the shader declares them.");
}

} // namespace kp::python
