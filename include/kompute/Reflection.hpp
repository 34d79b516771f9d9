// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Export.hpp>

namespace kp {
namespace shader {

/// What a descriptor binding of a shader is.
enum class BindingKind {
    eStorageBuffer,
    eUniformBuffer,
    eStorageImage,
    eSampledImage,
    eCombinedImageSampler,
    eSampler,
    eUniformTexelBuffer,
    eStorageTexelBuffer,
    eOther
};

/// Scalar type of an element. eStruct covers structs and everything that is not one scalar type.
enum class ScalarType {
    eUnknown,
    eBool,
    eInt8,
    eUint8,
    eInt16,
    eUint16,
    eInt32,
    eUint32,
    eInt64,
    eUint64,
    eFloat16,
    eFloat32,
    eFloat64,
    eStruct
};

/// One descriptor binding the entry point uses.
struct Binding {
    uint32_t set = 0;
    uint32_t binding = 0;
    BindingKind kind = BindingKind::eOther;
    uint32_t count = 1; ///< array length; 0 for a runtime-sized array of descriptors
    std::string name;   ///< block or variable name, "" where the module has none
    bool reads = true;  ///< the shader may read through it
    bool writes = true; ///< the shader may write through it

    // Buffers only.
    uint64_t fixedSize = 0; ///< bytes before the trailing runtime array, or of the whole block
    uint64_t arrayStride =
        0; ///< bytes from one runtime-array element to the next; 0: no such array
    ScalarType elementType = ScalarType::eUnknown; ///< scalar of the trailing array or only member
    uint32_t elementComponents =
        1; ///< scalars in one element: vec4 -> 4, mat4 -> 16; 1 for structs

    // Storage images only.
    uint32_t imageFormat = 0; ///< the SPIR-V ImageFormat, 0 = Unknown (no format declared)
    ScalarType imageType = ScalarType::eUnknown; ///< sampled type: float, int or uint
    uint32_t imageDimensions = 0;                ///< 1, 2 or 3; 2 is what kp::Image offers
    bool imageArrayed = false;
};

/// One member of the push-constant block.
struct PushConstantMember {
    std::string name;
    uint32_t offset = 0; ///< bytes
    uint32_t size = 0;   ///< bytes
    ScalarType type = ScalarType::eUnknown;
    uint32_t components = 1;
};

/// One specialization constant.
struct SpecConstant {
    uint32_t id = 0;
    std::string name;
    ScalarType type = ScalarType::eUnknown;
    uint64_t defaultBits = 0; ///< the default's bit pattern, low bits first
};

/// Everything the library needs to know about a compute shader. Pure data.
struct Reflection {
    std::string entryPoint;
    std::vector<Binding> bindings; ///< sorted by (set, binding); only what the entry point uses
    uint32_t pushConstantSize = 0; ///< bytes; 0: the shader has none
    std::vector<PushConstantMember> pushConstants;
    std::vector<SpecConstant> specConstants;       ///< sorted by id
    std::array<uint32_t, 3> localSize = {1, 1, 1}; ///< with the specialization defaults
    /// Ids of the specialization constants that set local_size_x/y/z, where they do.
    std::array<std::optional<uint32_t>, 3> localSizeId;
    uint32_t spirvVersion = 0x00010000;    ///< as in the module header: 0x00MMmm00
    std::vector<std::string> capabilities; ///< SPIR-V names, for instance "Float64"
    bool usesBufferAddresses = false;      ///< PhysicalStorageBuffer pointers: accesses are unknown
};

} // namespace shader

/// What a compute shader says about itself: its bindings, push constants, specialization constants
/// and local size. Thread-safe; shaders seen before are remembered by content.
/// @param spirv       SPIR-V of the shader, as compile() gives it
/// @param entryPoint  name of a compute entry point
/// @throws ShaderError where the SPIR-V is not valid or has no such entry point
KOMPUTE_API shader::Reflection reflect(const std::vector<uint32_t>& spirv,
                                       const std::string& entryPoint = "main");

} // namespace kp
