// SPDX-License-Identifier: Apache-2.0
#include "shader/Constants.hpp"

#include <algorithm>
#include <cstring>

#include <kompute/Reflection.hpp>

#include "base/Arrays.hpp"
#include "base/Gil.hpp"
#include "base/Values.hpp"
#include "shader/Shader.hpp"

namespace kp::python {
namespace {

/// Returns the type of numbers of more than a byte; eCustom for structs and bytes.
Memory::DataTypes numberType(const py::array& array) {
    const bool isNumber = array.dtype().attr("names").is_none() && array.itemsize() > 1;
    return isNumber ? dataTypeOf(array.dtype(), "constants") : Memory::DataTypes::eCustom;
}

PushBytes bytesOf(const py::array& array) {
    const auto* first = static_cast<const unsigned char*>(array.data());
    return {{first, first + array.nbytes()}, numberType(array)};
}

bool isTyped(py::handle values) {
    return py::hasattr(values, "dtype") || PyObject_CheckBuffer(values.ptr()) ||
           py::hasattr(values, "__dlpack__");
}

/// Returns true for numbers of Python, which have no size, and lists of them.
bool isPlain(py::handle values) {
    PyObject* const object = values.ptr();
    return PyList_Check(object) || PyTuple_Check(object) || PyFloat_CheckExact(object) ||
           PyLong_Check(object);
}

/// Returns a list, a number or an array as an array: float32 if it has no dtype itself.
py::array valuesOf(py::handle values, const char* argument) {
    return toArray(values, isTyped(values) ? py::object(py::none()) : py::dtype::of<float>(),
                   argument);
}

bool isNothing(py::handle values) {
    return values.is_none() ||
           (PySequence_Check(values.ptr()) && !PyUnicode_Check(values.ptr()) &&
            !py::hasattr(values, "dtype") && PySequence_Size(values.ptr()) == 0);
}

SpecializationConstant constantOf(uint32_t id, const void* value, py::ssize_t bytes,
                                  Memory::DataTypes type = Memory::DataTypes::eCustom) {
    SpecializationConstant constant;
    constant.id = id;
    constant.type = type;
    constant.bytes = static_cast<uint32_t>(bytes);
    if (bytes > static_cast<py::ssize_t>(constant.value.size()))
        throw py::value_error(formatted(
            "spec_consts has a value of {} bytes; a specialization constant is one number", bytes));
    std::memcpy(constant.value.data(), value, static_cast<size_t>(bytes));
    return constant;
}

} // namespace

const DeclaredPush& declaredPush(std::optional<DeclaredPush>& known,
                                 const std::vector<uint32_t>& spirv) {
    if (known)
        return *known;
    known.emplace();
    if (spirv.empty())
        return *known;
    shader::Reflection reflection;
    {
        const ReleaseGil release;
        reflection = reflect(spirv);
    }
    known->bytes = reflection.pushConstantSize;
    for (const shader::PushConstantMember& member : reflection.pushConstants) {
        known->floats = known->floats && member.type == shader::ScalarType::eFloat32;
        known->names += (known->names.empty() ? "" : ", ") + member.name;
    }
    return *known;
}

void requirePushConstants(const DeclaredPush& declared, size_t bytes) {
    if (bytes == 0 && declared.bytes > 0)
        throw InvalidArgument(formatted("the shader's push constants ({}) have no values; give "
                                        "push_consts to the algorithm or to this dispatch",
                                        declared.names));
    // A struct of C++ may end in padding, and push constants that no shader declares do no harm.
    constexpr size_t kLargestPadding = 16;
    const size_t most = declared.bytes == 0 ? SIZE_MAX : declared.bytes + kLargestPadding;
    if (bytes > 0 && (bytes < declared.bytes || bytes >= most))
        throw InvalidArgument(formatted("push_consts has {} bytes, but the shader's push constants "
                                        "({}) have {}",
                                        bytes, declared.names, declared.bytes));
}

PushBytes pushConstantBytes(py::handle values, const std::vector<uint32_t>& spirv,
                            const std::vector<unsigned char>& previous, const char* argument,
                            std::optional<DeclaredPush>* declared) {
    if (isNothing(values))
        return {};
    const bool named = PyDict_Check(values.ptr());
    if (!named && !isPlain(values))
        return bytesOf(valuesOf(values, argument));
    if (!named) {
        std::optional<DeclaredPush> unknown;
        if (declaredPush(declared ? *declared : unknown, spirv).floats)
            return bytesOf(valuesOf(values, argument));
    }
    const py::object packed =
        py::module_::import("kp._constants")
            .attr("pack_push_constants")(
                describeShader(spirv), values,
                py::bytes(reinterpret_cast<const char*>(previous.data()), previous.size()),
                argument);
    if (packed.is_none())
        return bytesOf(valuesOf(values, argument));
    const std::string_view text = py::cast<std::string_view>(packed);
    return {{text.begin(), text.end()}};
}

std::vector<SpecializationConstant> specializationConstants(py::handle values,
                                                            const std::vector<uint32_t>& spirv) {
    std::vector<SpecializationConstant> constants;
    if (isNothing(values))
        return constants;
    if (PyDict_Check(values.ptr()) || (isPlain(values) && !spirv.empty())) {
        const py::object named =
            py::module_::import("kp._constants")
                .attr("pack_specialization_constants")(describeShader(spirv), values);
        for (const auto& [id, bytes] : py::cast<py::dict>(named)) {
            const std::string_view value = py::cast<std::string_view>(bytes);
            constants.push_back(constantOf(py::cast<uint32_t>(id), value.data(),
                                           static_cast<py::ssize_t>(value.size())));
        }
        return constants;
    }
    const py::array array = valuesOf(values, "spec_consts");
    const auto* element = static_cast<const unsigned char*>(array.data());
    const py::object fields = array.dtype().attr("fields");
    const auto addStruct = [&](const unsigned char* start) {
        for (const py::handle name : array.dtype().attr("names")) {
            const auto field = py::cast<py::tuple>(fields[name]);
            constants.push_back(constantOf(static_cast<uint32_t>(constants.size()),
                                           start + py::cast<py::ssize_t>(field[1]),
                                           py::cast<py::dtype>(field[0]).itemsize()));
        }
    };
    const Memory::DataTypes type = numberType(array);
    for (py::ssize_t i = 0; i < array.size(); ++i, element += array.itemsize()) {
        if (fields.is_none())
            constants.push_back(
                constantOf(static_cast<uint32_t>(i), element, array.itemsize(), type));
        else
            addStruct(element);
    }
    return constants;
}

} // namespace kp::python
