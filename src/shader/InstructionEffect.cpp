// SPDX-License-Identifier: Apache-2.0
#include "shader/InstructionEffect.hpp"

#include <spirv_cross/GLSL.std.450.h>

#include "shader/SpirvOpcodes.hpp"

namespace kp::shader {
namespace {

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

bool isAtomic(uint32_t opcode) {
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

} // namespace

InstructionEffect effectOf(const Instruction& from, bool glslSet, bool nonSemanticSet) {
    const uint32_t opcode = from.opcode;
    const uint32_t result = from.word(2);
    if (touchesNoMemory(opcode))
        return {};
    if (readsImage(opcode))
        return {.reads = {from.word(3)}};
    if (isAtomic(opcode))
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

} // namespace kp::shader
