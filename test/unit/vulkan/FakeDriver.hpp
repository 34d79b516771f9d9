// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "vulkan/Instance.hpp"

namespace kp::vulkan::test {

/// A Vulkan driver inside the test: lists invented devices and refuses to create any. It works
/// through a vkGetInstanceProcAddr of its own, so no loader and no driver are needed. One at a
/// time.
class FakeDriver {
public:
    explicit FakeDriver(std::vector<PhysicalDevice> devices,
                        VkResult createResult = VK_ERROR_INITIALIZATION_FAILED);
    ~FakeDriver();
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;

    /// Wraps an instance of this driver.
    std::shared_ptr<Instance> instance(uint32_t apiVersion = VK_API_VERSION_1_3) const;
    /// Indices of the devices that vkCreateDevice was called for.
    const std::vector<size_t>& attempts() const;

    static PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char* name);
};

} // namespace kp::vulkan::test
