// SPDX-License-Identifier: Apache-2.0
#include "group/ReduceKernel.hpp"

#include <vector>

#include <kompute/Shader.hpp>

#include "base/Text.hpp"
#include "core/algorithm/BoundState.hpp"
#include "operations/GlslType.hpp"
#include "operations/StoragePipeline.hpp"
#include "primitives/source/OperatorSource.hpp"
#include "primitives/source/Source.hpp"
#include "vulkan/memory/WrittenMemory.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp::group {
namespace {

constexpr uint32_t kLocalSize = 256;

constexpr const char* kReduceText = R"(
layout(binding = 0) buffer D { D_STORED d[]; };
layout(binding = 1) readonly buffer S { D_STORED s[]; };
layout(push_constant) uniform P { uint firstD; uint firstS; uint count; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    T combined = combine(TERM_OF(D_LOAD(d[firstD + i])), TERM_OF(D_LOAD(s[firstS + i])));
    d[firstD + i] = D_STORE(VALUE_OF(combined));
}
)";

} // namespace

std::shared_ptr<const ReduceKernel>
ReduceKernel::of(vulkan::Device& device, Memory::DataTypes number, ReduceOperation operation) {
    const GlslType& type = glslTypeOf(number, "reduced");
    if (number == Memory::DataTypes::eBool)
        fail<InvalidArgument>("elements of eBool cannot be reduced; numbers can");
    primitives::requireCombines(operation, type.computed, "a collective operation");
    CompileOptions options;
    device.pipelines().folders().complete(options);
    const std::vector<uint32_t> spirv = kp::compile(
        primitives::composeSource(glslTypeMacros("D", number),
                                  primitives::operatorSource(
                                      operation, number, device.has(vulkan::Feature::eShaderInt64)),
                                  kReduceText, false),
        options);
    const uint32_t constants[] = {kLocalSize};
    const StoragePipeline made = storagePipeline(device, {.spirv = spirv,
                                                          .bindings = 2,
                                                          .pushConstantBytes = 3 * sizeof(uint32_t),
                                                          .constants = constants});
    return std::shared_ptr<const ReduceKernel>(
        new ReduceKernel(device, Memory::dataTypeMemorySize(number), made.pipeline));
}

void ReduceKernel::record(VkCommandBuffer commandBuffer, const BufferKernel::Range& destination,
                          const BufferKernel::Range& source, vulkan::KeptObjects& kept) const {
    vulkan::WrittenMemory::note(*destination.buffer, destination.offset, destination.bytes);
    const auto view = [&](const BufferKernel::Range& range) {
        return storageView(*range.buffer, range.offset, range.bytes, mNumberBytes);
    };
    const StorageView views[] = {view(destination), view(source)};
    const auto count = static_cast<uint32_t>(source.bytes / mNumberBytes);
    const uint32_t push[3] = {views[0].first, views[1].first, count};
    std::vector<vulkan::DescriptorWrite> writes(2);
    writes[0].buffer = views[0].info;
    writes[1].binding = 1;
    writes[1].buffer = views[1].info;
    const auto set = mDevice.descriptors().create(mPipeline->layout(), writes);
    BoundState bound(mDevice, commandBuffer);
    bound.bind(*mPipeline, set.get());
    bound.push(*mPipeline, push, sizeof push);
    vulkan::recordDispatch(mDevice, commandBuffer, {(count + kLocalSize - 1) / kLocalSize, 1, 1});
    kept.push_back(set);
    kept.push_back(mPipeline);
}

} // namespace kp::group
