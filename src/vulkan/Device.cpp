// SPDX-License-Identifier: Apache-2.0
#include "vulkan/Device.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include <kompute/Error.hpp>

#include "vulkan/Allocator.hpp"
#include "vulkan/CommandBufferPool.hpp"
#include "vulkan/DescriptorAllocator.hpp"
#include "vulkan/Loader.hpp"
#include "vulkan/PipelineCache.hpp"
#include "vulkan/QueryPools.hpp"
#include "vulkan/Queue.hpp"
#include "vulkan/Result.hpp"
#include "vulkan/Retirement.hpp"
#include "vulkan/Transfer.hpp"

namespace kp::vulkan {
namespace {

std::string hexadecimal(uint64_t value) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    do
        text.insert(text.begin(), kDigits[value & 15]);
    while (value >>= 4);
    return "0x" + text;
}

const char* nameOf(VkDeviceFaultAddressTypeEXT type) {
    switch (type) {
    case VK_DEVICE_FAULT_ADDRESS_TYPE_READ_INVALID_EXT:
        return "invalid read";
    case VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT:
        return "invalid write";
    case VK_DEVICE_FAULT_ADDRESS_TYPE_EXECUTE_INVALID_EXT:
        return "invalid execution";
    case VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_UNKNOWN_EXT:
    case VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_INVALID_EXT:
    case VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_FAULT_EXT:
        return "instruction pointer";
    default:
        return "address";
    }
}

} // namespace

Device::Device() = default;

void Device::finish(const std::vector<HostQueue>& queues, const HostDevice* host) {
    const PFN_vkGetDeviceProcAddr getDeviceProcAddr = mInstance->table().vkGetDeviceProcAddr;
    loadDeviceTable(mTable, mHandle, getDeviceProcAddr);
    mDebugUtils = mInstance->debugUtils();
    if (mDebugUtils) {
#define KOMPUTE_LOAD(member, function)                                                             \
    mDebugFunctions.member =                                                                       \
        reinterpret_cast<PFN_##function>(getDeviceProcAddr(mHandle, #function));
        KOMPUTE_LOAD(setObjectName, vkSetDebugUtilsObjectNameEXT)
        KOMPUTE_LOAD(beginLabel, vkCmdBeginDebugUtilsLabelEXT)
        KOMPUTE_LOAD(endLabel, vkCmdEndDebugUtilsLabelEXT)
#undef KOMPUTE_LOAD
        mDebugUtils =
            mDebugFunctions.setObjectName && mDebugFunctions.beginLabel && mDebugFunctions.endLabel;
    }
    mPlan.timelineSemaphores =
        mPlan.timelineSemaphores && mTable.vkGetSemaphoreCounterValue && mTable.vkWaitSemaphores;

    for (const HostQueue& queue : queues) {
        VkQueue handle = queue.handle;
        if (!handle)
            mTable.vkGetDeviceQueue(mHandle, queue.family, queue.index, &handle);
        mQueues.push_back(std::make_unique<Queue>(
            *this, handle, queue.family, queue.index, mPlan.timelineSemaphores,
            host ? host->lockQueue : Queue::Lock{}, host ? host->unlockQueue : Queue::Lock{}));
        if (!host)
            setName(VK_OBJECT_TYPE_QUEUE, reinterpret_cast<uint64_t>(handle),
                    mQueues.back()->name());
    }
    for (const auto& queue : mQueues)
        if (std::find(mFamilies.begin(), mFamilies.end(), queue->family()) == mFamilies.end())
            mFamilies.push_back(queue->family());
    mRetirement = std::make_unique<Retirement>(*this);
    mAllocator = std::make_unique<Allocator>(*this);
    mCommandBuffers = std::make_unique<CommandBufferPool>(*this);
    mQueryPools = std::make_unique<QueryPools>(*this);
    mDescriptors = std::make_unique<DescriptorAllocator>(*this);
    mPipelines = std::make_unique<PipelineCache>(*this);
    mTransfer = std::make_unique<Transfer>(*this);
}

Device::~Device() {
    try {
        waitIdle();
    } catch (...) { // a queue that failed has nothing more to wait for
    }
    if (!mWrapped && mHandle && mTable.vkDeviceWaitIdle)
        mTable.vkDeviceWaitIdle(mHandle);
    if (mRetirement)
        mRetirement->drain();
    mTransfer.reset();
    mRetirement.reset();
    mPipelines.reset();
    mDescriptors.reset();
    mQueryPools.reset();
    mCommandBuffers.reset();
    mAllocator.reset();
    mQueues.clear();
    if (!mWrapped && mHandle && mTable.vkDestroyDevice)
        mTable.vkDestroyDevice(mHandle, nullptr);
}

std::optional<size_t> Device::findQueue(uint32_t family, uint32_t index) const {
    for (size_t i = 0; i < mQueues.size(); ++i)
        if (mQueues[i]->family() == family && mQueues[i]->index() == index)
            return i;
    return std::nullopt;
}

void Device::check(VkResult result, const char* what) const {
    if (result >= 0) [[likely]]
        return;
    if (result != VK_ERROR_DEVICE_LOST)
        throwResult(result, what);
    const bool first = !mLost.exchange(true, std::memory_order_relaxed);
    throw DeviceLost(std::string(what) + " failed: VK_ERROR_DEVICE_LOST; the device '" + name() +
                         "' has stopped (a shader that never ends or reads and writes outside its "
                         "buffers does this), destroy its objects and make a new Manager",
                     first ? faultReport() : std::vector<std::string>{});
}

void Device::requireAlive() const {
    if (lost()) [[unlikely]]
        throw DeviceLost("the device '" + name() +
                         "' was lost earlier and can do nothing more; destroy its objects and make "
                         "a new Manager");
}

std::vector<std::string> Device::faultReport() const {
    if (!has(Feature::eDeviceFault) || !mTable.vkGetDeviceFaultInfoEXT)
        return {};
    VkDeviceFaultCountsEXT counts{VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT, nullptr, 0, 0, 0};
    if (mTable.vkGetDeviceFaultInfoEXT(mHandle, &counts, nullptr) < 0)
        return {};
    std::vector<VkDeviceFaultAddressInfoEXT> addresses(counts.addressInfoCount);
    std::vector<VkDeviceFaultVendorInfoEXT> vendors(counts.vendorInfoCount);
    VkDeviceFaultInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT;
    info.pAddressInfos = addresses.data();
    info.pVendorInfos = vendors.data();
    counts.vendorBinarySize = 0;
    if (mTable.vkGetDeviceFaultInfoEXT(mHandle, &counts, &info) < 0)
        return {};

    std::vector<std::string> report;
    if (*info.description)
        report.emplace_back(info.description);
    for (uint32_t i = 0; i < counts.addressInfoCount; ++i)
        report.push_back(std::string(nameOf(addresses[i].addressType)) + " at " +
                         hexadecimal(addresses[i].reportedAddress) + " (exact to " +
                         std::to_string(addresses[i].addressPrecision) + " bytes)");
    for (uint32_t i = 0; i < counts.vendorInfoCount; ++i)
        report.push_back(std::string(vendors[i].description) + " (code " +
                         hexadecimal(vendors[i].vendorFaultCode) + ", data " +
                         hexadecimal(vendors[i].vendorFaultData) + ")");
    return report;
}

void Device::setName(VkObjectType type, uint64_t handle, const std::string& name) const {
    if (!mDebugUtils)
        return;
    VkDebugUtilsObjectNameInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
    info.objectType = type;
    info.objectHandle = handle;
    info.pObjectName = name.c_str();
    mDebugFunctions.setObjectName(mHandle, &info);
}

void Device::waitIdle() const {
    std::exception_ptr failure;
    for (const auto& queue : mQueues) {
        try {
            if (const uint64_t last = queue->lastSubmitted())
                queue->wait(last, UINT64_MAX, WaitMode::eBlock);
        } catch (const DeviceLost&) { // what was lost does not run any more
        } catch (...) {
            failure = std::current_exception();
        }
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace kp::vulkan
