// SPDX-License-Identifier: Apache-2.0
#include "Algorithm.hpp"

#include <array>
#include <optional>

#include "Arrays.hpp"
#include "Constants.hpp"
#include "Memory.hpp"
#include "Module.hpp"
#include "Shaders.hpp"

namespace kp::python {
namespace {

template <typename T>
std::array<T, 3> threeOf(py::handle values, const char* argument, T fill) {
    std::array<T, 3> result{fill, fill, fill};
    const auto convert = [argument](py::handle value) {
        const unsigned long long number = PyLong_AsUnsignedLongLong(
            py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr())).ptr());
        if (PyErr_Occurred()) {
            PyErr_Clear();
            throw py::value_error(std::string(argument) + " has whole numbers from 0 on");
        }
        if (number > std::numeric_limits<T>::max())
            throw py::value_error(std::string(argument) + " has a number over " +
                                  std::to_string(std::numeric_limits<T>::max()));
        return static_cast<T>(number);
    };
    if (PyIndex_Check(values.ptr())) {
        result[0] = convert(values);
        return result;
    }
    if (!PySequence_Check(values.ptr()) || PyUnicode_Check(values.ptr()))
        throw py::type_error(std::string(argument) + " is a number or up to three of them, not a " +
                             Py_TYPE(values.ptr())->tp_name);
    const auto sequence = py::reinterpret_borrow<py::sequence>(values);
    if (sequence.size() > 3)
        throw py::value_error(std::string(argument) + " has more than three numbers");
    for (size_t i = 0; i < sequence.size(); ++i)
        result[i] = convert(py::object(sequence[i]));
    return result;
}

void setThreadCount(Algorithm& algorithm, const py::object& counts) {
    const auto [x, y, z] = threeOf<uint64_t>(counts, "thread_count", 1);
    algorithm.setThreadCount(x, y, z);
}

std::string describe(AlgorithmHandle& handle) {
    if (!handle.algorithm->isInit())
        return "<kp.Algorithm without a shader>";
    const Workgroup& groups = handle.algorithm->getWorkgroup();
    return "<kp.Algorithm memory=" + std::to_string(handle.memory.size()) + " workgroup=(" +
           std::to_string(groups[0]) + ", " + std::to_string(groups[1]) + ", " +
           std::to_string(groups[2]) + ")>";
}

} // namespace

void rebuild(AlgorithmHandle& handle, const py::object& tensors, const py::object& spirv,
             const py::object& workgroup, const py::object& specConsts,
             const py::object& pushConsts, const py::object& threadCount) {
    const py::list list = toList(tensors, "tensors");
    const std::vector<MemoryHandle*> handles = toMemoryHandles(list, "tensors");
    const std::vector<std::shared_ptr<Memory>> memory = memoryOf(handles);
    const Uses useMemory(handles);
    const Use useManager(*handle.manager);
    const Use useAlgorithm(handle);
    const Workgroup groups = threeOf<uint32_t>(workgroup, "workgroup", 0);
    std::vector<uint32_t> words =
        toSpirv(spirv, handle.manager->manager->deviceInfo().apiVersion & ~uint32_t{0xFFF});
    const std::vector<SpecializationConstant> constants =
        specializationConstants(specConsts, words);
    const std::vector<unsigned char> push =
        pushConstantBytes(pushConsts, words, handle.algorithm->getPushConstants<unsigned char>());
    {
        const py::gil_scoped_release release;
        handle.algorithm->rebuild(memory, words, groups, constants, push);
    }
    handle.memory = list;
    handle.spirv = std::move(words);
    if (!threadCount.is_none())
        setThreadCount(*handle.algorithm, threadCount);
}

void bindAlgorithm(Classes& classes) {
    const auto self = [](py::handle object) -> AlgorithmHandle& {
        return handleOf<AlgorithmHandle>(object);
    };
    const auto changeable = [](py::handle object) -> AlgorithmHandle& {
        auto& handle = handleOf<AlgorithmHandle>(object);
        requireUnused(handle, "algorithm");
        return handle;
    };
    classes.algorithm
        .def(
            "rebuild",
            [changeable](py::handle object, const py::object& tensors, const py::object& spirv,
                         const py::object& workgroup, const py::object& specConsts,
                         const py::object& pushConsts, const py::object& threadCount) {
                rebuild(changeable(object), tensors, spirv, workgroup, specConsts, pushConsts,
                        threadCount);
            },
            py::arg("tensors"), py::arg("spirv"), py::arg("workgroup") = py::make_tuple(0, 0, 0),
            py::arg("spec_consts") = py::tuple(), py::arg("push_consts") = py::tuple(),
            py::kw_only(), py::arg("thread_count") = py::none(),
            "Replaces shader, memory and constants; arguments as Manager.algorithm. Empty "
            "constants\n"
            "leave the previous ones in force. Sequences keep what they recorded until rerecord().")
        .def(
            "get_mem_objects",
            [self](py::handle object) { return self(object).memory.attr("copy")(); },
            "The tensors and images, in the order of their bindings.")
        .def(
            "get_tensors",
            [self](py::handle object) {
                py::list tensors;
                for (const py::handle item : self(object).memory)
                    if (PyObject_TypeCheck(item.ptr(), gType<TensorHandle>))
                        tensors.append(item);
                return tensors;
            },
            "The memory objects that are tensors.")
        .def(
            "set_mem_objects",
            [changeable](py::handle object, const py::object& tensors) {
                AlgorithmHandle& handle = changeable(object);
                const py::list list = toList(tensors, "tensors");
                handle.algorithm->setMemObjects(toMemory(list, "tensors"));
                handle.memory = list;
            },
            py::arg("tensors"),
            "Binds other memory to the same shader, which costs no pipeline. Sequences keep what\n"
            "they recorded until rerecord().")
        .def(
            "set_push_constants",
            [changeable](py::handle object, const py::object& values) {
                AlgorithmHandle& handle = changeable(object);
                const auto bytes = pushConstantBytes(
                    values, handle.spirv, handle.algorithm->getPushConstants<unsigned char>());
                handle.algorithm->setPushConstants(bytes.data(), bytes.size(), 1);
            },
            py::arg("push_consts"), "Default push constants of later dispatches.")
        .def_property_readonly(
            "workgroup",
            [self](py::handle object) { return toTuple(self(object).algorithm->getWorkgroup()); },
            "Work groups that a dispatch starts in x, y and z.")
        .def_property_readonly(
            "local_size",
            [self](py::handle object) { return toTuple(self(object).algorithm->getLocalSize()); },
            "Invocations of a work group in x, y and z, as the shader says.")
        .def(
            "set_workgroup",
            [changeable](py::handle object, const py::object& workgroup) {
                changeable(object).algorithm->setWorkgroup(
                    threeOf<uint32_t>(workgroup, "workgroup", 0));
            },
            py::arg("workgroup"),
            "Work groups that a dispatch starts: a number, or up to three for x, y and z.")
        .def(
            "set_thread_count",
            [changeable](py::handle object, uint64_t x, uint64_t y, uint64_t z) {
                changeable(object).algorithm->setThreadCount(x, y, z);
            },
            py::arg("x"), py::arg("y") = 1, py::arg("z") = 1,
            "Starts at least this many invocations: the counts divided by local_size, rounded up.")
        .def(
            "is_init", [self](py::handle object) { return self(object).algorithm->isInit(); },
            "True once there is a shader, and until destroy().")
        .def(
            "destroy",
            [changeable](py::handle object) {
                AlgorithmHandle& handle = changeable(object);
                handle.algorithm->destroy();
                handle.memory = py::list();
            },
            "Lets go of shader and memory. What is recorded or runs keeps what it needs.")
        .def("__repr__", [self](py::handle object) { return describe(self(object)); });
}

} // namespace kp::python
