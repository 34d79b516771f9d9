// SPDX-License-Identifier: Apache-2.0
#include "primitives/select/SelectAlone.hpp"

#include <algorithm>
#include <utility>

#include <SelectAlone.glsl.hpp>
#include <SelectGroups.glsl.hpp>
#include <SelectMark.glsl.hpp>
#include <Units.glsl.hpp>
#include <Wide.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/select/SelectSource.hpp"
#include "primitives/source/Division.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {

Plan planSelectAlone(const SelectProblem& problem, const DeviceTraits& traits) {
    using Choice = SelectProblem::Choice;
    Plan plan(problem.arguments);
    const uint32_t unit = unitOf(problem);
    Kernel kernel;
    Dispatch dispatch;
    std::string functions =
        std::string(UNITS_GLSL) + std::string(WIDE_GLSL) + std::string(SELECTGROUPS_GLSL);
    const bool flags = problem.choice == Choice::eFlags;
    const bool asUnits =
        problem.choice == Choice::eHeads && problem.type == Memory::DataTypes::eCustom;
    std::string macros =
        choiceMacros(problem, kernel, functions) +
        formatted("#define ALONE\n#define MOVED_UNITS {}u\n{}", problem.elementBytes / unit,
                  asUnits ? std::string() : unitMacros(unit));
    const uint64_t bytes =
        flags ? Memory::dataTypeMemorySize(problem.flagType) : problem.elementBytes;
    dispatch.views = {{flags ? *problem.flags : problem.in, 0, problem.count * bytes,
                       asUnits ? unit : static_cast<uint32_t>(bytes)},
                      {problem.in, 0, problem.count * problem.elementBytes, unit}};
    const auto add = [&](const char* name, std::optional<uint32_t> memory, uint64_t count,
                         uint64_t elementBytes, uint32_t unitBytes) {
        if (!memory || count == 0)
            return;
        macros += formatted("#define {}_BINDING {}\n#define {}_WORDS {}\n", name,
                            dispatch.views.size(), name, elementBytes / 4);
        dispatch.views.push_back({*memory, 0, count * elementBytes, unitBytes, View::Use::eWrite});
    };
    const auto wordsOf = [](bool wide) { return wide ? 8u : 4u; };
    // No output gets more than there are elements.
    const uint64_t outCount = std::min(problem.outCount, problem.count);
    const uint64_t lengthCount = std::min(problem.lengthCount, problem.count);
    add("OUT", problem.out, outCount, problem.elementBytes, unit);
    add("LENGTH", problem.lengths, lengthCount, wordsOf(problem.wideLengths),
        wordsOf(problem.wideLengths));
    add("INVERSE", problem.inverse, problem.count, wordsOf(problem.wideInverse),
        wordsOf(problem.wideInverse));
    add("COUNT", problem.number, 1, wordsOf(problem.wideNumber), wordsOf(problem.wideNumber));
    add("GROUPS", problem.dispatch, 3, 4, 4);

    kernel.name = "selecting few elements";
    kernel.source = composeSource(
        macros, functions, std::string(SELECTALONE_GLSL) + std::string(SELECTMARK_GLSL), false);
    kernel.constants = {1};
    dispatch.kernel = plan.addKernel(std::move(kernel));
    dispatch.setPush(SelectAlonePush{.count = lowWord(problem.count),
                                     .outCount = lowWord(outCount),
                                     .lengthCount = lowWord(lengthCount),
                                     .perGroup = problem.groupSize,
                                     .maxGroups = traits.maxGroupCount});
    dispatch.groups = 1;
    plan.steps.emplace_back(std::move(dispatch));
    return plan;
}

} // namespace kp::primitives
