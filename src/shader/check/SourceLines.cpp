// SPDX-License-Identifier: Apache-2.0
#include "shader/check/SourceLines.hpp"

namespace kp::shader {
namespace {

// Instructions of NonSemantic.Shader.DebugInfo.100.
constexpr uint32_t kDebugSource = 35;
constexpr uint32_t kDebugLine = 103;
constexpr uint32_t kDebugNoLine = 104;

bool endsBlock(uint32_t opcode) {
    switch (opcode) {
    case spv::OpBranch:
    case spv::OpBranchConditional:
    case spv::OpSwitch:
    case spv::OpReturn:
    case spv::OpReturnValue:
    case spv::OpKill:
    case spv::OpUnreachable:
    case spv::OpTerminateInvocation:
        return true;
    default:
        return false;
    }
}

} // namespace

std::string lineOf(std::string_view text, uint32_t line) {
    for (uint32_t i = 1; i < line; ++i) {
        const size_t end = text.find('\n');
        if (end == std::string_view::npos)
            return {};
        text.remove_prefix(end + 1);
    }
    text = text.substr(0, line == 0 ? 0 : text.find('\n'));
    const size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos
               ? std::string()
               : std::string(text.substr(first, text.find_last_not_of(" \t\r") + 1 - first));
}

SourceLines::SourceLines(const ModuleEditor& module) : mModule(module) {
    for (const Node& each : module.imports)
        if (textOf(each, 0) == "NonSemantic.Shader.DebugInfo.100")
            mDebugInfo = each.result;
    std::string* continued = nullptr;
    for (const Node& each : module.names) {
        if (each.opcode == spv::OpString)
            mStrings[each.result] = textOf(each, 0);
        // Language, version, file and text; the last two may be missing.
        if (each.opcode == spv::OpSource && each.operands.size() > 3) {
            continued = &mText[mStrings[each.operand(2)]];
            *continued = textOf(each, 3);
        }
        if (each.opcode == spv::OpSourceContinued && continued)
            *continued += textOf(each, 0);
    }
    for (const Node& each : module.globals)
        if (each.opcode == spv::OpExtInst && each.operand(0) == mDebugInfo &&
            each.operand(1) == kDebugSource) {
            mFiles[each.result] = each.operand(2);
            if (each.operands.size() > 3)
                mText[mStrings[each.operand(2)]] = mStrings[each.operand(3)];
        }
}

void SourceLines::set(uint32_t file, uint32_t line) {
    const auto found = mStrings.find(file);
    mFile = found == mStrings.end() ? std::string() : found->second;
    mLine = line;
}

void SourceLines::follow(const Node& node) {
    if (node.opcode == spv::OpLine) {
        set(node.operand(0), node.operand(1));
    } else if (node.opcode == spv::OpNoLine || endsBlock(node.opcode)) {
        set(0, 0);
    } else if (node.opcode == spv::OpExtInst && mDebugInfo != 0 && node.operand(0) == mDebugInfo) {
        if (node.operand(1) == kDebugNoLine)
            set(0, 0);
        const Node* const line = mModule.global(node.operand(3));
        const auto file = mFiles.find(node.operand(2));
        if (node.operand(1) == kDebugLine && line && file != mFiles.end())
            set(file->second, line->operand(0));
    }
}

std::string SourceLines::text() const {
    const auto found = mText.find(mFile);
    if (found == mText.end())
        return {};
    std::string_view text = found->second;
    // A compiler puts its own lines before the source, up to #line 1.
    constexpr std::string_view kStart = "#line 1\n";
    if (const size_t start = text.find(kStart); start != std::string_view::npos)
        text.remove_prefix(start + kStart.size());
    return lineOf(text, mLine);
}

} // namespace kp::shader
