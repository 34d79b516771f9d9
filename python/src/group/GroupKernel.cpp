// SPDX-License-Identifier: Apache-2.0
#include "group/Groups.hpp"

#include <algorithm>

#include "base/Waiting.hpp"
#include "launch/LaunchArguments.hpp"
#include "shader/Shader.hpp"

namespace kp::python {
namespace {

struct GroupKernelHandle {
    std::shared_ptr<GroupHandle> group;
    std::shared_ptr<GroupKernel> kernel;
    std::vector<std::pair<std::string, KernelArgument>> parameters; ///< name in calls
    py::list buffers;                                               ///< among its arguments
    std::mutex calls; ///< one at a time; locked without the GIL
};

/// Returns SPIR-V for the oldest Vulkan version among the devices, so that it fits all.
std::vector<uint32_t> toGroupSpirv(const DeviceGroup& group, py::handle shader) {
    CompileTarget target = targetOf(group[0]);
    for (size_t i = 1; i < group.size(); ++i)
        target.options.vulkanVersion =
            std::min(target.options.vulkanVersion, targetOf(group[i]).options.vulkanVersion);
    return toSpirv(shader, target);
}

/// Returns the arguments of a kernel that the caller gives: buffers, and values as launchers take
/// them. @param buffers  gets the Python objects of buffers
GroupArguments toGroupArguments(const std::string& kernel, const KernelSignature& signature,
                                py::handle given, py::list& buffers) {
    std::vector<uint32_t> indices; // of arguments that the group does not give
    for (const KernelArgument& argument : signature.arguments())
        if (!GroupKernel::givesArgument(argument))
            indices.push_back(argument.index);
    GroupArguments arguments;
    const auto convert = [&](py::handle value, const KernelArgument* expected,
                             const std::string& name) {
        if (!isA<BufferHandle>(value))
            return GroupArgument(toArgument(value, expected, kernel, name));
        if (expected)
            requireSameStruct(handleOf<BufferHandle>(value).dtype, *expected, kernel, name);
        buffers.append(value);
        return GroupArgument(handleOf<BufferHandle>(value).buffer);
    };
    forEachArgument(given, [&](py::handle key, py::handle value) {
        if (!key) {
            const size_t place = arguments.size();
            const KernelArgument* const expected =
                place < indices.size() ? argumentAt(signature, indices[place]) : nullptr;
            arguments.push_back(
                convert(value, expected, expected ? expected->name : std::to_string(place)));
        } else if (PyUnicode_Check(key.ptr())) {
            const std::string name = toText(key, "the name of an argument");
            arguments.push_back(convert(value, signature.find(name), name));
            arguments.back().name = name;
        } else {
            const uint32_t index = toArgumentIndex(key, kernel);
            const KernelArgument* const expected = argumentAt(signature, index);
            arguments.push_back(convert(value, expected, expected ? expected->name : ""));
            arguments.back().index = index;
        }
    });
    return arguments;
}

/// Returns the work items for a shard: the same for all, or the result of a Python function.
std::function<WorkSize(const Shard&)> toGlobalSize(const py::object& size) {
    if (size.is_none())
        return nullptr;
    if (!PyCallable_Check(size.ptr()))
        return [fixed = *toWorkSize(size, "global_work_size")](const Shard&) { return fixed; };
    return [function = hold(size)](const Shard& shard) {
        return withinLibrary([&] {
            const py::object items = py::handle(function.get())(shard);
            if (items.is_none())
                throw py::type_error("global_work_size() gave None; it must return a number or up "
                                     "to three of them");
            return *toWorkSize(items, "the result of global_work_size()");
        });
    };
}

/// Returns a parameters_map: a dict as launchers take it, or names in the shader.
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
                const py::object& parametersMap, const std::string& name, bool reinterpret) {
    auto handle = std::make_unique<GroupKernelHandle>();
    handle->group = sharedOf<GroupHandle>(self);
    GroupHandle& group = *handle->group;
    const std::vector<uint32_t> spirv = toGroupSpirv(*group.group, shader);
    const KernelSignature signature =
        reinterpret ? reinterpretingSignature(reflect(spirv)) : KernelSignature(reflect(spirv));
    GroupKernelOptions options;
    options.globalSize = toGlobalSize(globalWorkSize);
    options.localSize = toWorkSize(localWorkSize, "local_work_size");
    options.roundUp = roundUp;
    options.reinterpret = reinterpret;
    options.parameters = toParameters(name, parametersMap);
    for (const auto& [parameter, target] : options.parameters)
        if (const KernelArgument* const expected = argumentOf(signature, target))
            handle->parameters.emplace_back(parameter, *expected);
    const GroupArguments arguments =
        toGroupArguments(name, signature, collectArguments(args, "args"), handle->buffers);
    const Uses<BufferHandle> uses(buffersOf(*handle));
    handle->kernel = endWithoutGil(withoutGil(group, [&] {
        return std::make_shared<GroupKernel>(*group.group, name, spirv, arguments, options);
    }));
    return handle;
}

GroupKernelHandle& groupKernelOf(py::handle self) {
    return handleOf<GroupKernelHandle>(self);
}

std::vector<Event> callGroupKernel(py::handle self, const py::object& waitFor,
                                   const py::object& target, const py::kwargs& given) {
    GroupKernelHandle& handle = groupKernelOf(self);
    const GroupTarget where = toGroupTarget(target, *handle.group);
    const std::vector<Event> waits = toEvents(waitFor);
    Parameters parameters;
    for (const auto& [key, value] : given) {
        std::string name = toText(key, "the name of an argument");
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
    py::class_<GroupKernelHandle> type(module, "GroupKernel", doc(R"(
        A kernel on every device of a group, each working on its copy or shard of the buffers.
        Created by DeviceGroup.kernel.)"));
    setType<GroupKernelHandle>(type);
    Members(type, groupKernelOf)
        .def("__call__", &callGroupKernel, "wait_for"_a = py::none(), "target"_a = "all", doc(R"(
                 Launches it once on each device that `target` selects ("all", "any" or the index of
                 a queue), and returns at once with an event for each of them. Parameters are given
                 by name.)"))
        .property(
            "name", [](const GroupKernelHandle& handle) { return handle.kernel->name(); },
            "Its name in errors, trace and statistics.")
        .property("group", &GroupKernelHandle::group, "Its devices.")
        .method("__repr__", [](const GroupKernelHandle& handle) {
            return formatted("<kp.GroupKernel '{}'>", handle.kernel->name());
        });

    GroupClass group(
        py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(gType<GroupHandle>)));
    group.def("kernel", &makeGroupKernel, "shader"_a, "args"_a = py::none(),
              "global_work_size"_a = py::none(), "local_work_size"_a = py::none(), py::kw_only(),
              "round_up"_a = true, "parameters_map"_a = py::none(), "name"_a = "kernel",
              "reinterpret"_a = false, doc(R"(
        A kernel on every device. `shader` is SPIR-V, GLSL or a path. `args` has all arguments by
        position, or pairs of an index or a name and a value, or a dict of those: buffers of this
        group, and values as launchers take them. `global_work_size` counts work items: a number or
        up to three, the same for each device, or a function that returns them for a kp.Shard; by
        default the elements of the largest shard, or of the largest buffer if none is sharded.
        `parameters_map` is name -> index, name in the shader or (index, type) for the arguments of
        each call, or just names. The elements of buffers must have the type that the shader
        declares, unless `reinterpret` is true.

        The group sets the push constants kp_shard_index, kp_shard_count, kp_shard_offset,
        kp_shard_shape and kp_whole_shape, if the shader declares them.)"));
}

} // namespace kp::python
