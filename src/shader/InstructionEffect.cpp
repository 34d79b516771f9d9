// SPDX-License-Identifier: Apache-2.0
#include "shader/InstructionEffect.hpp"

#include "shader/SpirvOpcodes.hpp"

namespace kp::shader {
namespace {

using namespace spirv;

std::vector<uint32_t> wordsFrom(const Instruction& instruction, size_t first) {
    const size_t start = first < instruction.size() ? first : instruction.size();
    return {instruction.words.begin() + static_cast<std::ptrdiff_t>(start),
            instruction.words.end()};
}

bool between(uint32_t opcode, uint32_t first, uint32_t last) {
    return opcode >= first && opcode <= last;
}

/// Instructions that take no pointer and hold literals which could be mistaken for ids.
bool touchesNoMemory(uint32_t opcode) {
    switch (opcode) {
    case OpUndef:
    case OpLine:
    case OpNoLine:
    case OpFunction:
    case OpFunctionParameter:
    case OpFunctionEnd:
    case OpFunctionCall:
    case OpReturnValue:
    case OpLabel:
    case OpBranch:
    case OpBranchConditional:
    case OpSwitch:
    case OpLoopMerge:
    case OpSelectionMerge:
    case OpLifetimeStart:
    case OpLifetimeStop:
    case OpVectorShuffle:
    case OpImageSparseTexelsResident:
    case OpCooperativeMatrixMulAddKHR:
    case OpGroupNonUniformRotateKHR:
        return true;
    default:
        return between(opcode, OpGroupAll, OpGroupSMax) ||
               between(opcode, OpGroupNonUniformElect, OpGroupNonUniformQuadSwap) ||
               between(opcode, OpSDot, OpSUDotAccSat) ||
               between(opcode, OpGroupIAddNonUniformAMD, OpGroupSMaxNonUniformAMD) ||
               between(opcode, OpGroupIMulKHR, OpGroupLogicalXorKHR);
    }
}

bool readsImage(uint32_t opcode) {
    return between(opcode, OpImageSampleImplicitLod, OpImageRead) ||
           between(opcode, OpImageSparseSampleImplicitLod, OpImageSparseDrefGather) ||
           opcode == OpImageSparseRead;
}

bool isAtomic(uint32_t opcode) {
    return between(opcode, OpAtomicExchange, OpAtomicXor) || opcode == OpAtomicFlagTestAndSet ||
           opcode == OpAtomicFMinEXT || opcode == OpAtomicFMaxEXT || opcode == OpAtomicFAddEXT;
}

InstructionEffect extended(const Instruction& from, bool glslSet, bool nonSemanticSet) {
    if (nonSemanticSet) {
        return {.names = wordsFrom(from, 5)};
    }
    if (glslSet && (from.word(4) == GlslModf || from.word(4) == GlslFrexp)) {
        return {.writes = {from.word(6)}, .unknown = {from.word(5)}};
    }
    return {.unknown = wordsFrom(from, 5), .result = from.word(2)};
}

} // namespace

InstructionEffect effectOf(const Instruction& from, bool glslSet, bool nonSemanticSet) {
    const uint32_t opcode = from.opcode;
    const uint32_t result = from.word(2);
    if (touchesNoMemory(opcode)) {
        return {};
    }
    if (readsImage(opcode)) {
        return {.reads = {from.word(3)}};
    }
    if (isAtomic(opcode)) {
        return {.reads = {from.word(3)}, .writes = {from.word(3)}};
    }
    if (between(opcode, OpImageQueryFormat, OpImageQuerySamples)) {
        return {.names = {from.word(3)}};
    }
    switch (opcode) {
    case OpExtInst:
        return extended(from, glslSet, nonSemanticSet);
    case OpVariable:
    case OpUntypedVariableKHR:
        return {.unknown = {from.word(4), from.word(5)}, .result = result};
    case OpLoad:
        return {.loads = {from.word(3)}, .result = result};
    case OpStore:
        return {.writes = {from.word(1)}, .unknown = {from.word(2)}};
    case OpCopyMemory:
    case OpCopyMemorySized:
        return {.reads = {from.word(2)}, .writes = {from.word(1)}};
    case OpAtomicLoad:
        return {.reads = {from.word(3)}};
    case OpAtomicStore:
        return {.writes = {from.word(1)}};
    case OpAtomicFlagClear:
        return {.writes = {from.word(1)}};
    case OpAccessChain:
    case OpInBoundsAccessChain:
    case OpPtrAccessChain:
    case OpInBoundsPtrAccessChain:
    case OpRawAccessChainNV:
    case OpImageTexelPointer:
    case OpCopyObject:
    case OpCopyLogical:
    case OpImage:
        return {.flows = {from.word(3)}, .result = result};
    case OpUntypedAccessChainKHR:
    case OpUntypedInBoundsAccessChainKHR:
    case OpUntypedPtrAccessChainKHR:
    case OpUntypedInBoundsPtrAccessChainKHR:
        return {.flows = {from.word(4)}, .result = result};
    case OpSampledImage:
        return {.flows = {from.word(3), from.word(4)}, .result = result};
    case OpSelect:
        return {.flows = {from.word(4), from.word(5)}, .result = result};
    case OpPhi: {
        InstructionEffect effect{.result = result};
        for (size_t at = 3; at < from.size(); at += 2) {
            effect.flows.push_back(from.word(at));
        }
        return effect;
    }
    case OpArrayLength:
        return {.names = {from.word(3)}};
    case OpUntypedArrayLengthKHR:
        return {.names = {from.word(4)}};
    case OpPtrEqual:
    case OpPtrNotEqual:
    case OpPtrDiff:
        return {.names = {from.word(3), from.word(4)}};
    case OpCompositeExtract:
        return {.unknown = {from.word(3)}, .result = result};
    case OpCompositeInsert:
        return {.unknown = {from.word(3), from.word(4)}, .result = result};
    case OpImageWrite:
        return {.writes = {from.word(1)}};
    case OpCooperativeMatrixLoadKHR:
    case OpCooperativeMatrixLoadNV:
        return {.reads = {from.word(3)}};
    case OpCooperativeMatrixLoadTensorNV:
        return {.reads = {from.word(3)}, .calls = wordsFrom(from, 4)};
    case OpCooperativeMatrixStoreKHR:
    case OpCooperativeMatrixStoreNV:
    case OpCooperativeMatrixStoreTensorNV:
        return {.writes = {from.word(1)}};
    default:
        return {.unknown = wordsFrom(from, 1), .calls = wordsFrom(from, 1), .result = result};
    }
}

} // namespace kp::shader
