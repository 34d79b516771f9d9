// SPDX-License-Identifier: Apache-2.0
#include "shader/check/AssertChecks.hpp"

#include <algorithm>

namespace kp::shader {
namespace {

constexpr uint32_t kDebugPrintf = 1;
constexpr uint32_t kMark = 0x6b70; ///< the first argument of kp_assert()'s messages

bool isPrintf(const Node& node, uint32_t set) {
    return node.opcode == spv::OpExtInst && node.operand(0) == set &&
           node.operand(1) == kDebugPrintf;
}

} // namespace

AssertChecks::AssertChecks(CheckContext& context) : mContext(context) {
    for (const Node& each : context.editor.imports)
        if (textOf(each, 0) == "NonSemantic.DebugPrintf")
            mPrintf = each.result;
}

void AssertChecks::check(Node& node, std::vector<Node>& before) {
    uint32_t mark = 0;
    if (mPrintf == 0 || !isPrintf(node, mPrintf) || !mContext.isKnown(node.operand(3), mark) ||
        mark != kMark)
        return;
    CheckSite site;
    site.kind = FaultKind::eAssert;
    for (const Node& each : mContext.editor.names)
        if (each.opcode == spv::OpString && each.result == node.operand(2))
            site.message = textOf(each, 0);
    uint32_t value = node.operand(4);
    site.value = mContext.valueKind(mContext.typeOf(value));
    if (site.value == FaultValue::eNone) {
        value = mContext.zero();
    } else if (site.value != FaultValue::eUint) {
        const uint32_t bits = mContext.editor.newId();
        before.push_back(nodeOf(spv::OpBitcast, mContext.uintType(), bits, {value}));
        value = bits;
    }
    Fault fault;
    fault.site = mContext.addSite(std::move(site));
    fault.value = value;
    node = mContext.callReport(fault);
}

void AssertChecks::finish(const std::vector<Node>& functions) {
    const auto uses = [&](const Node& node) { return isPrintf(node, mPrintf); };
    if (mPrintf == 0 || std::ranges::any_of(functions, uses))
        return;
    std::vector<Node>& imports = mContext.editor.imports;
    std::erase_if(imports, [&](const Node& each) { return each.result == mPrintf; });
    const auto isNonSemantic = [](const Node& each) {
        return textOf(each, 0).starts_with("NonSemantic.");
    };
    if (std::ranges::none_of(imports, isNonSemantic))
        std::erase_if(mContext.editor.extensions, [](const Node& each) {
            return textOf(each, 0) == "SPV_KHR_non_semantic_info";
        });
}

} // namespace kp::shader
