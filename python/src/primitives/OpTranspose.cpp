// SPDX-License-Identifier: Apache-2.0
#include <climits>

#include "core/Classes.hpp"
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

std::vector<int> toAxes(py::handle axes, const char* argument) {
    std::vector<int> numbers;
    if (axes.is_none())
        return numbers;
    const std::vector<py::object> given = toNumbers(axes, argument);
    if (given.empty())
        throw py::value_error(formatted("{} is empty; leave it out for all axes", argument));
    for (const py::object& axis : given) {
        const py::ssize_t number = toIndex(axis);
        if (number < INT_MIN || number > INT_MAX)
            throw py::value_error(formatted("{} has {}, which is not an axis", argument, number));
        numbers.push_back(static_cast<int>(number));
    }
    return numbers;
}

std::unique_ptr<HandleOf<OpTranspose>>
makeTranspose(const py::object& input, const py::object& output, const py::object& axes) {
    const std::vector<RangeArgument> tensors = {toRange(input, "input"), toRange(output, "output")};
    return makePrimitive<OpTranspose>(tensors, tensors[0].range, tensors[1].range, tensors[0].shape,
                                      toAxes(axes, "axes"));
}

std::unique_ptr<HandleOf<OpReverse>> makeReverse(const py::object& input, const py::object& output,
                                                 const py::object& axis) {
    const std::vector<RangeArgument> tensors = {toRange(input, "input"), toRange(output, "output")};
    // All axes together are one.
    const std::vector<uint64_t> shape = axis.is_none() ? std::vector<uint64_t>() : tensors[0].shape;
    return makePrimitive<OpReverse>(tensors, tensors[0].range, tensors[1].range, shape,
                                    toAxes(axis, "axis"));
}

std::unique_ptr<HandleOf<OpConcatenate>>
makeConcatenate(const py::object& inputs, const py::object& output, std::optional<int64_t> axis) {
    std::vector<RangeArgument> tensors;
    std::vector<TensorRange> in;
    for (const py::handle input : toList(inputs, "inputs", false)) {
        tensors.push_back(toRange(input, formatted("inputs[{}]", tensors.size()).c_str()));
        in.push_back(tensors.back().range);
    }
    tensors.push_back(toRange(output, "output"));
    const std::vector<uint64_t> shape =
        axis ? shapeAlong(tensors.back(), *axis) : std::vector<uint64_t>();
    const TensorRange out = tensors.back().range;
    return makePrimitive<OpConcatenate>(tensors, in, out, shape, axis ? 1 : 0);
}

} // namespace

void bindTranspose(py::module_& module) {
    declareOperation<HandleOf<OpTranspose>>(module, "OpTranspose", doc(R"(
        Permutes the axes of an array: axis i of the output is axis axes[i] of the input.

        It reads and writes device memory; afterwards the host view of the output shows the result.
    )"))
        .def(py::init(&makeTranspose), "input"_a, "output"_a, "axes"_a = py::none(), doc(R"(
            The input has up to 4 axes. Without `axes`, they are in reverse order. The output has as
            many elements.)"));
    declareOperation<HandleOf<OpReverse>>(module, "OpReverse", doc(R"(
        Reverses the order of elements along some axes, or along all.

        It reads and writes device memory; afterwards the host view of the output shows the result.
    )"))
        .def(py::init(&makeReverse), "input"_a, "output"_a, "axis"_a = py::none(), doc(R"(
            `axis` is an axis of the input, or several; the input then has up to 4.)"));
    declareOperation<HandleOf<OpConcatenate>>(module, "OpConcatenate", doc(R"(
        Joins arrays along an axis.

        It reads and writes device memory; afterwards the host view of the output shows the result.
    )"))
        .def(py::init(&makeConcatenate), "inputs"_a, "output"_a, py::kw_only(),
             "axis"_a = py::none(), doc(R"(
                 `inputs` is a list of tensors, or of parts of them: (tensor, first) or
                 (tensor, first, count). `axis` is an axis of the output's shape, whose other
                 extents equal the inputs'. Without it, the elements of the inputs follow each
                 other.)"));
}

} // namespace kp::python
