// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

/// Returns an OpSelect or OpPartition: by flags, or by a predicate in GLSL.
template <typename Op>
std::unique_ptr<HandleOf<Op>> makeSelect(const py::object& input, const py::object& condition,
                                         const py::object& output, const py::object& count,
                                         const py::object& dispatch, const py::object& groupSize) {
    std::vector<RangeArgument> tensors = {toRange(input, "input"), toRange(output, "output"),
                                          toOptionalRange(count, "count")};
    SelectOptions options;
    setDispatch(tensors, options, dispatch, groupSize);
    if (PyUnicode_Check(condition.ptr()))
        return makePrimitive<Op>(tensors, tensors[0].range,
                                 Predicate(toText(condition, "condition")), tensors[1].range,
                                 tensors[2].range, options);
    if (!isA<TensorHandle>(condition) && !PyTuple_Check(condition.ptr()))
        throwTypeError("condition", "a GLSL expression over x, or a tensor of flags", condition);
    tensors.push_back(toRange(condition, "condition"));
    return makePrimitive<Op>(tensors, tensors[0].range, tensors.back().range, tensors[1].range,
                             tensors[2].range, options);
}

template <typename Op>
void bindSelection(py::module_& module, const char* name, const char* what, const char* arguments) {
    declareOperation<HandleOf<Op>>(module, name, what)
        .def(py::init(&makeSelect<Op>), "input"_a, "condition"_a, "output"_a,
             "count"_a = py::none(), py::kw_only(), "dispatch"_a = py::none(), "group_size"_a = 256,
             arguments);
}

} // namespace

void setDispatch(std::vector<RangeArgument>& tensors, SelectOptions& options,
                 const py::object& dispatch, const py::object& groupSize) {
    tensors.push_back(toOptionalRange(dispatch, "dispatch"));
    options.dispatch = tensors.back().range;
    const std::optional<uint64_t> size = toWholeNumber(groupSize);
    if (!size || *size == 0 || *size > UINT32_MAX)
        throw py::value_error(formatted("group_size is a number of elements from 1 to 4294967295, "
                                        "not {}",
                                        reprOf(groupSize)));
    options.groupSize = static_cast<uint32_t>(*size);
}

void bindSelect(py::module_& module) {
    bindSelection<OpSelect>(module, "OpSelect", doc(R"(
        Copies the elements that fulfil a condition to the start of the output, in their order.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"),
                            doc(R"(
        `condition` is a GLSL expression over an element x, as in "x > 0", or a tensor with a flag
        per element: those with a flag that is not 0 are chosen. `output` may have any size: elements
        that do not fit are dropped, but counted. `count` is one integer of 32 or 64 bits, the number
        of chosen elements. `dispatch` has three uint32, the work groups in x, y and z of a dispatch
        over the chosen elements, `group_size` of them each: give it to OpAlgoDispatch as
        group_counts. Each tensor may be a part of one: (tensor, first) or (tensor, first, count).)"));
    bindSelection<OpPartition>(module, "OpPartition", doc(R"(
        Copies the elements that fulfil a condition to the start of the output, and then the others,
        both in their order.

        It reads and writes device memory; afterwards the host views of the outputs show the result.
    )"),
                               doc(R"(
        `output` has as many elements as `input`. For the other arguments, see OpSelect.)"));
}

} // namespace kp::python
