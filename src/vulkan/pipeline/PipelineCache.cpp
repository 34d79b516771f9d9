// SPDX-License-Identifier: Apache-2.0
#include "vulkan/pipeline/PipelineCache.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/CompileNotice.hpp"
#include "base/Hash.hpp"
#include "base/Process.hpp"
#include "base/Text.hpp"
#include "base/files/Files.hpp"
#include "base/files/Path.hpp"
#include "vulkan/device/DeviceHandle.hpp"
#include "vulkan/device/PhysicalDevice.hpp"
#include "vulkan/device/Result.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"

namespace kp::vulkan {
namespace {

// Unused pipelines are dropped beyond this number, so that a program that makes shaders at run time
// does not grow without end.
constexpr size_t kMaxPipelines = 1024;

/// Precedes the driver's data in the file. The driver checks its own header, but not that the data
/// are complete.
struct FileHeader {
    char magic[8] = {'K', 'P', 'P', 'C', '0', '0', '0', '2'};
    Hash hash; ///< of the data
};

std::string_view bytesOf(const FileHeader& header) {
    return {reinterpret_cast<const char*>(&header), sizeof header};
}

template <typename T>
void append(std::string& key, const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    key.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

} // namespace

PipelineLayout::PipelineLayout(const DeviceHandle& device, DescriptorAllocator& descriptors,
                               std::vector<DescriptorBinding> bindings, uint32_t pushConstantBytes)
    : mDevice(device), mDescriptors(descriptors), mBindings(std::move(bindings)),
      mPushConstantBytes(pushConstantBytes) {
    try {
        makeSetLayouts();
        makeLayout();
    } catch (...) {
        destroySetLayouts();
        throw;
    }
}

void PipelineLayout::makeSetLayouts() {
    uint32_t count = 1;
    for (const DescriptorBinding& binding : mBindings)
        count = std::max(count, binding.set + 1);
    mSetLayouts.reserve(count);
    std::vector<VkDescriptorSetLayoutBinding> descriptors;
    for (uint32_t set = 0; set < count; ++set) {
        descriptors.clear();
        for (const DescriptorBinding& binding : mBindings)
            if (binding.set == set)
                descriptors.push_back({binding.binding, binding.type, binding.count,
                                       VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        info.bindingCount = static_cast<uint32_t>(descriptors.size());
        info.pBindings = descriptors.data();
        VkDescriptorSetLayout layout = VK_NULL_HANDLE;
        mDevice.check(
            mDevice.vk().vkCreateDescriptorSetLayout(mDevice.handle(), &info, nullptr, &layout),
            "vkCreateDescriptorSetLayout");
        mSetLayouts.push_back(layout);
    }
}

void PipelineLayout::makeLayout() {
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, mPushConstantBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = setCount();
    info.pSetLayouts = mSetLayouts.data();
    info.pushConstantRangeCount = mPushConstantBytes > 0 ? 1 : 0;
    info.pPushConstantRanges = &range;
    mDevice.check(mDevice.vk().vkCreatePipelineLayout(mDevice.handle(), &info, nullptr, &mHandle),
                  "vkCreatePipelineLayout");
}

void PipelineLayout::destroySetLayouts() noexcept {
    for (const VkDescriptorSetLayout layout : mSetLayouts)
        mDevice.vk().vkDestroyDescriptorSetLayout(mDevice.handle(), layout, nullptr);
}

PipelineLayout::~PipelineLayout() {
    if (driverGone()) {
        keepHandle(mHandle);
        for (const VkDescriptorSetLayout layout : mSetLayouts)
            keepHandle(layout);
        return;
    }
    for (const VkDescriptorSetLayout layout : mSetLayouts)
        mDescriptors.removeLayout(layout);
    mDevice.vk().vkDestroyPipelineLayout(mDevice.handle(), mHandle, nullptr);
    destroySetLayouts();
}

Pipeline::~Pipeline() {
    if (driverGone())
        keepHandle(mHandle);
    else
        mDevice.vk().vkDestroyPipeline(mDevice.handle(), mHandle, nullptr);
}

void PipelineCache::finish() noexcept {
    if (mGrown)
        save();
}

PipelineCache::~PipelineCache() {
    finish();
    mPipelines.clear();
    if (mHandle)
        mDevice.vk().vkDestroyPipelineCache(mDevice.handle(), mHandle, nullptr);
}

void PipelineCache::setFolders(CacheFolders folders) {
    const std::lock_guard lock(mMutex);
    if (!mHandle)
        mFolders = std::move(folders);
}

CacheFolders PipelineCache::folders() const {
    const std::lock_guard lock(mMutex);
    return mFolders;
}

std::string PipelineCache::file() const {
    return mFolders.folder.empty() ? std::string() : fileIn(mFolders.folder);
}

std::string PipelineCache::fileIn(const std::string& folder) const {
    const VkPhysicalDeviceProperties& properties = mPhysical.properties;
    const std::string name = formatted("{}-{}-{}-{}.pipelines", properties.vendorID,
                                       properties.deviceID, properties.driverVersion,
                                       uuidToString(std::to_array(properties.pipelineCacheUUID)));
    return toText(toPath(folder) / name);
}

std::string PipelineCache::load(const std::string& path, bool trusted) const {
    std::string content =
        path.empty() ? path
                     : readCacheFile(path, kMaxCacheFileBytes, trusted).value_or(std::string());
    if (content.empty())
        return {};
    FileHeader header;
    if (content.size() >= sizeof header) {
        const std::string_view data = std::string_view(content).substr(sizeof header);
        header.hash = hashBytes(data.data(), data.size());
    }
    if (content.compare(0, sizeof header, bytesOf(header)) != 0) {
        KP_LOG_WARN("the pipeline cache file {} is damaged, or of another version of the library, "
                    "and is not used",
                    path);
        return {};
    }
    content.erase(0, sizeof header);
    return content;
}

VkPipelineCache PipelineCache::makeCache(const std::string& data) const {
    VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    info.initialDataSize = data.size();
    info.pInitialData = data.data();
    const VolkDeviceTable& vk = mDevice.vk();
    VkPipelineCache made = VK_NULL_HANDLE;
    VkResult result = vk.vkCreatePipelineCache(mDevice.handle(), &info, nullptr, &made);
    if (result != VK_SUCCESS && !data.empty()) {
        info.initialDataSize = 0;
        info.pInitialData = nullptr;
        result = vk.vkCreatePipelineCache(mDevice.handle(), &info, nullptr, &made);
    }
    mDevice.check(result, "vkCreatePipelineCache");
    return made;
}

void PipelineCache::mergeShipped() {
    for (const std::string& folder : mFolders.shipped()) {
        const std::string path = fileIn(folder);
        const std::string data = load(path, mFolders.trustPath);
        if (data.empty())
            continue;
        const VkPipelineCache shipped = makeCache(data);
        const VkResult result =
            mDevice.vk().vkMergePipelineCaches(mDevice.handle(), mHandle, 1, &shipped);
        mDevice.vk().vkDestroyPipelineCache(mDevice.handle(), shipped, nullptr);
        if (result == VK_SUCCESS)
            KP_LOG_DEBUG("pipelines of {} are used", path);
        else
            KP_LOG_WARN("the driver refuses the pipelines of {} ({})", path, nameOf(result));
    }
}

VkPipelineCache PipelineCache::handle() {
    if (!mHandle) {
        mHandle = makeCache(load(file(), false));
        mergeShipped();
    }
    return mHandle;
}

bool PipelineCache::save() {
    const std::string path = file();
    if (path.empty() || !mHandle || mDevice.lost())
        return false;
    const VolkDeviceTable& vk = mDevice.vk();
    size_t bytes = 0;
    if (vk.vkGetPipelineCacheData(mDevice.handle(), mHandle, &bytes, nullptr) != VK_SUCCESS)
        return false;
    std::string data(bytes, '\0');
    if (vk.vkGetPipelineCacheData(mDevice.handle(), mHandle, &bytes, data.data()) != VK_SUCCESS)
        return false;
    data.resize(bytes);

    std::error_code error;
    std::filesystem::create_directories(toPath(mFolders.folder), error);
    FileHeader header;
    header.hash = hashBytes(data.data(), data.size());
    if (!replaceCacheFile(path, {bytesOf(header), data})) {
        KP_LOG_INFO("the pipeline cache cannot be written to {}", path);
        return false;
    }
    mGrown = false;
    return true;
}

std::shared_ptr<PipelineLayout> PipelineCache::layout(std::vector<DescriptorBinding> bindings,
                                                      uint32_t pushConstantBytes) {
    std::string key;
    append(key, pushConstantBytes);
    for (const DescriptorBinding& binding : bindings)
        append(key, binding);
    const std::lock_guard lock(mMutex);
    std::weak_ptr<PipelineLayout>& slot = mLayouts[key];
    std::shared_ptr<PipelineLayout> layout = slot.lock();
    if (!layout) {
        layout = std::make_shared<PipelineLayout>(mDevice, mDescriptors, std::move(bindings),
                                                  pushConstantBytes);
        slot = layout;
    }
    return layout;
}

VkPipeline PipelineCache::create(const PipelineRequest& request) {
    const VolkDeviceTable& vk = mDevice.vk();
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = request.spirv.size_bytes();
    moduleInfo.pCode = request.spirv.data();
    VkShaderModule module = VK_NULL_HANDLE;
    mDevice.check(vk.vkCreateShaderModule(mDevice.handle(), &moduleInfo, nullptr, &module),
                  "vkCreateShaderModule");

    VkSpecializationInfo specialization{};
    specialization.mapEntryCount = static_cast<uint32_t>(request.specializationEntries.size());
    specialization.pMapEntries = request.specializationEntries.data();
    specialization.dataSize = request.specializationData.size();
    specialization.pData = request.specializationData.data();

    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = request.entryPoint.c_str();
    if (request.fullSubgroups)
        info.stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT;
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroups{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    subgroups.requiredSubgroupSize = request.subgroupSize;
    if (request.subgroupSize != 0)
        info.stage.pNext = &subgroups;
    info.stage.pSpecializationInfo =
        request.specializationEntries.empty() ? nullptr : &specialization;
    info.layout = request.layout->handle();
    VkPipelineRobustnessCreateInfoEXT robustness{
        VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT};
    robustness.storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT;
    robustness.uniformBuffers = robustness.storageBuffers;
    if (request.robustImages)
        robustness.images = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_ROBUST_IMAGE_ACCESS_2_EXT;
    if (request.robustAccess)
        info.pNext = &robustness;
    VkPipeline pipeline = VK_NULL_HANDLE;
    const CompileNotice notice("a shader for the device");
    const VkResult result =
        vk.vkCreateComputePipelines(mDevice.handle(), mHandle, 1, &info, nullptr, &pipeline);
    vk.vkDestroyShaderModule(mDevice.handle(), module, nullptr);
    if (result == VK_ERROR_INVALID_SHADER_NV || result == VK_ERROR_INITIALIZATION_FAILED ||
        result == VK_ERROR_UNKNOWN)
        fail<ShaderError>("the driver of {} refuses the shader ({})", mDevice.name(),
                          nameOf(result));
    mDevice.check(result, "vkCreateComputePipelines");
    return pipeline;
}

PipelineSource PipelineCache::sourceOf(const PipelineRequest& request) {
    PipelineSource source{
        nullptr,
        request.spirvKey,
        request.entryPoint,
        {request.specializationEntries.begin(), request.specializationEntries.end()},
        {request.specializationData.begin(), request.specializationData.end()},
        request.subgroupSize,
        request.fullSubgroups,
        request.robustAccess};
    const std::lock_guard lock(mMutex);
    std::weak_ptr<const std::vector<uint32_t>>& module = mModules[request.spirvKey];
    source.spirv = module.lock();
    if (!source.spirv) {
        source.spirv = std::make_shared<const std::vector<uint32_t>>(request.spirv.begin(),
                                                                     request.spirv.end());
        module = source.spirv;
    }
    return source;
}

std::shared_ptr<Pipeline> PipelineCache::pipeline(const PipelineRequest& request) {
    std::string key;
    append(key, request.spirvKey);
    append(key, request.layout.get());
    append(key, uint64_t{request.specializationEntries.size()});
    for (const VkSpecializationMapEntry& entry : request.specializationEntries)
        append(key, entry);
    append(key, uint64_t{request.specializationData.size()});
    key.append(reinterpret_cast<const char*>(request.specializationData.data()),
               request.specializationData.size());
    key += request.entryPoint;
    key += request.fullSubgroups ? '1' : '0';
    key += request.robustAccess ? '1' : '0';
    append(key, request.subgroupSize);
    {
        const std::lock_guard lock(mMutex);
        const auto found = mPipelines.find(key);
        if (found != mPipelines.end())
            return found->second;
        handle();
    }
    mMade.fetch_add(1, std::memory_order_relaxed);
    // Created outside the lock, so that threads compile in parallel; VkPipelineCache allows it.
    PipelineSource source = sourceOf(request);
    auto made =
        std::make_shared<Pipeline>(mDevice, request.layout, create(request), std::move(source));
    const std::lock_guard lock(mMutex);
    if (mPipelines.size() >= kMaxPipelines) {
        std::erase_if(mPipelines, [](const auto& entry) { return entry.second.use_count() == 1; });
        std::erase_if(mModules, [](const auto& entry) { return entry.second.expired(); });
    }
    mGrown = true;
    return mPipelines.emplace(std::move(key), std::move(made)).first->second;
}

} // namespace kp::vulkan
