// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/dense/OpCholesky.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "primitives/dense/CholeskyPlan.hpp"
#include "primitives/dense/DenseArguments.hpp"
#include "primitives/plan/KnownPlans.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> choleskyPlan(const TensorRange& a, const TensorRange& factor,
                                                    const TensorRange& info,
                                                    const SquareMatrices& matrices) {
    constexpr const char* kName = "OpCholesky";
    std::vector<primitives::Argument> arguments = {
        {a, "A"}, {factor, "L", true}, {info, "the info", true}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::requireExtents({matrices.size, matrices.batches}, kName);
    primitives::requireDenseType(arguments[0], kName);
    primitives::requireDenseType(arguments[1], kName, &arguments[0]);
    for (const size_t matrix : {0, 1})
        primitives::requireMatrices(arguments[matrix], matrices.size, matrices.size,
                                    matrices.batches, kName);
    primitives::requireIntegers(arguments[2], 1, matrices.batches, kName);
    primitives::CholeskyProblem problem;
    problem.type = a.tensor->dataType();
    problem.size = matrices.size;
    problem.batches = matrices.batches;
    problem.inPlace = primitives::isInPlace(arguments[0], arguments[1], kName);
    problem.alignment = primitives::alignmentOf(arguments[1]);
    for (const size_t matrix : {0, 1})
        primitives::requireDisjoint(arguments[matrix], arguments[2], kName);
    return primitives::boundPlan(device, problem, primitives::planCholesky, std::move(arguments),
                                 kName);
}

} // namespace

OpCholesky::OpCholesky(const TensorRange& a, const TensorRange& factor, const TensorRange& info,
                       const SquareMatrices& matrices)
    : Primitive(choleskyPlan(a, factor, info, matrices)) {}

OpCholesky::~OpCholesky() = default;

} // namespace kp
