// SPDX-License-Identifier: Apache-2.0
#include "shader/Constants.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <kompute/shader/Reflection.hpp>

#include "base/Arrays.hpp"
#include "base/Gil.hpp"
#include "base/Package.hpp"
#include "base/Values.hpp"
#include "shader/Shader.hpp"

namespace kp::python {
namespace {

bool isStruct(const py::array& array) {
    return !array.dtype().attr("names").is_none();
}

/// Returns true for NumPy's booleans and integers of one byte. They are values, for any size the
/// shader gives them; bytes and other buffers are raw.
bool isSmallNumbers(const py::array& array, py::handle given) {
    return py::hasattr(given, "dtype") && array.itemsize() == 1 && !isStruct(array);
}

/// Returns the type of an array's numbers; eCustom for structs and bytes.
Memory::DataTypes numberType(const py::array& array, py::handle given) {
    const bool isNumber =
        !isStruct(array) && (array.itemsize() > 1 || isSmallNumbers(array, given));
    return isNumber ? dataTypeOf(array.dtype(), "constants") : Memory::DataTypes::eCustom;
}

PushBytes bytesOf(py::handle packed) {
    const std::string_view text = py::cast<std::string_view>(packed);
    return {{text.begin(), text.end()}};
}

PushBytes bytesOf(const py::array& array, py::handle given) {
    const auto* first = static_cast<const unsigned char*>(array.data());
    return {{first, first + array.nbytes()}, numberType(array, given)};
}

/// Returns true for numbers of Python, which have no size, and lists of them.
bool isPlain(py::handle values) {
    PyObject* const object = values.ptr();
    return PyList_Check(object) || PyTuple_Check(object) || PyFloat_CheckExact(object) ||
           PyLong_Check(object);
}

/// Returns a number of Python as a float; nothing for others, and if a float may not hold it.
std::optional<float> floatOf(py::handle value) {
    PyObject* const object = value.ptr();
    if (PyFloat_CheckExact(object)) {
        const double number = PyFloat_AS_DOUBLE(object);
        if (!std::isfinite(number) || std::abs(number) <= std::numeric_limits<float>::max())
            return static_cast<float>(number);
    } else if (PyLong_CheckExact(object)) {
        constexpr long kExact = 1L << std::numeric_limits<float>::digits;
        int overflow = 0;
        const long number = PyLong_AsLongAndOverflow(object, &overflow);
        if (overflow == 0 && number <= kExact && number >= -kExact)
            return static_cast<float>(number);
    }
    return std::nullopt;
}

/// Returns a number, or a list of them, as float32; nothing if one has to be looked at closer.
std::optional<PushBytes> floatsOf(py::handle values) {
    std::vector<float> floats;
    const auto add = [&](py::handle value) {
        const std::optional<float> number = floatOf(value);
        floats.push_back(number.value_or(0.0f));
        return number.has_value();
    };
    if (!PyList_Check(values.ptr()) && !PyTuple_Check(values.ptr())) {
        if (!add(values))
            return std::nullopt;
    } else {
        for (const py::handle each : py::reinterpret_borrow<py::sequence>(values))
            if (!add(each))
                return std::nullopt;
    }
    const auto* const first = reinterpret_cast<const unsigned char*>(floats.data());
    return PushBytes{{first, first + floats.size() * sizeof(float)}, Memory::DataTypes::eFloat};
}

/// Returns lists of numbers of unknown types as float32, like Kompute.
PushBytes untyped(py::handle values, const char* argument) {
    PushBytes floats = bytesOf(ofPackage("single_floats")(values, argument));
    floats.type = Memory::DataTypes::eFloat;
    return floats;
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
    known->known = true;
    for (const shader::Member& member : reflection.pushConstants) {
        known->floats = known->floats && member.type == shader::ScalarType::eFloat32;
        known->known = known->known && member.type != shader::ScalarType::eStruct &&
                       member.type != shader::ScalarType::eUnknown;
        known->numbers += member.components;
        known->names += (known->names.empty() ? "" : ", ") + member.name;
    }
    known->floats = known->floats && known->bytes == known->numbers * sizeof(float);
    return *known;
}

void requirePushConstants(const DeclaredPush& declared, size_t bytes) {
    if (bytes == 0 && declared.bytes > 0) {
        const bool isKernel = declared.names.starts_with("kp_global_size");
        throw InvalidArgument(formatted(
            "the shader's push constants ({}) have no values; give push_consts to the algorithm or "
            "to this dispatch{}",
            declared.names,
            isKernel ? py::cast<std::string>(ofPackage("OF_KERNELS")) : std::string()));
    }
    // A C++ struct may end in padding, and push constants beyond the shader's do no harm.
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
    if (PyBytes_Check(values.ptr()))
        return bytesOf(values);
    std::optional<DeclaredPush> unknown;
    const DeclaredPush& known = declaredPush(declared ? *declared : unknown, spirv);
    const bool named = PyDict_Check(values.ptr());
    if (!named && isPlain(values)) {
        if (known.floats)
            if (std::optional<PushBytes> floats = floatsOf(values))
                return *std::move(floats);
        if (spirv.empty())
            return untyped(values, argument);
    } else if (!named) {
        const py::array array = toArray(values, py::none(), argument);
        // All numbers of the shader, without the padding of its layout or in a smaller type.
        const bool unpadded = static_cast<uint64_t>(array.size()) == known.numbers &&
                              static_cast<size_t>(array.nbytes()) < known.bytes && !isStruct(array);
        if (known.bytes == 0 || !known.known || !(unpadded || isSmallNumbers(array, values)))
            return bytesOf(array, values);
    }
    const py::object packed = ofPackage("pack_push_constants")(
        describeShader(spirv), values,
        py::bytes(reinterpret_cast<const char*>(previous.data()), previous.size()), argument);
    return packed.is_none() ? untyped(values, argument) : bytesOf(packed);
}

std::vector<SpecializationConstant> specializationConstants(py::handle values,
                                                            const std::vector<uint32_t>& spirv) {
    std::vector<SpecializationConstant> constants;
    if (isNothing(values))
        return constants;
    const bool named = PyDict_Check(values.ptr());
    const bool plain = isPlain(values);
    const py::array array =
        named || plain ? py::array() : toArray(values, py::none(), "spec_consts");
    if (named || ((plain || isSmallNumbers(array, values)) && !spirv.empty())) {
        const py::object named =
            ofPackage("pack_specialization_constants")(describeShader(spirv), values);
        for (const auto& [id, bytes] : py::cast<py::dict>(named)) {
            const std::string_view value = py::cast<std::string_view>(bytes);
            constants.push_back(constantOf(py::cast<uint32_t>(id), value.data(),
                                           static_cast<py::ssize_t>(value.size())));
        }
        return constants;
    }
    if (plain) {
        const PushBytes floats = untyped(values, "spec_consts");
        for (size_t i = 0; i < floats.bytes.size(); i += sizeof(float))
            constants.push_back(constantOf(static_cast<uint32_t>(i / sizeof(float)),
                                           floats.bytes.data() + i, sizeof(float),
                                           Memory::DataTypes::eFloat));
        return constants;
    }
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
    const Memory::DataTypes type = numberType(array, values);
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
