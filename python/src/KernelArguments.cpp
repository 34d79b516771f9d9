// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "KernelLaunchers.hpp"
#include "Shaders.hpp"

namespace kp::python {
namespace {

/// The manager that a shader is for: the one named, else that of the queue or of an argument.
std::shared_ptr<ManagerHandle> managerFor(const KernelKeywords& given) {
    if (!given.manager.is_none()) {
        handleOf<ManagerHandle>(given.manager, "manager");
        return py::cast<std::shared_ptr<ManagerHandle>>(given.manager);
    }
    if (!given.queue.is_none())
        return handleOf<QueueHandle>(given.queue, "default_queue").manager;
    const auto ofMemory = [](py::handle value) -> std::shared_ptr<ManagerHandle> {
        if (PyObject_TypeCheck(value.ptr(), gType<MemoryHandle>))
            return handleOf<MemoryHandle>(value).manager;
        return nullptr;
    };
    if (!given.arguments.is_none()) {
        const py::object values = PyDict_Check(given.arguments.ptr())
                                      ? py::object(given.arguments.attr("values")())
                                      : given.arguments;
        for (const py::handle entry : values) {
            if (auto manager = ofMemory(entry))
                return manager;
            if (PyTuple_Check(entry.ptr()) && PyTuple_GET_SIZE(entry.ptr()) == 2)
                if (auto manager = ofMemory(PyTuple_GET_ITEM(entry.ptr(), 1)))
                    return manager;
        }
    }
    throw InvalidArgument("launcher '" + given.name +
                          "': a kernel given as a shader needs to know its manager; give "
                          "manager, default_queue, a tensor among the arguments, or a "
                          "kp.launcher.Kernel");
}

Argument namedArgument(const Kernel& kernel, const std::string& launcher, py::handle key,
                       py::handle value) {
    if (PyUnicode_Check(key.ptr())) {
        const auto name = py::cast<std::string>(key);
        return Argument(name, toArgument(value, kernel.signature().find(name), launcher, name));
    }
    const uint32_t index = toArgumentIndex(key, launcher);
    const KernelArgument* const expected = argumentAt(kernel, index);
    return Argument(index, toArgument(value, expected, launcher, expected ? expected->name : ""));
}

} // namespace

KernelOptions KernelKeywords::options() const {
    KernelOptions options;
    options.globalSize = toWorkSize(globalSize, "default_global_work_size");
    options.localSize = toWorkSize(localSize, "default_local_work_size");
    options.queue = toQueue(queue, "default_queue");
    options.roundUp = roundUp;
    options.profiler = profiler;
    return options;
}

Kernel makeKernel(const std::shared_ptr<ManagerHandle>& manager, py::handle shader) {
    std::vector<uint32_t> words =
        toSpirv(shader, manager->manager->deviceInfo().apiVersion & ~uint32_t{0xFFF});
    const Use use(*manager);
    const py::gil_scoped_release release;
    return Kernel(*manager->manager, std::move(words));
}

Kernel toKernel(const KernelKeywords& given) {
    if (py::isinstance<KernelHandle>(given.kernel))
        return py::cast<KernelHandle&>(given.kernel).kernel;
    if (PyObject_TypeCheck(given.kernel.ptr(), gType<AlgorithmHandle>))
        return Kernel(handleOf<AlgorithmHandle>(given.kernel, "kernel").algorithm);
    return makeKernel(managerFor(given), given.kernel);
}

const KernelArgument* argumentAt(const Kernel& kernel, uint64_t index) {
    const std::vector<KernelArgument>& arguments = kernel.signature().arguments();
    return index < arguments.size() ? &arguments[index] : nullptr;
}

Arguments toArguments(const KernelKeywords& given, const Kernel& kernel) {
    Arguments arguments;
    if (given.arguments.is_none())
        return arguments;
    if (PyDict_Check(given.arguments.ptr())) {
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given.arguments))
            arguments.push_back(namedArgument(kernel, given.name, key, value));
        return arguments;
    }
    for (const py::handle entry : given.arguments) {
        if (PyTuple_Check(entry.ptr()) && PyTuple_GET_SIZE(entry.ptr()) == 2 &&
            isArgumentKey(PyTuple_GET_ITEM(entry.ptr(), 0))) {
            arguments.push_back(namedArgument(kernel, given.name, PyTuple_GET_ITEM(entry.ptr(), 0),
                                              PyTuple_GET_ITEM(entry.ptr(), 1)));
            continue;
        }
        const KernelArgument* const expected = argumentAt(kernel, arguments.size());
        arguments.push_back(
            Argument(toArgument(entry, expected, given.name,
                                expected ? expected->name : std::to_string(arguments.size()))));
    }
    return arguments;
}

uint32_t toArgumentIndex(py::handle index, const std::string& launcher) {
    const unsigned long value =
        PyLong_AsUnsignedLong(py::reinterpret_steal<py::object>(PyNumber_Index(index.ptr())).ptr());
    if (PyErr_Occurred() || value > 0xFFFFFFFFul) {
        PyErr_Clear();
        throw InvalidArgument("launcher '" + launcher +
                              "': an argument has an index from 0 on, not " +
                              std::string(py::str(py::repr(index))));
    }
    return static_cast<uint32_t>(value);
}

bool isArgumentKey(py::handle key) {
    return PyUnicode_Check(key.ptr()) ||
           (PyIndex_Check(key.ptr()) && !PyBool_Check(key.ptr()) && !py::hasattr(key, "shape"));
}

ParametersMap toParametersMap(const std::string& launcher, py::handle map) {
    ParametersMap result;
    for (const auto& [key, value] : py::dict(py::reinterpret_borrow<py::object>(map))) {
        py::object place = py::reinterpret_borrow<py::object>(value);
        py::object type = py::none();
        if (PyTuple_Check(value.ptr()) && PyTuple_GET_SIZE(value.ptr()) == 2) {
            place = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(value.ptr(), 0));
            type = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(value.ptr(), 1));
        }
        ParameterTarget target = PyUnicode_Check(place.ptr())
                                     ? ParameterTarget(py::cast<std::string>(place))
                                     : ParameterTarget(toArgumentIndex(place, launcher));
        target.type = toScalarType(type);
        result.emplace(py::cast<std::string>(key), target);
    }
    return result;
}

void setSpecs(LauncherHandle& handle, const Kernel& kernel, const ParametersMap& map) {
    for (const ParameterInfo& info : handle.launcher->parameters()) {
        const ParameterTarget& target = map.at(info.name);
        const KernelArgument* const expected =
            target.index ? argumentAt(kernel, *target.index) : kernel.signature().find(target.name);
        handle.specs.push_back({info.name, handle.launcher->name(), *expected, false});
    }
}

} // namespace kp::python
