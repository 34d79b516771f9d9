// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/transforms/OpFFT.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "operations/GlslType.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/transforms/FftArgument.hpp"
#include "primitives/transforms/FftPlan.hpp"

namespace kp {
namespace {

using primitives::Argument;
using primitives::FftArgument;
using primitives::FftProblem;

constexpr const char* kFftName = "OpFFT";

/// Sets extents and batches.
void setShape(FftProblem& problem, const std::vector<uint64_t>& shape, const FftArgument& in,
              const FftArgument& out) {
    if (shape.size() > 3)
        fail<InvalidArgument>("{}: there are transforms in one to three dimensions, but the shape "
                              "({}) has {}; transform the others by further operations",
                              kFftName, join(shape), shape.size());
    problem.extents = shape;
    if (shape.empty()) {
        // In place, the length of rows with room for half spectra is not known.
        if (problem.real && problem.inPlace)
            fail<InvalidArgument>("{}: a real transform in place needs a shape", kFftName);
        const FftArgument& values = problem.inverse ? out : in;
        problem.extents = {problem.real ? values.numbers : values.numbers / 2};
    }
    for (const uint64_t extent : problem.extents)
        if (extent == 0)
            fail<InvalidArgument>("{}: the shape ({}) has an extent of 0; arrays have at least one "
                                  "element",
                                  kFftName, join(problem.extents));
    uint64_t elements = 1;
    for (const uint64_t extent : problem.extents) {
        if (extent > UINT64_MAX / 64 / elements)
            fail<InvalidArgument>("{}: no tensor has the elements of the shape ({})", kFftName,
                                  join(problem.extents));
        elements *= extent;
    }
    const auto batchesOf = [&](const FftArgument& argument, uint64_t each) {
        if (argument.numbers % each != 0)
            fail<InvalidArgument>("{}: {} has {} real numbers, but each array of shape ({}) has "
                                  "{} of them there",
                                  kFftName, argument.name, argument.numbers, join(problem.extents),
                                  each);
        return argument.numbers / each;
    };
    const uint64_t outBatches = batchesOf(out, problem.outNumbers());
    // A copy makes as many arrays of the input as needed.
    problem.batches = problem.moveIn ? outBatches : batchesOf(in, problem.inNumbers());
    if (problem.batches != outBatches)
        fail<InvalidArgument>("{}: the input has {} arrays of shape ({}), but the output has {}",
                              kFftName, problem.batches, join(problem.extents), outBatches);
}

/// An array in C order.
struct Layout {
    std::vector<uint64_t> extents;
    std::vector<int64_t> strides; ///< bytes

    Layout(std::vector<uint64_t> shape, uint64_t elementBytes)
        : extents(std::move(shape)), strides(extents.size()) {
        auto stride = static_cast<int64_t>(elementBytes);
        for (size_t i = extents.size(); i-- > 0;) {
            strides[i] = stride;
            stride *= static_cast<int64_t>(extents[i]);
        }
    }
};

/// Returns the copy of the elements that two arrays have in common.
/// @param fromOrder, toOrder  the axes of each that belong together
primitives::MoveProblem moveOf(const Layout& from, const std::vector<size_t>& fromOrder,
                               const Layout& to, const std::vector<size_t>& toOrder,
                               uint64_t elementBytes) {
    primitives::MoveProblem move;
    move.elementBytes = elementBytes;
    move.axes.resize(fromOrder.size());
    for (size_t i = 0; i < fromOrder.size(); ++i) {
        const size_t in = fromOrder[i];
        const size_t out = toOrder[i];
        move.axes[out] = {std::min(from.extents[in], to.extents[out]), from.strides[in],
                          static_cast<uint64_t>(to.strides[out])};
    }
    return move;
}

uint64_t numbersOf(const std::vector<uint64_t>& extents, bool isComplex) {
    uint64_t numbers = isComplex ? 2 : 1;
    for (const uint64_t extent : extents)
        numbers *= extent;
    return numbers;
}

void requireNumbers(const FftArgument& argument, const std::vector<uint64_t>& extents,
                    bool isComplex) {
    if (argument.numbers != numbersOf(extents, isComplex))
        fail<InvalidArgument>("{}: {} has {} real numbers, but an array of ({}) has {} of them",
                              kFftName, argument.name, argument.numbers, join(extents),
                              numbersOf(extents, isComplex));
}

/// Orders the axes, the transformed ones last, and cuts or pads the input.
/// @return the shape of the arrays to transform
std::vector<uint64_t> setAxes(FftProblem& problem, const std::vector<uint64_t>& shape,
                              const FftOptions& options, const FftArgument& in,
                              const FftArgument& out, const Argument& input,
                              const Argument& output) {
    if (options.axes.empty() && options.inputShape.empty())
        return shape;
    if (shape.empty() || shape.size() > 4)
        fail<InvalidArgument>("{}: axes and an input shape need a shape of one to four extents, "
                              "but it has {}",
                              kFftName, shape.size());
    if (problem.real && problem.inPlace)
        fail<InvalidArgument>("{}: a real transform in place takes neither axes nor an input "
                              "shape; give an output",
                              kFftName);
    const std::vector<size_t> chosen = primitives::fftAxes(shape.size(), options.axes, kFftName);
    std::vector<size_t> order; // the others, then the chosen ones
    for (size_t i = 0; i < shape.size(); ++i)
        if (std::find(chosen.begin(), chosen.end(), i) == chosen.end())
            order.push_back(i);
    const size_t others = order.size();
    order.insert(order.end(), chosen.begin(), chosen.end());

    std::vector<uint64_t> spectrum = shape;
    if (problem.real)
        spectrum[chosen.back()] = shape[chosen.back()] / 2 + 1;
    const bool fromReal = problem.real && !problem.inverse;
    const bool toReal = problem.real && problem.inverse;
    const std::vector<uint64_t>& wanted = toReal ? spectrum : shape; // of the input
    const std::vector<uint64_t>& outShape = fromReal ? spectrum : shape;
    const std::vector<uint64_t>& given = options.inputShape.empty() ? wanted : options.inputShape;
    if (given.size() != shape.size())
        fail<InvalidArgument>("{}: the input shape ({}) has other dimensions than the shape ({})",
                              kFftName, join(given), join(shape));
    for (size_t i = 0; i < others; ++i)
        if (given[order[i]] != shape[order[i]])
            fail<InvalidArgument>("{}: axis {} is not transformed, so its extent {} in the input "
                                  "shape ({}) must equal the one in the shape ({})",
                                  kFftName, order[i], given[order[i]], join(given), join(shape));
    requireNumbers(in, given, !fromReal);
    requireNumbers(out, outShape, !toReal);

    const auto ordered = [&](const std::vector<uint64_t>& extents) {
        std::vector<uint64_t> result;
        for (const size_t axis : order)
            result.push_back(extents[axis]);
        return result;
    };
    const std::vector<uint64_t> values = ordered(shape);
    const std::vector<uint64_t> transformed(values.begin() + static_cast<ptrdiff_t>(others),
                                            values.end());
    const bool isOrdered = std::is_sorted(order.begin(), order.end());
    if ((isOrdered && given == wanted) || numbersOf(values, false) == 0)
        return transformed;

    const uint64_t bytes = Memory::dataTypeMemorySize(problem.type);
    const uint64_t inBytes = fromReal ? bytes : 2 * bytes;
    const uint64_t outBytes = toReal ? bytes : 2 * bytes;
    std::vector<size_t> inOrder(order.size());
    for (size_t i = 0; i < order.size(); ++i)
        inOrder[i] = i;
    problem.inPlace = false;
    problem.moveIn =
        moveOf(Layout(given, inBytes), order, Layout(ordered(wanted), inBytes), inOrder, inBytes);
    problem.moveIn->inUnit = primitives::startUnit(input.range);
    for (size_t i = 0; i < given.size(); ++i)
        problem.padsInput |= given[i] < wanted[i];
    if (!isOrdered) {
        problem.moveOut = moveOf(Layout(ordered(outShape), outBytes), inOrder,
                                 Layout(outShape, outBytes), order, outBytes);
        problem.moveOut->outUnit = primitives::startUnit(output.range);
    }
    return transformed;
}

void setNormalization(FftProblem& problem, FftNormalization normalization) {
    double elements = 1;
    for (const uint64_t extent : problem.extents)
        elements *= static_cast<double>(extent);
    switch (normalization) {
    case FftNormalization::eBackward:
        problem.normalized = problem.inverse;
        break;
    case FftNormalization::eOrtho:
        problem.scale = 1 / std::sqrt(elements);
        break;
    case FftNormalization::eForward:
        problem.scale = problem.inverse ? 1 : 1 / elements;
        break;
    }
}

std::unique_ptr<primitives::BoundPlan> fftPlan(const TensorRange& in, const TensorRange& out,
                                               const std::vector<uint64_t>& shape,
                                               const FftOptions& options) {
    primitives::requireFft(kFftName);
    std::vector<Argument> arguments = {{in, "the input"}, {out ? out : in, "the output", true}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kFftName);
    FftProblem problem;
    problem.real = options.real;
    problem.inverse = options.inverse;
    problem.inPlace = !out || primitives::isSameMemory(arguments[0], arguments[1]);
    if (!problem.inPlace)
        primitives::requireDisjoint(arguments[0], arguments[1], kFftName);

    const bool fromReal = options.real && !options.inverse && !problem.inPlace;
    const bool toReal = options.real && options.inverse && !problem.inPlace;
    const FftArgument input = primitives::fftArgument(arguments[0], fromReal, kFftName);
    const FftArgument output = primitives::fftArgument(arguments[1], toReal, kFftName);
    if (input.type != output.type)
        fail<InvalidArgument>("{}: the input consists of {}, but the output of {}", kFftName,
                              Memory::toString(input.type), Memory::toString(output.type));
    problem.type = input.type;
    if (output.numbers == 0 && (input.numbers == 0 || !options.inputShape.empty()))
        return std::make_unique<primitives::BoundPlan>(device, primitives::Plan(2),
                                                       std::move(arguments), kFftName);
    setShape(problem, setAxes(problem, shape, options, input, output, arguments[0], arguments[1]),
             input, output);
    setNormalization(problem, options.normalization);

    const uint64_t alignment = primitives::fftAlignment(*device);
    problem.inAligned = problem.moveIn || primitives::isAligned(arguments[0], alignment);
    problem.outAligned = problem.moveOut || primitives::isAligned(arguments[1], alignment);
    const shader::CheckKinds checks = primitives::checksOf(arguments);
    auto plan = primitives::KnownPlans::of(*device).get(problem, checks, [&] {
        const primitives::FftTraits traits = primitives::FftTraits::of(*device);
        primitives::FftPrograms programs(traits);
        primitives::Plan made = primitives::planFft(problem, traits, programs);
        return primitives::PreparedPlan(device, std::move(made), checks,
                                        programs.constants(device));
    });
    return std::make_unique<primitives::BoundPlan>(device, std::move(plan), std::move(arguments),
                                                   kFftName);
}

} // namespace

OpFFT::OpFFT(const TensorRange& in, const TensorRange& out, const std::vector<uint64_t>& shape,
             const FftOptions& options)
    : Primitive(fftPlan(in, out, shape, options)) {}

OpFFT::~OpFFT() = default;

} // namespace kp
