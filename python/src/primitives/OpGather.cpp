// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

/// Returns the shape of the array that indices count in: along axis 1, or flat without an axis.
std::vector<uint64_t> indexedShape(const RangeArgument& array, std::optional<int64_t> axis) {
    return axis ? shapeAlong(array, *axis) : std::vector<uint64_t>();
}

std::unique_ptr<HandleOf<OpGather>> makeGather(const py::object& input, const py::object& indices,
                                               const py::object& output,
                                               std::optional<int64_t> axis) {
    const std::vector<RangeArgument> tensors = {
        toRange(input, "input"), toRange(indices, "indices"), toRange(output, "output")};
    return makePrimitive<OpGather>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                                   indexedShape(tensors[0], axis), axis ? 1 : 0);
}

std::unique_ptr<HandleOf<OpScatter>> makeScatter(const py::object& input, const py::object& indices,
                                                 const py::object& output,
                                                 std::optional<int64_t> axis) {
    const std::vector<RangeArgument> tensors = {
        toRange(input, "input"), toRange(indices, "indices"), toRange(output, "output")};
    return makePrimitive<OpScatter>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                                    indexedShape(tensors[2], axis), axis ? 1 : 0);
}

} // namespace

void bindGather(py::module_& module) {
    declareOperation<HandleOf<OpGather>>(module, "OpGather", doc(R"(
        Copies the elements, or slices along an axis, with given indices:
        output[i] = input[indices[i]].

        It reads and writes device memory; afterwards the host view of the output shows the result.
    )"))
        .def(py::init(&makeGather), "input"_a, "indices"_a, "output"_a, py::kw_only(),
             "axis"_a = py::none(), doc(R"(
                 `indices` are integers of 32 or 64 bits. They count along an axis of the input's
                 shape, or its elements without an axis. Indices out of range, negative ones among
                 them, are skipped: these elements of the output keep their values. Each tensor may
                 be a part of one: (tensor, first) or (tensor, first, count).)"));
    declareOperation<HandleOf<OpScatter>>(module, "OpScatter", doc(R"(
        Copies elements, or slices along an axis, to given indices: output[indices[i]] = input[i].
        The other elements of the output keep their values.

        It reads and writes device memory; afterwards the host view of the output shows the result.
    )"))
        .def(py::init(&makeScatter), "input"_a, "indices"_a, "output"_a, py::kw_only(),
             "axis"_a = py::none(), doc(R"(
                 `indices` are integers of 32 or 64 bits. They count along an axis of the output's
                 shape, or its elements without an axis. Indices out of range, negative ones among
                 them, are skipped. Of equal indices, any may win; a slice, or an element of more
                 than 4 bytes, may then be a mixture. Each tensor may be a part of one:
                 (tensor, first) or (tensor, first, count).)"));
}

} // namespace kp::python
