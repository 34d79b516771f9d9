// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

constexpr Named<ReduceOperation> kReduceOperations[] = {
    {"sum", ReduceOperation::eSum},
    {"product", ReduceOperation::eProduct},
    {"min", ReduceOperation::eMinimum},
    {"max", ReduceOperation::eMaximum},
    {"and", ReduceOperation::eAnd},
    {"or", ReduceOperation::eOr},
    {"xor", ReduceOperation::eXor},
    {"mean", ReduceOperation::eMean},
    {"argmin", ReduceOperation::eArgMinimum},
    {"argmax", ReduceOperation::eArgMaximum},
    {"any", ReduceOperation::eAny},
    {"all", ReduceOperation::eAll},
    {"count_nonzero", ReduceOperation::eCountNonZero}};

uint64_t toElements(py::handle number, const char* argument, const char* what) {
    const std::optional<uint64_t> value = toWholeNumber(number);
    if (value)
        return *value;
    const std::string message =
        formatted("{} is a tensor, or (tensor, first) or (tensor, first, count), in which {} is a "
                  "whole number from 0 on, not {}",
                  argument, what, reprOf(number));
    if (PyIndex_Check(number.ptr()))
        throw py::value_error(message);
    throw py::type_error(message);
}

} // namespace

RangeArgument toRange(py::handle object, const char* argument) {
    RangeArgument range;
    if (!PyTuple_Check(object.ptr())) {
        auto& given = handleOf<TensorHandle>(object, argument);
        range.handle = &given;
        range.range = TensorRange(given.tensor(), 0, given.size());
        range.shape.assign(given.shape.begin(), given.shape.end());
        return range;
    }
    const auto tuple = py::reinterpret_borrow<py::tuple>(object);
    if (tuple.size() != 2 && tuple.size() != 3)
        throwTypeError(argument, "a tensor, or (tensor, first) or (tensor, first, count)", object);
    range.handle = &handleOf<TensorHandle>(tuple[0], argument);
    const uint64_t first = toElements(tuple[1], argument, "first");
    const uint64_t size = range.handle->size();
    if (first > size)
        throw py::value_error(
            formatted("{} begins at element {} of a tensor that has {}", argument, first, size));
    const uint64_t count =
        tuple.size() == 3 ? toElements(tuple[2], argument, "count") : size - first;
    range.range = TensorRange(range.handle->tensor(), first, count);
    range.shape = {count};
    return range;
}

RangeArgument toOptionalRange(py::handle object, const char* argument) {
    return object.is_none() ? RangeArgument() : toRange(object, argument);
}

ReduceOperation toReduceOperation(const std::string& name, const char* argument) {
    return valueNamed(kReduceOperations, name, argument);
}

Operator toOperator(py::handle object, const char* argument) {
    if (PyUnicode_Check(object.ptr()))
        return toReduceOperation(toText(object, argument), argument);
    const bool isPair = PyTuple_Check(object.ptr()) && PyTuple_GET_SIZE(object.ptr()) == 2 &&
                        PyUnicode_Check(PyTuple_GET_ITEM(object.ptr(), 0)) &&
                        PyUnicode_Check(PyTuple_GET_ITEM(object.ptr(), 1));
    if (!isPair)
        throwTypeError(argument, "a name or a pair of GLSL texts (expression, identity)", object);
    const auto pair = py::reinterpret_borrow<py::tuple>(object);
    return Operator(toText(pair[0], argument), toText(pair[1], argument));
}

std::vector<uint64_t> shapeAlong(const RangeArgument& range, int64_t axis) {
    const auto dimensions = static_cast<int64_t>(range.shape.size());
    if (axis < -dimensions || axis >= dimensions)
        throw py::value_error(formatted("axis {} does not exist in an array of {} dimension{}",
                                        axis, dimensions, dimensions == 1 ? "" : "s"));
    const auto chosen = static_cast<size_t>(axis < 0 ? axis + dimensions : axis);
    std::vector<uint64_t> extents = {1, range.shape[chosen], 1};
    for (size_t i = 0; i < range.shape.size(); ++i)
        if (i != chosen)
            extents[i < chosen ? 0 : 2] *= range.shape[i];
    return extents;
}

} // namespace kp::python
