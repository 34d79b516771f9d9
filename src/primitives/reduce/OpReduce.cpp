// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/reduce/OpReduce.hpp>

#include <memory>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/reduce/ReducePlan.hpp"

namespace kp {
namespace {

using primitives::BoundPlan;

std::unique_ptr<BoundPlan> reducePlan(const TensorRange& in, const TensorRange& out,
                                      const Operator& combine, const ReduceOptions& options) {
    constexpr const char* kName = "OpReduce";
    std::vector<primitives::Argument> arguments = {{in, "the input"}, {out, "the output", true}};
    if (options.segments)
        arguments.push_back({options.segments, "the offsets"});
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::requireDisjoint(arguments[0], arguments[1], kName);

    primitives::ReduceProblem problem;
    problem.combine = combine;
    problem.in = in.tensor->dataType();
    problem.out = out.tensor->dataType();
    if (options.segments)
        problem.segments = primitives::segmentsAlone(arguments[2], arguments[1], options.shape,
                                                     options.axis, kName);
    const primitives::AxisExtents rows =
        primitives::rowsOf(options.shape, options.axis, primitives::elementsOf(in), kName);
    problem.outer = rows.outer;
    problem.length = rows.length;
    problem.inner = rows.inner;
    primitives::reduceType(problem); // throws if the types do not match
    if (primitives::elementsOf(out) != problem.results())
        fail<InvalidArgument>("{}: the result has {}, but the output {}", kName,
                              counted(problem.results(), "element"), primitives::elementsOf(out));
    return primitives::boundPlan(device, problem, primitives::planReduce, std::move(arguments),
                                 kName);
}

} // namespace

OpReduce::OpReduce(const TensorRange& in, const TensorRange& out, const Operator& combine,
                   const ReduceOptions& options)
    : Primitive(reducePlan(in, out, combine, options)) {}

OpReduce::~OpReduce() = default;

} // namespace kp
