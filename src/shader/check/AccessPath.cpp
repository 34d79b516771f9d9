// SPDX-License-Identifier: Apache-2.0
#include "shader/check/AccessPath.hpp"

#include <algorithm>
#include <string>

namespace kp::shader {
namespace {

/// Returns true for 32-bit integers and narrower ones, and for 64 bits.
bool isIndex(const CheckContext& context, uint32_t id) {
    return context.intType(context.typeOf(id)) != nullptr;
}

/// Returns true for integers of 32 bits.
bool isWord(const CheckContext& context, uint32_t id) {
    const Node* const type = context.intType(context.typeOf(id));
    return type && type->operand(0) == 32;
}

/// Appends the name of a struct's member. Names that compilers make up are left out.
void appendMember(std::string& text, const std::string& member) {
    if (member.empty() || member[0] == '@' || member.starts_with("_data") || member[0] == '$')
        return;
    text += text.empty() ? member : "." + member;
}

/// Returns the arguments of a call of a function with this name; none for anything else.
std::vector<uint32_t> argumentsOf(const CheckContext& context, uint32_t id, const char* function) {
    const Node* const call = context.definition(id);
    if (!call || call->opcode != spv::OpFunctionCall ||
        !context.name(call->operand(0)).starts_with(function))
        return {};
    return {call->operands.begin() + 1, call->operands.end()};
}

/// Returns the axes that kp_element() computes an index from: it is given each with its extent.
std::vector<PathAxis> axesOf(const CheckContext& context, uint32_t index) {
    const std::vector<uint32_t> given = argumentsOf(context, index, "kp_element(");
    if (given.size() % 2 != 0 ||
        !std::ranges::all_of(given, [&](uint32_t id) { return isWord(context, id); }))
        return {};
    std::vector<PathAxis> axes;
    for (size_t i = 0; i < given.size(); i += 2)
        axes.push_back({comparedOf(context, given[i]), given[i + 1]});
    return axes;
}

class PathReader {
public:
    PathReader(CheckContext& context, AccessPath& path) : mContext(context), mPath(path) {}

    /// @return false for types that have no known extents
    bool read(uint32_t type, const std::vector<uint32_t>& indices) {
        mText = mContext.name(mPath.base);
        mText = mText.substr(0, mText.find('('));
        for (const uint32_t index : indices) {
            const Node* const node = mContext.editor.global(type);
            if (!node || !step(*node, index))
                return false;
            mParent = type;
            type = mNext;
        }
        return true;
    }

private:
    /// @param type  a copy, because new constants move the globals
    bool step(const Node type, uint32_t index) {
        PathStep step;
        step.index = index;
        step.text = mText;
        switch (type.opcode) {
        case spv::OpTypeStruct:
            if (!mContext.isKnown(index, step.member) || step.member >= type.operands.size())
                return false;
            mNext = type.operands[step.member];
            if (!mContext.name(type.result)
                     .starts_with("_Array_")) // Slang's struct around an array
                appendMember(mText, mContext.memberName(type.result, step.member));
            mPath.steps.push_back(step);
            return true;
        case spv::OpTypeArray:
            step.extent = isWord(mContext, type.operand(1)) ? type.operand(1) : 0;
            mText += "[]";
            break;
        case spv::OpTypeRuntimeArray: {
            // An array of descriptors has no length that a shader could ask for.
            const Node* const parent = mContext.editor.global(mParent);
            step.runtimeArray = parent && parent->opcode == spv::OpTypeStruct;
            mText += "[]";
            break;
        }
        case spv::OpTypeVector:
        case spv::OpTypeMatrix:
            step.extent = mContext.editor.uintConstant(type.operand(1));
            break;
        default:
            return false;
        }
        mNext = type.operand(0);
        uint32_t known = 0;
        uint32_t extent = 0;
        const bool inside = step.extent != 0 && mContext.isKnown(index, known) &&
                            mContext.isKnown(step.extent, extent) && known < extent;
        step.checked =
            (step.extent != 0 || step.runtimeArray) && !inside && isIndex(mContext, index);
        if (step.checked) {
            step.compared = comparedOf(mContext, index);
            step.axes = axesOf(mContext, index);
        }
        mPath.steps.push_back(step);
        return true;
    }

    CheckContext& mContext;
    AccessPath& mPath;
    std::string mText;
    uint32_t mParent = 0;
    uint32_t mNext = 0;
};

std::string storageName(uint32_t storage) {
    switch (storage) {
    case spv::StorageClassWorkgroup:
        return "shared memory";
    case spv::StorageClassPushConstant:
        return "push constants";
    case spv::StorageClassFunction:
    case spv::StorageClassPrivate:
        return "a local array";
    default:
        return "memory";
    }
}

} // namespace

bool AccessPath::checked() const {
    return std::ranges::any_of(steps, &PathStep::checked);
}

std::optional<AccessPath> pathOf(CheckContext& context, uint32_t pointer) {
    std::vector<uint32_t> indices;
    const Node* node = context.definition(pointer);
    while (node && isAccessChain(node->opcode)) {
        indices.insert(indices.begin(), node->operands.begin() + 1, node->operands.end());
        node = context.definition(node->operand(0));
    }
    if (!node || (node->opcode != spv::OpVariable && node->opcode != spv::OpFunctionParameter))
        return std::nullopt;
    const Node* const type = context.editor.global(node->type);
    if (!type || type->opcode != spv::OpTypePointer ||
        type->operand(0) == spv::StorageClassPhysicalStorageBuffer)
        return std::nullopt;
    AccessPath path;
    path.base = node->result;
    path.storage = type->operand(0);
    if (!PathReader(context, path).read(type->operand(1), indices))
        return std::nullopt;
    return path;
}

uint32_t comparedOf(const CheckContext& context, uint32_t index) {
    const std::vector<uint32_t> given = argumentsOf(context, index, "kp_narrow(");
    return given.size() == 1 && isIndex(context, given[0]) ? given[0] : index;
}

const Node* rootOf(const CheckContext& context, uint32_t pointer) {
    const Node* node = context.definition(pointer);
    while (node && isAccessChain(node->opcode))
        node = context.definition(node->operand(0));
    return node;
}

uint32_t variableOf(const CheckContext& context, uint32_t pointer) {
    const Node* const root = rootOf(context, pointer);
    return root && root->opcode == spv::OpVariable ? root->result : 0;
}

CheckSite siteOf(const CheckContext& context, const AccessPath& path, FaultKind kind) {
    CheckSite site;
    site.kind = kind;
    bool isBound = false;
    uint32_t set = 0;
    for (const Node& each : context.editor.decorations) {
        if (each.opcode != spv::OpDecorate || each.operand(0) != path.base)
            continue;
        if (each.operand(1) == spv::DecorationDescriptorSet)
            set = each.operand(2);
        if (each.operand(1) == spv::DecorationBinding) {
            site.binding = each.operand(2);
            isBound = true;
        }
    }
    if (isBound)
        site.set = set;
    else
        site.storage = storageName(path.storage);
    for (const PathStep& step : path.steps) {
        if (!step.checked)
            continue;
        for (size_t axis = 0; axis < step.axes.size(); ++axis)
            site.indexed.push_back(step.text + kAlongAxis + std::to_string(axis));
        site.indexed.push_back(step.text);
    }
    return site;
}

} // namespace kp::shader
