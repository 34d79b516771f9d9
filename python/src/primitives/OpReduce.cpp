// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

std::unique_ptr<HandleOf<OpReduce>> makeReduce(const py::object& input, const py::object& output,
                                               const py::object& op, std::optional<int64_t> axis,
                                               const py::object& segments) {
    const std::vector<RangeArgument> tensors = {toRange(input, "input"), toRange(output, "output"),
                                                toOptionalRange(segments, "segments")};
    ReduceOptions options;
    options.segments = tensors[2].range;
    if (axis) {
        options.shape = shapeAlong(tensors[0], *axis);
        options.axis = 1;
    }
    return makePrimitive<OpReduce>(tensors, tensors[0].range, tensors[1].range,
                                   toOperator(op, "op"), options);
}

} // namespace

void bindReduce(py::module_& module) {
    declareOperation<HandleOf<OpReduce>>(module, "OpReduce", doc(R"(
        Reduces elements to one, or to one per row, column or segment.

        It reads and writes device memory; afterwards the host view of the output shows the result.
    )"))
        .def(py::init(&makeReduce), "input"_a, "output"_a, "op"_a = "sum", py::kw_only(),
             "axis"_a = py::none(), "segments"_a = py::none(), doc(R"(
                 `op` is "sum", "product", "min", "max", "and", "or", "xor", "mean", "argmin",
                 "argmax", "any", "all" or "count_nonzero", or a pair of GLSL texts: an associative
                 and commutative expression over a and b, and its identity. `axis` is an axis of the
                 input's shape; without it, everything is reduced. `segments` is a tensor of n + 1
                 ascending offsets for n results. `input` and `output` may be parts of tensors:
                 (tensor, first) or (tensor, first, count). Computed in the output's type, in at
                 least 32 bits; see OpReduce.hpp for the types that go together.)"));
}

} // namespace kp::python
