// SPDX-License-Identifier: Apache-2.0
#include "shader/check/values/IndexSources.hpp"

#include <compare>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include <spirv_cross/GLSL.std.450.h>

#include "shader/check/AccessPath.hpp"

namespace kp::shader {
namespace {

/// Returns true for instructions that pass an index on. Remainders, masks and right shifts do not:
/// hashes use them, and those wrap around on purpose.
bool passes(uint32_t opcode) {
    switch (opcode) {
    case spv::OpIAdd:
    case spv::OpISub:
    case spv::OpIMul:
    case spv::OpSNegate:
    case spv::OpSDiv:
    case spv::OpUDiv:
    case spv::OpSConvert:
    case spv::OpUConvert:
    case spv::OpBitcast:
    case spv::OpCopyObject:
    case spv::OpPhi:
    case spv::OpSelect:
    case spv::OpCompositeConstruct:
    case spv::OpCompositeExtract:
    case spv::OpCompositeInsert:
    case spv::OpVectorShuffle:
    case spv::OpVectorExtractDynamic:
        return true;
    default:
        return false;
    }
}

/// Returns true for functions of GLSL that pass an index on.
bool passesExtended(uint32_t function) {
    switch (function) {
    case GLSLstd450SAbs:
    case GLSLstd450SMin:
    case GLSLstd450UMin:
    case GLSLstd450SMax:
    case GLSLstd450UMax:
    case GLSLstd450SClamp:
    case GLSLstd450UClamp:
        return true;
    default:
        return false;
    }
}

bool takesCoordinates(uint32_t opcode) {
    return opcode == spv::OpImageRead || opcode == spv::OpImageWrite ||
           opcode == spv::OpImageFetch || opcode == spv::OpImageTexelPointer;
}

constexpr uint32_t kAll = ~0u;

/// A value, variable or parameter, or one member of it if it is a struct.
struct Part {
    uint32_t id = 0;
    uint32_t member = kAll;
    auto operator<=>(const Part&) const = default;
};

/// Where values come from, one step back: through variables of an invocation or a work group, and
/// through the parameters and results of functions. Members of a struct are told apart, but
/// not members of structs within it.
class Sources {
public:
    explicit Sources(const CheckContext& context) : mContext(context) {
        uint32_t function = 0;
        uint32_t parameter = 0;
        for (const Node& node : context.editor.functions) {
            switch (node.opcode) {
            case spv::OpFunction:
                function = node.result;
                parameter = 0;
                break;
            case spv::OpFunctionParameter:
                mParameters[node.result] = {function, parameter++};
                mParametersOf[function].push_back(node.result);
                break;
            case spv::OpReturnValue:
                mReturned[function].push_back(node.operand(0));
                break;
            case spv::OpFunctionCall:
                mCalls[node.operand(0)].emplace_back(node.operands.begin() + 1,
                                                     node.operands.end());
                for (uint32_t i = 1; i < node.operands.size(); ++i)
                    mPassed[targetOf(node.operand(i)).id].emplace_back(node.operand(0), i - 1);
                break;
            case spv::OpStore: {
                const Part target = targetOf(node.operand(0));
                mStored[target.id].push_back({target.member, node.operand(1)});
                break;
            }
            default:
                break;
            }
        }
    }

    /// Appends the parts that a value is computed from as an index.
    void add(const Part& part, std::vector<Part>& sources) {
        const Node& node = *mContext.definition(part.id);
        // An array of structs, or a member, has no members of its own.
        const uint32_t member = isStruct(node.type) ? part.member : kAll;
        if (addComposite(node, member, sources))
            return;
        if (passes(node.opcode)) {
            addOperands(node, 0, member, sources);
        } else if (node.opcode == spv::OpExtInst && passesExtended(node.operand(1))) {
            addOperands(node, 2, kAll, sources);
        } else if (node.opcode == spv::OpLoad) {
            Part from = targetOf(node.operand(0));
            if (from.member == kAll)
                from.member = member;
            addStored(from, sources);
        } else if (node.opcode == spv::OpFunctionParameter) {
            for (const uint32_t argument : argumentsOf(part.id))
                sources.push_back({argument, member});
        } else if (node.opcode == spv::OpFunctionCall) {
            for (const uint32_t returned : mReturned[node.operand(0)])
                sources.push_back({returned, member});
        }
    }

private:
    static void addOperands(const Node& node, size_t first, uint32_t member,
                            std::vector<Part>& sources) {
        for (size_t i = first; i < node.operands.size(); ++i)
            if (node.ids[i])
                sources.push_back({node.operands[i], member});
    }

    /// Appends the sources of a value that structs are made of, or that is taken from one.
    /// @return whether the instruction does that
    bool addComposite(const Node& node, uint32_t member, std::vector<Part>& sources) const {
        switch (node.opcode) {
        case spv::OpCompositeConstruct:
            if (member == kAll)
                return false;
            sources.push_back({node.operand(member), kAll});
            return true;
        case spv::OpCompositeExtract:
            if (!isStruct(mContext.typeOf(node.operand(0))))
                return false;
            sources.push_back({node.operand(0), node.operand(1)});
            return true;
        case spv::OpCompositeInsert:
            if (member == kAll)
                return false;
            if (member == node.operand(2))
                sources.push_back({node.operand(0), kAll});
            if (member != node.operand(2) || node.operands.size() > 3)
                sources.push_back({node.operand(1), member});
            return true;
        default:
            return false;
        }
    }

    bool isStruct(uint32_t type) const {
        const Node* const node = mContext.editor.global(type);
        return node && node->opcode == spv::OpTypeStruct;
    }

    /// Returns the variable or parameter that a pointer points into, and the member; the id 0 for
    /// memory that other dispatches may write.
    Part targetOf(uint32_t pointer) const {
        Part target;
        const Node* root = mContext.definition(pointer);
        const Node* chain = nullptr; // the first one
        for (; root && isAccessChain(root->opcode); root = mContext.definition(root->operand(0)))
            chain = root;
        if (!root)
            return target;
        if (root->opcode == spv::OpVariable) {
            const uint32_t storage = root->operand(0);
            if (storage == spv::StorageClassFunction || storage == spv::StorageClassPrivate ||
                storage == spv::StorageClassWorkgroup)
                target.id = root->result;
        } else if (root->opcode == spv::OpFunctionParameter) {
            target.id = root->result;
        }
        const Node* const type = mContext.editor.global(mContext.typeOf(root->result));
        uint32_t member = 0;
        if (chain && chain->operands.size() > 1 && type->opcode == spv::OpTypePointer &&
            isStruct(type->operand(1)) && mContext.isKnown(chain->operand(1), member))
            target.member = member;
        return target;
    }

    /// Appends the values that are stored in a variable, or in the arguments of a parameter.
    void addStored(const Part& part, std::vector<Part>& sources) {
        std::vector<Part> left{part};
        std::set<Part> seen;
        while (!left.empty()) {
            const Part each = left.back();
            left.pop_back();
            if (each.id == 0 || !seen.insert(each).second)
                continue;
            for (const auto& [member, value] : mStored[each.id])
                if (member == kAll)
                    sources.push_back({value, each.member});
                else if (each.member == kAll || each.member == member)
                    sources.push_back({value, kAll});
            for (const uint32_t argument : argumentsOf(each.id)) {
                Part target = targetOf(argument);
                if (target.member == kAll)
                    target.member = each.member;
                left.push_back(target);
            }
            for (const auto& [function, place] : mPassed[each.id]) // it may write its parameter
                if (place < mParametersOf[function].size())
                    left.push_back({mParametersOf[function][place], each.member});
        }
    }

    /// Returns the arguments that calls pass for a parameter; none for other ids.
    std::vector<uint32_t> argumentsOf(uint32_t id) {
        std::vector<uint32_t> arguments;
        if (const auto found = mParameters.find(id); found != mParameters.end())
            for (const std::vector<uint32_t>& call : mCalls[found->second.first])
                if (found->second.second < call.size())
                    arguments.push_back(call[found->second.second]);
        return arguments;
    }

    const CheckContext& mContext;
    using Place = std::pair<uint32_t, uint32_t>;  ///< a function, and which of its parameters
    using Stored = std::pair<uint32_t, uint32_t>; ///< a member, and its value

    std::unordered_map<uint32_t, Place> mParameters;
    std::unordered_map<uint32_t, std::vector<uint32_t>> mParametersOf;       ///< by function
    std::unordered_map<uint32_t, std::vector<Place>> mPassed;                ///< by variable
    std::unordered_map<uint32_t, std::vector<uint32_t>> mReturned;           ///< by function
    std::unordered_map<uint32_t, std::vector<std::vector<uint32_t>>> mCalls; ///< by function
    std::unordered_map<uint32_t, std::vector<Stored>> mStored;               ///< by variable
};

} // namespace

std::unordered_set<uint32_t> indexSources(const CheckContext& context) {
    Sources sources(context);
    std::unordered_set<uint32_t> found;
    std::set<Part> seen;
    std::vector<Part> left;
    for (const Node& node : context.editor.functions) {
        if (isAccessChain(node.opcode))
            for (size_t i = 1; i < node.operands.size(); ++i)
                left.push_back({node.operands[i]});
        else if (takesCoordinates(node.opcode))
            left.push_back({node.operand(1)});
    }
    while (!left.empty()) {
        const Part part = left.back();
        left.pop_back();
        if (!context.definition(part.id) || !seen.insert(part).second)
            continue;
        found.insert(part.id);
        sources.add(part, left);
    }
    return found;
}

} // namespace kp::shader
