// SPDX-License-Identifier: Apache-2.0
#include "vulkan/fft/PlainFft.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vulkan/fft/PlainFftKernels.hpp"

namespace kp::vulkan {
namespace {

using Kind = PlainFftKernel::Kind;
using Precision = FftRequest::Precision;

/// Of fewer numbers in all, the time to compile counts most: all odd factors have one kernel. Its
/// passes take a time that grows with the factor.
constexpr uint64_t kFewNumbers = uint64_t{1} << 14;
/// A dispatch takes as long as that kernel does for so many numbers of butterflies.
constexpr uint64_t kDispatchNumbers = 8000;
/// The largest factor for which it is faster than Bluestein's algorithm.
constexpr uint64_t kMaxFactor = 61;
/// Larger odd radices take more registers than a CPU has.
constexpr uint64_t kMaxOddRadix = 13;

struct RadixPass {
    uint32_t radix = 0;
    PlainFftKernel kernel;
};

/// @param numbers  of all arrays
/// @return the passes over arrays of a length; none if a prime factor is too large
std::optional<std::vector<RadixPass>> passesOf(uint64_t length, uint64_t numbers) {
    std::vector<RadixPass> passes;
    const auto add = [&](Kind kind, uint64_t factor) {
        const auto radix = static_cast<uint32_t>(factor);
        passes.push_back({radix, {kind, kind == Kind::ePass ? radix : 0}});
    };
    // Passes of 8 numbers are as fast as of 4, and compiled within a tenth of a second; passes of
    // 16 take three times as long to compile.
    const auto twos = static_cast<uint32_t>(std::countr_zero(length));
    length >>= twos;
    const uint32_t eights = twos % 3 == 1 && twos > 1 ? twos / 3 - 1 : twos / 3;
    for (uint32_t i = 0; i < eights; ++i)
        add(Kind::ePass, 8);
    for (uint32_t left = twos - 3 * eights; left > 0; left -= std::min(left, 2u))
        add(Kind::ePass, left == 1 ? 2 : 4); // 4 * 4 instead of 8 * 2

    const bool areFew = numbers < kFewNumbers;
    for (; !areFew && length % 9 == 0; length /= 9)
        add(Kind::ePass, 9);
    for (uint64_t factor = 3; length > 1; factor += 2) {
        if (factor > kMaxFactor)
            return std::nullopt;
        for (; length % factor == 0; length /= factor) {
            const uint64_t last = passes.empty() || passes.back().kernel.kind != Kind::eAnyPass
                                      ? 0
                                      : passes.back().radix;
            if (!areFew && factor <= kMaxOddRadix)
                add(Kind::ePass, factor);
            else if (last != 0 && numbers * (last * factor - last - factor) < kDispatchNumbers)
                passes.back().radix *= static_cast<uint32_t>(factor);
            else
                add(Kind::eAnyPass, factor);
        }
    }
    return passes;
}

class PlainFftPlanner {
public:
    PlainFftPlanner(const FftRequest& request, const FftLimits& limits)
        : mRequest(request), mLimits(limits), mExtents(request.extents) {}

    FftProgram program() {
        const uint64_t length = mExtents.back();
        mRows = mRequest.batches;
        for (size_t i = 0; i + 1 < mExtents.size(); ++i)
            mRows *= mExtents[i];
        bool isPlanned = true;
        if (!mRequest.real) {
            isPlanned = addAxes(mExtents.size());
        } else if (length % 2 != 0 && mRequest.precision == Precision::eHalf) {
            return {}; // a row of halves may begin within a word
        } else if (!mRequest.inverse) {
            isPlanned = addForwardRows(length);
            mExtents.back() = length / 2 + 1;
            isPlanned = isPlanned && addAxes(mExtents.size() - 1);
        } else {
            mExtents.back() = length / 2 + 1;
            isPlanned = addAxes(mExtents.size() - 1) && addInverseRows(length);
        }
        if (!isPlanned || mStages.empty())
            return {};
        return assembled();
    }

private:
    /// A dispatch, but for the memories that it reads and writes.
    struct Stage {
        uint32_t kernel = 0;
        PlainFftPush push;
        uint64_t invocations = 0;
        uint64_t outNumbers = 0; ///< complex ones that it writes
        uint64_t roots = 0;      ///< 0: none
    };

    /// Adds a stage over rows in memory without spaces between them.
    Stage& add(const PlainFftKernel& kernel, uint64_t rows, uint64_t ofRow, uint64_t inSpace,
               uint64_t outSpace) {
        const auto [known, isNew] =
            mKernels.try_emplace(kernel, static_cast<uint32_t>(mTexts.size()));
        if (isNew)
            mTexts.push_back(plainFftText(kernel, mRequest.precision, mLimits.int64));
        Stage& stage = mStages.emplace_back();
        stage.kernel = known->second;
        stage.invocations = rows * ofRow;
        stage.outNumbers = rows * outSpace;
        stage.push.count = static_cast<uint32_t>(stage.invocations);
        stage.push.ofRow = static_cast<uint32_t>(ofRow);
        stage.push.inSpace = static_cast<uint32_t>(inSpace);
        stage.push.outSpace = static_cast<uint32_t>(outSpace);
        stage.push.inverse = mRequest.inverse;
        return stage;
    }

    void setRoots(Stage& stage, uint64_t roots, uint64_t step) {
        stage.roots = roots;
        stage.push.roots = static_cast<uint32_t>(roots);
        stage.push.step = static_cast<uint32_t>(step);
    }

    /// Adds the passes over rows of length * inner numbers.
    /// @param roots  a multiple of the length
    bool addPasses(uint64_t rows, uint64_t length, uint64_t inner, uint64_t roots) {
        const auto passes = passesOf(length, rows * length * inner);
        if (!passes)
            return false;
        uint64_t before = 1;
        for (const auto& [radix, kernel] : *passes) {
            const uint64_t distance = length / radix * inner;
            Stage& stage = add(kernel, rows, kernel.kind == Kind::ePass ? distance : length * inner,
                               length * inner, length * inner);
            stage.push.before = static_cast<uint32_t>(before * inner);
            stage.push.inner = static_cast<uint32_t>(inner);
            stage.push.distance = static_cast<uint32_t>(distance);
            stage.push.radix = radix;
            setRoots(stage, roots, roots / (before * radix));
            before *= radix;
        }
        return true;
    }

    /// Adds the passes along the first axes.
    bool addAxes(size_t axes) {
        for (size_t axis = axes; axis-- > 0;) {
            const uint64_t inner =
                std::accumulate(mExtents.begin() + long(axis) + 1, mExtents.end(), uint64_t{1},
                                std::multiplies<>());
            const uint64_t rows = std::accumulate(mExtents.begin(), mExtents.begin() + long(axis),
                                                  mRequest.batches, std::multiplies<>());
            if (!addPasses(rows, mExtents[axis], inner, mExtents[axis]))
                return false;
        }
        return true;
    }

    /// Real numbers from row to row in memory.
    uint64_t realSpace(uint64_t length) const {
        return mRequest.inPlace ? 2 * (length / 2 + 1) : length;
    }

    bool addForwardRows(uint64_t length) {
        const uint64_t half = length / 2;
        if (length % 2 != 0) {
            add({Kind::eWiden}, mRows, length, realSpace(length), length);
            const bool isPlanned = addPasses(mRows, length, 1, length);
            add({Kind::eCopy}, mRows, half + 1, length, half + 1);
            return isPlanned;
        }
        const bool isPlanned = addPasses(mRows, half, 1, length);
        Stage& spectrum = add({Kind::eSpectrum}, mRows, half + 1, half, half + 1);
        spectrum.push.distance = static_cast<uint32_t>(half);
        setRoots(spectrum, length, 1);
        mStages.front().push.inSpace = static_cast<uint32_t>(realSpace(length) / 2);
        return isPlanned;
    }

    bool addInverseRows(uint64_t length) {
        const uint64_t half = length / 2;
        if (length % 2 != 0) {
            Stage& complete = add({Kind::eComplete}, mRows, length, half + 1, length);
            complete.push.roots = static_cast<uint32_t>(length);
            const bool isPlanned = addPasses(mRows, length, 1, length);
            add({Kind::eNarrow}, mRows, length, length, realSpace(length));
            return isPlanned;
        }
        Stage& spectrum = add({Kind::eSpectrum}, mRows, half, half + 1, half);
        spectrum.push.distance = static_cast<uint32_t>(half);
        setRoots(spectrum, length, 1);
        const bool isPlanned = addPasses(mRows, half, 1, length);
        mStages.back().push.outSpace = static_cast<uint32_t>(realSpace(length) / 2);
        return isPlanned;
    }

    /// Returns the program: all stages with memories. The last writes the output, and those before
    /// write scratch memory and the output in turn if it is large enough and not the input.
    FftProgram assembled() {
        const uint64_t real = mRequest.precision == Precision::eDouble ? 8
                              : mRequest.precision == Precision::eHalf ? 2
                                                                       : 4;
        const uint64_t spectrum = std::accumulate(mExtents.begin(), mExtents.end(),
                                                  mRequest.batches, std::multiplies<>());
        const uint64_t length = mRequest.extents.back();
        const uint64_t spectrumBytes = spectrum * 2 * real;
        const uint64_t realBytes = mRequest.inPlace ? spectrumBytes : mRows * length * real;
        FftProgram program;
        program.memoryBytes = {mRequest.real && !mRequest.inverse ? realBytes : spectrumBytes,
                               mRequest.real && mRequest.inverse ? realBytes : spectrumBytes};
        if (mRequest.inverse && mRequest.normalized)
            mStages.back().push.scale = 1 / static_cast<double>(std::accumulate(
                                                mRequest.extents.begin(), mRequest.extents.end(),
                                                uint64_t{1}, std::multiplies<>()));
        if (mRequest.inPlace && mStages.size() == 1) {
            add({Kind::eCopy}, 1, spectrum, spectrum, spectrum);
            std::swap(mStages[0], mStages[1]);
        }
        uint64_t between = 0; // bytes
        for (size_t i = 0; i + 1 < mStages.size(); ++i)
            between = std::max(between, mStages[i].outNumbers * 2 * real);
        const bool isOutputFree =
            !mRequest.inPlace && between <= program.memoryBytes[FftProgram::kOutput];

        const std::array<uint32_t, 2> turns = {kScratch,
                                               isOutputFree ? FftProgram::kOutput : kScratch + 1};
        for (size_t i = 0; i < 2 && i + 1 < mStages.size(); ++i)
            if (turns[i] != FftProgram::kOutput)
                program.memoryBytes.push_back(between);
        uint32_t from = mRequest.inPlace ? FftProgram::kOutput : FftProgram::kInput;
        for (size_t i = 0; i < mStages.size(); ++i) {
            const size_t left = mStages.size() - 1 - i;
            const uint32_t to = left == 0 ? FftProgram::kOutput : turns[(left + 1) % 2];
            append(program, mStages[i], from, to);
            from = to;
        }
        program.kernels = std::move(mTexts);
        return program;
    }

    void append(FftProgram& program, const Stage& stage, uint32_t from, uint32_t to) {
        FftProgram::Dispatch dispatch;
        dispatch.kernel = stage.kernel;
        dispatch.bindings = {{from, 0, program.memoryBytes[from], false},
                             {to, 0, program.memoryBytes[to], true}};
        if (stage.roots != 0) {
            const auto [known, isNew] = mTables.try_emplace(stage.roots, 0);
            if (isNew) {
                known->second = static_cast<uint32_t>(program.memoryBytes.size());
                FftProgram::Upload upload;
                upload.memory = known->second;
                upload.bytes = plainFftRoots(stage.roots, mRequest.precision);
                program.memoryBytes.push_back(upload.bytes.size());
                program.setup.emplace_back(std::move(upload));
            }
            dispatch.bindings.push_back(
                {known->second, 0, program.memoryBytes[known->second], false});
        }
        dispatch.push = stage.push.words(mRequest.precision);
        const uint64_t groups = (stage.invocations + kPlainFftGroupSize - 1) / kPlainFftGroupSize;
        const uint64_t across = std::min<uint64_t>(groups, mLimits.maxGroupCount[0]);
        dispatch.groups = {static_cast<uint32_t>(across),
                           static_cast<uint32_t>((groups + across - 1) / across), 1};
        program.steps.push_back(std::move(dispatch));
    }

    static constexpr uint32_t kScratch = 2;

    const FftRequest& mRequest;
    const FftLimits& mLimits;
    std::vector<uint64_t> mExtents; ///< of complex numbers between the axes
    uint64_t mRows = 0;
    std::map<PlainFftKernel, uint32_t> mKernels;
    std::vector<std::string> mTexts;
    std::vector<Stage> mStages;
    std::map<uint64_t, uint32_t> mTables; ///< memories of roots, by their number
};

} // namespace

FftProgram planPlainFft(const FftRequest& request, const FftLimits& limits) {
    if (!limits.isCpu)
        return {};
    return PlainFftPlanner(request, limits).program();
}

} // namespace kp::vulkan
