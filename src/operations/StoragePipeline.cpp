// SPDX-License-Identifier: Apache-2.0
#include "operations/StoragePipeline.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/Text.hpp"
#include "core/algorithm/LoweredShader.hpp"
#include "shader/compile/ContentKey.hpp"

namespace kp {

std::shared_ptr<vulkan::Pipeline> storagePipeline(vulkan::Device& device,
                                                  std::span<const uint32_t> spirv,
                                                  uint32_t bindings, uint32_t pushConstantBytes,
                                                  std::span<const uint32_t> constants,
                                                  bool fullSubgroups) {
    const uint32_t limit = device.physical().properties.limits.maxPerStageDescriptorStorageBuffers;
    if (bindings > limit)
        fail<Unsupported>("the operation binds {} buffers, over {}'s "
                          "maxPerStageDescriptorStorageBuffers of {}; apply it to parts",
                          bindings, device.name(), limit);
    std::vector<vulkan::DescriptorBinding> layout;
    for (uint32_t i = 0; i < bindings; ++i)
        layout.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1});
    const Hash key = shader::contentKey(spirv);
    vulkan::PipelineRequest request;
    const std::shared_ptr<const LoweredShader> lowered = loweredFor(device, spirv, key);
    const Hash& used = lowered ? lowered->key : key;
    request.spirv = lowered ? lowered->module.spirv : spirv;
    request.spirvKey = {used.low, used.high};
    request.layout = device.pipelines().layout(std::move(layout), pushConstantBytes);
    std::vector<VkSpecializationMapEntry> entries;
    for (uint32_t id = 0; id < constants.size(); ++id)
        entries.push_back({id, id * uint32_t{sizeof(uint32_t)}, sizeof(uint32_t)});
    request.specializationEntries = entries;
    request.specializationData = std::as_bytes(constants);
    request.fullSubgroups = fullSubgroups;
    return device.pipelines().pipeline(request);
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
