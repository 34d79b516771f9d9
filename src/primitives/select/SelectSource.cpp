// SPDX-License-Identifier: Apache-2.0
#include "primitives/select/SelectSource.hpp"

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "shader/limits/SourceTokens.hpp"

namespace kp::primitives {
namespace {

using Choice = SelectProblem::Choice;

/// Returns whether a GLSL expression has an '=' that does not compare.
bool assigns(std::string_view glsl) {
    std::string_view before;
    bool single = false;
    for (const shader::SourceToken& token : shader::tokensOf(glsl)) {
        if (single && token.text != "=")
            return true;
        single =
            token.text == "=" && before != "=" && before != "<" && before != ">" && before != "!";
        before = token.text;
    }
    return false;
}

} // namespace

uint32_t unitOf(const SelectProblem& problem) {
    return moveUnit(problem.elementBytes | problem.inUnit | problem.outUnit);
}

std::string choiceMacros(const SelectProblem& problem, Kernel& kernel, std::string& functions) {
    if (problem.choice == Choice::eFlags)
        return "#define FLAGS\n" + glslTypeMacros("FLAG", problem.flagType);
    if (problem.choice == Choice::ePredicate) {
        const bool flags = problem.type == Memory::DataTypes::eBool;
        functions +=
            formatted("#define T {}\n"
                      "bool predicate(const T x) {{ return (\n"
                      "#include \"predicate\"\n); }}\n{}",
                      flags ? "bool" : glslComputedName(problem.type),
                      flags ? "bool predicate(uint x) { return predicate(x != 0u); }\n" : "");
        kernel.userTexts = {
            {"predicate", problem.predicate,
             std::string("a predicate is a condition over x, true or false") +
                 (assigns(problem.predicate) ? "; with '=', did you mean '=='?" : "")}};
        return "#define PREDICATE\n" + glslTypeMacros("IN", problem.type);
    }
    if (problem.type == Memory::DataTypes::eCustom)
        return formatted("#define HEADS\n#define UNITS {}u\n",
                         problem.elementBytes / unitOf(problem)) +
               unitMacros(unitOf(problem));
    return "#define HEADS\n" + glslTypeMacros("IN", problem.type);
}

} // namespace kp::primitives
