// SPDX-License-Identifier: Apache-2.0
#include "shader/check/CheckedModule.hpp"

#include <optional>
#include <utility>

#include "shader/check/AssertChecks.hpp"
#include "shader/check/CheckContext.hpp"
#include "shader/check/LoopChecks.hpp"
#include "shader/check/access/AccessChecks.hpp"
#include "shader/check/memory/AddressChecks.hpp"
#include "shader/check/memory/WrittenChecks.hpp"
#include "shader/check/races/RaceChecks.hpp"
#include "shader/check/values/ArithmeticChecks.hpp"
#include "shader/check/values/FiniteChecks.hpp"

namespace kp::shader {

CheckedModule checkModule(std::span<const uint32_t> spirv, const CheckKinds& kinds) {
    CheckContext context(spirv, kinds);
    AccessChecks accesses(context);
    ArithmeticChecks arithmetic(context);
    AssertChecks assertions(context);
    FiniteChecks finite(context);
    LoopChecks loops(context);
    AddressChecks addresses(context);
    std::optional<WrittenChecks> written;
    if (kinds.uninitialised)
        written.emplace(context);
    std::optional<RaceChecks> races;
    if (kinds.races || kinds.uninitialised)
        races.emplace(context);
    std::vector<Node> nodes = std::exchange(context.editor.functions, {});
    std::vector<Node> checked;
    for (size_t i = 0; i < nodes.size(); ++i) {
        Node& node = nodes[i];
        context.lines.follow(node);
        std::vector<Node> before;
        assertions.check(node, before);
        if (races) // before others replace the access
            races->check(node, before);
        if (written)
            written->check(node, before);
        if (kinds.bounds) {
            accesses.check(node, before);
            addresses.check(node);
        }
        if (kinds.arithmetic)
            arithmetic.check(node);
        if (kinds.nan)
            finite.check(node, before);
        if (kinds.steps != 0 && node.opcode == spv::OpLoopMerge) {
            // Slang's loops begin without a line; the condition's line follows.
            for (size_t next = i + 1; context.lines.line() == 0 && next < nodes.size() &&
                                      nodes[next].opcode != spv::OpFunctionEnd;
                 ++next)
                context.lines.follow(nodes[next]);
            loops.check(nodes[i + 1], node, before); // the branch follows at once
        }
        checked.insert(checked.end(), before.begin(), before.end());
        checked.push_back(std::move(node));
    }
    if (context.sites.empty() && !(written && !written->followed().empty()))
        return {{spirv.begin(), spirv.end()}, 0, {}};
    assertions.finish(checked);
    context.editor.functions = std::move(checked);
    CheckedModule made = context.finish();
    made.measured = accesses.measured();
    if (written)
        made.followed = written->followed();
    if (races) {
        made.shadowed = races->shadowed();
        made.shadowsShared = races->shadowsShared();
    }
    return made;
}

} // namespace kp::shader
