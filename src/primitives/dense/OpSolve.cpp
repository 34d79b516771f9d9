// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/dense/OpSolve.hpp>

#include <memory>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "primitives/dense/DenseArguments.hpp"
#include "primitives/dense/SolvePlan.hpp"
#include "primitives/plan/KnownPlans.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> solvePlan(const TensorRange& a, const TensorRange& b,
                                                 const TensorRange& x, const TensorRange& info,
                                                 const SquareMatrices& matrices, uint64_t columns) {
    constexpr const char* kName = "OpSolve";
    std::vector<primitives::Argument> arguments = {
        {a, "A"}, {x, "X", true}, {info, "the info", true}};
    if (b)
        arguments.push_back({b, "B"});
    else if (columns != matrices.size)
        fail<InvalidArgument>("{}: there is no B, so that X is an inverse and has {} columns, not "
                              "{}",
                              kName, matrices.size, columns);
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::requireExtents({matrices.size, columns, matrices.batches}, kName);
    primitives::requireDenseType(arguments[0], kName);
    primitives::requireMatrices(arguments[0], matrices.size, matrices.size, matrices.batches,
                                kName);
    primitives::requireIntegers(arguments[2], 1, matrices.batches, kName);
    for (size_t side = 1; side < arguments.size(); side += 2) {
        primitives::requireDenseType(arguments[side], kName, &arguments[0]);
        primitives::requireMatrices(arguments[side], matrices.size, columns, matrices.batches,
                                    kName);
    }
    for (const size_t output : {1, 2})
        for (size_t other = 0; other < arguments.size(); ++other)
            if (other != output)
                primitives::requireDisjoint(arguments[output], arguments[other], kName);
    primitives::SolveProblem problem;
    problem.type = a.tensor->dataType();
    problem.size = matrices.size;
    problem.columns = columns;
    problem.batches = matrices.batches;
    problem.inverse = !b;
    problem.matrixAlignment = primitives::alignmentOf(arguments[0]);
    problem.resultAlignment = primitives::alignmentOf(arguments[1]);
    return primitives::boundPlan(device, problem, primitives::planSolve, std::move(arguments),
                                 kName);
}

} // namespace

OpSolve::OpSolve(const TensorRange& a, const TensorRange& b, const TensorRange& x,
                 const TensorRange& info, const SquareMatrices& matrices, uint64_t columns)
    : Primitive(solvePlan(a, b, x, info, matrices, columns)) {}

OpSolve::~OpSolve() = default;

} // namespace kp
