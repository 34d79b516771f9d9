// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

class DeviceHandle;

/// A VkSampler. Work that uses it must be over when it is destroyed.
class Sampler {
public:
    /// @p device must outlive it.
    Sampler(const DeviceHandle& device, const VkSamplerCreateInfo& info);
    ~Sampler();
    Sampler(const Sampler&) = delete;

    VkSampler handle() const { return mHandle; }
    bool filtersLinearly() const { return mLinear; }
    bool unnormalized() const { return mUnnormalized; }

private:
    const DeviceHandle& mDevice;
    VkSampler mHandle = VK_NULL_HANDLE;
    bool mLinear;
    bool mUnnormalized;
};

} // namespace kp::vulkan
