// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/VulkanHandles.hpp>

namespace kp {

class OpBase;

namespace vulkan {
class Device;
}

/// Between the C handles that the library works with and the classes of vulkan.hpp that its
/// signatures mention. Native.cpp is the one file that includes vulkan.hpp.
namespace native {

VkCommandBuffer handleOf(const vk::CommandBuffer& commandBuffer);
VkInstance handleOf(const vk::Instance& instance);
VkPhysicalDevice handleOf(const vk::PhysicalDevice& physicalDevice);
VkDevice handleOf(const vk::Device& device);
VkQueue handleOf(const vk::Queue& queue);

/// Calls an operation with a vk::CommandBuffer around the handle.
void record(OpBase& op, VkCommandBuffer commandBuffer);
void preEval(OpBase& op, VkCommandBuffer commandBuffer);
void postEval(OpBase& op, VkCommandBuffer commandBuffer);

/// The live device with this handle.
/// @throws InvalidArgument where @p device is null or was neither made nor wrapped by a Manager
std::shared_ptr<vulkan::Device> findDevice(const std::shared_ptr<vk::Device>& device);
/// Same for a handle; null where there is none. (In NativeDevice.cpp.)
std::shared_ptr<vulkan::Device> findDevice(VkDevice device);

} // namespace native
} // namespace kp
