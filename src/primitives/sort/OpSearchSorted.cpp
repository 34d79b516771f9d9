// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/sort/OpSearchSorted.hpp>

#include <memory>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/sort/SearchPlan.hpp"
#include "primitives/sort/SortKeys.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> searchPlan(const TensorRange& sorted,
                                                  const TensorRange& needles,
                                                  const TensorRange& places, SearchSide side) {
    constexpr const char* kName = "OpSearchSorted";
    std::vector<primitives::Argument> arguments = {{sorted, "the tensor of sorted elements"},
                                                   {needles, "the needles"},
                                                   {places, "the places", true}};
    const std::shared_ptr<vulkan::Device> device = primitives::deviceOf(arguments, kName);
    primitives::requireDisjoint(arguments[0], arguments[2], kName);
    primitives::requireDisjoint(arguments[1], arguments[2], kName);
    primitives::SearchProblem problem;
    problem.type = sorted.tensor->dataType();
    glslTypeOf(problem.type, "searched");
    primitives::requireSameElements(arguments[0], arguments[1], kName);
    problem.sorted = primitives::elementsOf(sorted);
    problem.needles = primitives::elementsOf(needles);
    if (primitives::elementsOf(places) != problem.needles)
        fail<InvalidArgument>("{}: there are {} needles, but {} places", kName, problem.needles,
                              primitives::elementsOf(places));
    // There is a place after the last element, too.
    problem.placeBytes = primitives::indexBytes(arguments[2], problem.sorted + 1, kName);
    problem.right = side == SearchSide::eRight;
    return primitives::boundPlan(device, problem, primitives::planSearch, std::move(arguments),
                                 kName);
}

} // namespace

OpSearchSorted::OpSearchSorted(const TensorRange& sorted, const TensorRange& needles,
                               const TensorRange& places, SearchSide side)
    : Primitive(searchPlan(sorted, needles, places, side)) {}

OpSearchSorted::~OpSearchSorted() = default;

} // namespace kp
