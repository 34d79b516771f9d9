// SPDX-License-Identifier: Apache-2.0
#include "primitives/move/MoveOperation.hpp"

#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"

namespace kp::primitives {

MoveOperation::MoveOperation(const TensorRange& in, const TensorRange& out,
                             const std::vector<uint64_t>& shape, const char* operation)
    : mOperation(operation), mArguments({{in, "the input"}, {out, "the output", true}}),
      mDevice(deviceOf(mArguments, operation)) {
    requireDisjoint(mArguments[0], mArguments[1], operation);
    requireSameElements(mArguments[0], mArguments[1], operation);
    const uint64_t count = elementsOf(in);
    if (elementsOf(out) != count)
        fail<InvalidArgument>("{}: the input has {}, but the output has {}", operation,
                              counted(count, "element"), elementsOf(out));
    mExtents = shape.empty() ? std::vector<uint64_t>{count} : shape;
    requireShape(mExtents, count, operation);
}

MoveProblem MoveOperation::problem() const {
    MoveProblem problem;
    problem.elementBytes = implOf(*mArguments[0].range.tensor).elementSize;
    problem.inUnit = startUnit(mArguments[0].range);
    problem.outUnit = startUnit(mArguments[1].range);
    problem.axes.resize(mExtents.size());
    return problem;
}

std::unique_ptr<BoundPlan> MoveOperation::bind(const MoveProblem& problem) {
    const auto plan = [](const MoveProblem& wanted, const DeviceTraits& traits) {
        Plan made(2);
        planMove(made, wanted, traits);
        return made;
    };
    return boundPlan(mDevice, problem, +plan, std::move(mArguments), mOperation);
}

} // namespace kp::primitives
