// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/OpReverse.hpp>

#include <memory>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/MemoryImpl.hpp"
#include "primitives/Axis.hpp"
#include "primitives/BoundPlan.hpp"
#include "primitives/MovePlan.hpp"
#include "primitives/MoveUnit.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> reversePlan(const TensorRange& in, const TensorRange& out,
                                                   const std::vector<uint64_t>& shape,
                                                   const std::vector<int>& axes) {
    constexpr const char* kName = "OpReverse";
    std::vector<primitives::Argument> arguments = {{in, "the input"}, {out, "the output"}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::requireDisjoint(arguments[0], arguments[1], kName);
    primitives::requireSameElements(arguments[0], arguments[1], kName);
    primitives::requireMovable(*device, *in.tensor, "reverse");
    const uint64_t count = primitives::elementsOf(in);
    if (primitives::elementsOf(out) != count)
        fail<InvalidArgument>("{}: the input has {} elements, but the output has {}", kName, count,
                              primitives::elementsOf(out));
    const std::vector<uint64_t> extents = shape.empty() ? std::vector<uint64_t>{count} : shape;
    primitives::requireShape(extents, count, kName);
    std::vector<bool> reversed(extents.size(), axes.empty());
    for (const int given : axes) {
        const size_t axis = primitives::axisNumber(given, extents.size(), kName);
        if (reversed[axis])
            fail<InvalidArgument>("{}: axis {} was given twice in ({})", kName, given, join(axes));
        reversed[axis] = true;
    }

    primitives::MoveProblem problem;
    problem.elementBytes = implOf(*in.tensor).elementSize;
    problem.inUnit = primitives::startUnit(in);
    problem.outUnit = primitives::startUnit(out);
    problem.axes.resize(extents.size());
    uint64_t stride = problem.elementBytes;
    for (size_t i = extents.size(); i-- > 0;) {
        const auto signedStride = static_cast<int64_t>(stride);
        problem.axes[i] = {extents[i], reversed[i] ? -signedStride : signedStride, stride};
        if (reversed[i] && extents[i] > 0)
            problem.inOffset += (extents[i] - 1) * stride;
        stride *= extents[i];
    }
    primitives::Plan plan(2);
    primitives::planMove(plan, problem, primitives::DeviceTraits::of(*device));
    return std::make_unique<primitives::BoundPlan>(device, std::move(plan), std::move(arguments),
                                                   kName);
}

} // namespace

OpReverse::OpReverse(const TensorRange& in, const TensorRange& out,
                     const std::vector<uint64_t>& shape, const std::vector<int>& axes)
    : Primitive(reversePlan(in, out, shape, axes)) {}

OpReverse::~OpReverse() = default;

} // namespace kp
