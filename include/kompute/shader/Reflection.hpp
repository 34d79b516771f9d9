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

/// Kind of a descriptor binding.
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

/// Scalar type of an element. eStruct is everything that is not a single scalar type.
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

/// One axis of the numbers of a member: an array, the columns of a matrix (rows in HLSL), or the
/// numbers of one column or of a vector.
struct MemberAxis {
    uint32_t count = 1;
    uint32_t stride = 0; ///< bytes from one to the next
};

/// A member of the push constant block or of a struct.
struct Member {
    std::string name;
    uint32_t offset = 0; ///< bytes
    uint32_t size = 0;   ///< bytes, with the padding between its numbers
    ScalarType type = ScalarType::eUnknown;
    uint32_t components = 1; ///< all its numbers: mat3 m[2] has 18, a struct 1
    /// Strides of its numbers, outermost axis first, as the shader indexes them: m[1][2] of a GLSL
    /// matrix is row 2 of column 1. Empty for a single number and for structs.
    std::vector<MemberAxis> axes;
};
using PushConstantMember = Member;

/// A descriptor binding that the entry point uses.
struct Binding {
    uint32_t set = 0;
    uint32_t binding = 0;
    BindingKind kind = BindingKind::eOther;
    /// Number of descriptors in an array of them, else 1; 0 if the shader does not fix it.
    uint32_t count = 1;
    /// Index of the first of an algorithm's memory objects that is bound here; see Algorithm.
    /// Meaningless unless takesMemory().
    uint32_t argument = 0;
    /// Index of the first of an algorithm's samplers that is bound here, if there is one for each.
    /// Meaningless unless takesSampler().
    uint32_t sampler = 0;
    std::string name;   ///< block or variable name; "" if the module has none
    bool reads = true;  ///< the shader may read through it
    bool writes = true; ///< the shader may write through it

    // Buffers only.
    uint64_t fixedSize = 0;   ///< bytes before the trailing runtime array, or of the whole block
    uint64_t arrayStride = 0; ///< bytes between elements of the runtime array; 0 without one
    ScalarType elementType = ScalarType::eUnknown; ///< of the trailing array or the only member
    uint32_t elementComponents = 1; ///< scalars per element: vec4 has 4, mat4 16, a struct 1
    /// Bytes between the elements of an array of fixed length that is the only member, else 0.
    /// Uniform blocks of layout std140 have multiples of 16.
    uint32_t fixedStride = 0;
    /// Of the struct that is the trailing array's element or the only member, if there is one.
    std::vector<Member> members;

    // Images only.
    uint32_t imageFormat = 0; ///< SPIR-V ImageFormat; 0 is Unknown (no format declared)
    ScalarType imageType = ScalarType::eUnknown; ///< sampled type: float, int or uint
    uint32_t imageDimensions = 0;                ///< 1, 2 or 3
    bool imageArrayed = false;
    /// Of a separate image (texture2D): the bindings of the samplers that the shader combines it
    /// with, as indices of Reflection::bindings.
    std::vector<uint32_t> imageSamplers;

    bool isImage() const {
        return kind == BindingKind::eStorageImage || kind == BindingKind::eSampledImage ||
               kind == BindingKind::eCombinedImageSampler;
    }
    bool takesMemory() const { return kind != BindingKind::eSampler; }
    bool takesSampler() const {
        return kind == BindingKind::eSampler || kind == BindingKind::eCombinedImageSampler;
    }
};

/// A specialization constant.
struct SpecConstant {
    uint32_t id = 0;
    std::string name;
    ScalarType type = ScalarType::eUnknown;
    uint64_t defaultBits = 0; ///< bit pattern of the default, low bits first
};

/// The interface of a compute shader. Plain data.
struct Reflection {
    std::string entryPoint;
    std::vector<Binding> bindings; ///< that the entry point uses, sorted by (set, binding)
    uint32_t pushConstantSize = 0; ///< bytes; 0 if there is no push constant block
    std::vector<PushConstantMember> pushConstants;
    std::vector<SpecConstant> specConstants;       ///< sorted by id
    std::array<uint32_t, 3> localSize = {1, 1, 1}; ///< with the default specialization constants
    /// Ids of the specialization constants that set the local size in x, y and z, if any.
    std::array<std::optional<uint32_t>, 3> localSizeId;
    /// Bytes of the variables that a work group shares, with the default specialization constants.
    /// Nothing if a size depends on an unsupported expression.
    std::optional<uint64_t> sharedBytes;
    /// Bytes of each invocation's private arrays, in the same way. Arrays of
    /// functions count as often as the functions are called, and constant tables once.
    std::optional<uint64_t> privateBytes;
    uint32_t spirvVersion = 0x00010000;    ///< as in the module header: 0x00MMmm00
    std::vector<std::string> capabilities; ///< SPIR-V names, such as "Float64"
    bool usesBufferAddresses = false;      ///< PhysicalStorageBuffer pointers: accesses are unknown
    /// The shader numbers its invocations with kp_index() of <kompute/index.glsl>, so that work of
    /// one dimension may be spread over several.
    bool usesFlatIndex = false;
    /// The shader may read the y or z of a position of its invocation or work group. False only if
    /// it reads x alone.
    bool readsYOrZ = false;
};

} // namespace shader

/// Returns the interface of a compute shader: its bindings, push constants, specialization
/// constants and local size. Results are cached by content. Thread-safe.
/// @param spirv       SPIR-V of the shader, as returned by compile()
/// @param entryPoint  name of a compute entry point
/// @throws ShaderError if the SPIR-V is invalid or has no such entry point
[[nodiscard]] KOMPUTE_API shader::Reflection reflect(const std::vector<uint32_t>& spirv,
                                                     const std::string& entryPoint = "main");

} // namespace kp
