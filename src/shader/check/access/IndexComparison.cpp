// SPDX-License-Identifier: Apache-2.0
#include "shader/check/access/IndexComparison.hpp"

namespace kp::shader {

uint32_t IndexComparison::add(uint32_t index, uint32_t type, uint32_t extent) {
    ModuleEditor& editor = mContext.editor;
    const uint32_t width = mContext.intType(type)->operand(0);
    const bool isSigned = mContext.intType(type)->operand(1) != 0;
    uint32_t compared = index;
    uint32_t limit = wordOf(extent);
    if (mContext.isWordPair(type)) {
        const auto [low, high] = mContext.wordsOf(mCode, index, type);
        const uint32_t lowInside = mCode.add(spv::OpULessThan, editor.boolType(), {low, limit});
        const uint32_t highZero =
            mCode.add(spv::OpIEqual, editor.boolType(), {high, mContext.zero()});
        const uint32_t inside =
            mCode.add(spv::OpLogicalAnd, editor.boolType(), {lowInside, highZero});
        mChecks.push_back({index, type, extent, inside});
        return inside;
    }
    if (width == 64)
        limit = mCode.add(spv::OpUConvert, editor.intType(64, false), {limit});
    else if (width < 32)
        compared = mCode.add(isSigned ? spv::OpSConvert : spv::OpUConvert,
                             editor.intType(32, isSigned), {index});
    const uint32_t inside = mCode.add(spv::OpULessThan, editor.boolType(), {compared, limit});
    mChecks.push_back({index, type, extent, inside});
    return inside;
}

uint32_t IndexComparison::all() {
    uint32_t all = mChecks.front().inside;
    for (size_t i = 1; i < mChecks.size(); ++i)
        all = mCode.add(spv::OpLogicalAnd, mContext.editor.boolType(), {all, mChecks[i].inside});
    return all;
}

void IndexComparison::report(uint32_t site, uint32_t value) {
    Fault fault;
    std::vector<uint32_t> axes;
    for (size_t i = mChecks.size(); i-- > 0;) {
        const Check& each = mChecks[i];
        const auto [low, high] = mContext.wordsOf(mCode, each.index, each.type);
        const uint32_t extent = wordOf(each.extent);
        if (i - mAxes.first < mAxes.second)
            axes.insert(axes.begin(), {low, high, extent});
        const uint32_t number = mContext.editor.uintConstant(static_cast<uint32_t>(i));
        fault = {site,
                 chosen(each, fault.check, number),
                 chosen(each, fault.low, low),
                 chosen(each, fault.high, high),
                 chosen(each, fault.extent, extent),
                 value};
    }
    const uint32_t slot = mContext.report(mCode, fault);
    if (!axes.empty() && mAxes.second <= kMaxAxes)
        writeAxes(slot, axes);
}

// The number of axes comes last, so that a report that is read meanwhile has none.
void IndexComparison::writeAxes(uint32_t slot, const std::vector<uint32_t>& words) {
    ModuleEditor& editor = mContext.editor;
    const uint32_t word = mContext.uintType();
    const uint32_t buffer = mContext.reportBuffer();
    const uint32_t pointer = editor.pointerType(spv::StorageClassStorageBuffer, word);
    const uint32_t fits =
        mCode.add(spv::OpULessThan, editor.boolType(), {slot, editor.uintConstant(kMaxFaults)});
    const auto write = [&] {
        const uint32_t begin =
            mCode.add(spv::OpIMul, word, {slot, editor.uintConstant(kAxesWords)});
        const auto store = [&](size_t place, uint32_t value) {
            const uint32_t offset = editor.uintConstant(kAxesWord + static_cast<uint32_t>(place));
            const uint32_t at = mCode.add(spv::OpIAdd, word, {begin, offset});
            const uint32_t target =
                mCode.add(spv::OpAccessChain, pointer, {buffer, mContext.zero(), at});
            mCode.add(spv::OpStore, 0, {target, value});
        };
        for (size_t i = 0; i < words.size(); ++i)
            store(i + 1, words[i]);
        store(0, editor.uintConstant(static_cast<uint32_t>(mAxes.second)));
        return 0u;
    };
    mCode.choose(fits, 0, write, [] { return 0u; });
}

uint32_t IndexComparison::chosen(const Check& check, uint32_t later, uint32_t own) {
    return later == 0 ? own
                      : mCode.add(spv::OpSelect, mContext.uintType(), {check.inside, later, own});
}

uint32_t IndexComparison::wordOf(uint32_t extent) {
    const uint32_t type = mContext.typeOf(extent);
    return type == 0 || type == mContext.uintType()
               ? extent
               : mCode.add(spv::OpBitcast, mContext.uintType(), {extent});
}

} // namespace kp::shader
