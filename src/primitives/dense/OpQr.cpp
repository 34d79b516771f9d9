// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/dense/OpQr.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "primitives/dense/DenseArguments.hpp"
#include "primitives/dense/QrPlan.hpp"
#include "primitives/plan/KnownPlans.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> qrPlan(const TensorRange& a, const TensorRange& q,
                                              const TensorRange& r,
                                              const RectangularMatrices& matrices,
                                              const QrOptions& options) {
    constexpr const char* kName = "OpQr";
    const auto [rows, columns, batches] = matrices;
    std::vector<primitives::Argument> arguments = {{a, "A"}, {r, "R", true}};
    if (q)
        arguments.push_back({q, "Q", true});
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::requireExtents({rows, columns, batches}, kName);
    primitives::QrProblem problem;
    problem.type = a.tensor->dataType();
    problem.rows = rows;
    problem.columns = columns;
    problem.batches = batches;
    problem.triangleRows = options.complete ? rows : std::min(rows, columns);
    primitives::requireDenseType(arguments[0], kName);
    primitives::requireMatrices(arguments[0], rows, columns, batches, kName);
    primitives::requireDenseType(arguments[1], kName, arguments.data());
    primitives::requireMatrices(arguments[1], problem.triangleRows, columns, batches, kName);
    primitives::requireDisjoint(arguments[0], arguments[1], kName);
    if (q) {
        problem.basisColumns = problem.triangleRows;
        problem.alignment = primitives::alignmentOf(arguments[2]);
        primitives::requireDenseType(arguments[2], kName, arguments.data());
        primitives::requireMatrices(arguments[2], rows, problem.basisColumns, batches, kName);
        primitives::requireDisjoint(arguments[0], arguments[2], kName);
        primitives::requireDisjoint(arguments[1], arguments[2], kName);
    }
    return primitives::boundPlan(device, problem, primitives::planQr, std::move(arguments), kName);
}

} // namespace

OpQr::OpQr(const TensorRange& a, const TensorRange& q, const TensorRange& r,
           const RectangularMatrices& matrices, const QrOptions& options)
    : Primitive(qrPlan(a, q, r, matrices, options)) {}

OpQr::~OpQr() = default;

} // namespace kp
