// SPDX-License-Identifier: Apache-2.0
#include "arrays/ArrayFunctions.hpp"

#include <kompute/arrays/Decompositions.hpp>
#include <kompute/arrays/Elementwise.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/LinearAlgebra.hpp>
#include <kompute/arrays/Manipulation.hpp>
#include <kompute/arrays/Padding.hpp>
#include <kompute/arrays/Products.hpp>
#include <kompute/arrays/Promotion.hpp>
#include <kompute/arrays/Searching.hpp>
#include <kompute/arrays/Selecting.hpp>

#include "arrays/Arrays.hpp"
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

constexpr Named<ConvolutionMethod> kConvolutionMethods[] = {{"auto", ConvolutionMethod::eAutomatic},
                                                            {"direct", ConvolutionMethod::eDirect},
                                                            {"fft", ConvolutionMethod::eFourier}};

py::tuple tupleOfArrays(std::vector<Array> arrays) {
    py::tuple tuple(arrays.size());
    for (size_t i = 0; i < arrays.size(); ++i)
        tuple[i] = py::cast(std::move(arrays[i]));
    return tuple;
}

/// Returns what make() returns, results and the steps that failed, as a tuple.
template <typename Make>
py::tuple factored(const Make& make) {
    arrays::Factored found;
    {
        const ReleaseGil release;
        found = make();
    }
    return py::make_tuple(std::move(found.values), std::move(found.info));
}

} // namespace

void bindArrayFunctions(py::module_& module) {
    module.def(
        "_together", [](const py::sequence& arrays) { arrays::together(arraysFrom(arrays)); },
        "arrays"_a, "Let one kernel compute arrays of one shape once the first of them is needed.");
    module.def(
        "_where",
        [](const Array& condition, py::handle x, py::handle y) {
            const Operand first = operandFrom(x), second = operandFrom(y);
            const Operand operands[] = {first, second};
            const DType dtype = commonType(operands, 2);
            if (first.adapts())
                requireHeld(first, dtype, x);
            if (second.adapts())
                requireHeld(second, dtype, y);
            return where(condition, first, second);
        },
        "condition"_a, "x"_a, "y"_a);
    module.def(
        "_compress",
        [](const Array& mask, const Array& x) {
            const ReleaseGil release;
            return compress(mask, x);
        },
        "mask"_a, "x"_a);
    module.def(
        "_flatnonzero",
        [](const Array& x) {
            const ReleaseGil release;
            return flatnonzero(x);
        },
        "x"_a);
    module.def(
        "_nonzero",
        [](const Array& x) {
            std::vector<Array> found;
            {
                const ReleaseGil release;
                found = nonzero(x);
            }
            return tupleOfArrays(std::move(found));
        },
        "x"_a);
    module.def(
        "_joined",
        [](const py::sequence& arrays, int64_t axis) {
            const std::vector<Array> parts = arraysFrom(arrays);
            const ReleaseGil release;
            return concat(parts, axis);
        },
        "arrays"_a, "axis"_a);
    module.def(
        "_pad",
        [](const Array& x, const py::sequence& pairs, py::handle value) {
            std::vector<PadWidth> widths;
            for (const py::handle each : listFrom(pairs)) {
                const Shape pair = shapeFrom(each);
                widths.push_back({pair[0], pair[1]});
            }
            const Operand border = operandFrom(value);
            const ReleaseGil release;
            return pad(x, widths, border);
        },
        "x"_a, "widths"_a, "value"_a, "Widths are pairs of two numbers.");
    module.def(
        "_reshape",
        [](const Array& x, py::handle shape) {
            const Shape wanted = shapeFrom(shape);
            const ReleaseGil release;
            return x.reshape(wanted);
        },
        "x"_a, "shape"_a);
    module.def(
        "_have_one_memory",
        [](const Array& x, const Array& y) { return arrays::memoryOf(x) == arrays::memoryOf(y); },
        "x"_a, "y"_a);
    module.def(
        "_take_of_axis",
        [](const Array& x, const Array& indices, int64_t axis) {
            const ReleaseGil release;
            return take(x, indices, axis);
        },
        "x"_a, "indices"_a, "axis"_a);
    module.def(
        "_take_along_axis",
        [](const Array& x, const Array& indices, int64_t axis) {
            const ReleaseGil release;
            return takeAlongAxis(x, indices, axis);
        },
        "x"_a, "indices"_a, "axis"_a);
    for (const auto& [name, function] :
         {std::pair("_convolve", &convolve), std::pair("_correlate", &correlate)})
        module.def(
            name,
            [function = function](const Array& a, const Array& v, const std::string& mode,
                                  const std::string& method) {
                const ConvolutionPart part = toConvolutionPart(mode);
                const ConvolutionMethod by = valueNamed(kConvolutionMethods, method, "method");
                const ReleaseGil release;
                return function(a, v, part, by);
            },
            "a"_a, "v"_a, "mode"_a, "method"_a);
    module.def(
        "_matmul",
        [](const Array& a, const Array& b) {
            const ReleaseGil release;
            return matmul(a, b);
        },
        "a"_a, "b"_a);
    module.def(
        "_tensordot",
        [](const Array& a, const Array& b, py::handle axesOfA, py::handle axesOfB) {
            const Axes overA = axesFrom(axesOfA);
            const Axes overB = axesFrom(axesOfB);
            const ReleaseGil release;
            return tensordot(a, b, overA, overB);
        },
        "a"_a, "b"_a, "axes_of_a"_a, "axes_of_b"_a);
    module.def(
        "_cholesky",
        [](const Array& a, bool upper) {
            return factored([&] { return arrays::choleskyOf(a, upper); });
        },
        "a"_a, "upper"_a);
    module.def(
        "_solve",
        [](const Array& a, const Array& b) {
            return factored([&] { return arrays::solutionOf(a, b); });
        },
        "a"_a, "b"_a);
    module.def(
        "_inv", [](const Array& a) { return factored([&] { return arrays::inverseOf(a); }); },
        "a"_a);
    module.def(
        "_slogdet",
        [](const Array& a) {
            SignAndLogarithm found;
            {
                const ReleaseGil release;
                found = slogdet(a);
            }
            return py::make_tuple(std::move(found.sign), std::move(found.logarithm));
        },
        "a"_a);
    module.def(
        "_qr",
        [](const Array& a, bool complete) {
            QrFactors made;
            {
                const ReleaseGil release;
                made = qr(a, complete);
            }
            return py::make_tuple(std::move(made.q), std::move(made.r));
        },
        "a"_a, "complete"_a);
    module.def(
        "_qr_triangle",
        [](const Array& a) {
            const ReleaseGil release;
            return qrTriangle(a);
        },
        "a"_a);
    module.def(
        "_eigh",
        [](const Array& a, bool upper) {
            EigenDecomposition made;
            {
                const ReleaseGil release;
                made = eigh(a, upper);
            }
            return py::make_tuple(std::move(made.values), std::move(made.vectors));
        },
        "a"_a, "upper"_a);
    module.def(
        "_eigvalsh",
        [](const Array& a, bool upper) {
            const ReleaseGil release;
            return eigvalsh(a, upper);
        },
        "a"_a, "upper"_a);
    module.def(
        "_svd",
        [](const Array& a, bool full) {
            SingularValueDecomposition made;
            {
                const ReleaseGil release;
                made = svd(a, full);
            }
            return py::make_tuple(std::move(made.u), std::move(made.s), std::move(made.vh));
        },
        "a"_a, "full"_a);
    module.def(
        "_svdvals",
        [](const Array& a) {
            const ReleaseGil release;
            return svdvals(a);
        },
        "a"_a);
    module.def(
        "_sort",
        [](const Array& x, int64_t axis, bool descending) {
            const ReleaseGil release;
            return sort(x, axis, descending);
        },
        "x"_a, "axis"_a, "descending"_a);
    module.def(
        "_argsort",
        [](const Array& x, int64_t axis, bool descending) {
            const ReleaseGil release;
            return argsort(x, axis, descending);
        },
        "x"_a, "axis"_a, "descending"_a);
    module.def(
        "_searchsorted",
        [](const Array& sorted, const Array& values, bool right) {
            const ReleaseGil release;
            return searchsorted(sorted, values, right ? SearchSide::eRight : SearchSide::eLeft);
        },
        "sorted"_a, "values"_a, "right"_a);
    module.def(
        "_unique",
        [](const Array& x) {
            const ReleaseGil release;
            return unique(x);
        },
        "x"_a);
    module.def(
        "_roll",
        [](const Array& x, int64_t shift, int64_t axis) {
            const ReleaseGil release;
            return roll(x, shift, axis);
        },
        "x"_a, "shift"_a, "axis"_a);
    module.def(
        "_real", [](const Array& x) { return real(x); }, "x"_a);
    module.def(
        "_imag", [](const Array& x) { return imag(x); }, "x"_a);
}

} // namespace kp::python
