// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/scan/OpScan.hpp>

#include <memory>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/scan/ScanPlan.hpp"
#include "primitives/source/OperatorSource.hpp"

namespace kp {
namespace {

using primitives::BoundPlan;

std::unique_ptr<BoundPlan> scanPlan(const TensorRange& in, const TensorRange& out,
                                    const Operator& combine, const ScanOptions& options) {
    constexpr const char* kName = "OpScan";
    std::vector<primitives::Argument> arguments = {{in, "the input"}, {out, "the output", true}};
    if (options.segments)
        arguments.push_back({options.segments, "the offsets"});
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);

    primitives::ScanProblem problem;
    problem.combine = combine;
    problem.in = in.tensor->dataType();
    problem.out = out.tensor->dataType();
    problem.exclusive = options.exclusive;
    if (options.segments)
        problem.segments = primitives::segmentsAlone(arguments[2], arguments[1], options.shape,
                                                     options.axis, kName);
    const primitives::AxisExtents rows =
        primitives::rowsOf(options.shape, options.axis, primitives::elementsOf(in), kName);
    problem.outer = rows.outer;
    problem.length = rows.length;
    problem.inner = rows.inner;
    problem.inUnit = primitives::startUnit(in);
    problem.inPlace = primitives::isSameMemory(arguments[0], arguments[1]);
    if (!problem.inPlace)
        primitives::requireDisjoint(arguments[0], arguments[1], kName);
    primitives::operatorType(combine, problem.in, problem.out, kName); // throws
    if (primitives::elementsOf(out) != primitives::elementsOf(in))
        fail<InvalidArgument>("{}: the input has {}, but the output has {}", kName,
                              counted(primitives::elementsOf(in), "element"),
                              primitives::elementsOf(out));
    return primitives::boundPlan(device, problem, primitives::planScan, std::move(arguments),
                                 kName);
}

} // namespace

OpScan::OpScan(const TensorRange& in, const TensorRange& out, const Operator& combine,
               const ScanOptions& options)
    : Primitive(scanPlan(in, out, combine, options)) {}

OpScan::~OpScan() = default;

} // namespace kp
