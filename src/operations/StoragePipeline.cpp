// SPDX-License-Identifier: Apache-2.0
#include "operations/StoragePipeline.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/Text.hpp"
#include "core/algorithm/LoweredShader.hpp"
#include "shader/compile/ContentKey.hpp"
#include "shader/reflect/Reflection.hpp"

namespace kp {

StoragePipeline storagePipeline(vulkan::Device& device, const StorageShader& shader) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    if (shader.bindings > limits.maxPerStageDescriptorStorageBuffers)
        fail<Unsupported>("the operation binds {} buffers, over {}'s "
                          "maxPerStageDescriptorStorageBuffers of {}; apply it to parts",
                          shader.bindings, device.name(),
                          limits.maxPerStageDescriptorStorageBuffers);
    if (shader.pushConstantBytes > limits.maxPushConstantsSize)
        fail<Unsupported>("the operation has {} bytes of push constants, over {}'s "
                          "maxPushConstantsSize of {}",
                          shader.pushConstantBytes, device.name(), limits.maxPushConstantsSize);
    std::vector<vulkan::DescriptorBinding> layout;
    for (uint32_t i = 0; i < shader.bindings; ++i)
        layout.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1});
    Hash key = shader::contentKey(shader.spirv);
    vulkan::PipelineRequest request;
    request.spirv = shader.spirv;
    StoragePipeline made;
    // Checks come first, so that faults tell of the kernel's own types.
    if (shader.checks.any())
        made.checked =
            checkedFor(device, request.spirv, key, *shader::reflectCached(request.spirv, key),
                       shader.checks, shader.texts);
    if (made.checked) {
        addReportBindings(*made.checked, layout);
        request.spirv = made.checked->module.spirv;
        key = made.checked->key;
    }
    const std::shared_ptr<const LoweredShader> lowered = loweredFor(device, request.spirv, key);
    if (lowered) {
        request.spirv = lowered->module.spirv;
        key = lowered->key;
    }
    request.spirvKey = {key.low, key.high};
    request.layout = device.pipelines().layout(std::move(layout), shader.pushConstantBytes);
    std::vector<VkSpecializationMapEntry> entries;
    for (uint32_t id = 0; id < shader.constants.size(); ++id)
        entries.push_back({id, id * uint32_t{sizeof(uint32_t)}, sizeof(uint32_t)});
    request.specializationEntries = entries;
    request.specializationData = std::as_bytes(shader.constants);
    request.fullSubgroups = shader.fullSubgroups;
    made.pipeline = device.pipelines().pipeline(request);
    return made;
}

StorageView storageView(const vulkan::Buffer& buffer, uint64_t offset, uint64_t bytes,
                        uint32_t elementBytes, uint64_t alignment) {
    const VkPhysicalDeviceLimits& limits = buffer.device().physical().properties.limits;
    alignment = std::max<uint64_t>(alignment, limits.minStorageBufferOffsetAlignment);
    const uint64_t at = buffer.offset() + offset;
    const uint64_t begin = at / alignment * alignment;
    // Some devices access elements of 8 and 16 bits as words.
    const uint64_t end =
        std::min((at + bytes + 3) & ~uint64_t{3}, buffer.offset() + buffer.fillSize());
    return {{buffer.handle(), begin, end - begin},
            static_cast<uint32_t>((at - begin) / elementBytes)};
}

} // namespace kp
