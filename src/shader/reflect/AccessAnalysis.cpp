// SPDX-License-Identifier: Apache-2.0
#include "shader/reflect/AccessAnalysis.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <spirv_cross/GLSL.std.450.h>

#include "shader/SpirvModule.hpp"

namespace kp::shader {
namespace {

/// The effects of one instruction of a function body on its pointer and handle operands. All
/// entries are ids.
struct InstructionEffect {
    std::vector<uint32_t> loads{};  ///< pointers to a loaded value, which may be an image handle
    std::vector<uint32_t> reads{};  ///< pointers or handles that are read through
    std::vector<uint32_t> writes{}; ///< pointers or handles that are written through
    std::vector<uint32_t> flows{};  ///< operands that point to the same memory as the result
    std::vector<uint32_t> names{};  ///< operands of which only a property is read, such as a length
    std::vector<uint32_t> unknown{}; ///< operands with unknown accesses
    std::vector<uint32_t> calls{};   ///< operands that may be functions called by the instruction
    uint32_t result = 0;             ///< id that receives flows and loads; 0: none
};

std::vector<uint32_t> wordsFrom(const Instruction& instruction, size_t first) {
    const size_t start = first < instruction.size() ? first : instruction.size();
    return {instruction.words.begin() + static_cast<std::ptrdiff_t>(start),
            instruction.words.end()};
}

bool between(uint32_t opcode, uint32_t first, uint32_t last) {
    return opcode >= first && opcode <= last;
}

/// Returns true for instructions without pointers whose literals could be mistaken for ids.
bool touchesNoMemory(uint32_t opcode) {
    switch (opcode) {
    case spv::OpUndef:
    case spv::OpLine:
    case spv::OpNoLine:
    case spv::OpFunction:
    case spv::OpFunctionParameter:
    case spv::OpFunctionEnd:
    case spv::OpFunctionCall:
    case spv::OpReturnValue:
    case spv::OpLabel:
    case spv::OpBranch:
    case spv::OpBranchConditional:
    case spv::OpSwitch:
    case spv::OpLoopMerge:
    case spv::OpSelectionMerge:
    case spv::OpLifetimeStart:
    case spv::OpLifetimeStop:
    case spv::OpVectorShuffle:
    case spv::OpImageSparseTexelsResident:
    case kOpCooperativeMatrixMulAddKHR:
    case spv::OpGroupNonUniformRotateKHR:
        return true;
    default:
        return between(opcode, spv::OpGroupAll, spv::OpGroupSMax) ||
               between(opcode, spv::OpGroupNonUniformElect, spv::OpGroupNonUniformQuadSwap) ||
               between(opcode, spv::OpSDot, spv::OpSUDotAccSat) ||
               between(opcode, spv::OpGroupIAddNonUniformAMD, spv::OpGroupSMaxNonUniformAMD) ||
               between(opcode, spv::OpGroupIMulKHR, spv::OpGroupLogicalXorKHR);
    }
}

bool readsImage(uint32_t opcode) {
    return between(opcode, spv::OpImageSampleImplicitLod, spv::OpImageRead) ||
           between(opcode, spv::OpImageSparseSampleImplicitLod, spv::OpImageSparseDrefGather) ||
           opcode == spv::OpImageSparseRead;
}

bool readsAndWrites(uint32_t opcode) {
    return between(opcode, spv::OpAtomicExchange, spv::OpAtomicXor) ||
           opcode == spv::OpAtomicFlagTestAndSet || opcode == spv::OpAtomicFMinEXT ||
           opcode == spv::OpAtomicFMaxEXT || opcode == spv::OpAtomicFAddEXT;
}

InstructionEffect extended(const Instruction& from, bool glslSet, bool nonSemanticSet) {
    if (nonSemanticSet)
        return {.names = wordsFrom(from, 5)};
    if (glslSet && (from.word(4) == GLSLstd450Modf || from.word(4) == GLSLstd450Frexp))
        return {.writes = {from.word(6)}, .unknown = {from.word(5)}};
    return {.unknown = wordsFrom(from, 5), .result = from.word(2)};
}

/// Reads one instruction. In instructions of the SPIR-V specification, literal operands are never
/// taken for ids. In others, every word counts as an id with unknown accesses. The effect of
/// function calls, parameters and returns is empty: the caller handles them.
/// @param glslSet         the instruction belongs to the extended set "GLSL.std.450"
/// @param nonSemanticSet  the instruction belongs to a set without effects, such as debug output
InstructionEffect effectOf(const Instruction& from, bool glslSet, bool nonSemanticSet) {
    const uint32_t opcode = from.opcode;
    const uint32_t result = from.word(2);
    if (touchesNoMemory(opcode))
        return {};
    if (readsImage(opcode))
        return {.reads = {from.word(3)}};
    if (readsAndWrites(opcode))
        return {.reads = {from.word(3)}, .writes = {from.word(3)}};
    if (between(opcode, spv::OpImageQueryFormat, spv::OpImageQuerySamples))
        return {.names = {from.word(3)}};
    switch (opcode) {
    case spv::OpExtInst:
        return extended(from, glslSet, nonSemanticSet);
    case spv::OpVariable:
    case kOpUntypedVariableKHR:
        return {.unknown = {from.word(4), from.word(5)}, .result = result};
    case spv::OpLoad:
        return {.loads = {from.word(3)}, .result = result};
    case spv::OpStore:
        return {.writes = {from.word(1)}, .unknown = {from.word(2)}};
    case spv::OpCopyMemory:
    case spv::OpCopyMemorySized:
        return {.reads = {from.word(2)}, .writes = {from.word(1)}};
    case spv::OpAtomicLoad:
        return {.reads = {from.word(3)}};
    case spv::OpAtomicStore:
        return {.writes = {from.word(1)}};
    case spv::OpAtomicFlagClear:
        return {.writes = {from.word(1)}};
    case spv::OpAccessChain:
    case spv::OpInBoundsAccessChain:
    case spv::OpPtrAccessChain:
    case spv::OpInBoundsPtrAccessChain:
    case kOpRawAccessChainNV:
    case spv::OpImageTexelPointer:
    case spv::OpCopyObject:
    case spv::OpCopyLogical:
    case spv::OpImage:
        return {.flows = {from.word(3)}, .result = result};
    case kOpUntypedAccessChainKHR:
    case kOpUntypedInBoundsAccessChainKHR:
    case kOpUntypedPtrAccessChainKHR:
    case kOpUntypedInBoundsPtrAccessChainKHR:
        return {.flows = {from.word(4)}, .result = result};
    case spv::OpSampledImage:
        return {.flows = {from.word(3), from.word(4)}, .result = result};
    case spv::OpSelect:
        return {.flows = {from.word(4), from.word(5)}, .result = result};
    case spv::OpPhi: {
        InstructionEffect effect{.result = result};
        for (size_t at = 3; at < from.size(); at += 2)
            effect.flows.push_back(from.word(at));
        return effect;
    }
    case spv::OpArrayLength:
        return {.names = {from.word(3)}};
    case kOpUntypedArrayLengthKHR:
        return {.names = {from.word(4)}};
    case spv::OpPtrEqual:
    case spv::OpPtrNotEqual:
    case spv::OpPtrDiff:
        return {.names = {from.word(3), from.word(4)}};
    case spv::OpCompositeExtract:
        return {.unknown = {from.word(3)}, .result = result};
    case spv::OpCompositeInsert:
        return {.unknown = {from.word(3), from.word(4)}, .result = result};
    case spv::OpImageWrite:
        return {.writes = {from.word(1)}};
    case kOpCooperativeMatrixLoadKHR:
    case spv::OpCooperativeMatrixLoadNV:
        return {.reads = {from.word(3)}};
    case kOpCooperativeMatrixLoadTensorNV:
        return {.reads = {from.word(3)}, .calls = wordsFrom(from, 4)};
    case kOpCooperativeMatrixStoreKHR:
    case spv::OpCooperativeMatrixStoreNV:
    case kOpCooperativeMatrixStoreTensorNV:
        return {.writes = {from.word(1)}};
    default:
        return {.unknown = wordsFrom(from, 1), .calls = wordsFrom(from, 1), .result = result};
    }
}

/// Sorted ids of variables.
using Roots = std::vector<uint32_t>;

struct Variable {
    uint32_t storage = 0;
    bool nonReadable = false;
    bool nonWritable = false;
    bool named = false;
    bool reads = false;
    bool writes = false;
    bool unknown = false;
    std::set<uint32_t> samplers{};
};

struct Function {
    std::vector<Instruction> body;
    std::vector<uint32_t> parameters;
    Roots returned;
    bool reachable = false;
};

bool merge(Roots& into, const Roots& from) {
    if (std::ranges::includes(into, from))
        return false;
    Roots both;
    std::ranges::set_union(into, from, std::back_inserter(both));
    into = std::move(both);
    return true;
}

class Analysis {
public:
    explicit Analysis(const SpirvModule& module) {
        readModule(module);
        readDecorations(module);
    }

    std::map<uint32_t, VariableAccess> run(uint32_t entryFunction) {
        if (const auto entry = mFunctions.find(entryFunction); entry != mFunctions.end())
            entry->second.reachable = true;
        do {
            mChanged = false;
            for (auto& [id, function] : mFunctions) {
                if (function.reachable)
                    visit(function);
            }
        } while (mChanged);

        std::map<uint32_t, VariableAccess> result;
        for (const auto& [id, variable] : mVariables) {
            if (variable.named) {
                result[id] = {variable.reads || (variable.unknown && !variable.nonReadable),
                              variable.writes || (variable.unknown && !variable.nonWritable),
                              variable.samplers};
            }
        }
        return result;
    }

private:
    void readModule(const SpirvModule& module) {
        Function* current = nullptr;
        for (const Instruction& each : module.instructions) {
            if (each.opcode == spv::OpFunction) {
                current = &mFunctions[each.word(2)];
            } else if (each.opcode == spv::OpFunctionEnd) {
                current = nullptr;
            } else if (current != nullptr) {
                if (each.opcode == spv::OpFunctionParameter)
                    current->parameters.push_back(each.word(2));
                current->body.push_back(each);
            } else {
                readGlobal(each);
            }
        }
    }

    void readGlobal(const Instruction& each) {
        switch (each.opcode) {
        case spv::OpExtInstImport: {
            const std::string name = each.text(2);
            if (name == "GLSL.std.450")
                mGlslSets.insert(each.word(1));
            else if (name.starts_with("NonSemantic.") || name == "OpenCL.DebugInfo.100")
                mNonSemanticSets.insert(each.word(1));
            break;
        }
        case spv::OpTypePointer:
            mPointees[each.word(1)] = each.word(3);
            break;
        case spv::OpTypeArray:
        case spv::OpTypeRuntimeArray:
            mElements[each.word(1)] = each.word(2);
            break;
        case spv::OpTypeStruct:
            mMemberCounts[each.word(1)] = each.size() - 2;
            break;
        case spv::OpVariable:
        case kOpUntypedVariableKHR:
            readVariable(each);
            break;
        case spv::OpConstantComposite:
        case spv::OpSpecConstantComposite:
        case spv::OpSpecConstantOp:
            for (size_t at = 3; at < each.size(); ++at)
                mEscaped.insert(each.word(at));
            break;
        default:
            break;
        }
    }

    void readVariable(const Instruction& each) {
        const uint32_t storage = each.word(3);
        for (size_t at = 4; at < each.size(); ++at)
            mEscaped.insert(each.word(at));
        if (storage != spv::StorageClassUniformConstant && storage != spv::StorageClassUniform &&
            storage != spv::StorageClassStorageBuffer)
            return;
        const uint32_t id = each.word(2);
        mVariables[id].storage = storage;
        mPointsTo[id] = {id};
        mBlocks[id] = blockOf(each);
    }

    uint32_t blockOf(const Instruction& variable) const {
        uint32_t type = variable.opcode == spv::OpVariable ? lookUp(mPointees, variable.word(1))
                                                           : variable.word(4);
        for (size_t depth = 0; depth < mElements.size(); ++depth) {
            const auto element = mElements.find(type);
            if (element == mElements.end())
                break;
            type = element->second;
        }
        return type;
    }

    void readDecorations(const SpirvModule& module) {
        std::map<uint32_t, std::set<uint32_t>> nonReadable;
        std::map<uint32_t, std::set<uint32_t>> nonWritable;
        for (const Instruction& each : module.instructions) {
            if (each.opcode == spv::OpDecorate) {
                const auto variable = mVariables.find(each.word(1));
                if (variable != mVariables.end()) {
                    variable->second.nonReadable |= each.word(2) == spv::DecorationNonReadable;
                    variable->second.nonWritable |= each.word(2) == spv::DecorationNonWritable;
                }
            } else if (each.opcode == spv::OpMemberDecorate) {
                if (each.word(3) == spv::DecorationNonReadable)
                    nonReadable[each.word(1)].insert(each.word(2));
                else if (each.word(3) == spv::DecorationNonWritable)
                    nonWritable[each.word(1)].insert(each.word(2));
            }
        }
        const auto allMembers = [&](const auto& decorated, uint32_t block) {
            const auto members = decorated.find(block);
            const size_t count = lookUp(mMemberCounts, block);
            return count > 0 && members != decorated.end() && members->second.size() >= count;
        };
        for (auto& [id, variable] : mVariables) {
            const uint32_t block = mBlocks[id];
            variable.nonReadable |= allMembers(nonReadable, block);
            variable.nonWritable |= allMembers(nonWritable, block);
            variable.unknown |= mEscaped.contains(id);
            variable.named |= variable.unknown;
        }
    }

    void visit(Function& function) {
        for (const Instruction& each : function.body) {
            if (each.opcode == spv::OpFunctionCall) {
                call(each);
            } else if (each.opcode == spv::OpReturnValue) {
                mChanged |= merge(function.returned, name(each.word(1)));
            } else {
                if (each.opcode == spv::OpSampledImage)
                    combine(each.word(3), each.word(4));
                apply(effectOf(each, mGlslSets.contains(each.word(3)),
                               mNonSemanticSets.contains(each.word(3))));
            }
        }
    }

    void call(const Instruction& each) {
        const auto callee = mFunctions.find(each.word(3));
        if (callee == mFunctions.end()) {
            for (size_t at = 4; at < each.size(); ++at)
                mark(each.word(at), &Variable::unknown);
            return;
        }
        set(callee->second.reachable);
        for (size_t i = 0; 4 + i < each.size(); ++i) {
            const Roots& roots = name(each.word(4 + i));
            if (i < callee->second.parameters.size())
                flow(roots, callee->second.parameters[i]);
        }
        flow(callee->second.returned, each.word(2));
    }

    void apply(const InstructionEffect& effect) {
        for (const uint32_t id : effect.loads)
            load(id, effect.result);
        for (const uint32_t id : effect.reads)
            mark(id, &Variable::reads);
        for (const uint32_t id : effect.writes)
            mark(id, &Variable::writes);
        for (const uint32_t id : effect.names)
            name(id);
        for (const uint32_t id : effect.flows)
            flow(name(id), effect.result);
        for (const uint32_t id : effect.unknown) {
            mark(id, &Variable::unknown);
            flow(name(id), effect.result);
        }
        for (const uint32_t id : effect.calls)
            callIndirectly(id, effect);
    }

    /// Loading an image or a sampler only returns its handle; loading from a buffer reads it.
    void load(uint32_t pointer, uint32_t result) {
        Roots handles;
        for (const uint32_t root : name(pointer)) {
            if (mVariables[root].storage == spv::StorageClassUniformConstant)
                handles.push_back(root);
            else
                set(mVariables[root].reads);
        }
        flow(handles, result);
    }

    void combine(uint32_t images, uint32_t samplers) {
        const Roots& with = name(samplers);
        for (const uint32_t image : name(images))
            mVariables[image].samplers.insert(with.begin(), with.end());
    }

    void callIndirectly(uint32_t id, const InstructionEffect& effect) {
        const auto callee = mFunctions.find(id);
        if (callee == mFunctions.end())
            return;
        set(callee->second.reachable);
        for (const auto* operands : {&effect.reads, &effect.unknown}) {
            for (const uint32_t operand : *operands) {
                for (const uint32_t parameter : callee->second.parameters)
                    flow(name(operand), parameter);
            }
        }
    }

    void set(bool& flag) {
        mChanged |= !flag;
        flag = true;
    }

    void mark(uint32_t id, bool Variable::*what) {
        for (const uint32_t root : name(id))
            set(mVariables[root].*what);
    }

    void flow(const Roots& from, uint32_t to) {
        if (!from.empty() && to != 0)
            mChanged |= merge(mPointsTo[to], from);
    }

    /// Returns the variables that an operand points to, and marks them as used.
    const Roots& name(uint32_t id) {
        static const Roots kNone;
        const auto found = mPointsTo.find(id);
        if (found == mPointsTo.end())
            return kNone;
        for (const uint32_t root : found->second)
            mVariables[root].named = true;
        return found->second;
    }

    template <typename Map>
    static typename Map::mapped_type lookUp(const Map& map, uint32_t id) {
        const auto found = map.find(id);
        return found == map.end() ? typename Map::mapped_type{} : found->second;
    }

    std::map<uint32_t, Variable> mVariables;
    std::map<uint32_t, Function> mFunctions;
    std::unordered_map<uint32_t, Roots> mPointsTo;
    std::unordered_map<uint32_t, uint32_t> mPointees;
    std::unordered_map<uint32_t, uint32_t> mElements;
    std::unordered_map<uint32_t, size_t> mMemberCounts;
    std::unordered_map<uint32_t, uint32_t> mBlocks;
    std::unordered_set<uint32_t> mEscaped;
    std::unordered_set<uint32_t> mGlslSets;
    std::unordered_set<uint32_t> mNonSemanticSets;
    bool mChanged = false;
};

} // namespace

std::map<uint32_t, VariableAccess> analyzeAccess(const SpirvModule& module,
                                                 uint32_t entryFunction) {
    return Analysis(module).run(entryFunction);
}

} // namespace kp::shader
