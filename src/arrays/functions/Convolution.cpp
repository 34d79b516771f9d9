// SPDX-License-Identifier: Apache-2.0
#include "arrays/functions/Convolution.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "arrays/functions/SlidingSums.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using arrays::arrayOf;
using arrays::rangeOf;
using arrays::stateOf;
using arrays::View;

/// When sums are computed how. One table, with the reason of each number.
struct ConvolutionRules {
    /// Longest row of which products are summed directly: so many multiplications take as long as
    /// the passes over memory of three transforms.
    int64_t longestDirect = 384;
    /// Products that are summed directly in any case: the dozen dispatches of the transforms take
    /// as long.
    int64_t directProducts = int64_t{1} << 25;
    /// Shortest block: the longest that most devices transform in one pass over memory.
    int64_t block = 4096;
    /// Blocks are so many times as long as the shorter row, by which they overlap.
    int64_t blockRows = 8;
    /// Elements of blocks that are transformed at a time, which bounds scratch memory.
    int64_t blockElements = int64_t{1} << 24;
    /// Rows this many times as long as the number of sums: each sum needs many invocations.
    int64_t longSums = 32;
    /// Products of one reduction, which counts them in 32 bits.
    int64_t products = int64_t{1} << 30;

    static ConvolutionRules of(const Array& x) {
        ConvolutionRules rules;
        // A CPU driver multiplies slowly, and starts dispatches quickly.
        if (!stateOf(x).home->rules().trees) {
            rules.longestDirect = 128;
            rules.directProducts = int64_t{1} << 20;
        }
        return rules;
    }
};

/// Sums of products of a with parts of a shorter row: out[i] = sum over j of a[j] v[i + start - j].
struct Sliding {
    Array a;
    Array v;
    ConvolutionPart part;
    ConvolutionRules rules;
    int64_t start = 0; ///< of the sums, among all
    int64_t count = 0;

    Sliding(Array longer, Array shorter, ConvolutionPart which)
        : a(std::move(longer)), v(std::move(shorter)), part(which), rules(ConvolutionRules::of(a)) {
        const int64_t size = v.size();
        switch (part) {
        case ConvolutionPart::eFull:
            count = a.size() + size - 1;
            break;
        case ConvolutionPart::eSame:
            start = (size - 1) / 2;
            count = a.size();
            break;
        case ConvolutionPart::eValid:
            start = size - 1;
            count = a.size() - size + 1;
            break;
        }
        arrays::requireCountable({count});
    }

    /// Elements before a that belong to the first sum.
    int64_t before() const { return v.size() - 1 - start; }
};

/// Returns elements of a from places on, 0 where it has none.
Array windowsOf(const Array& a, const Shape& shape, int64_t first, const Shape& strides) {
    const View view = stateOf(a).evaluated();
    const DType kind = a.size() < int64_t{1} << 30 ? DType::eInt32 : DType::eInt64;
    const Array place = arrays::addresses(a.manager(), shape, first, strides, kind);
    const Array isElement = logicalAnd(place >= 0, place < a.size());
    const Array base = a.strided(view.offset, shape, Shape::filled(shape.size(), 0));
    const Array elements =
        arrays::take(base, {clip(place, 0, a.size() - 1)}, {{a.size(), view.strides[0]}});
    return where(isElement, elements, zeros({}, a.dtype(), &a.manager()));
}

/// Reduces a matrix of products, whose rows are many invocations' work.
Array reducedSums(const Sliding& sums) {
    const int64_t size = sums.v.size();
    const DType dtype = sums.a.dtype();
    const bool bools = dtype == DType::eBool;
    const DType wide = dtype == DType::eFloat16 ? DType::eFloat32 : dtype;
    const int64_t after = sums.count + size - 1 - sums.before() - sums.a.size();
    const Array padded =
        arrays::contiguous(pad(sums.a, {{sums.before(), std::max<int64_t>(after, 0)}}, 0));
    const Array turned = arrays::contiguous(flip(sums.v));
    const int64_t each = std::max<int64_t>(sums.rules.products / sums.count, 1);
    Array total;
    for (int64_t first = 0; first < size; first += each) {
        const int64_t parts = std::min(each, size - first);
        const Array products = multiply(padded.strided(first, {sums.count, parts}, {1, 1}),
                                        turned(Slice(first, first + parts)));
        const Array found =
            bools ? any(products, 1) : reduce(products, ReduceOperation::eSum, 1, wide, wide);
        total = total.isNull() ? found : add(total, found);
        total.evaluate();
    }
    return total.astype(dtype);
}

Array directSums(const Sliding& sums) {
    const View a = stateOf(sums.a).evaluated();
    View v = stateOf(sums.v).evaluated();
    const std::shared_ptr<arrays::Home>& home = a.storage->home();
    const uint64_t bytes = static_cast<uint64_t>(sums.count) * itemSize(a.dtype());
    if (a.storage->large() || v.storage->large() || bytes > home->range() ||
        v.shape[0] / sums.rules.longSums > sums.count)
        return reducedSums(sums);
    v.offset += (v.shape[0] - 1) * v.strides[0];
    v.strides[0] = -v.strides[0];
    return arrayOf(arrays::slidingSums(a, v, sums.before(), sums.count));
}

/// Convolves overlapping blocks of a, and keeps of each the sums that are complete.
Array sumsOfBlocks(const Sliding& sums, const View& kernel, int64_t extent) {
    const int64_t size = sums.v.size();
    const int64_t step = extent - size + 1;
    const int64_t blocks = (sums.count + step - 1) / step;
    const int64_t most = std::max<int64_t>(sums.rules.blockElements / extent, 1);
    const int64_t launches = (blocks + most - 1) / most;
    const int64_t rows = (blocks + launches - 1) / launches;
    const std::shared_ptr<arrays::Home>& home = kernel.storage->home();
    View out = View::blank(home, {launches * rows * step}, kernel.dtype());
    View part = out;
    part.shape[0] = rows * step;
    const std::vector<uint64_t> shape{static_cast<uint64_t>(rows), static_cast<uint64_t>(extent)};
    const std::vector<uint64_t> kernelShape{1, static_cast<uint64_t>(size)};
    for (int64_t launch = 0; launch < launches; ++launch) {
        const Array windows =
            windowsOf(sums.a, {rows, extent}, launch * rows * step - sums.before(), {step, 1});
        part.offset = launch * rows * step;
        home->launch(std::make_shared<OpConvolve>(
            rangeOf(stateOf(windows).evaluated()), rangeOf(kernel), rangeOf(part), shape,
            kernelShape, ConvolutionPart::eValid, std::vector<int>{-1}));
    }
    out.shape[0] = sums.count;
    return arrayOf(std::move(out));
}

Array fourierSums(Sliding sums) {
    const DType dtype = sums.a.dtype();
    if (dtype == DType::eFloat16) {
        sums.a = sums.a.astype(DType::eFloat32);
        sums.v = sums.v.astype(DType::eFloat32);
    }
    const View kernel = arrays::contiguous(stateOf(sums.v).evaluated());
    const auto wanted = static_cast<uint64_t>(sums.rules.blockRows * sums.v.size());
    const int64_t extent = std::max(static_cast<int64_t>(std::bit_ceil(wanted)), sums.rules.block);
    if (sums.count > 2 * extent)
        return sumsOfBlocks(sums, kernel, extent).astype(dtype);
    const View a = arrays::contiguous(stateOf(sums.a).evaluated());
    View out = View::blank(a.storage->home(), {sums.count}, a.dtype());
    a.storage->home()->launch(std::make_shared<OpConvolve>(rangeOf(a), rangeOf(kernel),
                                                           rangeOf(out), std::vector<uint64_t>{},
                                                           std::vector<uint64_t>{}, sums.part));
    return arrayOf(std::move(out)).astype(dtype);
}

} // namespace

Array arrays::convolved(const Array& a, const Array& v, ConvolutionPart part,
                        ConvolutionMethod method) {
    const Sliding sums(a, v, part);
    const bool isExact = sums.a.dtype() < DType::eFloat16;
    if (method == ConvolutionMethod::eFourier && isExact)
        fail<InvalidArgument>("Fourier transforms convolve floating-point and complex numbers, not "
                              "{}, whose sums they would round; take the direct method",
                              toString(sums.a.dtype()));
    if (method == ConvolutionMethod::eAutomatic) {
        const int64_t size = sums.v.size();
        if (isExact || size <= sums.rules.longestDirect ||
            sums.count <= sums.rules.directProducts / size)
            return directSums(sums);
        try {
            return fourierSums(sums);
        } catch (const Unsupported&) { // too large for the device, or the library has no transforms
            return directSums(sums);
        }
    }
    return method == ConvolutionMethod::eDirect ? directSums(sums) : fourierSums(sums);
}

} // namespace kp
