// SPDX-License-Identifier: Apache-2.0
#include "primitives/transforms/FftPlan.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <Spectrum.glsl.hpp>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;
using vulkan::FftRequest;

/// Enough subgroups to hide latencies.
constexpr uint32_t kSpectrumGroupSize = 256;

uint32_t spectrumGroupSize(const DeviceTraits& traits) {
    return std::min(kSpectrumGroupSize, std::bit_floor(traits.maxGroupSize));
}

FftRequest::Precision precisionOf(DataTypes type) {
    return type == DataTypes::eHalf     ? FftRequest::Precision::eHalf
           : type == DataTypes::eDouble ? FftRequest::Precision::eDouble
                                        : FftRequest::Precision::eSingle;
}

uint64_t productOf(const std::vector<uint64_t>& extents) {
    return std::accumulate(extents.begin(), extents.end(), uint64_t{1}, std::multiplies<>());
}

class FftPlanner {
public:
    FftPlanner(const FftProblem& problem, const FftTraits& traits, FftPrograms& programs)
        : mProblem(problem), mTraits(traits), mPrograms(programs),
          mBytes(Memory::dataTypeMemorySize(problem.type)) {}

    Plan plan() {
        const uint64_t perChunk = chooseMethod();
        struct Chunk {
            uint64_t first;
            uint64_t batches;
            size_t program;
        };
        // All programs are known before the first is appended: their constants come first.
        std::vector<Chunk> chunks;
        for (uint64_t first = 0; first < mProblem.batches; first += perChunk) {
            const uint64_t batches = std::min(perChunk, mProblem.batches - first);
            chunks.push_back({first, batches, mTransforms ? mPrograms.add(request(batches)) : 0});
        }
        mPlan = Plan(2 + mPrograms.constantCount());
        if (mProblem.moveIn) {
            const uint64_t bytes = mProblem.batches * mProblem.inNumbers() * mBytes;
            mIn = mPlan.addScratch(bytes);
            // Scratch memory consists of whole words.
            if (mProblem.padsInput)
                mPlan.steps.push_back(Fill{mIn, 0, divideUp(bytes, 4) * 4, 0});
            appendMove(*mProblem.moveIn, 0, mIn);
        }
        if (mProblem.moveOut)
            mOut = mPlan.addScratch(mProblem.batches * mProblem.outNumbers() * mBytes);
        for (const Chunk& chunk : chunks)
            append(chunk.first, chunk.batches, chunk.program);
        if (mProblem.moveOut)
            appendMove(*mProblem.moveOut, mOut, 1);
        return std::move(mPlan);
    }

private:
    FftRequest request(uint64_t batches) const {
        FftRequest request;
        request.extents = mTransformed;
        request.batches = batches;
        request.precision = precisionOf(mProblem.type);
        request.real = mProblem.real && !mViaComplex;
        request.inverse = mProblem.inverse;
        request.normalized = mProblem.normalized;
        request.inPlace = mViaComplex || mProblem.inPlace;
        return request;
    }

    /// Decides between VkFFT's transforms of real and of complex numbers.
    /// @return the batches that are transformed at once
    uint64_t chooseMethod() {
        mViaComplex = mProblem.real && mProblem.extents.back() == 1;
        mTransformed = mProblem.extents;
        if (mProblem.real && !mViaComplex) {
            // Extents of 1 before the last change nothing.
            std::erase(mTransformed, 1);
            const size_t program = mPrograms.add(request(mProblem.batches));
            if (program != FftPrograms::kNone)
                return chunkOf(mPrograms.largestMemory(program), mTraits.maxRange);
            mViaComplex = true;
        }
        if (mViaComplex && mProblem.inPlace)
            fail<Unsupported>("OpFFT: real rows of {} cannot be transformed in place on this "
                              "device; give an output",
                              mProblem.extents.back());
        std::erase(mTransformed, 1);
        mTransforms = !mTransformed.empty();
        uint64_t largest = productOf(mProblem.extents) * mProblem.batches * 2 * mBytes;
        if (mTransforms) {
            const size_t program = mPrograms.add(request(mProblem.batches));
            if (program == FftPrograms::kNone)
                fail<Unsupported>("OpFFT: arrays of {} are too large for the transforms of this "
                                  "device, whose work groups have {} bytes of shared memory",
                                  join(mProblem.extents), mTraits.device.sharedBytes);
            largest = std::max(largest, mPrograms.largestMemory(program));
        }
        return chunkOf(largest, mViaComplex ? mTraits.device.maxViewBytes : mTraits.maxRange);
    }

    /// @param largest  bytes of a memory for all batches
    uint64_t chunkOf(uint64_t largest, uint64_t most) const {
        if (largest <= most)
            return mProblem.batches;
        // Chunks begin at aligned addresses.
        const uint64_t step = std::max(stepOf(mProblem.inNumbers()), stepOf(mProblem.outNumbers()));
        const uint64_t each = divideUp(largest, mProblem.batches);
        const uint64_t batches = most / each / step * step;
        if (batches == 0)
            fail<Unsupported>("OpFFT: {} arrays of {} need {} bytes at once, but a storage buffer "
                              "of this device has at most {}",
                              std::min(step, mProblem.batches), join(mProblem.extents), each * step,
                              most);
        return batches;
    }
    uint64_t stepOf(uint64_t numbers) const {
        return mTraits.alignment / std::gcd(numbers * mBytes, mTraits.alignment);
    }

    void appendMove(MoveProblem move, uint32_t from, uint32_t to) {
        move.inMemory = from;
        move.outMemory = to;
        planMove(mPlan, move, mTraits.device);
    }

    /// Appends the transform of some arrays.
    void append(uint64_t first, uint64_t batches, size_t program) {
        const uint64_t inBytes = batches * mProblem.inNumbers() * mBytes;
        const uint64_t outBytes = batches * mProblem.outNumbers() * mBytes;
        const View in = viewOf(mIn, first * mProblem.inNumbers() * mBytes, inBytes);
        const View out = viewOf(mOut, first * mProblem.outNumbers() * mBytes, outBytes);
        if (mViaComplex)
            return appendViaComplex(in, out, batches, program);
        if (!mTransforms) {
            if (!mProblem.inPlace)
                mPlan.steps.push_back(Copy{mIn, in.offset, mOut, out.offset, inBytes});
            return;
        }
        // VkFFT's shaders need aligned views.
        View from = in;
        View to = out;
        if (!mProblem.outAligned)
            to = viewOf(scratch(mUnalignedOut, outBytes), 0, outBytes);
        if (mProblem.inPlace) {
            if (!mProblem.outAligned)
                mPlan.steps.push_back(Copy{mIn, in.offset, to.memory, 0, inBytes});
        } else if (!mProblem.inAligned) {
            from = viewOf(scratch(mUnalignedIn, inBytes), 0, inBytes);
            mPlan.steps.push_back(Copy{mIn, in.offset, from.memory, 0, inBytes});
        }
        mPrograms.append(mPlan, program, {from.memory, from.offset}, {to.memory, to.offset}, 2);
        if (mProblem.scale != 1)
            appendSpectrum("SCALE", to, to, outBytes / mBytes);
        if (!mProblem.outAligned)
            mPlan.steps.push_back(Copy{to.memory, 0, mOut, out.offset, outBytes});
    }

    void appendViaComplex(const View& in, const View& out, uint64_t batches, size_t program) {
        const uint64_t count = batches * productOf(mProblem.extents);
        const View full = viewOf(scratch(mFull, count * 2 * mBytes), 0, count * 2 * mBytes);
        appendSpectrum(mProblem.inverse ? "COMPLETE" : "WIDEN", in, full, count, 1);
        if (mTransforms)
            mPrograms.append(mPlan, program, {full.memory, 0}, {full.memory, 0}, 2);
        if (mProblem.inverse)
            appendSpectrum("NARROW", full, out, count);
        else
            appendSpectrum("HALVE", full, out, out.bytes / mBytes / 2);
    }

    void appendSpectrum(const char* mode, const View& in, const View& out, uint64_t count) {
        appendSpectrum(mode, in, out, count, mProblem.scale);
    }
    void appendSpectrum(const char* mode, const View& in, const View& out, uint64_t count,
                        double scale) {
        SpectrumStep step;
        const auto [kernel, isNew] = mKernels.try_emplace(mode, 0);
        if (isNew)
            kernel->second = mPlan.addKernel(spectrumKernel(mode, mProblem.type, mTraits.device));
        step.kernel = kernel->second;
        step.in = in;
        step.out = out;
        step.count = count;
        step.scale = scale;
        step.extents = mProblem.extents;
        if (std::max(in.bytes, out.bytes) > mTraits.device.maxViewBytes)
            fail<Unsupported>("OpFFT: {} bytes are too many for this normalization; the maximum is "
                              "{}",
                              std::max(in.bytes, out.bytes), mTraits.device.maxViewBytes);
        mPlan.steps.push_back(spectrumDispatch(step, mProblem.type, mTraits.device));
    }

    static View viewOf(uint32_t memory, uint64_t offset, uint64_t bytes) {
        View view;
        view.memory = memory;
        view.offset = offset;
        view.bytes = bytes;
        return view;
    }

    /// Returns scratch memory; the first chunk's is large enough for the others.
    uint32_t scratch(uint32_t& memory, uint64_t bytes) {
        if (memory == 0)
            memory = mPlan.addScratch(bytes);
        return memory;
    }

    const FftProblem& mProblem;
    const FftTraits& mTraits;
    FftPrograms& mPrograms;
    const uint64_t mBytes; ///< of a real or imaginary part
    std::vector<uint64_t> mTransformed;
    bool mViaComplex = false;
    bool mTransforms = true; ///< not if all extents are 1
    Plan mPlan{2};
    std::map<std::string, uint32_t> mKernels;
    uint32_t mIn = 0;
    uint32_t mOut = 1;
    uint32_t mUnalignedIn = 0;
    uint32_t mUnalignedOut = 0;
    uint32_t mFull = 0;
};

} // namespace

uint64_t FftProblem::numbers(bool isSpectrum) const {
    const uint64_t rows = productOf(extents) / extents.back();
    if (!real)
        return rows * extents.back() * 2;
    const uint64_t spectrum = 2 * (extents.back() / 2 + 1);
    return rows * (isSpectrum || inPlace ? spectrum : extents.back());
}

Kernel spectrumKernel(const char* mode, Memory::DataTypes type, const DeviceTraits& traits) {
    Kernel kernel;
    kernel.name = "OpFFT";
    kernel.source = composeSource(glslTypeMacros("NUMBER", type) + formatted("#define {}\n", mode),
                                  "", SPECTRUM_GLSL, false);
    kernel.constants = {spectrumGroupSize(traits)};
    return kernel;
}

Dispatch spectrumDispatch(const SpectrumStep& step, Memory::DataTypes type,
                          const DeviceTraits& traits) {
    const auto bytes = Memory::dataTypeMemorySize(type);
    Dispatch dispatch;
    dispatch.kernel = step.kernel;
    dispatch.views = {step.in, step.out};
    dispatch.views[0].elementBytes = bytes;
    dispatch.views[1].elementBytes = bytes;
    // The output is also read by some modes.
    dispatch.views[1].use = View::Use::eReadWrite;
    const uint64_t scale = type == DataTypes::eDouble
                               ? std::bit_cast<uint64_t>(step.scale)
                               : std::bit_cast<uint32_t>(static_cast<float>(step.scale));
    std::vector<uint64_t> extents = step.extents;
    while (extents.size() < 3)
        extents.insert(extents.begin(), 1);
    const SpectrumStep::Factors factors = step.factors.value_or(SpectrumStep::Factors{});
    const auto words = [](const std::array<uint64_t, 3>& numbers) {
        return std::array{lowWord(numbers[0]), lowWord(numbers[1]), lowWord(numbers[2])};
    };
    dispatch.setPush(SpectrumPush{.count = lowWord(step.count),
                                  .scaleLow = lowWord(scale),
                                  .scaleHigh = highWord(scale),
                                  .planes = lowWord(extents[0]),
                                  .rows = lowWord(extents[1]),
                                  .columns = lowWord(extents[2]),
                                  .halfColumns = lowWord(extents[2] / 2 + 1),
                                  .numbers = lowWord(factors.numbers),
                                  .arrays = words(factors.extents),
                                  .strides = words(factors.strides)});
    dispatch.groups = divideUp(step.count, spectrumGroupSize(traits));
    return dispatch;
}

Plan planFft(const FftProblem& problem, const FftTraits& traits, FftPrograms& programs) {
    return FftPlanner(problem, traits, programs).plan();
}

} // namespace kp::primitives
