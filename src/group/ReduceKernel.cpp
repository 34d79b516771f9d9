// SPDX-License-Identifier: Apache-2.0
#include "group/ReduceKernel.hpp"

#include <algorithm>
#include <string>

#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>

#include "shader/Hash.hpp"
#include "vulkan/Commands.hpp"
#include "vulkan/Device.hpp"

namespace kp::group {
namespace {

using DataTypes = Memory::DataTypes;
constexpr uint32_t kLocalSize = 256;

/// How a type is spelled in GLSL: in memory, and while it is computed with.
struct Spelling {
    const char* stored;
    const char* computed;
    bool isBfloat16 = false;
};

Spelling spellingOf(DataTypes number) {
    switch (number) {
    case DataTypes::eInt:
        return {"int", "int"};
    case DataTypes::eUnsignedInt:
        return {"uint", "uint"};
    case DataTypes::eFloat:
        return {"float", "float"};
    case DataTypes::eDouble:
        return {"double", "double"};
    case DataTypes::eShort:
        return {"int16_t", "int"};
    case DataTypes::eUnsignedShort:
        return {"uint16_t", "uint"};
    case DataTypes::eChar:
        return {"int8_t", "int"};
    case DataTypes::eUnsignedChar:
        return {"uint8_t", "uint"};
    case DataTypes::eLong:
        return {"int64_t", "int64_t"};
    case DataTypes::eUnsignedLong:
        return {"uint64_t", "uint64_t"};
    case DataTypes::eHalf:
        return {"float16_t", "float"};
    case DataTypes::eBFloat16:
        return {"uint16_t", "float", true};
    case DataTypes::eBool:
    case DataTypes::eCustom:
        break;
    }
    throw InvalidArgument("elements of " + Memory::toString(number) +
                          " cannot be reduced; numbers can");
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
    throw InvalidArgument("unknown reduce operation " +
                          std::to_string(static_cast<int>(operation)));
}

constexpr const char* kSource = R"(
layout(local_size_x = 256) in;
layout(binding = 0) buffer D { STORED d[]; };
layout(binding = 1) readonly buffer S { STORED s[]; };
layout(push_constant) uniform P { uint firstD; uint firstS; uint count; };

// The upper half of a float.
float fromBfloat16(uint bits) { return uintBitsToFloat(bits << 16); }
// To the nearest, ties to even; what is not a number stays so.
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

std::string sourceOf(const Spelling& spelling, ReduceOperation operation) {
    std::string source = R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
#extension GL_EXT_shader_16bit_storage : enable
#extension GL_EXT_shader_8bit_storage : enable
)";
    const auto define = [&](const std::string& name, const std::string& text) {
        source += "#define " + name + " " + text + "\n";
    };
    define("STORED", spelling.stored);
    define("COMPUTED", spelling.computed);
    define("LOAD(x)",
           spelling.isBfloat16 ? "fromBfloat16(uint(x))" : std::string(spelling.computed) + "(x)");
    define("STORE(x)",
           spelling.isBfloat16 ? "uint16_t(toBfloat16(x))" : std::string(spelling.stored) + "(x)");
    define("OPERATION", expressionOf(operation));
    return source + kSource;
}

} // namespace

std::shared_ptr<const ReduceKernel> ReduceKernel::of(vulkan::Device& device, DataTypes number,
                                                     ReduceOperation operation) {
    const Spelling spelling = spellingOf(number);
    using vulkan::Feature;
    const auto require = [&](Feature feature) {
        if (!device.has(feature))
            throw Unsupported(device.name() + " cannot reduce elements of " +
                              Memory::toString(number) + ": it has no " + vulkan::nameOf(feature));
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
    const std::vector<uint32_t> spirv = kp::compile(sourceOf(spelling, operation), options);
    const shader::Hash hash = shader::hashBytes(spirv.data(), spirv.size() * sizeof(uint32_t));
    vulkan::PipelineRequest request;
    request.spirv = spirv;
    request.spirvHash = {hash.low, hash.high};
    request.layout = device.pipelines().layout(
        {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}, {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}},
        3 * sizeof(uint32_t));
    return std::shared_ptr<const ReduceKernel>(
        new ReduceKernel(device, bytes, device.pipelines().pipeline(request)));
}

void ReduceKernel::record(VkCommandBuffer commandBuffer, const vulkan::Buffer& destination,
                          uint64_t destinationOffset, const vulkan::Buffer& source,
                          uint64_t sourceOffset, uint64_t bytes,
                          std::vector<std::shared_ptr<const void>>& kept) const {
    const VkPhysicalDeviceLimits& limits = mDevice.physical().properties.limits;
    const uint64_t alignment = std::max<uint64_t>(4, limits.minStorageBufferOffsetAlignment);
    // Descriptors begin at multiples of the alignment, so what is left is counted in the shader.
    const auto view = [&](const vulkan::Buffer& buffer, uint64_t offset, uint32_t& first) {
        const uint64_t at = buffer.offset() + offset;
        const uint64_t begin = at / alignment * alignment;
        first = static_cast<uint32_t>((at - begin) / mNumberBytes);
        // Elements of 8 and 16 bits are words of memory to some devices.
        const uint64_t end =
            std::min((at + bytes + 3) & ~uint64_t{3}, buffer.offset() + buffer.fillSize());
        return VkDescriptorBufferInfo{buffer.handle(), begin, end - begin};
    };
    uint32_t push[3] = {0, 0, static_cast<uint32_t>(bytes / mNumberBytes)};
    std::vector<vulkan::DescriptorWrite> writes(2);
    writes[0].buffer = view(destination, destinationOffset, push[0]);
    writes[1].binding = 1;
    writes[1].buffer = view(source, sourceOffset, push[1]);
    const auto set = mDevice.descriptors().create(mPipeline->layout(), writes);
    vulkan::recordBind(mDevice, commandBuffer, *mPipeline);
    vulkan::recordBindSet(mDevice, commandBuffer, *mPipeline, set->handle());
    vulkan::recordPush(mDevice, commandBuffer, *mPipeline, push, sizeof push);
    const uint32_t groups = (push[2] + kLocalSize - 1) / kLocalSize;
    vulkan::recordDispatch(mDevice, commandBuffer, {groups, 1, 1});
    kept.push_back(set);
    kept.push_back(mPipeline);
}

} // namespace kp::group
