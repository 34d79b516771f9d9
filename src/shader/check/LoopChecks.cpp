// SPDX-License-Identifier: Apache-2.0
#include "shader/check/LoopChecks.hpp"

#include <algorithm>

namespace kp::shader {

LoopChecks::LoopChecks(CheckContext& context) : mContext(context) {
    if (context.kinds.steps == 0)
        return;
    const std::vector<Node>& functions = context.editor.functions;
    for (size_t i = 0; i < functions.size(); ++i) {
        const Node& node = functions[i];
        if (node.opcode == spv::OpLabel)
            mLabels[node.result] = i;
        if (node.opcode == spv::OpLoopMerge)
            mMerges[node.operand(0)] = i;
        if (node.opcode == spv::OpPhi)
            mPhis.insert(i);
        if (node.result != 0)
            mDefined[node.result] = i;
        for (size_t k = 0; k < node.operands.size(); ++k)
            if (node.ids[k] && node.opcode != spv::OpPhi)
                mUses.emplace_back(i, node.operands[k]);
    }
}

// The edge from the first block to the merge block skips what the loop computes.
bool LoopChecks::canEnd(const Node& merge) const {
    const size_t end = mLabels.at(merge.operand(0));
    const size_t begin = mMerges.at(merge.operand(0));
    if (mPhis.contains(end + 1))
        return false;
    return std::ranges::none_of(mUses, [&](const auto& use) {
        const auto defined = mDefined.find(use.second);
        return use.first > end && defined != mDefined.end() && defined->second > begin &&
               defined->second < end && !mLabels.contains(use.second);
    });
}

uint32_t LoopChecks::function() {
    if (mFunction != 0)
        return mFunction;
    ModuleEditor& editor = mContext.editor;
    const uint32_t word = mContext.uintType();
    const uint32_t boolean = editor.boolType();
    const uint32_t variable = mContext.counter();
    FunctionWriter code(editor, boolean, {word});
    const uint32_t count = code.add(
        spv::OpIAdd, word, {code.add(spv::OpLoad, word, {variable}), editor.uintConstant(1)});
    code.add(spv::OpStore, 0, {variable, count});
    const uint32_t most = editor.uintConstant(mContext.kinds.steps);
    const uint32_t good = code.add(spv::OpULessThanEqual, boolean, {count, most});
    const uint32_t last =
        code.add(spv::OpINotEqual, boolean, {count, editor.uintConstant(mContext.kinds.steps + 1)});
    const auto report = [&] {
        mContext.report(code, {code.parameter(0), mContext.zero(), most, mContext.zero(), most,
                               mContext.zero()});
        return 0u;
    };
    // Once per invocation, because the loops around it end too.
    code.choose(
        last, 0, [] { return 0u; }, report);
    return mFunction = mContext.add({spv::OpLoopMerge}, code, good);
}

void LoopChecks::check(Node& branch, const Node& merge, std::vector<Node>& before) {
    const uint32_t end = merge.operand(0);
    const bool conditional = branch.opcode == spv::OpBranchConditional;
    const bool endsOnFalse = conditional && branch.operand(2) == end;
    const bool endsOnTrue = conditional && branch.operand(1) == end;
    if (conditional && endsOnFalse == endsOnTrue)
        return;
    if (!conditional && (branch.opcode != spv::OpBranch || !canEnd(merge)))
        return;
    ModuleEditor& editor = mContext.editor;
    const uint32_t boolean = editor.boolType();
    CheckSite site;
    site.kind = FaultKind::eSteps;
    const uint32_t number = mContext.addSite(std::move(site));
    uint32_t go = editor.newId();
    before.push_back(nodeOf(spv::OpFunctionCall, boolean, go, {function(), number}));
    if (!conditional) {
        branch = nodeOf(spv::OpBranchConditional, 0, 0, {go, branch.operand(0), end});
        return;
    }
    const uint32_t condition = branch.operand(0);
    if (endsOnTrue) {
        const uint32_t stop = editor.newId();
        before.push_back(nodeOf(spv::OpLogicalNot, boolean, stop, {go}));
        go = stop;
    }
    const uint32_t both = editor.newId();
    before.push_back(
        nodeOf(endsOnTrue ? spv::OpLogicalOr : spv::OpLogicalAnd, boolean, both, {condition, go}));
    branch.operands[0] = both;
}

} // namespace kp::shader
