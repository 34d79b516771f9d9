// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/move/OpReverse.hpp>

#include <memory>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "primitives/move/MoveOperation.hpp"
#include "primitives/plan/Axis.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> reversePlan(const TensorRange& in, const TensorRange& out,
                                                   const std::vector<uint64_t>& shape,
                                                   const std::vector<int>& axes) {
    constexpr const char* kName = "OpReverse";
    primitives::MoveOperation operation(in, out, shape, kName);
    const std::vector<uint64_t>& extents = operation.extents();
    std::vector<bool> reversed(extents.size(), axes.empty());
    for (const int given : axes) {
        const size_t axis = primitives::axisNumber(given, extents.size(), kName);
        if (reversed[axis])
            fail<InvalidArgument>("{}: axis {} was given twice in ({})", kName, given, join(axes));
        reversed[axis] = true;
    }

    primitives::MoveProblem problem = operation.problem();
    uint64_t stride = problem.elementBytes;
    for (size_t i = extents.size(); i-- > 0;) {
        const auto signedStride = static_cast<int64_t>(stride);
        problem.axes[i] = {extents[i], reversed[i] ? -signedStride : signedStride, stride};
        if (reversed[i] && extents[i] > 0)
            problem.inOffset += (extents[i] - 1) * stride;
        stride *= extents[i];
    }
    return operation.bind(problem);
}

} // namespace

OpReverse::OpReverse(const TensorRange& in, const TensorRange& out,
                     const std::vector<uint64_t>& shape, const std::vector<int>& axes)
    : Primitive(reversePlan(in, out, shape, axes)) {}

OpReverse::~OpReverse() = default;

} // namespace kp
