// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "vulkan/Vulkan.hpp"

namespace kp::vulkan {

class Device;

/// One binding of a descriptor set layout.
struct DescriptorBinding {
    uint32_t binding = 0;
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    uint32_t count = 1;
    bool operator==(const DescriptorBinding&) const = default;
};

/// A pipeline layout with one descriptor set, shared by all pipelines of the same shape.
class PipelineLayout {
public:
    PipelineLayout(Device& device, std::vector<DescriptorBinding> bindings,
                   uint32_t pushConstantBytes);
    ~PipelineLayout();
    PipelineLayout(const PipelineLayout&) = delete;
    PipelineLayout& operator=(const PipelineLayout&) = delete;

    VkPipelineLayout handle() const { return mHandle; }
    VkDescriptorSetLayout setLayout() const { return mSetLayout; }
    const std::vector<DescriptorBinding>& bindings() const { return mBindings; }
    uint32_t pushConstantBytes() const { return mPushConstantBytes; }

private:
    Device& mDevice;
    std::vector<DescriptorBinding> mBindings;
    uint32_t mPushConstantBytes;
    VkDescriptorSetLayout mSetLayout = VK_NULL_HANDLE;
    VkPipelineLayout mHandle = VK_NULL_HANDLE;
};

/// A compute pipeline, shared by all who asked for the same content.
class Pipeline {
public:
    Pipeline(Device& device, std::shared_ptr<PipelineLayout> layout, VkPipeline handle)
        : mDevice(device), mLayout(std::move(layout)), mHandle(handle) {}
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    VkPipeline handle() const { return mHandle; }
    const PipelineLayout& layout() const { return *mLayout; }

private:
    Device& mDevice;
    std::shared_ptr<PipelineLayout> mLayout;
    VkPipeline mHandle;
};

/// The content of a pipeline.
struct PipelineRequest {
    std::span<const uint32_t> spirv;
    std::array<uint64_t, 2> spirvHash{}; ///< equal hashes are taken as equal SPIR-V
    std::string entryPoint = "main";
    std::shared_ptr<PipelineLayout> layout;
    std::span<const VkSpecializationMapEntry> specializationEntries;
    std::span<const std::byte> specializationData;
};

/// Pipelines and layouts shared by content, over a VkPipelineCache that is kept on disk between
/// runs: one file per device and driver, written whole or not at all, checked before use.
/// Thread-safe.
class PipelineCache {
public:
    explicit PipelineCache(Device& device);
    /// Writes the file where something was added. Never throws.
    ~PipelineCache();
    PipelineCache(const PipelineCache&) = delete;
    PipelineCache& operator=(const PipelineCache&) = delete;

    /// Folder of the file; "" keeps nothing on disk. Only the call before the first pipeline
    /// counts.
    void setFolder(const std::string& folder);

    std::shared_ptr<PipelineLayout> layout(std::vector<DescriptorBinding> bindings,
                                           uint32_t pushConstantBytes);
    /// @throws ShaderError where the driver refuses the shader, OutOfMemory, ...
    std::shared_ptr<Pipeline> pipeline(const PipelineRequest& request);

    /// Writes the file now. @return false where there is no folder or it cannot be written
    bool save();
    /// Where the file is or would be; "" without a folder.
    std::string file() const;

private:
    VkPipelineCache handle();
    std::vector<std::byte> load() const;
    VkPipeline create(const PipelineRequest& request);

    Device& mDevice;
    mutable std::mutex mMutex;
    std::string mFolder;
    VkPipelineCache mHandle = VK_NULL_HANDLE;
    bool mGrown = false; ///< holds pipelines that the file does not
    std::unordered_map<std::string, std::weak_ptr<PipelineLayout>> mLayouts;
    std::unordered_map<std::string, std::shared_ptr<Pipeline>> mPipelines;
};

} // namespace kp::vulkan
