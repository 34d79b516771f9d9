// SPDX-License-Identifier: Apache-2.0
#include "arrays/engine/ElementKernel.hpp"

#include <algorithm>

#include "base/Text.hpp"

namespace kp::arrays {
namespace {

constexpr std::string_view kGroupIndex =
    "(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x)";

/// Invocations compute a strip of elements one after the other. The elements of an invocation, or
/// the vectors if accesses are wide, are a work group apart.
std::string stripSource(const KernelCode& program, const Layout& layout, uint32_t strip,
                        uint64_t wide) {
    KernelText text(program, layout, 1, {}, wide);
    const uint32_t step = kLocalSize * (wide ? kWide : 1);
    std::string body =
        formatted("    uint first = {} * {}u;\n    uint end = min(p[0], first + {}u);\n"
                  "    for (uint i = first + gl_LocalInvocationIndex{}; i < end; i += {}u) {{\n",
                  kGroupIndex, kLocalSize * strip, kLocalSize * strip,
                  wide ? formatted(" * {}u", kWide) : "", step);
    if (wide) {
        const auto [computed, stores] = text.neighbours("i", Part::eKept, "        ");
        body += computed + stores;
    } else {
        body += text.coordinates("i", Part::eKept, "        ");
        for (size_t at = 0; at < program.instructions().size(); ++at)
            body += formatted("        {}\n", text.statement(at, "i", "0u"));
    }
    return text.source("elements", body + "    }\n");
}

/// Characters of the functions that a kernel calls. Drivers write the functions out at each call:
/// four times with wide accesses. Of longer functions, that takes tenths of a second to compile,
/// and the accesses are a small part of the time that they take to run.
constexpr size_t kLongFunctions = 4000;

bool hasLongFunctions(const KernelCode& program, const Layout& layout) {
    KernelText text(program, layout, 1);
    for (size_t at = 0; at < program.instructions().size(); ++at)
        text.statement(at, "i", "0u");
    return text.functions().size() > kLongFunctions;
}

bool isOfDoubles(DType dtype) {
    return dtype == DType::eFloat64 || dtype == DType::eComplex128;
}

bool computesDoubles(const KernelCode& program) {
    return std::ranges::any_of(program.instructions(), [](const Instruction& each) {
        return each.op == Op::eCall &&
               (isOfDoubles(each.dtype) || std::ranges::any_of(each.kinds, isOfDoubles));
    });
}

} // namespace

uint32_t elementsEach(const KernelCode& program, const Rules& rules, size_t more) {
    const size_t instructions = program.instructions().size() + more;
    if (instructions > 2 * kSmallProgram || (!rules.doubles && computesDoubles(program)))
        return 1;
    return instructions <= kSmallProgram ? kEach : (kEach + 1) / 2;
}

uint64_t wideBindings(const KernelCode& program, const Layout& layout, const Rules& rules,
                      int64_t count, Part part) {
    if (rules.strip == 0 || count % kWide != 0 || elementsEach(program, rules) == 1 ||
        hasLongFunctions(program, layout))
        return 0;
    return program.wideBindings(layout, part);
}

uint32_t elementsOfGroup(const KernelCode& program, const Rules& rules) {
    return kLocalSize * (rules.strip ? rules.strip : elementsEach(program, rules));
}

std::string elementSource(const KernelCode& program, const Layout& layout, const Rules& rules,
                          uint64_t wide) {
    if (rules.strip)
        return stripSource(program, layout, rules.strip, wide);
    KernelText text(program, layout, 1);
    const size_t instructions = program.instructions().size();
    const uint32_t each = elementsEach(program, rules);
    if (each == 1) {
        std::string body = kGlobalIndex;
        body += "    if (i >= p[0]) return;\n" + text.coordinates("i", Part::eKept, "    ");
        for (size_t at = 0; at < instructions; ++at)
            body += formatted("    {}\n", text.statement(at, "i", "0u"));
        return text.source("elements", body);
    }
    // An invocation's elements are a work group apart: it loads all of them, then stores them.
    std::string body = formatted("    uint i0 = {} * {}u + gl_LocalInvocationIndex;\n"
                                 "    if (i0 >= p[0]) return;\n",
                                 kGroupIndex, kLocalSize * each);
    std::string stores;
    for (uint32_t part = 0; part < each; ++part) {
        const std::string index = formatted("i{}", part);
        const std::string suffix = formatted("_{}", part);
        if (part)
            body +=
                formatted("    uint {} = min(i0 + {}u, p[0] - 1u);\n", index, part * kLocalSize);
        body += renamed(text.coordinates(index, Part::eKept, "    "), Part::eKept, suffix);
        for (size_t at = 0; at < instructions; ++at) {
            const std::string statement =
                renamed(text.statement(at, index, "0u"), Part::eKept, suffix);
            if (!program.instructions()[at].stores)
                body += formatted("    {}\n", statement);
            else if (part)
                stores +=
                    formatted("    if (i0 + {}u < p[0]) {{ {} }}\n", part * kLocalSize, statement);
            else
                stores += formatted("    {}\n", statement);
        }
    }
    return text.source("elements", body + stores);
}

} // namespace kp::arrays
