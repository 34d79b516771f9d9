// SPDX-License-Identifier: Apache-2.0
#include "base/Arrays.hpp"

#include "base/Values.hpp"

namespace kp::python {

namespace {

using Types = Memory::DataTypes;
using shader::ScalarType;

/// A type of numbers in NumPy, in memory and in shaders.
struct NumberType {
    char kind;
    py::ssize_t size;
    Types type;
    ScalarType scalar;
};

constexpr NumberType kNumbers[] = {{'b', 1, Types::eBool, ScalarType::eBool},
                                   {'i', 1, Types::eChar, ScalarType::eInt8},
                                   {'i', 2, Types::eShort, ScalarType::eInt16},
                                   {'i', 4, Types::eInt, ScalarType::eInt32},
                                   {'i', 8, Types::eLong, ScalarType::eInt64},
                                   {'u', 1, Types::eUnsignedChar, ScalarType::eUint8},
                                   {'u', 2, Types::eUnsignedShort, ScalarType::eUint16},
                                   {'u', 4, Types::eUnsignedInt, ScalarType::eUint32},
                                   {'u', 8, Types::eUnsignedLong, ScalarType::eUint64},
                                   {'f', 2, Types::eHalf, ScalarType::eFloat16},
                                   {'f', 4, Types::eFloat, ScalarType::eFloat32},
                                   {'f', 8, Types::eDouble, ScalarType::eFloat64}};

const NumberType* findNumber(const py::dtype& dtype) {
    const char kind = dtype.kind();
    const py::ssize_t size = dtype.itemsize();
    for (const NumberType& each : kNumbers)
        if (each.kind == kind && each.size == size)
            return &each;
    return nullptr;
}

py::object plainArray(py::handle data, const char* argument) {
    static const py::handle numpy = py::module_::import("numpy").release();
    try {
        if (!py::isinstance<py::array>(data) && py::hasattr(data, "__dlpack__"))
            return numpy.attr("from_dlpack")(data);
    } catch (py::error_already_set&) {
        // A dtype that NumPy cannot take this way may still have a buffer or __array__.
        PyErr_Clear();
    }
    try {
        return numpy.attr("asarray")(data);
    } catch (py::error_already_set& error) {
        const std::string reason = py::str(error.value());
        py::raise_from(
            error, PyExc_TypeError,
            formatted("{} cannot be converted to an array: {}", argument, reason).c_str());
        throw py::error_already_set();
    }
}

/// Returns the first number for which @p bad is true; none if there is no such.
py::object firstOf(const py::object& array, const py::object& bad) {
    if (!py::cast<bool>(bad.attr("any")()))
        return py::none();
    return array.attr("ravel")()[bad.attr("ravel")().attr("argmax")()];
}

/// Refuses numbers that integers of another type cannot hold.
void requireHeld(const py::object& array, const py::dtype& wanted, const char* argument) {
    static const py::handle numpy = py::module_::import("numpy").release();
    const py::dtype given = array.attr("dtype");
    const bool integers = wanted.kind() == 'i' || wanted.kind() == 'u';
    const bool fractions = given.kind() == 'f';
    if (!integers || (!fractions && given.kind() != 'i' && given.kind() != 'u') ||
        py::cast<bool>(numpy.attr("can_cast")(given, wanted, "safe")) ||
        py::cast<py::ssize_t>(array.attr("size")) == 0)
        return;
    if (fractions) {
        // Also true for NaN, which differs from itself.
        const py::object bad = numpy.attr("not_equal")(array, numpy.attr("trunc")(array));
        if (const py::object number = firstOf(array, bad); !number.is_none())
            throw py::type_error(formatted("{} has dtype '{}' and the number {}, which '{}' cannot "
                                           "hold; round it, or convert the numbers with astype()",
                                           argument, nameOf(given), std::string(py::str(number)),
                                           nameOf(wanted)));
    }
    const py::object limits = numpy.attr("iinfo")(wanted);
    for (const char* const end : {"min", "max"}) {
        const py::object number = array.attr(end)();
        const py::object value = number.attr("item")();
        if (value < limits.attr("min") || value > limits.attr("max")) {
            PyErr_Format(PyExc_OverflowError,
                         "%s has the number %S, which '%S' cannot hold; choose a wider dtype, or "
                         "convert the numbers with astype()",
                         argument, number.ptr(), wanted.ptr());
            throw py::error_already_set();
        }
    }
}

/// Refuses integers that float32 would round silently.
void requireExact(const py::object& given) {
    static const py::handle numpy = py::module_::import("numpy").release();
    constexpr int64_t kExact = 1 << 24; // and all integers below
    const char kind = py::cast<py::dtype>(given.attr("dtype")).kind();
    if ((kind != 'i' && kind != 'u') || py::cast<py::ssize_t>(given.attr("size")) == 0 ||
        (given.attr("max")() <= py::int_(kExact) && given.attr("min")() >= py::int_(-kExact)))
        return;
    // Exact are the products of an integer up to that and a power of two.
    const py::object size = numpy.attr("abs")(given).attr("astype")("u8");
    const py::object power = size & numpy.attr("negative")(size);
    const py::object bad = numpy.attr("greater")(
        numpy.attr("floor_divide")(size, numpy.attr("maximum")(power, 1)), kExact);
    if (const py::object number = firstOf(given, bad); !number.is_none()) {
        PyErr_Format(PyExc_OverflowError,
                     "data has the number %S, which float32, the elements of tensor(), cannot "
                     "hold; call tensor_t(), or give a dtype, or cast=True for the nearest numbers",
                     number.ptr());
        throw py::error_already_set();
    }
}

} // namespace

Memory::DataTypes dataTypeOf(const py::dtype& dtype, const char* argument) {
    const char kind = dtype.kind();
    const py::ssize_t size = dtype.itemsize();
    if (size == 0 || kind == 'O' || kind == 'U' || kind == 'S')
        throw py::type_error(formatted(
            "{} has dtype '{}', which no device can hold; use numbers, bool or a struct of them",
            argument, nameOf(dtype)));
    if (const NumberType* const number = findNumber(dtype))
        return number->type;
    if (size == 2 && py::cast<std::string>(dtype.attr("name")) == "bfloat16")
        return Types::eBFloat16;
    if (py::cast<bool>(dtype.attr("hasobject")))
        throw py::type_error(formatted(
            "{} has a dtype with Python objects in it, which no device can hold", argument));
    return Types::eCustom;
}

ScalarType scalarTypeOf(const py::dtype& dtype) {
    const NumberType* const number = findNumber(dtype);
    return number ? number->scalar : ScalarType::eUnknown;
}

py::object dtypeOf(ScalarType type) {
    if (type == ScalarType::eBool)
        return py::dtype::of<uint32_t>();
    for (const NumberType& each : kNumbers)
        if (each.scalar == type)
            return py::dtype(std::string(1, each.kind) + std::to_string(each.size));
    return py::none();
}

py::array toArray(py::handle data, const py::object& dtype, const char* argument, bool cast) {
    static const py::handle numpy = py::module_::import("numpy").release();
    const py::object array = plainArray(data, argument);
    py::object wanted = dtype;
    if (wanted.is_none())
        wanted = array.attr("dtype").attr("newbyteorder")("=");
    const py::dtype given = array.attr("dtype");
    dataTypeOf(given, argument);
    if (given.kind() == 'c' && py::cast<py::dtype>(wanted).kind() != 'c')
        throw py::type_error(
            formatted("{} has complex numbers, which '{}' cannot hold", argument, nameOf(wanted)));
    if (!cast)
        requireHeld(array, wanted, argument);
    try {
        // Unlike ascontiguousarray(), this keeps arrays without dimensions.
        return numpy.attr("asarray")(array, wanted, "order"_a = "C");
    } catch (py::error_already_set& error) {
        py::raise_from(error, PyExc_TypeError,
                       formatted("{} of dtype '{}' cannot be converted to '{}'", argument,
                                 nameOf(given), nameOf(wanted))
                           .c_str());
        throw py::error_already_set();
    }
}

py::dtype toDtype(const py::object& dtype) {
    if (dtype.is_none())
        return py::dtype::of<float>();
    try {
        return py::dtype::from_args(dtype);
    } catch (py::error_already_set& error) {
        const std::string given = py::repr(dtype);
        py::raise_from(error, PyExc_TypeError,
                       formatted("dtype is {}, which NumPy does not know", given).c_str());
        throw py::error_already_set();
    }
}

std::string nameOf(const py::handle& dtype) {
    return py::str(dtype);
}

std::vector<py::ssize_t> toShape(py::handle shape) {
    std::vector<py::ssize_t> result;
    for (const py::object& extent : toNumbers(shape, "shape")) {
        result.push_back(toIndex(extent));
        if (result.back() < 0)
            throw py::value_error(formatted("shape has a negative extent: {}", result.back()));
    }
    return result;
}

py::ssize_t countOf(const std::vector<py::ssize_t>& shape) {
    py::ssize_t count = 1;
    for (const py::ssize_t extent : shape)
        if (__builtin_mul_overflow(count, extent, &count))
            throw py::value_error("shape has more elements than any array can");
    return count;
}

py::object makeView(void* data, const py::dtype& dtype, const std::vector<py::ssize_t>& shape,
                    py::handle base) {
    // Without strides NumPy takes C order, and works out the other flags itself.
    const py::detail::npy_api& numpy = py::detail::npy_api::get();
    auto view = py::reinterpret_steal<py::object>(numpy.PyArray_NewFromDescr_(
        numpy.PyArray_Type_, py::object(dtype).release().ptr(), static_cast<int>(shape.size()),
        reinterpret_cast<Py_intptr_t*>(const_cast<py::ssize_t*>(shape.data())), nullptr, data,
        py::detail::npy_api::NPY_ARRAY_WRITEABLE_ | py::detail::npy_api::NPY_ARRAY_ALIGNED_,
        nullptr));
    if (!view)
        throw py::error_already_set();
    if (base && numpy.PyArray_SetBaseObject_(view.ptr(), base.inc_ref().ptr()) != 0)
        throw py::error_already_set();
    return view;
}

Elements::Elements(py::handle shapeGiven, const py::object& dtypeGiven)
    : dtype(toDtype(dtypeGiven)), shape(toShape(shapeGiven)), type(dataTypeOf(dtype, "dtype")) {}

Contents::Contents(const py::object& data, const py::object& shapeGiven,
                   const py::object& dtypeGiven, bool keepsDtype, bool cast)
    : array(py::reinterpret_steal<py::array>(py::handle())) {
    if (data.is_none()) {
        if (shapeGiven.is_none())
            throw py::type_error("data or shape must be given");
        static_cast<Elements&>(*this) = Elements(shapeGiven, dtypeGiven);
        return;
    }
    const bool ofData = keepsDtype && dtypeGiven.is_none();
    const py::object given = plainArray(data, "data");
    if (!ofData && dtypeGiven.is_none() && !cast)
        requireExact(given);
    array = toArray(given, ofData ? py::object(py::none()) : toDtype(dtypeGiven), "data", cast);
    dtype = array.dtype();
    type = dataTypeOf(dtype, "data");
    shape.assign(array.shape(), array.shape() + array.ndim());
    if (shapeGiven.is_none())
        return;
    shape = toShape(shapeGiven);
    if (countOf(shape) != array.size())
        throw py::value_error(
            formatted("shape has {} elements, but data has {}", countOf(shape), array.size()));
}

} // namespace kp::python
