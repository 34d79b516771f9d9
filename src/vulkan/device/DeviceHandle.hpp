// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

/// The functions of VK_EXT_debug_utils that take a device or a command buffer. volk's device table
/// lacks them. All are null unless DeviceHandle::debugUtils().
struct DebugFunctions {
    PFN_vkSetDebugUtilsObjectNameEXT setObjectName = nullptr;
    PFN_vkCmdBeginDebugUtilsLabelEXT beginLabel = nullptr;
    PFN_vkCmdEndDebugUtilsLabelEXT endLabel = nullptr;
};

/// A VkDevice, its functions, and whether it was lost: the part of Device that pools of Vulkan
/// objects need, from which Device derives. Thread-safe.
class DeviceHandle {
public:
    VkDevice handle() const { return mHandle; }
    const VolkDeviceTable& vk() const { return mTable; }
    /// The table itself, so that tests can count calls or make them fail.
    VolkDeviceTable& mutableTable() { return mTable; }
    const std::string& name() const { return mName; }

    /// Throws the kp::Error for @p result unless it is a success code. A lost device is noted
    /// first, so that later calls report it too.
    void check(VkResult result, const char* what) const {
        if (result < 0) [[unlikely]]
            fail(result, what);
    }
    bool lost() const { return mLost.load(std::memory_order_relaxed); }
    /// Throws DeviceLost if the device was lost earlier.
    void requireAlive() const;

    /// Names an object for validation messages and debuggers. Does nothing without debug utils.
    template <typename Handle>
    void setName(VkObjectType type, Handle handle, const std::string& name) const {
        uint64_t bits = 0; // of a pointer or, on some platforms, a number
        std::memcpy(&bits, &handle, sizeof handle);
        nameObject(type, bits, name);
    }
    bool debugUtils() const { return mDebugFunctions.setObjectName != nullptr; }
    const DebugFunctions& debugFunctions() const { return mDebugFunctions; }

protected:
    DeviceHandle() = default;
    ~DeviceHandle() = default;

    /// Takes the VkDevice, which stays the derived class's to destroy, and loads its functions.
    void open(VkDevice handle, std::string name, PFN_vkGetDeviceProcAddr getDeviceProcAddr);
    void loadDebugFunctions(PFN_vkGetDeviceProcAddr getDeviceProcAddr);
    /// Attaches the driver's report to DeviceLost errors; needs VK_EXT_device_fault.
    void enableFaultReports() { mReportsFaults = mTable.vkGetDeviceFaultInfoEXT != nullptr; }
    /// Attaches what @p underWay returns to DeviceLost errors.
    void reportLossWith(std::function<std::vector<std::string>()> underWay) {
        mUnderWay = std::move(underWay);
    }

private:
    void nameObject(VkObjectType type, uint64_t handle, const std::string& name) const;
    [[noreturn]] void fail(VkResult result, const char* what) const;
    std::vector<std::string> faultReport() const;
    std::vector<std::string> lossReport() const; ///< of a lost device

    VkDevice mHandle = VK_NULL_HANDLE;
    VolkDeviceTable mTable{};
    DebugFunctions mDebugFunctions;
    std::string mName;
    bool mReportsFaults = false;
    std::function<std::vector<std::string>()> mUnderWay;
    mutable std::atomic<bool> mLost{false};
    mutable std::mutex mLossMutex;
    mutable std::vector<std::string> mLossReport; ///< made once, when the loss is noted
};

} // namespace kp::vulkan
