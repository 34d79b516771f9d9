// SPDX-License-Identifier: Apache-2.0
#include "arrays/engine/ReduceKernel.hpp"

#include "base/Text.hpp"

namespace kp::arrays {
namespace {

/// Combines neighbouring elements in their order, from one multiple of kWide to another.
std::string wideLoop(KernelText& text, const KernelCode& program) {
    auto [computed, stores] = text.neighbours("j", Part::eReduced, "        ");
    const size_t last = program.instructions().size() - 1;
    const std::string pairs = formatted("combine(v{0}_0, v{0}_1), combine(v{0}_2, v{0}_3)", last);
    return formatted("    for (uint j = first; j < end; j += {}u) {{\n{}"
                     "        total = combine(total, combine({}));\n    }}\n",
                     kWide, computed, pairs);
}

/// Combines elements in their order. Of small programs, several are loaded before the first is
/// used.
std::string loop(KernelText& text, const KernelCode& program, const Rules& rules,
                 std::string_view start, std::string_view step) {
    const size_t instructions = program.instructions().size();
    const auto loads = [&](std::string_view index, std::string_view part) {
        std::string statements = text.coordinates(index, Part::eReduced, "        ");
        for (size_t at = 0; at < instructions; ++at)
            statements += formatted("        {}\n", text.statement(at, "i", index));
        return renamed(statements, Part::eReduced, part);
    };
    const auto combining = [&](std::string_view part) {
        return formatted("        total = combine(total, v{}{});\n", instructions - 1, part);
    };
    const std::string single = formatted("{{\n{}{}    }}\n", loads("j", ""), combining(""));
    const uint32_t each = elementsEach(program, rules, 1);
    if (each == 1)
        return formatted("    for (uint j = {}; j < end; j += {}) {}", start, step, single);
    std::string body = formatted("    uint j = {};\n    for (; j + {}u * {} < end; j += {}u * {}) "
                                 "{{\n",
                                 start, each - 1, step, each, step);
    for (uint32_t part = 0; part < each; ++part)
        body += loads(formatted("(j + {}u * {})", part, step), formatted("_{}", part));
    for (uint32_t part = 0; part < each; ++part)
        body += combining(formatted("_{}", part));
    return body + formatted("    }}\n    for (; j < end; j += {}) {}", step, single);
}

/// One invocation per part of a result. Parts of one result are all results apart.
std::string serial(KernelText& text, const KernelCode& program, const Rules& rules, bool wide) {
    return formatted("    uint result = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) "
                     "* {}u + gl_LocalInvocationIndex;\n"
                     "    if (result >= p[0] * p[2]) return;\n"
                     "    uint i = result % p[0];\n"
                     "    uint first = (result / p[0]) * p[3];\n"
                     "    uint end = min(p[1], first + p[3]);\n{}{}",
                     kLocalSize, text.coordinates("i", Part::eKept, "    "),
                     wide ? wideLoop(text, program) : loop(text, program, rules, "first", "1u"));
}

/// One work group per part of a result.
std::string grouped(KernelText& text, const KernelCode& program, const Rules& rules) {
    return formatted(
        "    uint result = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;\n"
        "    if (result >= p[0] * p[2]) return;\n"
        "    uint i = result / p[2];\n"
        "    uint first = (result % p[2]) * p[3];\n"
        "    uint end = min(p[1], first + p[3]);\n{}{}"
        "    partial[gl_LocalInvocationIndex] = total;\n"
        "    for (uint span = {}u; span > 0u; span >>= 1) {{\n"
        "        barrier();\n"
        "        if (gl_LocalInvocationIndex < span)\n"
        "            partial[gl_LocalInvocationIndex] = combine(\n"
        "                partial[gl_LocalInvocationIndex], partial[gl_LocalInvocationIndex + "
        "span]);\n    }}\n"
        "    if (gl_LocalInvocationIndex != 0u) return;\n"
        "    total = partial[0];\n",
        text.coordinates("i", Part::eKept, "    "),
        loop(text, program, rules, "first + gl_LocalInvocationIndex", formatted("{}u", kLocalSize)),
        kLocalSize / 2);
}

} // namespace

std::string reduceSource(const KernelCode& program, const Layout& layout, DType accumulated,
                         DType results, int binding, const Reduction& reduction, const Rules& rules,
                         bool byGroups, uint64_t wide) {
    const NumberType& total = numberType(accumulated);
    const bool again = accumulated != results || *reduction.finish != "{0}";
    std::vector<int> used;
    if (again)
        used.push_back(static_cast<int>(program.instructions().size()) - 1);
    KernelText text(program, layout, 4, used, wide);
    text.use(accumulated);
    std::string finished = text.calling(filledAll(*reduction.finish, {"total"}), total.computed);
    for (size_t at = finished.find("n_"); at != std::string::npos; at = finished.find("n_", at))
        finished.replace(at, 2, "p[1]");
    text.calling(convert("total", accumulated, results, false), "float");
    finished = convert(formatted("({})", finished), accumulated, results, false);
    std::string combine = text.calling(filledAll(*reduction.combine, {"a", "b"}), total.computed);
    const bool floating = accumulated >= DType::eFloat16;
    if (!floating && !total.wrap.empty())
        combine = filled(total.wrap, {formatted("({})", combine)});
    text.define(formatted("{0} combine({0} a, {0} b) {{\n    {1}{0} c = {2};\n    return c;\n}}\n",
                          total.computed, floating ? "precise " : "", combine));
    std::string body = formatted("    {} total = {};\n", total.computed,
                                 text.calling(*reduction.identity, total.computed));
    body += byGroups ? grouped(text, program, rules) : serial(text, program, rules, wide != 0);
    body += formatted("    {}\n", text.storing(binding, "result", results, finished));
    return text.source("reduction", body,
                       byGroups ? formatted("shared {} partial[{}];\n", total.computed, kLocalSize)
                                : "");
}

} // namespace kp::arrays
