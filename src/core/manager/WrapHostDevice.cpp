// SPDX-License-Identifier: Apache-2.0
#include "core/manager/WrapHostDevice.hpp"

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/manager/DeviceChoice.hpp"
#include "vulkan/device/DeviceRegistry.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/device/Loader.hpp"

namespace kp {
namespace {

std::shared_ptr<vulkan::Instance> wrapInstance(const HostDevice& host) {
    if (!host.instance)
        throw InvalidArgument("HostDevice::instance is null; give the VkInstance of the device");
    const auto getProcAddr =
        host.getInstanceProcAddr
            ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(host.getInstanceProcAddr)
            : vulkan::loaderGetInstanceProcAddr();
    return vulkan::Instance::wrap(host.instance, getProcAddr, host.apiVersion);
}

const vulkan::PhysicalDevice& physicalDeviceOf(const vulkan::Instance& instance,
                                               const HostDevice& host) {
    for (const vulkan::PhysicalDevice& device : instance.physicalDevices())
        if (device.handle == host.physicalDevice)
            return device;
    throw InvalidArgument("HostDevice::physicalDevice is not a device of HostDevice::instance");
}

uint32_t firstComputeFamily(const vulkan::PhysicalDevice& device) {
    for (size_t i = 0; i < device.queueFamilies.size(); ++i)
        if (device.queueFamilies[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return static_cast<uint32_t>(i);
    fail<Unsupported>("{} has no queue family with compute", device.name());
}

} // namespace

WrappedDevice wrapHostDevice(const HostDevice& host) {
    vulkan::HostDevice wrapped;
    wrapped.instance = wrapInstance(host);
    wrapped.physicalDevice = host.physicalDevice;
    wrapped.device = host.device;
    for (const HostQueue& queue : host.queues)
        wrapped.queues.push_back({queue.queue, queue.family, queue.index});
    if (wrapped.queues.empty())
        wrapped.queues.push_back(
            {VK_NULL_HANDLE, firstComputeFamily(physicalDeviceOf(*wrapped.instance, host)), 0});
    wrapped.enabledExtensions = host.deviceExtensions;
    wrapped.enabledFeatures = vulkan::readFeatures(host.enabledFeatures);
    wrapped.apiVersion = host.apiVersion;
    wrapped.profile = requestedProfile();
    wrapped.launchTimestamps = launchTimestampsRequested();
    wrapped.breadcrumbs = host.breadcrumbs || breadcrumbsRequested();
    const auto bound = [context = host.lockContext](auto call) {
        return [call, context](uint32_t family, uint32_t index) { call(context, family, index); };
    };
    if (host.lockQueue)
        wrapped.lockQueue = bound(host.lockQueue);
    if (host.unlockQueue)
        wrapped.unlockQueue = bound(host.unlockQueue);
    WrappedDevice result{vulkan::wrapDevice(wrapped), {}};
    for (const vulkan::HostQueue& queue : wrapped.queues)
        result.queues.push_back(result.device->findQueue(queue));
    return result;
}

std::shared_ptr<vulkan::Device> findDevice(const std::shared_ptr<vk::Device>& device) {
    std::shared_ptr<vulkan::Device> found;
    if (device)
        found = vulkan::findDevice(native::handleOf(*device));
    if (!found)
        throw InvalidArgument("this VkDevice is not known: create a kp::Manager for it first and "
                              "keep the manager while its objects are created");
    return found;
}

std::vector<std::string> requiredDeviceExtensions(const HostDevice& host) {
    return vulkan::requiredExtensions(physicalDeviceOf(*wrapInstance(host), host));
}

std::vector<std::string> recommendedDeviceExtensions(const HostDevice& host) {
    return vulkan::recommendedExtensions(physicalDeviceOf(*wrapInstance(host), host));
}

std::vector<std::string> recommendedDeviceFeatures(const HostDevice& host) {
    const auto instance = wrapInstance(host);
    const vulkan::PhysicalDevice& device = physicalDeviceOf(*instance, host);
    std::vector<std::string> names;
    for (size_t i = 0; i < static_cast<size_t>(vulkan::Feature::eCount); ++i)
        if (device.features.test(i))
            names.push_back(vulkan::nameOf(static_cast<vulkan::Feature>(i)));
    return names;
}

} // namespace kp
