// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/OpConvolve.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/MemoryImpl.hpp"
#include "operations/GlslType.hpp"
#include "primitives/Axis.hpp"
#include "primitives/BoundPlan.hpp"
#include "primitives/Division.hpp"
#include "primitives/FftArgument.hpp"
#include "primitives/FftPlan.hpp"
#include "primitives/MoveUnit.hpp"

namespace kp {
namespace {

using primitives::Argument;
using primitives::FftArgument;
using Extents = std::vector<uint64_t>;

constexpr const char* kConvolve = "OpConvolve";

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

/// What is computed, along each axis.
struct Convolution {
    Extents a;
    Extents b;
    Extents padded;
    Extents first; ///< of the padded result, that is kept
    Extents out;

    Convolution(const Extents& shapeA, const Extents& shapeB, ConvolutionPart part)
        : a(shapeA), b(shapeB) {
        bool larger = true;
        bool smaller = true;
        for (size_t i = 0; i < a.size(); ++i) {
            larger &= a[i] >= b[i];
            smaller &= a[i] <= b[i];
            padded.push_back(fastExtent(a[i] + b[i] - 1));
            switch (part) {
            case ConvolutionPart::eFull:
                first.push_back(0);
                out.push_back(a[i] + b[i] - 1);
                break;
            case ConvolutionPart::eSame:
                first.push_back((b[i] - 1) / 2);
                out.push_back(a[i]);
                break;
            case ConvolutionPart::eValid:
                first.push_back(std::min(a[i], b[i]) - 1);
                out.push_back(std::max(a[i], b[i]) - std::min(a[i], b[i]) + 1);
                break;
            }
        }
        if (part == ConvolutionPart::eValid && !larger && !smaller)
            fail<InvalidArgument>("{}: eValid needs one array that is as large as the other along "
                                  "all axes, but the shapes are ({}) and ({})",
                                  kConvolve, join(a), join(b));
    }
};

Extents shapeOf(const Extents& shape, const Argument& argument) {
    const uint64_t elements = primitives::elementsOf(argument.range);
    const Extents extents = shape.empty() ? Extents{elements} : shape;
    primitives::requireShape(extents, elements, kConvolve);
    for (const uint64_t extent : extents)
        if (extent == 0)
            fail<InvalidArgument>("{}: {} has the shape ({}); it has at least one element",
                                  kConvolve, argument.name, join(extents));
    if (extents.size() > 3)
        fail<InvalidArgument>("{}: arrays have one to three dimensions, but the shape ({}) has {}",
                              kConvolve, join(extents), extents.size());
    return extents;
}

class ConvolvePlanner {
public:
    ConvolvePlanner(const Convolution& convolution, Memory::DataTypes type, bool real,
                    const primitives::FftTraits& traits, primitives::FftPrograms& programs)
        : mConvolution(convolution), mType(type), mReal(real), mTraits(traits), mPrograms(programs),
          mBytes(Memory::dataTypeMemorySize(type)), mElementBytes(real ? mBytes : 2 * mBytes) {}

    primitives::Plan plan(const std::vector<Argument>& arguments) {
        const size_t forward = mPrograms.add(request(false));
        const size_t inverse = mPrograms.add(request(true));
        const Extents& padded = mConvolution.padded;
        const uint64_t elements = elementsIn(padded);
        const uint64_t numbers =
            mReal ? elements / padded.back() * (padded.back() / 2 + 1) : elements;
        const uint64_t most = std::min(mTraits.maxRange, mTraits.device.maxViewBytes);
        if (forward == primitives::FftPrograms::kNone ||
            inverse == primitives::FftPrograms::kNone ||
            std::max({mPrograms.largestMemory(forward), mPrograms.largestMemory(inverse),
                      numbers * 2 * mBytes}) > most)
            fail<Unsupported>("{}: arrays padded to ({}) are too large for this device, whose "
                              "storage buffers have at most {} bytes",
                              kConvolve, join(padded), most);

        primitives::Plan plan(3 + mPrograms.constantCount());
        const uint32_t values = plan.addScratch(elements * mElementBytes);
        const uint32_t spectra[] = {plan.addScratch(numbers * 2 * mBytes),
                                    plan.addScratch(numbers * 2 * mBytes)};
        for (uint32_t i = 0; i < 2; ++i) {
            // Scratch memory consists of whole words.
            plan.steps.push_back(primitives::Fill{
                values, 0, primitives::divideUp(elements * mElementBytes, 4) * 4, 0});
            move(plan, i == 0 ? mConvolution.a : mConvolution.b, i, padded, values,
                 Extents(padded.size()), arguments[i], true);
            mPrograms.append(plan, forward, {values, 0}, {spectra[i], 0}, 3);
        }
        primitives::SpectrumStep multiply;
        multiply.kernel =
            plan.addKernel(primitives::spectrumKernel("MULTIPLY", mType, mTraits.device));
        multiply.in.memory = spectra[0];
        multiply.out.memory = spectra[1];
        multiply.in.bytes = multiply.out.bytes = numbers * 2 * mBytes;
        multiply.count = numbers;
        multiply.extents = padded;
        plan.steps.push_back(primitives::spectrumDispatch(multiply, mType, mTraits.device));
        mPrograms.append(plan, inverse, {spectra[1], 0}, {values, 0}, 3);
        move(plan, padded, values, mConvolution.out, 2, mConvolution.first, arguments[2], false);
        return plan;
    }

private:
    vulkan::FftRequest request(bool inverse) const {
        using Precision = vulkan::FftRequest::Precision;
        vulkan::FftRequest request;
        request.extents = mConvolution.padded;
        request.precision = mType == Memory::DataTypes::eHalf     ? Precision::eHalf
                            : mType == Memory::DataTypes::eDouble ? Precision::eDouble
                                                                  : Precision::eSingle;
        request.real = mReal;
        request.inverse = inverse;
        request.normalized = inverse;
        return request;
    }

    /// Copies what two arrays have in common.
    /// @param first     indices in the source
    /// @param argument  one of the two, of which the other is scratch memory
    void move(primitives::Plan& plan, const Extents& from, uint32_t source, const Extents& to,
              uint32_t destination, const Extents& first, const Argument& argument,
              bool isSource) const {
        primitives::MoveProblem problem;
        problem.elementBytes = mElementBytes;
        problem.axes.resize(from.size());
        uint64_t in = mElementBytes;
        uint64_t out = mElementBytes;
        for (size_t i = from.size(); i-- > 0;) {
            problem.axes[i] = {std::min(from[i], to[i]), static_cast<int64_t>(in), out};
            problem.inOffset += first[i] * in;
            in *= from[i];
            out *= to[i];
        }
        problem.inMemory = source;
        problem.outMemory = destination;
        (isSource ? problem.inUnit : problem.outUnit) = primitives::startUnit(argument.range);
        primitives::planMove(plan, problem, mTraits.device);
    }

    const Convolution& mConvolution;
    const Memory::DataTypes mType;
    const bool mReal;
    const primitives::FftTraits& mTraits;
    primitives::FftPrograms& mPrograms;
    const uint64_t mBytes; ///< of a real or imaginary part
    const uint64_t mElementBytes;
};

std::unique_ptr<primitives::BoundPlan> convolvePlan(const TensorRange& a, const TensorRange& b,
                                                    const TensorRange& out, const Extents& shapeA,
                                                    const Extents& shapeB, ConvolutionPart part) {
    primitives::requireFft(kConvolve);
    std::vector<Argument> arguments = {{a, "a"}, {b, "b"}, {out, "the output"}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kConvolve);
    const bool real = a.tensor->dataType() != Memory::DataTypes::eCustom;
    const FftArgument first = primitives::fftArgument(arguments[0], real, kConvolve);
    for (const Argument& argument : arguments) {
        const FftArgument other = primitives::fftArgument(argument, real, kConvolve);
        if (other.type != first.type)
            fail<InvalidArgument>("{}: a consists of {}, but {} of {}", kConvolve,
                                  Memory::toString(first.type), argument.name,
                                  Memory::toString(other.type));
    }
    primitives::requireDisjoint(arguments[2], arguments[0], kConvolve);
    primitives::requireDisjoint(arguments[2], arguments[1], kConvolve);
    requireGlslType(*device, first.type, "convolve");
    const Extents extentsA = shapeOf(shapeA, arguments[0]);
    const Extents extentsB = shapeOf(shapeB, arguments[1]);
    if (extentsA.size() != extentsB.size())
        fail<InvalidArgument>("{}: a has {} dimensions, but b has {}", kConvolve, extentsA.size(),
                              extentsB.size());
    const Convolution convolution(extentsA, extentsB, part);
    if (primitives::elementsOf(out) != elementsIn(convolution.out))
        fail<InvalidArgument>("{}: the result has the shape ({}), but the output has {} elements",
                              kConvolve, join(convolution.out), primitives::elementsOf(out));

    const primitives::FftTraits traits = primitives::FftTraits::of(*device);
    primitives::FftPrograms programs(traits);
    primitives::Plan plan =
        ConvolvePlanner(convolution, first.type, real, traits, programs).plan(arguments);
    for (Argument& constant : programs.constants(device))
        arguments.push_back(std::move(constant));
    return std::make_unique<primitives::BoundPlan>(device, std::move(plan), std::move(arguments),
                                                   kConvolve);
}

} // namespace

OpConvolve::OpConvolve(const TensorRange& a, const TensorRange& b, const TensorRange& out,
                       const std::vector<uint64_t>& shapeA, const std::vector<uint64_t>& shapeB,
                       ConvolutionPart part)
    : Primitive(convolvePlan(a, b, out, shapeA, shapeB, part)) {}

OpConvolve::~OpConvolve() = default;

} // namespace kp
