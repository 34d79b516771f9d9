// SPDX-License-Identifier: Apache-2.0
#include "shader/check/memory/WrittenChecks.hpp"

#include <optional>
#include <string>

#include "shader/check/memory/IndexWords.hpp"

namespace kp::shader {
namespace {

constexpr uint32_t kWordWritten = 0x01010101; ///< all 4 bytes of a word

bool isBlockWithBinding(const CheckContext& context, const Node& variable) {
    const uint32_t storage = variable.operand(0);
    if (storage != spv::StorageClassStorageBuffer && storage != spv::StorageClassUniform)
        return false;
    const Node* const pointer = context.editor.global(variable.type);
    const Node* const block = pointer ? context.editor.global(pointer->operand(1)) : nullptr;
    if (!block || block->opcode != spv::OpTypeStruct)
        return false; // an array of descriptors
    return storage == spv::StorageClassStorageBuffer ||
           context.decoration(block->result, spv::DecorationBufferBlock) != nullptr;
}

} // namespace

WrittenChecks::WrittenChecks(CheckContext& context) : mContext(context) {
    findBuffers();
}

void WrittenChecks::findBuffers() {
    for (const Node& node : mContext.editor.globals)
        if (node.opcode == spv::OpVariable && isBlockWithBinding(mContext, node))
            mVariables.insert(node.result);
    // Copies, because new constants move the functions' types.
    const std::vector<Node> functions = mContext.editor.functions;
    for (const Node& node : functions) {
        if (node.opcode == spv::OpArrayLength || isAccessChain(node.opcode))
            continue;
        for (size_t i = 0; i < node.operands.size(); ++i) {
            const uint32_t variable = node.ids[i] ? variableOf(mContext, node.operands[i]) : 0;
            if (!mVariables.contains(variable))
                continue;
            if (i == 0 && node.opcode == spv::OpLoad)
                continue; // at worst, it is not compared
            const auto path =
                i == 0 && isAccess(node.opcode) ? pathOf(mContext, node.operands[0]) : std::nullopt;
            if (!path || !numbersOf(mContext, *path, 1))
                mVariables.erase(variable);
        }
    }
    for (const Node& node : std::vector<Node>(mContext.editor.globals)) {
        if (!mVariables.contains(node.result))
            continue;
        AccessPath path;
        path.base = node.result;
        const CheckSite site = siteOf(mContext, path, FaultKind::eUnwritten);
        if (site.set)
            mFollowed.push_back({*site.set, site.binding});
        else
            mVariables.erase(node.result);
        if (site.set)
            mShadows[node.result] = static_cast<uint32_t>(mFollowed.size()) - 1;
    }
    for (auto& [variable, shadow] : mShadows)
        shadow = mContext.wordBuffer(kFirstWrittenBinding + shadow, 0);
}

void WrittenChecks::check(const Node& node, std::vector<Node>& before) {
    if (!isAccess(node.opcode) || !mVariables.contains(variableOf(mContext, node.operand(0))))
        return;
    const std::optional<AccessPath> path = pathOf(mContext, node.operand(0));
    const std::optional<AccessedNumbers> numbers =
        path ? numbersOf(mContext, *path, 1) : std::nullopt;
    if (!numbers)
        return;
    const Access access =
        node.opcode == spv::OpLoad || node.opcode == spv::OpAtomicLoad     ? Access::eRead
        : node.opcode == spv::OpStore || node.opcode == spv::OpAtomicStore ? Access::eWrite
                                                                           : Access::eBoth;
    IndexWords words(mContext, before);
    uint32_t site = mContext.zero();
    uint32_t shown = mContext.zero();
    if (access != Access::eWrite) {
        CheckSite made = siteOf(mContext, *path, FaultKind::eUnwritten);
        made.operation = access == Access::eRead ? "read" : "changed by an atomic";
        std::string name = mContext.name(path->base);
        shown = words.shown(*path, name);
        made.indexed = {name};
        site = mContext.addSite(std::move(made));
    }
    const uint32_t begin = words.sum(numbers->first, numbers->indices);
    const uint32_t nothing = mContext.editor.voidType();
    for (size_t i = 0; i < numbers->offsets.size(); ++i) {
        const uint32_t at = words.plus(begin, numbers->offsets[i]);
        words.add(spv::OpFunctionCall, nothing,
                  {function(path->base, access, numbers->bytes[i]), site, at, shown});
    }
}

uint32_t WrittenChecks::function(uint32_t variable, Access access, uint32_t bytes) {
    const uint32_t shadow = mShadows.at(variable);
    const std::vector<uint32_t> key{spv::OpArrayLength, shadow, static_cast<uint32_t>(access),
                                    bytes};
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    ModuleEditor& editor = mContext.editor;
    const uint32_t word = mContext.uintType();
    const uint32_t pointer = editor.pointerType(spv::StorageClassStorageBuffer, word);
    const uint32_t zero = mContext.zero();
    FunctionWriter code(editor, editor.voidType(), std::vector<uint32_t>(3, word));
    const uint32_t offset = code.parameter(1);
    const uint32_t first =
        code.add(spv::OpShiftRightLogical, word, {offset, editor.uintConstant(2)});
    uint32_t mask = editor.uintConstant(kWordWritten);
    if (bytes < 4) {
        const uint32_t within = code.add(spv::OpBitwiseAnd, word, {offset, editor.uintConstant(3)});
        const uint32_t bits =
            code.add(spv::OpShiftLeftLogical, word, {within, editor.uintConstant(3)});
        mask = code.add(spv::OpShiftLeftLogical, word,
                        {editor.uintConstant(bytes == 2 ? 0x0101 : 0x01), bits});
    }
    const uint32_t count = code.add({spv::OpArrayLength, word, 0, {shadow, 0}, {true, false}});
    std::vector<uint32_t> words{first};
    if (bytes > 4)
        words.push_back(code.add(spv::OpIAdd, word, {first, editor.uintConstant(1)}));
    const uint32_t inside = code.add(spv::OpULessThan, editor.boolType(), {words.back(), count});
    const auto place = [&](uint32_t index) {
        return code.add(spv::OpAccessChain, pointer, {shadow, zero, index});
    };
    // Atomics, because other groups may have written it in this dispatch.
    const auto note = [&] {
        uint32_t known = mask;
        for (const uint32_t index : words) {
            const std::vector<uint32_t> target{place(index), mContext.deviceScope(), zero};
            const uint32_t old =
                access == Access::eRead
                    ? code.add(spv::OpAtomicLoad, word, target)
                    : code.add(spv::OpAtomicOr, word, {target[0], target[1], target[2], mask});
            known = code.add(spv::OpBitwiseAnd, word, {known, old});
        }
        if (access == Access::eWrite)
            return 0u;
        const uint32_t written = code.add(spv::OpIEqual, editor.boolType(), {known, mask});
        code.choose(
            written, 0, [] { return 0u; },
            [&] {
                Fault fault;
                fault.site = code.parameter(0);
                fault.low = code.parameter(2);
                fault.extent = offset;
                mContext.report(code, fault);
                return 0u;
            });
        return 0u;
    };
    code.choose(inside, 0, note, [] { return 0u; });
    return mContext.add(key, code, 0);
}

} // namespace kp::shader
