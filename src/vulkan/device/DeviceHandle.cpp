// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/DeviceHandle.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <kompute/Error.hpp>

#include "base/Process.hpp"
#include "base/Text.hpp"
#include "vulkan/device/Loader.hpp"
#include "vulkan/device/Result.hpp"

namespace kp::vulkan {
namespace {

const char* faultName(VkDeviceFaultAddressTypeEXT type) {
    // By VkDeviceFaultAddressTypeEXT, which ends with three about instruction pointers.
    constexpr const char* kNames[] = {"address", "invalid read", "invalid write",
                                      "invalid execution"};
    if (static_cast<size_t>(type) < std::size(kNames))
        return kNames[type];
    const bool known = type <= VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_FAULT_EXT;
    return known ? "instruction pointer" : "address";
}

} // namespace

void DeviceHandle::open(VkDevice handle, std::string name,
                        PFN_vkGetDeviceProcAddr getDeviceProcAddr) {
    mHandle = handle;
    mName = std::move(name);
    loadDeviceTable(mTable, mHandle, getDeviceProcAddr);
}

void DeviceHandle::loadDebugFunctions(PFN_vkGetDeviceProcAddr getDeviceProcAddr) {
    DebugFunctions functions;
#define KOMPUTE_LOAD(member, function)                                                             \
    functions.member = reinterpret_cast<PFN_##function>(getDeviceProcAddr(mHandle, #function));
    KOMPUTE_LOAD(setObjectName, vkSetDebugUtilsObjectNameEXT)
    KOMPUTE_LOAD(beginLabel, vkCmdBeginDebugUtilsLabelEXT)
    KOMPUTE_LOAD(endLabel, vkCmdEndDebugUtilsLabelEXT)
#undef KOMPUTE_LOAD
    if (functions.setObjectName && functions.beginLabel && functions.endLabel)
        mDebugFunctions = functions;
}

void DeviceHandle::fail(VkResult result, const char* what) const {
    if (result != VK_ERROR_DEVICE_LOST)
        throwResult(result, what);
    {
        const std::lock_guard lock(mLossMutex);
        if (!mLost.exchange(true, std::memory_order_relaxed)) {
            mLossReport = faultReport();
            if (mUnderWay)
                std::ranges::move(mUnderWay(), std::back_inserter(mLossReport));
        }
    }
    throw DeviceLost(formatted("{} failed: VK_ERROR_DEVICE_LOST; the device '{}' has stopped (a "
                               "shader that never ends, or one that reads or writes outside its "
                               "buffers, does this): destroy its objects and make a new Manager{}",
                               what, mName,
                               mUnderWay ? "" : "; KOMPUTE_BREADCRUMBS=1 names the operation"),
                     lossReport());
}

std::vector<std::string> DeviceHandle::lossReport() const {
    const std::lock_guard lock(mLossMutex); // the thread that noted the loss may be writing it
    return mLossReport;
}

void DeviceHandle::requireAlive() const {
    requireDriver();
    if (lost()) [[unlikely]]
        throw DeviceLost(formatted("the device '{}' was lost earlier and can do nothing more; "
                                   "destroy its objects and make a new Manager",
                                   mName),
                         lossReport());
}

std::vector<std::string> DeviceHandle::faultReport() const {
    if (!mReportsFaults)
        return {};
    VkDeviceFaultCountsEXT counts{VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT, nullptr, 0, 0, 0};
    if (mTable.vkGetDeviceFaultInfoEXT(mHandle, &counts, nullptr) < 0)
        return {};
    std::vector<VkDeviceFaultAddressInfoEXT> addresses(counts.addressInfoCount);
    std::vector<VkDeviceFaultVendorInfoEXT> vendors(counts.vendorInfoCount);
    VkDeviceFaultInfoEXT info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
    info.pAddressInfos = addresses.data();
    info.pVendorInfos = vendors.data();
    counts.vendorBinarySize = 0;
    if (mTable.vkGetDeviceFaultInfoEXT(mHandle, &counts, &info) < 0)
        return {};

    std::vector<std::string> report;
    if (*info.description)
        report.emplace_back(info.description);
    for (uint32_t i = 0; i < counts.addressInfoCount; ++i)
        report.push_back(formatted("{} at {:#x} (exact to {} bytes)",
                                   faultName(addresses[i].addressType),
                                   addresses[i].reportedAddress, addresses[i].addressPrecision));
    for (uint32_t i = 0; i < counts.vendorInfoCount; ++i)
        report.push_back(formatted("{} (code {:#x}, data {:#x})", vendors[i].description,
                                   vendors[i].vendorFaultCode, vendors[i].vendorFaultData));
    return report;
}

void DeviceHandle::nameObject(VkObjectType type, uint64_t handle, const std::string& name) const {
    if (!debugUtils())
        return;
    VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    info.objectType = type;
    info.objectHandle = handle;
    info.pObjectName = name.c_str();
    mDebugFunctions.setObjectName(mHandle, &info);
}

} // namespace kp::vulkan
