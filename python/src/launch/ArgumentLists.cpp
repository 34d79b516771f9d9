// SPDX-License-Identifier: Apache-2.0
#include "launch/ArgumentLists.hpp"

#include "launch/LaunchArguments.hpp"

namespace kp::python {
namespace {

bool isPair(py::handle entry) {
    return PyTuple_Check(entry.ptr()) && PyTuple_GET_SIZE(entry.ptr()) == 2;
}

/// Returns true for an index or a name of an argument.
bool isArgumentKey(py::handle key) {
    return PyUnicode_Check(key.ptr()) ||
           (PyIndex_Check(key.ptr()) && !PyBool_Check(key.ptr()) && !py::hasattr(key, "shape"));
}

} // namespace

void forEachArgument(py::handle given,
                     const std::function<void(py::handle key, py::handle value)>& add) {
    if (given.is_none())
        return;
    if (PyDict_Check(given.ptr())) {
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given))
            add(key, value);
        return;
    }
    for (const py::handle entry : given) {
        if (isPair(entry) && isArgumentKey(PyTuple_GET_ITEM(entry.ptr(), 0)))
            add(PyTuple_GET_ITEM(entry.ptr(), 0), PyTuple_GET_ITEM(entry.ptr(), 1));
        else
            add({}, entry);
    }
}

uint32_t toArgumentIndex(py::handle index, const std::string& launcher) {
    const unsigned long value =
        PyLong_AsUnsignedLong(py::reinterpret_steal<py::object>(PyNumber_Index(index.ptr())).ptr());
    if (PyErr_Occurred() || value > 0xFFFFFFFFul) {
        PyErr_Clear();
        throw InvalidArgument(formatted("launcher '{}': an argument has an index from 0 on, not {}",
                                        launcher, reprOf(index)));
    }
    return static_cast<uint32_t>(value);
}

const KernelArgument* argumentAt(const KernelSignature& signature, uint64_t index) {
    return index < signature.arguments().size() ? &signature.arguments()[index] : nullptr;
}

const KernelArgument* argumentOf(const KernelSignature& signature, const ParameterTarget& target) {
    return target.index ? argumentAt(signature, *target.index) : signature.find(target.name);
}

ParametersMap toParametersMap(const std::string& launcher, py::handle map) {
    ParametersMap result;
    for (const auto& [key, value] : py::dict(py::reinterpret_borrow<py::object>(map))) {
        py::handle place = value;
        py::handle type = Py_None;
        if (isPair(value)) {
            place = PyTuple_GET_ITEM(value.ptr(), 0);
            type = PyTuple_GET_ITEM(value.ptr(), 1);
        }
        ParameterTarget target = PyUnicode_Check(place.ptr())
                                     ? ParameterTarget(py::cast<std::string>(place))
                                     : ParameterTarget(toArgumentIndex(place, launcher));
        target.type = toScalarType(type);
        result.emplace(py::cast<std::string>(key), target);
    }
    return result;
}

} // namespace kp::python
