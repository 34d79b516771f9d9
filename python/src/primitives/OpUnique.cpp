// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

std::unique_ptr<HandleOf<OpUnique>> makeUnique(const py::object& input, const py::object& output,
                                               const py::object& count, const py::object& counts,
                                               const py::object& inverse,
                                               const py::object& dispatch,
                                               const py::object& groupSize) {
    std::vector<RangeArgument> tensors = {
        toRange(input, "input"), toRange(output, "output"), toOptionalRange(count, "count"),
        toOptionalRange(counts, "counts"), toOptionalRange(inverse, "inverse")};
    UniqueOptions options;
    options.counts = tensors[3].range;
    options.inverse = tensors[4].range;
    setDispatch(tensors, options, dispatch, groupSize);
    return makePrimitive<OpUnique>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                                   options);
}

std::unique_ptr<HandleOf<OpRunLength>>
makeRunLength(const py::object& input, const py::object& values, const py::object& lengths,
              const py::object& count, const py::object& dispatch, const py::object& groupSize) {
    std::vector<RangeArgument> tensors = {toRange(input, "input"), toRange(values, "values"),
                                          toRange(lengths, "lengths"),
                                          toOptionalRange(count, "count")};
    SelectOptions options;
    setDispatch(tensors, options, dispatch, groupSize);
    return makePrimitive<OpRunLength>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                                      tensors[3].range, options);
}

} // namespace

void bindUnique(py::module_& module) {
    declareOperation<HandleOf<OpUnique>>(module, "OpUnique", doc(R"(
        Copies the first of each run of equal elements, in their order. Sorted input gives each value
        once.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"))
        .def(py::init(&makeUnique), "input"_a, "output"_a, "count"_a = py::none(), py::kw_only(),
             "counts"_a = py::none(), "inverse"_a = py::none(), "dispatch"_a = py::none(),
             "group_size"_a = 256, doc(R"(
                 NaN differs from NaN, and -0 equals 0. `count` is the number of results, `counts`
                 how many elements each of them stands for, `inverse` the index of its result for
                 each element: integers of 32 or 64 bits. `output` and `counts` may have any size:
                 what does not fit is dropped, but counted. For `dispatch` and `group_size`, and for
                 parts of tensors, see OpSelect.)"));
    declareOperation<HandleOf<OpRunLength>>(module, "OpRunLength", doc(R"(
        Encodes runs of equal elements as their values and lengths.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"))
        .def(py::init(&makeRunLength), "input"_a, "values"_a, "lengths"_a, "count"_a = py::none(),
             py::kw_only(), "dispatch"_a = py::none(), "group_size"_a = 256, doc(R"(
                 `lengths` and `count`, the number of runs, are integers of 32 or 64 bits. For the
                 rest, see OpUnique.)"));
}

} // namespace kp::python
