// SPDX-License-Identifier: Apache-2.0
#include "launch/LaunchArguments.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/Arrays.hpp"
#include "base/Held.hpp"
#include "base/Package.hpp"
#include "shader/Shader.hpp"
#include "shader/Structs.hpp"

namespace kp::python {
namespace {

using shader::ScalarType;

std::string describeValue(py::handle value) {
    const std::string text = reprOf(value);
    return formatted("{} {}", typeNameOf(value),
                     text.size() > 60 ? text.substr(0, 57) + "..." : text);
}

struct ArgumentTarget {
    const KernelArgument* expected;
    const std::string& launcher;
    const std::string& name;

    ScalarType type() const { return expected ? expected->type : ScalarType::eUnknown; }
    [[noreturn]] void refuse(const std::string& given) const {
        const std::string index = expected ? formatted("{} ", expected->index) : "";
        throw InvalidArgument(formatted("launcher '{}': argument {}'{}' is a {}, but was given {}",
                                        launcher, index, name,
                                        expected ? typeName(*expected) : "number", given));
    }
    /// Refuses lists and arrays in another shape than a matrix or an array of the shader.
    void requireShape(py::handle value) const {
        if (!expected || expected->axes.size() < 2)
            return;
        const py::object shape = py::module_::import("numpy").attr("shape")(value);
        const auto problem =
            py::cast<std::string>(ofPackage("shape_problem")(shape, axesOf(expected->axes)));
        if (!problem.empty())
            refuse(formatted("a value that {}", problem));
    }
    [[noreturn]] void refuseOverflow(py::handle value) const {
        refuse(formatted("{}, which it cannot hold", describeValue(value)));
    }
};

template <typename T>
ArgumentValue integerOf(py::handle value, const ArgumentTarget& target) {
    if constexpr (std::is_signed<T>::value) {
        int overflow = 0;
        const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
        if (!overflow && number >= std::numeric_limits<T>::min() &&
            number <= std::numeric_limits<T>::max())
            return ArgumentValue(static_cast<T>(number));
    } else {
        const unsigned long long number = PyLong_AsUnsignedLongLong(value.ptr());
        const bool fits = !PyErr_Occurred();
        PyErr_Clear();
        if (fits && number <= std::numeric_limits<T>::max())
            return ArgumentValue(static_cast<T>(number));
    }
    target.refuseOverflow(value);
}

/// Rounds a number to the nearest one of the type. Finite ones do not become infinite.
ArgumentValue floatOf(double number, py::handle value, const ArgumentTarget& target) {
    const auto rounded = [&](auto made) {
        if (std::isfinite(number) && !std::isfinite(static_cast<float>(made)))
            target.refuseOverflow(value);
        return ArgumentValue(made);
    };
    switch (target.type()) {
    case ScalarType::eFloat32:
        return rounded(static_cast<float>(number));
    case ScalarType::eFloat16:
        return rounded(Half(number));
    default:
        return ArgumentValue(number);
    }
}

/// Returns true if a floating-point number, which is finite, is this integer.
bool holdsExactly(const ArgumentValue& held, py::handle integer) {
    double number = 0;
    if (held.type() == ScalarType::eFloat64) {
        std::memcpy(&number, held.data(), sizeof number);
    } else if (held.type() == ScalarType::eFloat32) {
        float single = 0;
        std::memcpy(&single, held.data(), sizeof single);
        number = single;
    } else {
        Half half;
        std::memcpy(&half, held.data(), sizeof half);
        number = static_cast<float>(half);
    }
    const auto back = py::reinterpret_steal<py::object>(PyLong_FromDouble(number));
    return back && back.equal(integer);
}

/// A Python int: whole numbers of the kind that is expected, or a floating-point number.
ArgumentValue intOf(py::handle value, const ArgumentTarget& target) {
    switch (target.type()) {
    case ScalarType::eInt8:
        return integerOf<int8_t>(value, target);
    case ScalarType::eUint8:
        return integerOf<uint8_t>(value, target);
    case ScalarType::eInt16:
        return integerOf<int16_t>(value, target);
    case ScalarType::eUint16:
        return integerOf<uint16_t>(value, target);
    case ScalarType::eUint32:
        return integerOf<uint32_t>(value, target);
    case ScalarType::eUint64:
        return integerOf<uint64_t>(value, target);
    case ScalarType::eInt64:
        return integerOf<int64_t>(value, target);
    case ScalarType::eFloat16:
    case ScalarType::eFloat32:
    case ScalarType::eFloat64: {
        const double number = PyLong_AsDouble(value.ptr());
        if (PyErr_Occurred()) {
            PyErr_Clear();
            target.refuseOverflow(value);
        }
        const ArgumentValue held = floatOf(number, value, target);
        if (!holdsExactly(held, value))
            target.refuseOverflow(value);
        return held;
    }
    default:
        return integerOf<int32_t>(value, target);
    }
}

bool isFraction(ScalarType type) {
    return type == ScalarType::eFloat16 || type == ScalarType::eFloat32 ||
           type == ScalarType::eFloat64;
}

/// Returns a NumPy number as Python's, which takes on the size of the argument; None if
/// it is of another kind.
py::object plainNumber(py::handle value, const ArgumentTarget& target) {
    if (target.type() == ScalarType::eUnknown || target.type() == ScalarType::eBool ||
        target.expected->components != 1 || !py::hasattr(value, "item") ||
        !py::cast<py::tuple>(value.attr("shape")).empty())
        return py::none();
    py::object number = value.attr("item")();
    const bool fits = isFraction(target.type())
                          ? PyFloat_CheckExact(number.ptr())
                          : PyLong_Check(number.ptr()) && !PyBool_Check(number.ptr());
    return fits ? number : py::none();
}

ArgumentValue sequenceOf(py::handle value, const ArgumentTarget& target);

bool isNumberArgument(const KernelArgument* expected) {
    return expected && expected->kind != ArgumentKind::eBuffer &&
           expected->kind != ArgumentKind::eImage && expected->type != ScalarType::eStruct &&
           expected->type != ScalarType::eUnknown;
}

/// NumPy's arrays: their type is exact. Booleans and integers of one byte take on the type of the
/// argument.
ArgumentValue arrayOf(py::handle value, const ArgumentTarget& target) {
    if (target.expected && target.expected->kind == ArgumentKind::eBuffer && isArray(value))
        target.refuse("a kp.Array; use array.tensor()");
    const py::array array = toArray(value, py::none(), target.name.c_str());
    target.requireShape(array);
    if (array.itemsize() == 1 && isNumberArgument(target.expected)) {
        const char* const plain = target.type() == ScalarType::eBool ? "?" : "i8";
        const py::object numbers = array.attr("ravel")().attr("astype")(plain).attr("tolist")();
        return sequenceOf(numbers, target);
    }
    const auto bytes = static_cast<size_t>(array.nbytes());
    const ScalarType type = scalarTypeOf(array.dtype());
    if (type == ScalarType::eUnknown)
        return ArgumentValue::bytes(array.data(), bytes);
    if (type != ScalarType::eBool)
        return ArgumentValue::numbers(type, static_cast<uint32_t>(array.size()), array.data(),
                                      bytes);
    const auto* const truths = static_cast<const bool*>(array.data());
    if (array.size() == 1)
        return ArgumentValue(truths[0]);
    const std::vector<uint32_t> words(truths, truths + array.size()); // as shaders have them
    return ArgumentValue::bytes(words.data(), words.size() * sizeof(uint32_t));
}

/// Numbers in lists and tuples, however nested, one after the other.
void addNumbers(std::vector<ArgumentValue>& numbers, py::handle value,
                const ArgumentTarget& target) {
    if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
        for (const py::object item : py::reinterpret_borrow<py::sequence>(value))
            addNumbers(numbers, item, target);
        return;
    }
    numbers.push_back(toArgument(value, target.expected, target.launcher, target.name));
    if (numbers.back().kind() != ArgumentValue::Kind::eNumbers)
        target.refuse(formatted("a sequence with {} in it", describeValue(value)));
}

ArgumentValue sequenceOf(py::handle value, const ArgumentTarget& target) {
    std::vector<ArgumentValue> numbers;
    addNumbers(numbers, value, target);
    if (numbers.empty())
        target.refuse("an empty sequence");
    std::vector<unsigned char> bytes;
    uint32_t components = 0;
    for (const ArgumentValue& number : numbers) {
        if (number.type() != numbers[0].type())
            target.refuse("numbers of several types");
        bytes.insert(bytes.end(), number.data(), number.data() + number.size());
        components += number.components();
    }
    if (numbers[0].type() == ScalarType::eBool)
        return ArgumentValue::bytes(bytes.data(), bytes.size());
    return ArgumentValue::numbers(numbers[0].type(), components, bytes.data(), bytes.size());
}

bool isPair(py::handle entry) {
    return PyTuple_Check(entry.ptr()) && PyTuple_GET_SIZE(entry.ptr()) == 2;
}

/// Returns true for an index or a name of an argument.
bool isArgumentKey(py::handle key) {
    return PyUnicode_Check(key.ptr()) ||
           (PyIndex_Check(key.ptr()) && !PyBool_Check(key.ptr()) && !py::hasattr(key, "shape"));
}

} // namespace

ArgumentValue toArgument(py::handle value, const KernelArgument* expected,
                         const std::string& launcher, const std::string& name) {
    const ArgumentTarget target{expected, launcher, name};
    PyObject* const object = value.ptr();
    if (PyFloat_CheckExact(object))
        return floatOf(PyFloat_AS_DOUBLE(object), value, target);
    if (PyBool_Check(object) &&
        (!isNumberArgument(expected) || expected->type == ScalarType::eBool))
        return ArgumentValue(object == Py_True);
    if (PyLong_Check(object))
        return intOf(value, target);
    if (value.is_none())
        return ArgumentValue();
    if (PyObject_TypeCheck(object, gType<MemoryHandle>)) {
        const auto& memory = handleOf<MemoryHandle>(value);
        if (memory.empty)
            target.refuse("a tensor without elements");
        if (expected)
            requireSameStruct(memory.dtype, *expected, launcher, name);
        return ArgumentValue(memory.memory);
    }
    if (PyList_Check(object) || PyTuple_Check(object)) {
        target.requireShape(value);
        return sequenceOf(value, target);
    }
    if (PyBytes_Check(object))
        return ArgumentValue::bytes(PyBytes_AS_STRING(object),
                                    static_cast<size_t>(PyBytes_GET_SIZE(object)));
    if (py::hasattr(value, "dtype")) {
        if (const py::object number = plainNumber(value, target); !number.is_none())
            return toArgument(number, expected, launcher, name);
        return arrayOf(value, target);
    }
    target.refuse(describeValue(value));
}

void requireSameStruct(const py::dtype& dtype, const KernelArgument& expected,
                       const std::string& launcher, const std::string& name) {
    if (expected.members.empty())
        return;
    if (const std::string mismatch = structMismatch(expected.members, dtype); !mismatch.empty())
        ArgumentTarget{&expected, launcher, name}.refuse(
            formatted("structs that differ: {}", mismatch));
}

KernelSignature reinterpretingSignature(shader::Reflection reflection) {
    for (shader::Binding& binding : reflection.bindings)
        binding.members.clear();
    return KernelSignature(reflection);
}

std::shared_ptr<Queue> toQueue(py::handle queue, const char* argument) {
    if (queue.is_none())
        return nullptr;
    return handleOf<QueueHandle>(queue, argument).queue;
}

std::optional<WorkSize> toWorkSize(py::handle size, const char* argument) {
    if (size.is_none())
        return std::nullopt;
    const auto [x, y, z] = toThree(size, argument, 1, 1);
    return WorkSize(x, y, z);
}

CopyEnd toCopyEnd(py::handle object, const char* argument, bool written) {
    if (isA<MemoryHandle>(object)) {
        const auto& handle = handleOf<MemoryHandle>(object, argument);
        requireElements(handle, argument);
        return CopyEnd(handle.memory);
    }
    const auto view = py::reinterpret_steal<py::object>(PyMemoryView_FromObject(object.ptr()));
    if (!view) {
        PyErr_Clear();
        throwTypeError(argument, "a tensor, an image or an array", object);
    }
    const Py_buffer& buffer = *PyMemoryView_GET_BUFFER(view.ptr());
    if (!PyBuffer_IsContiguous(&buffer, 'C'))
        throw py::value_error(formatted("{} is not contiguous", argument));
    if (written && buffer.readonly)
        throw py::value_error(formatted("{} is read-only", argument));
    return CopyEnd(buffer.buf, static_cast<uint64_t>(buffer.len), hold(view));
}

shader::ScalarType toScalarType(py::handle type) {
    if (type.is_none() || PyUnicode_Check(type.ptr()))
        return ScalarType::eUnknown;
    if (PyType_Check(type.ptr()) &&
        PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type.ptr()), gType<MemoryHandle>))
        return ScalarType::eUnknown;
    return scalarTypeOf(toDtype(py::reinterpret_borrow<py::object>(type)));
}

py::object collectArguments(py::handle given, const char* name) {
    if (given.is_none() || PyDict_Check(given.ptr()) || PyList_Check(given.ptr()) ||
        PyTuple_Check(given.ptr()))
        return py::reinterpret_borrow<py::object>(given);
    constexpr size_t kMost = 4096;
    constexpr const char* kExpected = "a list, a tuple or a dict of arguments";
    // An array would be taken for as many arguments as it has elements.
    const bool isOneArgument = isA<MemoryHandle>(given) || PyUnicode_Check(given.ptr()) ||
                               PyObject_CheckBuffer(given.ptr()) || py::hasattr(given, "dtype") ||
                               py::hasattr(given, "__array__");
    const auto iterator = isOneArgument
                              ? py::object()
                              : py::reinterpret_steal<py::object>(PyObject_GetIter(given.ptr()));
    if (!iterator) {
        PyErr_Clear();
        throwTypeError(name, kExpected, given);
    }
    py::list collected;
    while (const auto each = py::reinterpret_steal<py::object>(PyIter_Next(iterator.ptr()))) {
        if (collected.size() == kMost)
            throw py::type_error(
                formatted("{} is {}; there are more than {} here", name, kExpected, kMost));
        collected.append(each);
    }
    if (PyErr_Occurred())
        throw py::error_already_set();
    return collected;
}

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
    const std::optional<uint64_t> value = toUnsigned(index);
    if (!value || *value > UINT32_MAX)
        throw InvalidArgument(formatted("launcher '{}': an argument has an index from 0 on, not {}",
                                        launcher, reprOf(index)));
    return static_cast<uint32_t>(*value);
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
                                     ? ParameterTarget(toText(place, "the place of a parameter"))
                                     : ParameterTarget(toArgumentIndex(place, launcher));
        target.type = toScalarType(type);
        result.emplace(toText(key, "the name of an argument"), target);
    }
    return result;
}

} // namespace kp::python
