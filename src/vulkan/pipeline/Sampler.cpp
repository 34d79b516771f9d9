// SPDX-License-Identifier: Apache-2.0
#include "vulkan/pipeline/Sampler.hpp"

#include "base/Process.hpp"
#include "vulkan/device/DeviceHandle.hpp"

namespace kp::vulkan {

Sampler::Sampler(const DeviceHandle& device, const VkSamplerCreateInfo& info)
    : mDevice(device), mLinear(info.magFilter == VK_FILTER_LINEAR),
      mUnnormalized(info.unnormalizedCoordinates != VK_FALSE) {
    mDevice.check(mDevice.vk().vkCreateSampler(mDevice.handle(), &info, nullptr, &mHandle),
                  "vkCreateSampler");
}

Sampler::~Sampler() {
    if (driverGone())
        keepHandle(mHandle);
    else
        mDevice.vk().vkDestroySampler(mDevice.handle(), mHandle, nullptr);
}

} // namespace kp::vulkan
