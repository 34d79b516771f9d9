// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spirv_cross/spirv.hpp>

namespace kp::shader {

// Opcodes that the oldest supported <spirv_cross/spirv.hpp>, of Vulkan SDK 1.3.239, lacks.
constexpr uint32_t kOpUntypedVariableKHR = 4418;
constexpr uint32_t kOpUntypedAccessChainKHR = 4419;
constexpr uint32_t kOpUntypedInBoundsAccessChainKHR = 4420;
constexpr uint32_t kOpUntypedPtrAccessChainKHR = 4423;
constexpr uint32_t kOpUntypedInBoundsPtrAccessChainKHR = 4424;
constexpr uint32_t kOpUntypedArrayLengthKHR = 4425;
constexpr uint32_t kOpCooperativeMatrixLoadKHR = 4457;
constexpr uint32_t kOpCooperativeMatrixStoreKHR = 4458;
constexpr uint32_t kOpCooperativeMatrixMulAddKHR = 4459;
constexpr uint32_t kOpCooperativeMatrixLoadTensorNV = 5367;
constexpr uint32_t kOpCooperativeMatrixStoreTensorNV = 5368;
constexpr uint32_t kOpRawAccessChainNV = 5398;

} // namespace kp::shader
