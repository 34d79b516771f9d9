// SPDX-License-Identifier: Apache-2.0
#include "primitives/move/IndexedOperation.hpp"

#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "primitives/move/IndexedPlan.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"

namespace kp::primitives {

std::unique_ptr<BoundPlan> indexedOperation(const TensorRange& in, const TensorRange& indices,
                                            const TensorRange& out,
                                            const std::vector<uint64_t>& shape, int axis,
                                            bool scatter) {
    const char* const name = scatter ? "OpScatter" : "OpGather";
    std::vector<Argument> arguments = {
        {in, "the input"}, {indices, "the indices"}, {out, "the output"}};
    const std::shared_ptr<vulkan::Device> device = deviceOf(arguments, name);
    requireDisjoint(arguments[0], arguments[2], name);
    requireDisjoint(arguments[1], arguments[2], name);
    requireSameElements(arguments[0], arguments[2], name);

    IndexedProblem problem;
    const IndexType type = indexTypeOf(arguments[1], name);
    problem.wideIndices = type.wide;
    problem.signedIndices = type.isSigned;
    problem.indices = elementsOf(indices);
    const uint64_t arrayElements = elementsOf(scatter ? out : in);
    const uint64_t listElements = elementsOf(scatter ? in : out);
    problem.array = axisExtents(shape, axis, arrayElements, name);
    const uint64_t slice = problem.array.outer * problem.array.inner;
    if (problem.indices != 0 &&
        (slice > UINT64_MAX / problem.indices || slice * problem.indices != listElements))
        fail<InvalidArgument>("{}: {} need {} each in {}, which has {}", name,
                              counted(problem.indices, "index"), counted(slice, "element"),
                              scatter ? "the input" : "the output", listElements);
    if (problem.indices == 0 && listElements != 0)
        fail<InvalidArgument>("{}: there are no indices, but {} has {}", name,
                              scatter ? "the input" : "the output",
                              counted(listElements, "element"));
    problem.elementBytes = implOf(*in.tensor).elementSize;
    problem.scatter = scatter;
    problem.inUnit = startUnit(in);
    problem.outUnit = startUnit(out);
    return boundPlan(device, problem, planIndexed, std::move(arguments), name);
}

} // namespace kp::primitives
