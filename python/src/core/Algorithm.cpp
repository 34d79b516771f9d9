// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include <algorithm>

#include <kompute/shader/Reflection.hpp>

#include "base/Arrays.hpp"
#include "base/Gil.hpp"
#include "shader/Constants.hpp"
#include "shader/Shader.hpp"
#include "shader/Structs.hpp"

namespace kp::python {
namespace {

Workgroup toWorkgroup(py::handle values) {
    const auto [x, y, z] = toThree(values, "workgroup", 0, 0, UINT32_MAX);
    return {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
}

/// Refuses tensors of structs whose layout differs from the shader's.
void requireStructs(const std::vector<MemoryHandle*>& memory, const std::vector<uint32_t>& spirv) {
    const auto isStruct = [](const MemoryHandle* handle) {
        return handle->dtype.kind() == 'V' && !handle->dtype.attr("fields").is_none();
    };
    if (spirv.empty() || std::none_of(memory.begin(), memory.end(), isStruct))
        return;
    for (const shader::Binding& binding : reflect(spirv).bindings) {
        const size_t end =
            std::min<size_t>(memory.size(), size_t{binding.argument} + binding.count);
        for (size_t i = binding.argument; i < end; ++i) {
            const std::string mismatch = structMismatch(binding.members, memory[i]->dtype);
            if (!mismatch.empty())
                throw ShaderError(formatted("tensors[{}] has structs that differ from those in "
                                            "binding {} '{}': {}",
                                            i, binding.binding, binding.name, mismatch));
        }
    }
}

/// Gives an algorithm its shader, memory, constants and options.
void rebuild(AlgorithmHandle& handle, const py::object& tensors, const py::object& spirv,
             const py::object& workgroup, const py::object& specConsts,
             const py::object& pushConsts, const py::object& threadCount, bool reinterpret,
             const GivenOptions& options) {
    const py::list list = toList(tensors, "tensors");
    const std::vector<MemoryHandle*> handles = toMemoryHandles(list, "tensors");
    const std::vector<std::shared_ptr<Memory>> memory = memoryOf(handles);
    const Uses useMemory(handles);
    const Use useManager(*handle.manager);
    const Use useAlgorithm(handle);
    const py::list addressed =
        options.addressed.is_none() ? handle.addressed : toList(options.addressed, "addressed");
    const Uses useAddressed(toMemoryHandles(addressed, "addressed"));
    const AlgorithmOptions chosen = options.over(handle.algorithm->getOptions());
    const Workgroup groups = toWorkgroup(workgroup);
    std::vector<uint32_t> words = toSpirv(spirv, targetOf(*handle.manager->manager, chosen.check));
    const std::vector<SpecializationConstant> constants =
        specializationConstants(specConsts, words);
    const PushBytes push =
        pushConstantBytes(pushConsts, words, handle.algorithm->getPushConstants<unsigned char>());
    std::optional<DeclaredPush> declared;
    if (!push.bytes.empty())
        requirePushConstants(declaredPush(declared, words), push.bytes.size());
    if (!reinterpret)
        requireStructs(handles, words);
    const bool countsGroups =
        std::any_of(groups.begin(), groups.end(), [](uint32_t count) { return count != 0; });
    if (countsGroups && !threadCount.is_none())
        throw py::value_error("workgroup counts work groups and thread_count invocations; give one "
                              "of them");
    const Workgroup first = threadCount.is_none() ? groups : Workgroup{1, 1, 1};
    {
        const ReleaseGil release;
        handle.algorithm->rebuild(reinterpret ? reinterpreted(memory) : MemoryObjects(memory),
                                  words, first, constants, push.bytes, chosen);
        if (!push.bytes.empty())
            handle.algorithm->setPushConstants(push.bytes.data(), push.bytes.size(), 1, push.type);
    }
    handle.memory = list;
    handle.addressed = addressed;
    handle.spirv = std::move(words);
    handle.reinterpret = reinterpret;
    handle.push.reset();
    if (!threadCount.is_none()) {
        const auto [x, y, z] = toThree(threadCount, "thread_count", 1);
        handle.algorithm->setThreadCount(x, y, z);
    }
}

std::unique_ptr<AlgorithmHandle>
makeAlgorithm(py::handle self, const py::object& tensors, const py::object& spirv,
              const py::object& workgroup, const py::object& specConsts,
              const py::object& pushConsts, const py::object& threadCount, bool reinterpret,
              std::optional<uint32_t> subgroupSize, std::optional<bool> fullSubgroups,
              const py::object& addressed, const py::object& samplers,
              std::optional<bool> robustAccess, std::optional<uint64_t> maxPrivateBytes,
              std::optional<bool> emulateTypes, const py::object& check) {
    auto handle = std::make_unique<AlgorithmHandle>();
    handle->manager = sharedOf<ManagerHandle>(self);
    handle->algorithm = handle->manager->manager->algorithm();
    rebuild(*handle, tensors, spirv, workgroup, specConsts, pushConsts, threadCount, reinterpret,
            {subgroupSize, fullSubgroups, addressed, samplers, robustAccess, maxPrivateBytes,
             emulateTypes, check});
    return handle;
}

AlgorithmHandle& algorithmOf(py::handle self) {
    return handleOf<AlgorithmHandle>(self);
}

Algorithm& algorithmIn(py::handle self) {
    return *algorithmOf(self).algorithm;
}

/// Returns the handle for a call that changes the algorithm.
AlgorithmHandle& changeable(py::handle self) {
    auto& handle = algorithmOf(self);
    requireUnused(handle, "algorithm");
    return handle;
}

py::list tensorsOf(py::handle self) {
    py::list tensors;
    for (const py::handle item : algorithmOf(self).memory)
        if (isA<TensorHandle>(item))
            tensors.append(item);
    return tensors;
}

void setMemObjects(py::handle self, const py::object& tensors) {
    AlgorithmHandle& handle = changeable(self);
    const py::list list = toList(tensors, "tensors");
    if (!handle.reinterpret)
        requireStructs(toMemoryHandles(list, "tensors"), handle.spirv);
    handle.algorithm->setMemObjects(toMemory(list, "tensors"));
    handle.memory = list;
}

void setPushConstants(py::handle self, const py::object& values) {
    AlgorithmHandle& handle = changeable(self);
    const auto [bytes, type] =
        pushConstantBytes(values, handle.spirv, handle.algorithm->getPushConstants<unsigned char>(),
                          "push_consts", &handle.push);
    if (handle.algorithm->isInit() && !bytes.empty())
        requirePushConstants(declaredPush(handle.push, handle.spirv), bytes.size());
    handle.algorithm->setPushConstants(bytes.data(), bytes.size(), 1, type);
}

std::string describeAlgorithm(py::handle self) {
    const AlgorithmHandle& handle = algorithmOf(self);
    if (!handle.algorithm->isInit())
        return "<kp.Algorithm without a shader>";
    return formatted("<kp.Algorithm memory={} workgroup={}>", handle.memory.size(),
                     reprOf(toTuple(handle.algorithm->getWorkgroup())));
}

} // namespace

AlgorithmOptions GivenOptions::over(AlgorithmOptions options) const {
    options.subgroupSize = subgroupSize.value_or(options.subgroupSize);
    options.fullSubgroups = fullSubgroups.value_or(options.fullSubgroups);
    options.robustAccess = robustAccess.value_or(options.robustAccess);
    options.maxPrivateBytes = maxPrivateBytes.value_or(options.maxPrivateBytes);
    options.emulateTypes = emulateTypes.value_or(options.emulateTypes);
    if (!check.is_none())
        options.check = toChecks(check);
    if (!addressed.is_none())
        options.addressed = toMemory(addressed, "addressed");
    if (!samplers.is_none())
        options.samplers = toSamplers(samplers, "samplers");
    return options;
}

void bindAlgorithm(Classes& classes) {
    classes.manager.def("algorithm", &makeAlgorithm, "tensors"_a = py::list(),
                        "spirv"_a = py::bytes(), "workgroup"_a = py::make_tuple(0, 0, 0),
                        "spec_consts"_a = py::tuple(), "push_consts"_a = py::tuple(), py::kw_only(),
                        "thread_count"_a = py::none(), "reinterpret"_a = false,
                        "subgroup_size"_a = py::none(), "full_subgroups"_a = py::none(),
                        "addressed"_a = py::none(), "samplers"_a = py::none(),
                        "robust_access"_a = py::none(), "max_private_bytes"_a = py::none(),
                        "emulate_types"_a = py::none(), "check"_a = py::none(), doc(R"(
        A shader with the memory of its bindings 0, 1, ...

        `spirv` is SPIR-V as bytes, GLSL text, or a path. `workgroup` counts work groups (0: as many
        as the first object has elements); `thread_count` counts invocations instead. Constants are
        a list of numbers or a number, which get the types that the shader declares, a NumPy array of
        any dtype, a structured array, or a dict by the names in the shader. The push constants are
        the default of dispatches; a dict given to a dispatch keeps the default of the names it
        leaves out. The elements of the tensors must have the type that the shader declares, unless
        `reinterpret` is true.

        `subgroup_size` requires a number of invocations per subgroup, a power of two between
        min_subgroup_size and max_subgroup_size of Manager.get_device_properties(); 0 lets the driver
        choose. `full_subgroups` requires that no subgroup lacks invocations; the local size in x
        must then be a multiple of the subgroup size.

        `addressed` lists tensors that the shader reaches through buffer addresses
        (Tensor.device_address): dispatches then wait for earlier work on these and on the bound
        memory, instead of all earlier work.

        `samplers` is one sampler for all that the shader declares (sampler, sampler2D, ...), or one
        for each of them, in the order of set, binding and array element.

        With `robust_access`, reads outside of tensors and images give 0 and writes there are
        dropped; Unsupported if the device cannot. Checking bounds in the shader is faster.

        `max_private_bytes` limits the arrays that each invocation has for itself (64 KiB if not
        given), because the driver reserves them for all invocations in flight.

        With `emulate_types`, numbers of types that the device lacks, such as float64 and int64, are
        computed with others: right to the bit, but slowly.

        `check` turns checked mode on (True, or a list as for kp.checked) or off (False).)"));
    Members(classes.algorithm, algorithmIn)
        .def(
            "rebuild",
            [](py::handle self, const py::object& tensors, const py::object& spirv,
               const py::object& workgroup, const py::object& specConsts,
               const py::object& pushConsts, const py::object& threadCount, bool reinterpret,
               std::optional<uint32_t> subgroupSize, std::optional<bool> fullSubgroups,
               const py::object& addressed, const py::object& samplers,
               std::optional<bool> robustAccess, std::optional<uint64_t> maxPrivateBytes,
               std::optional<bool> emulateTypes, const py::object& check) {
                rebuild(changeable(self), tensors, spirv, workgroup, specConsts, pushConsts,
                        threadCount, reinterpret,
                        {subgroupSize, fullSubgroups, addressed, samplers, robustAccess,
                         maxPrivateBytes, emulateTypes, check});
            },
            "tensors"_a, "spirv"_a, "workgroup"_a = py::make_tuple(0, 0, 0),
            "spec_consts"_a = py::tuple(), "push_consts"_a = py::tuple(), py::kw_only(),
            "thread_count"_a = py::none(), "reinterpret"_a = false, "subgroup_size"_a = py::none(),
            "full_subgroups"_a = py::none(), "addressed"_a = py::none(), "samplers"_a = py::none(),
            "robust_access"_a = py::none(), "max_private_bytes"_a = py::none(),
            "emulate_types"_a = py::none(), "check"_a = py::none(), doc(R"(
                Replaces shader, memory and constants; arguments as Manager.algorithm. Empty
                constants, and options that are None, keep the previous ones. Sequences keep their
                recording until rerecord().)"))
        .def(
            "get_mem_objects",
            [](py::handle self) { return algorithmOf(self).memory.attr("copy")(); },
            "The tensors and images, in the order of their bindings.")
        .def("get_tensors", &tensorsOf, "The memory objects that are tensors.")
        .def("set_mem_objects", &setMemObjects, "tensors"_a, doc(R"(
            Binds other memory to the same shader, without a new pipeline. Sequences keep their
            recording until rerecord().)"))
        .def("set_push_constants", &setPushConstants, "push_consts"_a,
             "Sets the default push constants of later dispatches.")
        .property(
            "workgroup",
            [](const Algorithm& algorithm) { return toTuple(algorithm.getWorkgroup()); },
            "Work groups of a dispatch in x, y and z.")
        .property(
            "local_size",
            [](const Algorithm& algorithm) { return toTuple(algorithm.getLocalSize()); },
            "Invocations of a work group in x, y and z, as the shader declares.")
        .property(
            "subgroup_size",
            [](const Algorithm& algorithm) { return algorithm.getOptions().subgroupSize; },
            "Required invocations per subgroup; 0 if the driver chooses.")
        .def(
            "set_workgroup",
            [](py::handle self, const py::object& workgroup) {
                changeable(self).algorithm->setWorkgroup(toWorkgroup(workgroup));
            },
            "workgroup"_a,
            "Sets the work groups of a dispatch: a number, or up to three for x, y and z.")
        .def(
            "set_thread_count",
            [](py::handle self, const py::object& x, uint64_t y, uint64_t z) {
                const bool all = PySequence_Check(x.ptr());
                if (all && (y != 1 || z != 1))
                    throw py::value_error("x has the counts of y and z; do not give these as well");
                const auto counts = toThree(all ? x : py::make_tuple(x, y, z), "x", 1, 1);
                changeable(self).algorithm->setThreadCount(counts[0], counts[1], counts[2]);
            },
            "x"_a, "y"_a = 1, "z"_a = 1, doc(R"(
                Starts at least this many invocations: the work groups are the counts divided by
                local_size, rounded up. `x` may be a sequence of all three.)"))
        .def(
            "set_name",
            [](py::handle self, const std::string& name) {
                changeable(self).algorithm->setName(name);
            },
            "name"_a, doc(R"(
                Names the dispatches in captures, profiles and messages, such as DeviceLost's
                and CheckFailed, and the pipeline in captures. An empty name takes it away.)"))
        .method("is_init", &Algorithm::isInit, "True once there is a shader, and until destroy().")
        .def(
            "destroy",
            [](py::handle self) {
                AlgorithmHandle& handle = changeable(self);
                handle.algorithm->destroy();
                handle.memory = py::list();
                handle.addressed = py::list();
            },
            "Releases shader and memory. Recorded and running work keeps its resources.")
        .def("__repr__", &describeAlgorithm);
}

} // namespace kp::python
