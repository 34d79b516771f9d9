// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/CacheFolders.hpp"
#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

class DescriptorAllocator;
class DeviceHandle;
struct PhysicalDevice;

/// One binding of a pipeline layout.
struct DescriptorBinding {
    uint32_t binding = 0;
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    uint32_t count = 1;
    uint32_t set = 0;
    bool operator==(const DescriptorBinding&) const = default;
};

/// A pipeline layout with its descriptor set layouts, shared by all pipelines with equal bindings
/// and push constants. Sets without bindings, below others with some, have empty layouts.
class PipelineLayout {
public:
    /// @param descriptors  allocates the sets of this layout
    /// @p device and @p descriptors must outlive it.
    PipelineLayout(const DeviceHandle& device, DescriptorAllocator& descriptors,
                   std::vector<DescriptorBinding> bindings, uint32_t pushConstantBytes);
    ~PipelineLayout();
    PipelineLayout(const PipelineLayout&) = delete;

    VkPipelineLayout handle() const { return mHandle; }
    uint32_t setCount() const { return static_cast<uint32_t>(mSetLayouts.size()); } ///< at least 1
    VkDescriptorSetLayout setLayout(uint32_t set) const { return mSetLayouts[set]; }
    /// Of all sets.
    const std::vector<DescriptorBinding>& bindings() const { return mBindings; }
    uint32_t pushConstantBytes() const { return mPushConstantBytes; }

private:
    void makeSetLayouts();
    void makeLayout();
    void destroySetLayouts() noexcept;

    const DeviceHandle& mDevice;
    DescriptorAllocator& mDescriptors;
    std::vector<DescriptorBinding> mBindings;
    uint32_t mPushConstantBytes;
    std::vector<VkDescriptorSetLayout> mSetLayouts;
    VkPipelineLayout mHandle = VK_NULL_HANDLE;
};

/// What a pipeline was made of, but for its layout.
struct PipelineSource {
    std::shared_ptr<const std::vector<uint32_t>> spirv; ///< shared by pipelines of one module
    std::array<uint64_t, 2> spirvKey{};
    std::string entryPoint;
    std::vector<VkSpecializationMapEntry> specializationEntries;
    std::vector<std::byte> specializationData;
    uint32_t subgroupSize = 0;
    bool fullSubgroups = false;
    bool robustAccess = false;
};

/// A compute pipeline, shared by all requests with equal content.
class Pipeline {
public:
    Pipeline(const DeviceHandle& device, std::shared_ptr<PipelineLayout> layout, VkPipeline handle,
             PipelineSource source)
        : mDevice(device), mLayout(std::move(layout)), mHandle(handle), mSource(std::move(source)) {
    }
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;

    VkPipeline handle() const { return mHandle; }
    const PipelineLayout& layout() const { return *mLayout; }
    const PipelineSource& source() const { return mSource; }

private:
    const DeviceHandle& mDevice;
    std::shared_ptr<PipelineLayout> mLayout;
    VkPipeline mHandle;
    PipelineSource mSource;
};

/// The content of a pipeline.
struct PipelineRequest {
    std::span<const uint32_t> spirv;
    std::array<uint64_t, 2> spirvKey{}; ///< equal keys mean equal SPIR-V
    std::string entryPoint = "main";
    std::shared_ptr<PipelineLayout> layout;
    std::span<const VkSpecializationMapEntry> specializationEntries;
    std::span<const std::byte> specializationData;
    /// No subgroup lacks invocations. Needs computeFullSubgroups, and a local size in x that is a
    /// multiple of the required subgroup size or, without one, of the device's maxSubgroupSize.
    bool fullSubgroups = false;
    /// Required; 0 lets the driver choose. Needs subgroupSizeControl.
    uint32_t subgroupSize = 0;
    /// Reads outside of buffers give 0. Needs pipelineRobustness, and a device that has
    /// robustBufferAccess2.
    bool robustAccess = false;
    bool robustImages = false; ///< and of images; needs a device that has robustImageAccess2
};

/// Pipelines and layouts shared by content, on top of a VkPipelineCache that a file keeps between
/// runs: one per device and driver, replaced as a whole, checked before use. The pipelines of
/// shipped folders are merged into it. Thread-safe.
class PipelineCache {
public:
    PipelineCache(const DeviceHandle& device, const PhysicalDevice& physical,
                  DescriptorAllocator& descriptors)
        : mDevice(device), mPhysical(physical), mDescriptors(descriptors) {}
    ~PipelineCache();
    /// Writes the file if something was added. The destructor calls it, too.
    void finish() noexcept;

    /// Sets the folders of files. Has no effect after the first pipeline.
    void setFolders(CacheFolders folders);
    /// Returns the folders, also for shaders that the library compiles for the device.
    CacheFolders folders() const;

    std::shared_ptr<PipelineLayout> layout(std::vector<DescriptorBinding> bindings,
                                           uint32_t pushConstantBytes);
    /// @throws ShaderError if the driver refuses the shader, OutOfMemory, DeviceLost
    std::shared_ptr<Pipeline> pipeline(const PipelineRequest& request);

    /// Returns how many pipelines were created.
    uint64_t made() const { return mMade.load(std::memory_order_relaxed); }

    /// Writes the file now. @return false if there is no folder or it cannot be written
    bool save();
    /// Returns the path of the file, which need not exist; "" without a folder.
    std::string file() const;

private:
    VkPipelineCache handle();
    /// Returns the driver's data in a file; nothing if it is missing, damaged or not trusted.
    std::string load(const std::string& path, bool trusted) const;
    /// Creates a cache of the driver; an empty one if the driver refuses the data.
    VkPipelineCache makeCache(const std::string& data) const;
    void mergeShipped();
    std::string fileIn(const std::string& folder) const;
    VkPipeline create(const PipelineRequest& request);
    PipelineSource sourceOf(const PipelineRequest& request);

    std::atomic<uint64_t> mMade{0};
    const DeviceHandle& mDevice;
    const PhysicalDevice& mPhysical;
    DescriptorAllocator& mDescriptors;
    mutable std::mutex mMutex;
    CacheFolders mFolders;
    VkPipelineCache mHandle = VK_NULL_HANDLE;
    bool mGrown = false; ///< has pipelines that the file lacks
    std::unordered_map<std::string, std::weak_ptr<PipelineLayout>> mLayouts;
    std::unordered_map<std::string, std::shared_ptr<Pipeline>> mPipelines;
    /// Of existing pipelines, by PipelineRequest::spirvKey.
    std::map<std::array<uint64_t, 2>, std::weak_ptr<const std::vector<uint32_t>>> mModules;
};

} // namespace kp::vulkan
