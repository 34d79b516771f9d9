// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/OpTranspose.hpp>

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

std::unique_ptr<primitives::BoundPlan> transposePlan(const TensorRange& in, const TensorRange& out,
                                                     const std::vector<uint64_t>& shape,
                                                     const std::vector<int>& axes) {
    constexpr const char* kName = "OpTranspose";
    std::vector<primitives::Argument> arguments = {{in, "the input"}, {out, "the output"}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::requireDisjoint(arguments[0], arguments[1], kName);
    primitives::requireSameElements(arguments[0], arguments[1], kName);
    primitives::requireMovable(*device, *in.tensor, "transpose");
    const uint64_t count = primitives::elementsOf(in);
    if (primitives::elementsOf(out) != count)
        fail<InvalidArgument>("{}: the input has {} elements, but the output has {}", kName, count,
                              primitives::elementsOf(out));
    const std::vector<uint64_t> extents = shape.empty() ? std::vector<uint64_t>{count} : shape;
    primitives::requireShape(extents, count, kName);
    const size_t dimensions = extents.size();
    if (!axes.empty() && axes.size() != dimensions)
        fail<InvalidArgument>("{}: an array of {} dimensions needs as many axes, but {} were given",
                              kName, dimensions, axes.size());

    primitives::MoveProblem problem;
    problem.elementBytes = implOf(*in.tensor).elementSize;
    problem.inUnit = primitives::startUnit(in);
    problem.outUnit = primitives::startUnit(out);
    problem.axes.resize(dimensions);
    std::vector<bool> taken(dimensions);
    uint64_t stride = problem.elementBytes;
    for (size_t i = dimensions; i-- > 0;) {
        const int given = axes.empty() ? static_cast<int>(dimensions - 1 - i) : axes[i];
        const size_t axis = primitives::axisNumber(given, dimensions, kName);
        if (taken[axis])
            fail<InvalidArgument>("{}: axis {} was given twice in ({})", kName, given, join(axes));
        taken[axis] = true;
        uint64_t inStride = problem.elementBytes;
        for (size_t inner = axis + 1; inner < dimensions; ++inner)
            inStride *= extents[inner];
        problem.axes[i] = {extents[axis], static_cast<int64_t>(inStride), stride};
        stride *= extents[axis];
    }
    primitives::Plan plan(2);
    primitives::planMove(plan, problem, primitives::DeviceTraits::of(*device));
    return std::make_unique<primitives::BoundPlan>(device, std::move(plan), std::move(arguments),
                                                   kName);
}

} // namespace

OpTranspose::OpTranspose(const TensorRange& in, const TensorRange& out,
                         const std::vector<uint64_t>& shape, const std::vector<int>& axes)
    : Primitive(transposePlan(in, out, shape, axes)) {}

OpTranspose::~OpTranspose() = default;

} // namespace kp
