// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/dense/OpLu.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "primitives/dense/DenseArguments.hpp"
#include "primitives/dense/LuPlan.hpp"
#include "primitives/plan/KnownPlans.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> luPlan(const TensorRange& a, const TensorRange& lu,
                                              const TensorRange& pivots, const TensorRange& info,
                                              uint64_t rows, uint64_t columns,
                                              const LuOptions& options) {
    constexpr const char* kName = "OpLu";
    std::vector<primitives::Argument> arguments = {{a, "A"},
                                                   {lu, "LU", true},
                                                   {pivots, "the tensor of pivots", true},
                                                   {info, "the info", true}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::requireExtents({rows, columns, options.batches}, kName);
    primitives::requireDenseType(arguments[0], kName);
    primitives::requireDenseType(arguments[1], kName, &arguments[0]);
    for (const size_t matrix : {0, 1})
        primitives::requireMatrices(arguments[matrix], rows, columns, options.batches, kName);
    primitives::requireIntegers(arguments[2], std::min(rows, columns), options.batches, kName);
    primitives::requireIntegers(arguments[3], 1, options.batches, kName);
    primitives::LuProblem problem;
    problem.type = a.tensor->dataType();
    problem.rows = rows;
    problem.columns = columns;
    problem.batches = options.batches;
    problem.transposed = options.transposed;
    problem.inPlace = primitives::isInPlace(arguments[0], arguments[1], kName);
    problem.givenAlignment = primitives::alignmentOf(arguments[0]);
    problem.alignment = primitives::alignmentOf(arguments[1]);
    for (const size_t integers : {2, 3})
        for (size_t other = 0; other < integers; ++other)
            primitives::requireDisjoint(arguments[integers], arguments[other], kName);
    return primitives::boundPlan(device, problem, primitives::planLu, std::move(arguments), kName);
}

} // namespace

OpLu::OpLu(const TensorRange& a, const TensorRange& lu, const TensorRange& pivots,
           const TensorRange& info, uint64_t rows, uint64_t columns, const LuOptions& options)
    : Primitive(luPlan(a, lu, pivots, info, rows, columns, options)) {}

OpLu::~OpLu() = default;

} // namespace kp
