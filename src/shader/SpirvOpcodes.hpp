// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The numbers of the SPIR-V specification that this library reads from raw modules. They are
/// written here because installed SPIR-V headers differ in what they know, and a module may be
/// newer than the headers the library was built with.
namespace kp::shader::spirv {

enum Op : uint32_t {
    OpUndef = 1,
    OpName = 5,
    OpLine = 8,
    OpExtInstImport = 11,
    OpExtInst = 12,
    OpMemoryModel = 14,
    OpEntryPoint = 15,
    OpExecutionMode = 16,
    OpTypeArray = 28,
    OpTypeRuntimeArray = 29,
    OpTypeStruct = 30,
    OpTypePointer = 32,
    OpConstant = 43,
    OpConstantComposite = 44,
    OpSpecConstant = 50,
    OpSpecConstantComposite = 51,
    OpSpecConstantOp = 52,
    OpFunction = 54,
    OpFunctionParameter = 55,
    OpFunctionEnd = 56,
    OpFunctionCall = 57,
    OpVariable = 59,
    OpImageTexelPointer = 60,
    OpLoad = 61,
    OpStore = 62,
    OpCopyMemory = 63,
    OpCopyMemorySized = 64,
    OpAccessChain = 65,
    OpInBoundsAccessChain = 66,
    OpPtrAccessChain = 67,
    OpArrayLength = 68,
    OpInBoundsPtrAccessChain = 70,
    OpDecorate = 71,
    OpMemberDecorate = 72,
    OpVectorShuffle = 79,
    OpCompositeExtract = 81,
    OpCompositeInsert = 82,
    OpCopyObject = 83,
    OpSampledImage = 86,
    OpImageSampleImplicitLod = 87,
    OpImageRead = 98,
    OpImageWrite = 99,
    OpImage = 100,
    OpImageQueryFormat = 101,
    OpImageQuerySamples = 107,
    OpSelect = 169,
    OpAtomicLoad = 227,
    OpAtomicStore = 228,
    OpAtomicExchange = 229,
    OpAtomicXor = 242,
    OpPhi = 245,
    OpLoopMerge = 246,
    OpSelectionMerge = 247,
    OpLabel = 248,
    OpBranch = 249,
    OpBranchConditional = 250,
    OpSwitch = 251,
    OpReturnValue = 254,
    OpLifetimeStart = 256,
    OpLifetimeStop = 257,
    OpGroupAll = 261,
    OpGroupSMax = 271,
    OpImageSparseSampleImplicitLod = 305,
    OpImageSparseDrefGather = 315,
    OpImageSparseTexelsResident = 316,
    OpNoLine = 317,
    OpAtomicFlagTestAndSet = 318,
    OpAtomicFlagClear = 319,
    OpImageSparseRead = 320,
    OpExecutionModeId = 331,
    OpGroupNonUniformElect = 333,
    OpGroupNonUniformQuadSwap = 366,
    OpCopyLogical = 400,
    OpPtrEqual = 401,
    OpPtrNotEqual = 402,
    OpPtrDiff = 403,
    OpUntypedVariableKHR = 4418,
    OpUntypedAccessChainKHR = 4419,
    OpUntypedInBoundsAccessChainKHR = 4420,
    OpUntypedPtrAccessChainKHR = 4423,
    OpUntypedInBoundsPtrAccessChainKHR = 4424,
    OpUntypedArrayLengthKHR = 4425,
    OpGroupNonUniformRotateKHR = 4431,
    OpSDot = 4450,
    OpSUDotAccSat = 4455,
    OpCooperativeMatrixLoadKHR = 4457,
    OpCooperativeMatrixStoreKHR = 4458,
    OpCooperativeMatrixMulAddKHR = 4459,
    OpGroupIAddNonUniformAMD = 5000,
    OpGroupSMaxNonUniformAMD = 5007,
    OpCooperativeMatrixLoadNV = 5359,
    OpCooperativeMatrixStoreNV = 5360,
    OpCooperativeMatrixLoadTensorNV = 5367,
    OpCooperativeMatrixStoreTensorNV = 5368,
    OpRawAccessChainNV = 5398,
    OpAtomicFMinEXT = 5614,
    OpAtomicFMaxEXT = 5615,
    OpAtomicFAddEXT = 6035,
    OpGroupIMulKHR = 6401,
    OpGroupLogicalXorKHR = 6408
};

enum StorageClass : uint32_t {
    StorageUniformConstant = 0,
    StorageUniform = 2,
    StorageStorageBuffer = 12
};

enum Decoration : uint32_t {
    DecorationSpecId = 1,
    DecorationBuiltIn = 11,
    DecorationNonWritable = 24,
    DecorationNonReadable = 25,
    DecorationBinding = 33,
    DecorationDescriptorSet = 34
};

enum ExecutionMode : uint32_t { ModeLocalSize = 17, ModeLocalSizeId = 38 };

constexpr uint32_t kBuiltInWorkgroupSize = 25;
constexpr uint32_t kAddressingPhysicalStorageBuffer64 = 5348;

/// Numbers of the instruction set "GLSL.std.450" whose third operand is a pointer written to.
enum GlslStd450 : uint32_t { GlslModf = 35, GlslFrexp = 51 };

} // namespace kp::shader::spirv
