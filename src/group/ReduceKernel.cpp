// SPDX-License-Identifier: Apache-2.0
#include "group/ReduceKernel.hpp"

#include <algorithm>
#include <string>

#include <kompute/Shader.hpp>

#include "base/Text.hpp"
#include "core/BoundState.hpp"
#include "operations/ScalarTypes.hpp"
#include "operations/StoragePipeline.hpp"
#include "shader/Reflection.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp::group {
namespace {

using DataTypes = Memory::DataTypes;
constexpr uint32_t kLocalSize = 256;

/// The GLSL names of a type: in memory, and in computations.
struct GlslType {
    const char* stored;
    const char* computed;
    bool isBfloat16 = false;
};

GlslType glslTypeOf(DataTypes number) {
    if (number == DataTypes::eBool || number == DataTypes::eCustom)
        fail<InvalidArgument>("elements of {} cannot be reduced; numbers can",
                              Memory::toString(number));
    if (number == DataTypes::eBFloat16)
        return {"uint16_t", "float", true};
    using shader::ScalarType;
    const ScalarType scalar = scalarTypeOf(number);
    const char* const stored = shader::nameOf(scalar);
    switch (scalar) {
    case ScalarType::eInt8:
    case ScalarType::eInt16:
        return {stored, "int"};
    case ScalarType::eUint8:
    case ScalarType::eUint16:
        return {stored, "uint"};
    case ScalarType::eFloat16:
        return {stored, "float"};
    default:
        return {stored, stored};
    }
}

const char* expressionOf(ReduceOperation operation) {
    switch (operation) {
    case ReduceOperation::eSum:
        return "a + b";
    case ReduceOperation::eProduct:
        return "a * b";
    case ReduceOperation::eMinimum:
        return "min(a, b)";
    case ReduceOperation::eMaximum:
        return "max(a, b)";
    }
    fail<InvalidArgument>("{} is not a ReduceOperation", static_cast<int>(operation));
}

constexpr const char* kSource = R"(
layout(local_size_x = 256) in;
layout(binding = 0) buffer D { STORED d[]; };
layout(binding = 1) readonly buffer S { STORED s[]; };
layout(push_constant) uniform P { uint firstD; uint firstS; uint count; };

// The upper half of a float.
float fromBfloat16(uint bits) { return uintBitsToFloat(bits << 16); }
// To the nearest, ties to even; NaN stays NaN.
uint toBfloat16(float value) {
    uint bits = floatBitsToUint(value);
    return isnan(value) ? bits >> 16 | 64u : (bits + 32767u + (bits >> 16 & 1u)) >> 16;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    COMPUTED a = LOAD(d[firstD + i]);
    COMPUTED b = LOAD(s[firstS + i]);
    d[firstD + i] = STORE(OPERATION);
}
)";

std::string sourceOf(const GlslType& type, ReduceOperation operation) {
    const std::string load =
        type.isBfloat16 ? "fromBfloat16(uint(x))" : formatted("{}(x)", type.computed);
    const std::string store =
        type.isBfloat16 ? "uint16_t(toBfloat16(x))" : formatted("{}(x)", type.stored);
    return formatted(R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
#extension GL_EXT_shader_16bit_storage : enable
#extension GL_EXT_shader_8bit_storage : enable
#define STORED {}
#define COMPUTED {}
#define LOAD(x) {}
#define STORE(x) {}
#define OPERATION {}
{})",
                     type.stored, type.computed, load, store, expressionOf(operation), kSource);
}

} // namespace

std::shared_ptr<const ReduceKernel> ReduceKernel::of(vulkan::Device& device, DataTypes number,
                                                     ReduceOperation operation) {
    const GlslType type = glslTypeOf(number);
    using vulkan::Feature;
    const auto require = [&](Feature feature) {
        if (!device.has(feature))
            fail<Unsupported>("{} cannot reduce elements of {}: it has no {}", device.name(),
                              Memory::toString(number), vulkan::nameOf(feature));
    };
    const uint32_t bytes = Memory::dataTypeMemorySize(number);
    if (bytes == 1)
        require(Feature::eStorageBuffer8BitAccess);
    if (bytes == 2)
        require(Feature::eStorageBuffer16BitAccess);
    if (number == DataTypes::eDouble)
        require(Feature::eShaderFloat64);
    if (number == DataTypes::eLong || number == DataTypes::eUnsignedLong)
        require(Feature::eShaderInt64);

    CompileOptions options;
    options.vulkanVersion = device.plan().apiVersion;
    const std::vector<uint32_t> spirv = kp::compile(sourceOf(type, operation), options);
    return std::shared_ptr<const ReduceKernel>(
        new ReduceKernel(device, bytes, storagePipeline(device, spirv, 2, 3 * sizeof(uint32_t))));
}

void ReduceKernel::record(VkCommandBuffer commandBuffer, const BufferKernel::Range& destination,
                          const BufferKernel::Range& source, vulkan::KeptObjects& kept) const {
    const VkPhysicalDeviceLimits& limits = mDevice.physical().properties.limits;
    const uint64_t alignment = std::max<uint64_t>(4, limits.minStorageBufferOffsetAlignment);
    // Descriptors start at multiples of the alignment; the shader adds the rest of the offset.
    const auto view = [&](const BufferKernel::Range& range, uint32_t& first) {
        const vulkan::Buffer& buffer = *range.buffer;
        const uint64_t at = buffer.offset() + range.offset;
        const uint64_t begin = at / alignment * alignment;
        first = static_cast<uint32_t>((at - begin) / mNumberBytes);
        // Some devices access elements of 8 and 16 bits as words.
        const uint64_t end =
            std::min((at + range.bytes + 3) & ~uint64_t{3}, buffer.offset() + buffer.fillSize());
        return VkDescriptorBufferInfo{buffer.handle(), begin, end - begin};
    };
    const auto count = static_cast<uint32_t>(source.bytes / mNumberBytes);
    uint32_t push[3] = {0, 0, count};
    std::vector<vulkan::DescriptorWrite> writes(2);
    writes[0].buffer = view(destination, push[0]);
    writes[1].binding = 1;
    writes[1].buffer = view(source, push[1]);
    const auto set = mDevice.descriptors().create(mPipeline->layout(), writes);
    BoundState bound(mDevice, commandBuffer);
    bound.bind(*mPipeline, set->handle());
    bound.push(*mPipeline, push, sizeof push);
    vulkan::recordDispatch(mDevice, commandBuffer, {(count + kLocalSize - 1) / kLocalSize, 1, 1});
    kept.push_back(set);
    kept.push_back(mPipeline);
}

} // namespace kp::group
