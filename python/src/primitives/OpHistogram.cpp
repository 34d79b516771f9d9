// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

constexpr const char* kBins = "None for integers, (low, high), or a tensor of edges";

/// Returns bins: of integers for None, even ones for a pair of numbers, or bins between edges.
/// @param edges  set to the tensor of edges
Bins toBins(const py::object& bins, RangeArgument& edges) {
    if (bins.is_none())
        return Bins::integers();
    const bool tuple = PyTuple_Check(bins.ptr());
    const auto first = tuple && PyTuple_GET_SIZE(bins.ptr()) > 0
                           ? py::handle(PyTuple_GET_ITEM(bins.ptr(), 0))
                           : py::handle(bins);
    if (isA<TensorHandle>(first)) {
        edges = toRange(bins, "bins");
        return Bins::between(edges.range);
    }
    const auto limit = [&](Py_ssize_t at) {
        const double value = PyFloat_AsDouble(PyTuple_GET_ITEM(bins.ptr(), at));
        if (PyErr_Occurred()) {
            PyErr_Clear();
            throwTypeError("bins", kBins, bins);
        }
        return value;
    };
    if (!tuple || PyTuple_GET_SIZE(bins.ptr()) != 2)
        throwTypeError("bins", kBins, bins);
    const double low = limit(0);
    return Bins::even(low, limit(1));
}

std::unique_ptr<HandleOf<OpHistogram>>
makeHistogram(const py::object& input, const py::object& output, const py::object& bins,
              const py::object& weights, bool deterministic) {
    std::vector<RangeArgument> tensors = {toRange(input, "input"), toRange(output, "output"),
                                          toOptionalRange(weights, "weights"), RangeArgument()};
    const Bins wanted = toBins(bins, tensors[3]);
    HistogramOptions options;
    options.weights = tensors[2].range;
    options.determinism = toDeterminism(deterministic);
    return makePrimitive<OpHistogram>(tensors, tensors[0].range, tensors[1].range, wanted, options);
}

} // namespace

void bindHistogram(py::module_& module) {
    declareOperation<HandleOf<OpHistogram>>(module, "OpHistogram", doc(R"(
        Counts the elements in each bin, or adds up their weights.

        It reads and writes device memory; afterwards the host view of the output shows the result.
    )"))
        .def(py::init(&makeHistogram), "input"_a, "output"_a, "bins"_a = py::none(), py::kw_only(),
             "weights"_a = py::none(), "deterministic"_a = true, doc(R"(
                 There are as many bins as the output has elements: integers of 32 or 64 bits, or for
                 sums of `weights` (one per element, float32 or float64) of their type. `bins` is a
                 pair (low, high) for bins of equal width, a tensor of one edge more than bins in
                 ascending order, or None: bin i counts the integers i. The last bin includes its
                 upper edge. Elements outside of all bins and NaNs are skipped. With
                 `deterministic`, sums have equal bits in each run.)"));
}

} // namespace kp::python
