// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "vulkan/device/Instance.hpp"

namespace kp::vulkan::test {

/// A fake Vulkan driver, which lists invented devices and fails to create any. It has its own
/// vkGetInstanceProcAddr, so it needs neither a loader nor a driver. Only one may exist at a time.
class FakeDriver {
public:
    explicit FakeDriver(std::vector<PhysicalDevice> devices,
                        VkResult createResult = VK_ERROR_INITIALIZATION_FAILED);
    ~FakeDriver();
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;

    /// Returns an instance of this driver.
    std::shared_ptr<Instance> instance(uint32_t apiVersion = VK_API_VERSION_1_3) const;
    /// Returns the indices of the devices that vkCreateDevice was called for.
    const std::vector<size_t>& attempts() const;
    /// Returns the queues of the last attempt: for each family, how many.
    const std::map<uint32_t, uint32_t>& queues() const;

    static PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char* name);
};

} // namespace kp::vulkan::test
