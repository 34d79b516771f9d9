// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/dense/OpTriangularSolve.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "primitives/dense/DenseArguments.hpp"
#include "primitives/dense/SolvePlan.hpp"
#include "primitives/plan/KnownPlans.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan>
triangularSolvePlan(const TensorRange& t, const TensorRange& b, const TensorRange& x,
                    const SquareMatrices& matrices, uint64_t columns,
                    const TriangularSolveOptions& options) {
    constexpr const char* kName = "OpTriangularSolve";
    std::vector<primitives::Argument> arguments = {{t, "T"}, {b, "B"}, {x, "X", true}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::requireExtents({matrices.size, columns, matrices.batches}, kName);
    primitives::requireDenseType(arguments[0], kName);
    primitives::requireMatrices(arguments[0], matrices.size, matrices.size, matrices.batches,
                                kName);
    for (const size_t side : {1, 2}) {
        primitives::requireDenseType(arguments[side], kName, &arguments[0]);
        primitives::requireMatrices(arguments[side], matrices.size, columns, matrices.batches,
                                    kName);
    }
    primitives::requireDisjoint(arguments[0], arguments[2], kName);
    primitives::TriangularSolveProblem problem;
    problem.type = t.tensor->dataType();
    problem.size = matrices.size;
    problem.columns = columns;
    problem.batches = matrices.batches;
    problem.upper = options.upper;
    problem.transposed = options.transposed;
    problem.unit = options.unitDiagonal;
    problem.inPlace = primitives::isInPlace(arguments[1], arguments[2], kName);
    problem.matrixAlignment = primitives::alignmentOf(arguments[0]);
    problem.resultAlignment = primitives::alignmentOf(arguments[2]);
    return primitives::boundPlan(device, problem, primitives::planTriangularSolve,
                                 std::move(arguments), kName);
}

} // namespace

OpTriangularSolve::OpTriangularSolve(const TensorRange& t, const TensorRange& b,
                                     const TensorRange& x, const SquareMatrices& matrices,
                                     uint64_t columns, const TriangularSolveOptions& options)
    : Primitive(triangularSolvePlan(t, b, x, matrices, columns, options)) {}

OpTriangularSolve::~OpTriangularSolve() = default;

} // namespace kp
