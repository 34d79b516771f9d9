// SPDX-License-Identifier: Apache-2.0
#include "shader/check/values/IndexSources.hpp"

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

/// Where values come from, one step back: through variables of an invocation or a work group, and
/// through the parameters and results of functions.
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
                    mPassed[baseOf(node.operand(i))].emplace_back(node.operand(0), i - 1);
                break;
            case spv::OpStore:
                mStored[baseOf(node.operand(0))].push_back(node.operand(1));
                break;
            default:
                break;
            }
        }
    }

    /// Appends the values that a value is computed from as an index.
    void add(uint32_t id, std::vector<uint32_t>& sources) {
        const Node& node = *mContext.definition(id);
        if (passes(node.opcode)) {
            addOperands(node, 0, sources);
        } else if (node.opcode == spv::OpExtInst && passesExtended(node.operand(1))) {
            addOperands(node, 2, sources);
        } else if (node.opcode == spv::OpLoad) {
            addStored(baseOf(node.operand(0)), sources);
        } else if (node.opcode == spv::OpFunctionParameter) {
            for (const uint32_t argument : argumentsOf(id))
                sources.push_back(argument);
        } else if (node.opcode == spv::OpFunctionCall) {
            const std::vector<uint32_t>& returned = mReturned[node.operand(0)];
            sources.insert(sources.end(), returned.begin(), returned.end());
        }
    }

private:
    static void addOperands(const Node& node, size_t first, std::vector<uint32_t>& sources) {
        for (size_t i = first; i < node.operands.size(); ++i)
            if (node.ids[i])
                sources.push_back(node.operands[i]);
    }

    /// Returns the variable or parameter that a pointer points into; 0 for memory that other
    /// dispatches may write.
    uint32_t baseOf(uint32_t pointer) const {
        const Node* const root = rootOf(mContext, pointer);
        if (!root)
            return 0;
        if (root->opcode == spv::OpFunctionParameter)
            return root->result;
        const uint32_t storage = root->operand(0);
        const bool isOwn = storage == spv::StorageClassFunction ||
                           storage == spv::StorageClassPrivate ||
                           storage == spv::StorageClassWorkgroup;
        return root->opcode == spv::OpVariable && isOwn ? root->result : 0;
    }

    /// Appends the values that are stored in a variable, or in the arguments of a parameter.
    void addStored(uint32_t base, std::vector<uint32_t>& sources) {
        std::vector<uint32_t> left{base};
        std::unordered_set<uint32_t> seen{0};
        while (!left.empty()) {
            const uint32_t each = left.back();
            left.pop_back();
            if (!seen.insert(each).second)
                continue;
            const std::vector<uint32_t>& stored = mStored[each];
            sources.insert(sources.end(), stored.begin(), stored.end());
            for (const uint32_t argument : argumentsOf(each))
                left.push_back(baseOf(argument));
            for (const auto& [function, place] : mPassed[each]) // it may write its parameter
                if (place < mParametersOf[function].size())
                    left.push_back(mParametersOf[function][place]);
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
    using Place = std::pair<uint32_t, uint32_t>; ///< a function, and which of its parameters

    std::unordered_map<uint32_t, Place> mParameters;
    std::unordered_map<uint32_t, std::vector<uint32_t>> mParametersOf;       ///< by function
    std::unordered_map<uint32_t, std::vector<Place>> mPassed;                ///< by base
    std::unordered_map<uint32_t, std::vector<uint32_t>> mReturned;           ///< by function
    std::unordered_map<uint32_t, std::vector<std::vector<uint32_t>>> mCalls; ///< by function
    std::unordered_map<uint32_t, std::vector<uint32_t>> mStored;             ///< by base
};

} // namespace

std::unordered_set<uint32_t> indexSources(const CheckContext& context) {
    Sources sources(context);
    std::unordered_set<uint32_t> found;
    std::vector<uint32_t> left;
    for (const Node& node : context.editor.functions) {
        if (isAccessChain(node.opcode))
            left.insert(left.end(), node.operands.begin() + 1, node.operands.end());
        else if (takesCoordinates(node.opcode))
            left.push_back(node.operand(1));
    }
    while (!left.empty()) {
        const uint32_t id = left.back();
        left.pop_back();
        if (context.definition(id) && found.insert(id).second)
            sources.add(id, left);
    }
    return found;
}

} // namespace kp::shader
