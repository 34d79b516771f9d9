// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

std::unique_ptr<HandleOf<OpTopK>> makeTopK(const py::object& input, uint64_t k,
                                           const py::object& values, const py::object& indices,
                                           std::optional<int64_t> axis, bool smallest) {
    const std::vector<RangeArgument> tensors = {toRange(input, "input"),
                                                toOptionalRange(values, "values"),
                                                toOptionalRange(indices, "indices")};
    TopKOptions options;
    options.smallest = smallest;
    if (axis) {
        options.shape = shapeAlong(tensors[0], *axis);
        options.axis = 1;
    }
    return makePrimitive<OpTopK>(tensors, tensors[0].range, k, tensors[1].range, tensors[2].range,
                                 options);
}

} // namespace

void bindTopK(py::module_& module) {
    declareOperation<HandleOf<OpTopK>>(module, "OpTopK", doc(R"(
        Finds the k largest (or smallest) elements and their indices, in order.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"))
        .def(py::init(&makeTopK), "input"_a, "k"_a, "values"_a = py::none(),
             "indices"_a = py::none(), py::kw_only(), "axis"_a = py::none(), "smallest"_a = false,
             doc(R"(
                 Of equal elements, the one with the smallest index is first. NaN is larger than any
                 number. `axis` is an axis of the input's shape, along which k elements each are
                 found; without it, all elements are one row. `indices` are integers of 32 or 64
                 bits. One of the outputs may be left out.)"));
}

} // namespace kp::python
