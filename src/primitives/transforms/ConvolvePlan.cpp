// SPDX-License-Identifier: Apache-2.0
#include "primitives/transforms/ConvolvePlan.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "primitives/move/MovePlan.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/transforms/FftArgument.hpp"
#include "primitives/transforms/FftPlan.hpp"

namespace kp::primitives {
namespace {

using Extents = std::vector<uint64_t>;

constexpr const char* kConvolution = "OpConvolve";

/// Returns the smallest number from @p least on with the factors 2, 3, 5 and 7 alone.
uint64_t fastExtent(uint64_t least) {
    for (uint64_t extent = std::max<uint64_t>(2, least);; ++extent) {
        uint64_t rest = extent;
        for (const uint64_t factor : {2, 3, 5, 7})
            while (rest % factor == 0)
                rest /= factor;
        if (rest == 1)
            return extent;
    }
}

uint64_t elementsIn(const Extents& extents) {
    uint64_t elements = 1;
    for (const uint64_t extent : extents)
        elements *= extent;
    return elements;
}

/// Returns an array with the axes of @p shape, the convolved ones last.
ConvolveProblem::Array orderedArray(const Extents& shape, const std::vector<bool>& isConvolved) {
    ConvolveProblem::Array array;
    for (const bool wanted : {false, true})
        for (size_t i = 0; i < shape.size(); ++i)
            if (isConvolved[i] == wanted) {
                array.extents.push_back(shape[i]);
                uint64_t stride = 1;
                for (size_t j = i + 1; j < shape.size(); ++j)
                    stride *= shape[j];
                array.strides.push_back(stride);
            }
    return array;
}

class ConvolvePlanner {
public:
    ConvolvePlanner(const ConvolveProblem& problem, const FftTraits& traits, FftPrograms& programs)
        : mProblem(problem), mTraits(traits), mPrograms(programs),
          mBytes(Memory::dataTypeMemorySize(problem.type)),
          mElementBytes(problem.real ? mBytes : 2 * mBytes), mBatch(batchOf(problem.out)) {
        const Extents& padded = problem.padded;
        mElements = elementsIn(padded);
        mNumbers = mProblem.real ? mElements / padded.back() * (padded.back() / 2 + 1) : mElements;
        // The product replaces one of the spectra, which has a place for each result.
        const Extents batchA = batchOf(problem.a);
        Extents batchB = batchOf(problem.b);
        mKept = batchB != mBatch && batchA == mBatch ? 1 : 0;
        if (mKept == 0)
            batchB = mBatch; // if it has fewer arrays, they are copied
        mBatches[0] = batchA;
        mBatches[1] = batchB;
    }

    Plan plan() {
        struct Chunk {
            uint64_t first;
            uint64_t count;
            std::array<size_t, 2> forward;
            size_t inverse;
        };
        std::vector<Chunk> chunks;
        const uint64_t most = chunkLength();
        const uint64_t length = mBatch.empty() ? 1 : mBatch[0];
        for (uint64_t first = 0; first < length; first += most) {
            Chunk chunk{first, std::min(most, length - first), {}, 0};
            for (uint32_t i = 0; i < 2; ++i)
                chunk.forward[i] = add(batchesIn(i, chunk.count), false);
            chunk.inverse = add(batchesIn(1 - mKept, chunk.count), true);
            chunks.push_back(chunk);
        }

        Plan plan(3 + mPrograms.constantCount());
        // The first chunk is the largest.
        const uint64_t batches = batchesIn(1 - mKept, chunks[0].count);
        const uint32_t values =
            plan.addScratch(divideUp(batches * mElements * mElementBytes, 4) * 4);
        std::array<uint32_t, 2> spectra{};
        for (uint32_t i = 0; i < 2; ++i)
            spectra[i] = plan.addScratch(batchesIn(i, chunks[0].count) * mNumbers * 2 * mBytes);
        const uint32_t multiply =
            plan.addKernel(spectrumKernel("MULTIPLY", mProblem.type, mTraits.device));
        for (const Chunk& chunk : chunks) {
            for (uint32_t i = 0; i < 2; ++i) {
                if (chunk.first > 0 && !isCut(i))
                    continue; // the same spectra as before
                // Scratch memory consists of whole words.
                const uint64_t bytes = batchesIn(i, chunk.count) * mElements * mElementBytes;
                plan.steps.push_back(Fill{values, 0, divideUp(bytes, 4) * 4, 0});
                moveIn(plan, i, chunk.first, chunk.count, values);
                mPrograms.append(plan, chunk.forward[i], {values, 0}, {spectra[i], 0}, 3);
            }
            const uint32_t product = 1 - mKept;
            SpectrumStep step;
            step.kernel = multiply;
            step.in.memory = spectra[mKept];
            step.in.bytes = batchesIn(mKept, chunk.count) * mNumbers * 2 * mBytes;
            step.out.memory = spectra[product];
            step.out.bytes = batchesIn(product, chunk.count) * mNumbers * 2 * mBytes;
            step.count = batchesIn(product, chunk.count) * mNumbers;
            step.extents = mProblem.padded;
            step.factors = factorsOf(chunk.count);
            plan.steps.push_back(spectrumDispatch(step, mProblem.type, mTraits.device));
            mPrograms.append(plan, chunk.inverse, {spectra[product], 0}, {values, 0}, 3);
            moveOut(plan, chunk.first, chunk.count, values);
        }
        return plan;
    }

private:
    Extents batchOf(const ConvolveProblem::Array& array) const {
        return {array.extents.begin(),
                array.extents.begin() + static_cast<std::ptrdiff_t>(mProblem.batchAxes)};
    }
    /// True if input `i` has other arrays in each part of the first axis.
    bool isCut(uint32_t i) const { return !mBatch.empty() && mBatches[i][0] == mBatch[0]; }
    /// Returns the extents of the arrays of input `i` in `count` steps along the first axis.
    Extents batchIn(uint32_t i, uint64_t count) const {
        Extents batch = mBatches[i];
        if (!batch.empty() && isCut(i))
            batch[0] = count;
        return batch;
    }
    uint64_t batchesIn(uint32_t i, uint64_t count) const { return elementsIn(batchIn(i, count)); }

    /// Returns the steps along the first axis that are computed at a time.
    uint64_t chunkLength() {
        const uint64_t length = mBatch.empty() ? 1 : mBatch[0];
        const uint64_t most = std::min(mTraits.maxRange, mTraits.device.maxViewBytes);
        const uint64_t batches = batchesIn(1 - mKept, length);
        uint64_t largest = batches * mNumbers * 2 * mBytes;
        for (const bool inverse : {false, true}) {
            const size_t program = mPrograms.add(request(batches, inverse));
            if (program == FftPrograms::kNone)
                fail<Unsupported>("{}: arrays padded to ({}) are too large for the transforms of "
                                  "this device",
                                  kConvolution, join(mProblem.padded));
            largest = std::max(largest, mPrograms.largestMemory(program));
        }
        const uint64_t steps = largest <= most ? length : most / divideUp(largest, length);
        if (steps == 0 || batchesIn(mKept, 1) * mNumbers * 2 * mBytes > most)
            fail<Unsupported>(
                "{}: arrays padded to ({}){} are too large for this device, whose "
                "storage buffers have at most {} bytes",
                kConvolution, join(mProblem.padded),
                mBatch.size() > 1 ? formatted(", {} at a time,", batches / length) : "", most);
        return steps;
    }

    size_t add(uint64_t batches, bool inverse) {
        const size_t program = mPrograms.add(request(batches, inverse));
        const uint64_t most = std::min(mTraits.maxRange, mTraits.device.maxViewBytes);
        if (program == FftPrograms::kNone || mPrograms.largestMemory(program) > most)
            fail<Unsupported>("{}: {} arrays padded to ({}) are too large for this device, whose "
                              "storage buffers have at most {} bytes",
                              kConvolution, batches, join(mProblem.padded), most);
        return program;
    }

    vulkan::FftRequest request(uint64_t batches, bool inverse) const {
        using Precision = vulkan::FftRequest::Precision;
        vulkan::FftRequest request;
        request.extents = mProblem.padded;
        request.batches = batches;
        request.precision = mProblem.type == Memory::DataTypes::eHalf     ? Precision::eHalf
                            : mProblem.type == Memory::DataTypes::eDouble ? Precision::eDouble
                                                                          : Precision::eSingle;
        request.real = mProblem.real;
        request.inverse = inverse;
        request.normalized = inverse;
        return request;
    }

    /// Which array of the kept spectra belongs to each product.
    SpectrumStep::Factors factorsOf(uint64_t count) const {
        SpectrumStep::Factors factors;
        factors.numbers = mNumbers;
        const Extents batch = batchIn(1 - mKept, count);
        const Extents kept = batchIn(mKept, count);
        uint64_t stride = 1;
        for (size_t i = batch.size(), place = 3; i-- > 0;) {
            --place;
            factors.extents[place] = batch[i];
            factors.strides[place] = kept[i] == 1 ? 0 : stride;
            stride *= kept[i];
        }
        return factors;
    }

    /// Returns the strides of the padded arrays in scratch memory, in bytes.
    Extents paddedStrides(const Extents& batch) const {
        Extents extents = batch;
        extents.insert(extents.end(), mProblem.padded.begin(), mProblem.padded.end());
        Extents strides(extents.size());
        uint64_t stride = mElementBytes;
        for (size_t i = extents.size(); i-- > 0;) {
            strides[i] = stride;
            stride *= extents[i];
        }
        return strides;
    }

    /// Copies arrays of an input to scratch memory.
    void moveIn(Plan& plan, uint32_t input, uint64_t first, uint64_t count,
                uint32_t scratch) const {
        const ConvolveProblem::Array& array = input == 0 ? mProblem.a : mProblem.b;
        const Extents batch = batchIn(input, count);
        const Extents strides = paddedStrides(batch);
        MoveProblem problem;
        problem.elementBytes = mElementBytes;
        for (size_t i = 0; i < strides.size(); ++i) {
            const uint64_t extent = i < batch.size() ? batch[i] : array.extents[i];
            const bool repeats = array.extents[i] == 1;
            problem.axes.push_back(
                {extent, repeats ? 0 : static_cast<int64_t>(array.strides[i] * mElementBytes),
                 strides[i]});
        }
        if (!batch.empty() && array.extents[0] > 1)
            problem.inOffset = first * array.strides[0] * mElementBytes;
        problem.inMemory = input;
        problem.outMemory = scratch;
        problem.inUnit = mProblem.units[input];
        planMove(plan, problem, mTraits.device);
    }

    /// Copies the kept part of results.
    void moveOut(Plan& plan, uint64_t first, uint64_t count, uint32_t scratch) const {
        const ConvolveProblem::Array& array = mProblem.out;
        const Extents batch = batchIn(1 - mKept, count);
        const Extents strides = paddedStrides(batch);
        MoveProblem problem;
        problem.elementBytes = mElementBytes;
        for (size_t i = 0; i < strides.size(); ++i) {
            const uint64_t extent = i < batch.size() ? batch[i] : array.extents[i];
            problem.axes.push_back(
                {extent, static_cast<int64_t>(strides[i]), array.strides[i] * mElementBytes});
            problem.inOffset += mProblem.first[i] * strides[i];
        }
        if (!batch.empty())
            problem.outOffset = first * array.strides[0] * mElementBytes;
        problem.inMemory = scratch;
        problem.outMemory = 2;
        problem.outUnit = mProblem.units[2];
        std::ranges::stable_sort(problem.axes, std::ranges::greater(), &MoveAxis::out);
        planMove(plan, problem, mTraits.device);
    }

    const ConvolveProblem& mProblem;
    const FftTraits& mTraits;
    FftPrograms& mPrograms;
    const uint64_t mBytes; ///< of a real or imaginary part
    const uint64_t mElementBytes;
    const Extents mBatch;            ///< of results
    std::array<Extents, 2> mBatches; ///< of the spectra of a and b
    uint32_t mKept = 0;              ///< the input whose spectra the products do not replace
    uint64_t mElements = 0;          ///< of a padded array
    uint64_t mNumbers = 0;           ///< of its spectrum
};

} // namespace

ConvolveProblem::ConvolveProblem(const Extents& shapeA, const Extents& shapeB, ConvolutionPart part,
                                 const std::vector<int>& axes, Memory::DataTypes numbers,
                                 bool isReal)
    : type(numbers), real(isReal) {
    std::vector<bool> isConvolved(shapeA.size());
    const std::vector<size_t> chosen = fftAxes(shapeA.size(), axes, kConvolution);
    for (const size_t axis : chosen)
        isConvolved[axis] = true;
    batchAxes = shapeA.size() - chosen.size();
    Extents shapeOut(shapeA.size());
    Extents firsts(shapeA.size());
    bool larger = true;
    bool smaller = true;
    for (size_t i = 0; i < shapeA.size(); ++i) {
        const uint64_t m = shapeA[i];
        const uint64_t n = shapeB[i];
        if (!isConvolved[i]) {
            if (m != n && m != 1 && n != 1)
                fail<InvalidArgument>("{}: a has the shape ({}) and b ({}); along axis {}, which "
                                      "is not convolved, extents are equal or one of them is 1",
                                      kConvolution, join(shapeA), join(shapeB), i);
            shapeOut[i] = std::max(m, n);
            continue;
        }
        larger &= m >= n;
        smaller &= m <= n;
        switch (part) {
        case ConvolutionPart::eFull:
            shapeOut[i] = m + n - 1;
            break;
        case ConvolutionPart::eSame:
            firsts[i] = (n - 1) / 2;
            shapeOut[i] = m;
            break;
        case ConvolutionPart::eValid:
            firsts[i] = std::min(m, n) - 1;
            shapeOut[i] = std::max(m, n) - std::min(m, n) + 1;
            break;
        }
    }
    if (part == ConvolutionPart::eValid && !larger && !smaller)
        fail<InvalidArgument>("{}: eValid needs one array that is as large as the other along "
                              "all convolved axes, but the shapes are ({}) and ({})",
                              kConvolution, join(shapeA), join(shapeB));
    a = orderedArray(shapeA, isConvolved);
    b = orderedArray(shapeB, isConvolved);
    out = orderedArray(shapeOut, isConvolved);
    for (const bool wanted : {false, true})
        for (size_t i = 0; i < shapeA.size(); ++i)
            if (isConvolved[i] == wanted) {
                first.push_back(firsts[i]);
                if (wanted)
                    padded.push_back(fastExtent(shapeA[i] + shapeB[i] - 1));
            }
}

Plan planConvolve(const ConvolveProblem& problem, const FftTraits& traits, FftPrograms& programs) {
    return ConvolvePlanner(problem, traits, programs).plan();
}

} // namespace kp::primitives
