// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/move/OpTranspose.hpp>

#include <memory>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "primitives/move/MoveOperation.hpp"
#include "primitives/plan/Axis.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> transposePlan(const TensorRange& in, const TensorRange& out,
                                                     const std::vector<uint64_t>& shape,
                                                     const std::vector<int>& axes) {
    constexpr const char* kName = "OpTranspose";
    primitives::MoveOperation operation(in, out, shape, kName);
    const std::vector<uint64_t>& extents = operation.extents();
    const size_t dimensions = extents.size();
    if (!axes.empty() && axes.size() != dimensions)
        fail<InvalidArgument>("{}: an array of {} dimensions needs as many axes, but {} were given",
                              kName, dimensions, axes.size());

    primitives::MoveProblem problem = operation.problem();
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
    return operation.bind(problem);
}

} // namespace

OpTranspose::OpTranspose(const TensorRange& in, const TensorRange& out,
                         const std::vector<uint64_t>& shape, const std::vector<int>& axes)
    : Primitive(transposePlan(in, out, shape, axes)) {}

OpTranspose::~OpTranspose() = default;

} // namespace kp
