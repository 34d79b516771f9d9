// SPDX-License-Identifier: Apache-2.0
#include "operations/StoragePipeline.hpp"

#include <utility>
#include <vector>

#include "base/Hash.hpp"

namespace kp {

std::shared_ptr<vulkan::Pipeline> storagePipeline(vulkan::Device& device,
                                                  std::span<const uint32_t> spirv,
                                                  uint32_t bindings, uint32_t pushConstantBytes) {
    std::vector<vulkan::DescriptorBinding> layout;
    for (uint32_t i = 0; i < bindings; ++i)
        layout.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1});
    const Hash hash = hashBytes(spirv.data(), spirv.size_bytes());
    vulkan::PipelineRequest request;
    request.spirv = spirv;
    request.spirvHash = {hash.low, hash.high};
    request.layout = device.pipelines().layout(std::move(layout), pushConstantBytes);
    return device.pipelines().pipeline(request);
}

} // namespace kp
