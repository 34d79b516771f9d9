// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/move/OpConcatenate.hpp>

#include <memory>
#include <utility>
#include <variant>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "primitives/move/MovePlan.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"

namespace kp {
namespace {

struct ConcatenateProblem {
    std::vector<primitives::MoveProblem> parts;
    uint32_t arguments = 0;
    bool operator==(const ConcatenateProblem&) const = default;
};

primitives::Plan planConcatenate(const ConcatenateProblem& problem,
                                 const primitives::DeviceTraits& traits) {
    primitives::Plan plan(problem.arguments);
    for (const primitives::MoveProblem& part : problem.parts)
        primitives::planMove(plan, part, traits);
    // Each writes elements of its own.
    for (size_t i = 1; i < plan.steps.size(); ++i)
        std::get<primitives::Dispatch>(plan.steps[i]).joined = true;
    return plan;
}

std::unique_ptr<primitives::BoundPlan> concatenatePlan(const std::vector<TensorRange>& in,
                                                       const TensorRange& out,
                                                       const std::vector<uint64_t>& shape,
                                                       int axis) {
    constexpr const char* kName = "OpConcatenate";
    if (in.empty())
        fail<InvalidArgument>("{}: at least one input is needed, but none was given", kName);
    std::vector<primitives::Argument> arguments;
    for (const TensorRange& range : in)
        arguments.push_back({range, "an input"});
    arguments.push_back({out, "the output", true});
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    uint64_t total = 0;
    for (size_t i = 0; i < in.size(); ++i) {
        primitives::requireDisjoint(arguments[i], arguments.back(), kName);
        primitives::requireSameElements(arguments[i], arguments.back(), kName);
        total += primitives::elementsOf(in[i]);
    }
    const uint64_t count = primitives::elementsOf(out);
    if (total != count)
        fail<InvalidArgument>("{}: the inputs have {} together, but the output has {}", kName,
                              counted(total, "element"), count);
    const primitives::AxisExtents extents = primitives::axisExtents(shape, axis, count, kName);
    const uint64_t slice = extents.outer * extents.inner;
    const uint64_t elementBytes = implOf(*out.tensor).elementSize;
    ConcatenateProblem whole;
    whole.arguments = static_cast<uint32_t>(arguments.size());
    uint64_t before = 0; // bytes of a row in earlier inputs
    for (size_t i = 0; i < in.size(); ++i) {
        const uint64_t elements = primitives::elementsOf(in[i]);
        if (elements == 0)
            continue;
        if (elements % slice != 0)
            fail<InvalidArgument>("{}: input {} has {} elements, which is not a multiple of the {} "
                                  "at each index along axis {} of the output's shape ({})",
                                  kName, i, elements, slice, axis, join(shape));
        const uint64_t row = elements / extents.outer * elementBytes;
        primitives::MoveProblem problem;
        problem.elementBytes = elementBytes;
        problem.axes = {{extents.outer, static_cast<int64_t>(row),
                         extents.length * extents.inner * elementBytes},
                        {row / elementBytes, static_cast<int64_t>(elementBytes), elementBytes}};
        problem.outOffset = before;
        problem.inMemory = static_cast<uint32_t>(i);
        problem.outMemory = static_cast<uint32_t>(in.size());
        problem.inUnit = primitives::startUnit(in[i]);
        problem.outUnit = primitives::startUnit(out);
        whole.parts.push_back(std::move(problem));
        before += row;
    }
    return primitives::boundPlan(device, whole, planConcatenate, std::move(arguments), kName);
}

} // namespace

OpConcatenate::OpConcatenate(const std::vector<TensorRange>& in, const TensorRange& out,
                             const std::vector<uint64_t>& shape, int axis)
    : Primitive(concatenatePlan(in, out, shape, axis)) {}

OpConcatenate::OpConcatenate(const std::vector<std::shared_ptr<Tensor>>& in, const TensorRange& out,
                             const std::vector<uint64_t>& shape, int axis)
    : OpConcatenate(std::vector<TensorRange>(in.begin(), in.end()), out, shape, axis) {}

OpConcatenate::~OpConcatenate() = default;

} // namespace kp
