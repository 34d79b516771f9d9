// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

std::unique_ptr<HandleOf<OpScan>> makeScan(const py::object& input, const py::object& output,
                                           const py::object& op, std::optional<int64_t> axis,
                                           bool exclusive, const py::object& segments,
                                           bool deterministic) {
    const std::vector<RangeArgument> tensors = {toRange(input, "input"), toRange(output, "output"),
                                                toOptionalRange(segments, "segments")};
    ScanOptions options;
    options.exclusive = exclusive;
    options.segments = tensors[2].range;
    options.determinism = toDeterminism(deterministic);
    if (axis) {
        options.shape = shapeAlong(tensors[0], *axis);
        options.axis = 1;
    }
    return makePrimitive<OpScan>(tensors, tensors[0].range, tensors[1].range, toOperator(op, "op"),
                                 options);
}

} // namespace

void bindScan(py::module_& module) {
    declareOperation<HandleOf<OpScan>>(module, "OpScan", doc(R"(
        Reduces the elements up to each one: prefix sums, running maxima, ...

        It reads and writes device memory; afterwards the host view of the output shows the result.
    )"))
        .def(py::init(&makeScan), "input"_a, "output"_a, "op"_a = "sum", py::kw_only(),
             "axis"_a = py::none(), "exclusive"_a = false, "segments"_a = py::none(),
             "deterministic"_a = true, doc(R"(
                 `op` is "sum", "product", "min", "max", "and", "or" or "xor", or a pair of GLSL
                 texts: an associative expression over a and b, and its identity. `axis` is an axis
                 of the input's shape; without it, the elements are one sequence. An exclusive scan
                 leaves out the element itself. `segments` is a tensor of offsets at which the scan
                 starts again. `input` and `output` may be parts of tensors, as for OpReduce, and
                 may be the same. With `deterministic`, floating-point results have equal bits in
                 each run.)"));
}

} // namespace kp::python
