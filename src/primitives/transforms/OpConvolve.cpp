// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/transforms/OpConvolve.hpp>

#include <memory>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "operations/GlslType.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/transforms/ConvolvePlan.hpp"
#include "primitives/transforms/FftArgument.hpp"

namespace kp {
namespace {

using primitives::Argument;
using primitives::FftArgument;
using Extents = std::vector<uint64_t>;

constexpr const char* kConvolve = "OpConvolve";

Extents shapeOf(const Extents& shape, const Argument& argument) {
    const uint64_t elements = primitives::elementsOf(argument.range);
    const Extents extents = shape.empty() ? Extents{elements} : shape;
    primitives::requireShape(extents, elements, kConvolve);
    for (const uint64_t extent : extents)
        if (extent == 0)
            fail<InvalidArgument>("{}: {} has the shape ({}); it has at least one element",
                                  kConvolve, argument.name, join(extents));
    if (extents.size() > 4)
        fail<InvalidArgument>("{}: arrays have one to four dimensions, but the shape ({}) has {}",
                              kConvolve, join(extents), extents.size());
    return extents;
}

std::unique_ptr<primitives::BoundPlan> convolvePlan(const TensorRange& a, const TensorRange& b,
                                                    const TensorRange& out, const Extents& shapeA,
                                                    const Extents& shapeB, ConvolutionPart part,
                                                    const std::vector<int>& axes) {
    primitives::requireFft(kConvolve);
    std::vector<Argument> arguments = {{a, "a"}, {b, "b"}, {out, "the output", true}};
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
    const Extents extentsA = shapeOf(shapeA, arguments[0]);
    const Extents extentsB = shapeOf(shapeB, arguments[1]);
    if (extentsA.size() != extentsB.size())
        fail<InvalidArgument>("{}: a has {}, but b has {}", kConvolve,
                              counted(extentsA.size(), "dimension"), extentsB.size());
    primitives::ConvolveProblem problem(extentsA, extentsB, part, axes, first.type, real);
    uint64_t results = 1;
    for (const uint64_t extent : problem.out.extents)
        results *= extent;
    if (primitives::elementsOf(out) != results)
        fail<InvalidArgument>("{}: the result has {}, but the output has {}", kConvolve,
                              counted(results, "element"), primitives::elementsOf(out));

    for (size_t i = 0; i < arguments.size(); ++i)
        problem.units[i] = primitives::startUnit(arguments[i].range);
    const shader::CheckKinds checks = primitives::checksOf(arguments);
    auto plan = primitives::KnownPlans::of(*device).get(problem, checks, [&] {
        const primitives::FftTraits traits = primitives::FftTraits::of(*device);
        primitives::FftPrograms programs(traits);
        primitives::Plan made = primitives::planConvolve(problem, traits, programs);
        return primitives::PreparedPlan(device, std::move(made), checks,
                                        programs.constants(device));
    });
    return std::make_unique<primitives::BoundPlan>(device, std::move(plan), std::move(arguments),
                                                   kConvolve);
}

} // namespace

OpConvolve::OpConvolve(const TensorRange& a, const TensorRange& b, const TensorRange& out,
                       const std::vector<uint64_t>& shapeA, const std::vector<uint64_t>& shapeB,
                       ConvolutionPart part, const std::vector<int>& axes)
    : Primitive(convolvePlan(a, b, out, shapeA, shapeB, part, axes)) {}

OpConvolve::~OpConvolve() = default;

} // namespace kp
