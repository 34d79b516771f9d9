// SPDX-License-Identifier: Apache-2.0
#include "primitives/IndexOfNumber.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "primitives/plan/KnownPlans.hpp"
#include "primitives/reduce/ReducePlan.hpp"

namespace kp::primitives {
namespace {

std::unique_ptr<BoundPlan> planOf(const TensorRange& in, const TensorRange& out,
                                  ReduceOperation operation, uint64_t outer, uint64_t length,
                                  uint64_t inner) {
    constexpr const char* kName = "IndexOfNumber";
    std::vector<Argument> arguments = {{in, "the input"}, {out, "the output", true}};
    const std::shared_ptr<vulkan::Device> device = deviceOf(arguments, kName);
    ReduceProblem problem;
    problem.combine = operation;
    problem.in = in.tensor->dataType();
    problem.out = out.tensor->dataType();
    problem.outer = outer;
    problem.length = length;
    problem.inner = inner;
    problem.ignoreNans = true;
    return boundPlan(device, problem, planReduce, std::move(arguments), kName);
}

} // namespace

IndexOfNumber::IndexOfNumber(const TensorRange& in, const TensorRange& out,
                             ReduceOperation operation, uint64_t outer, uint64_t length,
                             uint64_t inner)
    : Primitive(planOf(in, out, operation, outer, length, inner)) {}

} // namespace kp::primitives
