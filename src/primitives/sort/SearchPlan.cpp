// SPDX-License-Identifier: Apache-2.0
#include "primitives/sort/SearchPlan.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <Search.glsl.hpp>
#include <SortKeys.glsl.hpp>
#include <Wide.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/sort/SortKeys.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {
namespace {

struct SearchRules {
    /// Enough subgroups to hide latencies, and few enough for several groups per core.
    uint32_t groupSize = 256;
    /// Reads in flight per invocation: each step of a search waits for the one before.
    uint32_t perInvocation = 4;
};

Kernel searchKernel(const SearchProblem& problem, const SearchRules& rules, bool queued) {
    std::string macros = keyMacros(problem.type) + "#define VALUE_WORDS 0\n";
    macros += formatted("#define PER_INVOCATION {}\n#define PLACE_WORDS {}\n", rules.perInvocation,
                        problem.placeBytes / 4);
    if (queued)
        macros += "#define QUEUED\n";
    if (problem.right)
        macros += "#define RIGHT\n";
    if (problem.countingNeedles)
        macros += "#define COUNTING\n";
    Kernel kernel;
    kernel.name = "OpSearchSorted";
    kernel.source = composeSource(macros, std::string(WIDE_GLSL) + std::string(SORTKEYS_GLSL),
                                  SEARCH_GLSL, false);
    kernel.constants = {rules.groupSize};
    return kernel;
}

} // namespace

Plan planSearch(const SearchProblem& problem, const DeviceTraits& traits) {
    const uint32_t placesArgument = problem.countingNeedles ? 1 : 2;
    Plan plan(placesArgument + 1);
    if (problem.needles == 0)
        return plan;
    if (problem.sorted == 0) {
        plan.steps.emplace_back(Fill{placesArgument, 0, problem.needles * problem.placeBytes, 0});
        return plan;
    }
    SearchRules rules;
    rules.groupSize = std::min(rules.groupSize, std::bit_floor(traits.maxGroupSize));
    const uint32_t kernel = plan.addKernel(searchKernel(problem, rules, traits.isCpu));
    const uint32_t bytes = sortKeyBits(problem.type) / 8;
    const uint64_t sortedMost = traits.maxViewBytes / bytes;
    const uint64_t needlesMost = traits.maxViewBytes / std::max(bytes, problem.placeBytes);
    for (uint64_t base = 0; base < problem.sorted; base += sortedMost) {
        const uint64_t sorted = std::min(sortedMost, problem.sorted - base);
        for (uint64_t first = 0; first < problem.needles; first += needlesMost) {
            const uint64_t needles = std::min(needlesMost, problem.needles - first);
            Dispatch dispatch;
            dispatch.kernel = kernel;
            dispatch.views.push_back({0, base * bytes, sorted * bytes, bytes});
            if (!problem.countingNeedles)
                dispatch.views.push_back({1, first * bytes, needles * bytes, bytes});
            dispatch.views.push_back({placesArgument, first * problem.placeBytes,
                                      needles * problem.placeBytes, problem.placeBytes,
                                      View::Use::eWrite});
            dispatch.setPush(SearchPush{.sortedCount = lowWord(sorted),
                                        .needleCount = lowWord(needles),
                                        .baseLow = lowWord(base),
                                        .baseHigh = highWord(base),
                                        .needleBase = lowWord(first)});
            dispatch.groups = divideUp(needles, uint64_t{rules.groupSize} * rules.perInvocation);
            plan.steps.emplace_back(std::move(dispatch));
        }
    }
    return plan;
}

} // namespace kp::primitives
