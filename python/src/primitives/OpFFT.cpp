// SPDX-License-Identifier: Apache-2.0
#include "primitives/Primitives.hpp"

namespace kp::python {
namespace {

constexpr Named<FftNormalization> kNormalizations[] = {{"backward", FftNormalization::eBackward},
                                                       {"ortho", FftNormalization::eOrtho},
                                                       {"forward", FftNormalization::eForward}};

std::unique_ptr<HandleOf<OpFFT>> makeFft(const py::object& in, const py::object& out, bool inverse,
                                         bool real, const std::string& norm,
                                         const std::optional<std::vector<uint64_t>>& shape,
                                         const std::optional<std::vector<int>>& axes,
                                         const std::optional<std::vector<uint64_t>>& inputShape) {
    const std::vector<RangeArgument> tensors = {toRange(in, "input"),
                                                toOptionalRange(out, "output")};
    FftOptions options;
    options.inverse = inverse;
    options.real = real;
    options.normalization = valueNamed(kNormalizations, norm, "norm");
    options.axes = axes.value_or(std::vector<int>());
    options.inputShape = inputShape.value_or(std::vector<uint64_t>());
    return makePrimitive<OpFFT>(tensors, tensors[0].range, tensors[1].range,
                                shape.value_or(std::vector<uint64_t>()), options);
}

constexpr Named<ConvolutionPart> kParts[] = {{"full", ConvolutionPart::eFull},
                                             {"same", ConvolutionPart::eSame},
                                             {"valid", ConvolutionPart::eValid}};

std::unique_ptr<HandleOf<OpConvolve>> makeConvolve(const py::object& a, const py::object& b,
                                                   const py::object& out, const std::string& mode,
                                                   std::optional<std::vector<int>> axes) {
    const std::vector<RangeArgument> tensors = {toRange(a, "a"), toRange(b, "b"),
                                                toRange(out, "output")};
    return makePrimitive<OpConvolve>(tensors, tensors[0].range, tensors[1].range, tensors[2].range,
                                     tensors[0].shape, tensors[1].shape, toConvolutionPart(mode),
                                     axes.value_or(std::vector<int>()));
}

} // namespace

ConvolutionPart toConvolutionPart(const std::string& mode) {
    return valueNamed(kParts, mode, "mode");
}

void bindFft(py::module_& module) {
    declareOperation<HandleOf<OpFFT>>(module, "OpFFT", doc(R"(
        Transforms arrays between values and spectra, in one to three dimensions.

        It reads and writes device memory; afterwards the host view of `output` shows the result.
    )"))
        .def(py::init(&makeFft), "input"_a, "output"_a = py::none(), py::kw_only(),
             "inverse"_a = false, "real"_a = false, "norm"_a = "backward", "shape"_a = py::none(),
             "axes"_a = py::none(), "input_shape"_a = py::none(), doc(R"(
                 Complex numbers are elements of complex64, complex128 or complex32, or pairs of
                 floats. With `real`, the values are real, and spectra have only the first
                 n // 2 + 1 numbers of their last axis. `shape` are the extents of an array of
                 values (None: all elements are one row); tensors with more elements hold several
                 arrays. With `axes`, up to three axes of `shape` are transformed, which then covers
                 the whole tensor. `input_shape` is the shape of the
                 input, if others: it is cut or padded with zeros. `norm` is "backward", "ortho" or "forward", as in NumPy. Without
                 `output`, in place.)"));
    declareOperation<HandleOf<OpConvolve>>(module, "OpConvolve", doc(R"(
        Convolves arrays along one to three axes by Fourier transforms.

        It reads and writes device memory; afterwards the host view of `output` shows the result.
    )"))
        .def(py::init(&makeConvolve), "a"_a, "b"_a, "output"_a, py::kw_only(), "mode"_a = "full",
             "axes"_a = py::none(), doc(R"(
                 `mode` is the part of the convolution that `output` gets: "full", a + b - 1
                 elements along each axis; "same", as many as `a`, from the middle; or "valid", those
                 that all elements of the smaller array contribute to. With `axes`, up to three axes
                 are convolved; along the others, extents are equal, or one of them is 1 and its
                 array goes with all of the other.)"));
}

} // namespace kp::python
