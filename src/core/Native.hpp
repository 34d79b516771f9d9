// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/device/VulkanHandles.hpp>

namespace kp {

class OpBase;

/// Conversions between the C handles that the library works with and the classes of vulkan.hpp in
/// its public signatures. Native.cpp is the only file that includes vulkan.hpp.
namespace native {

VkCommandBuffer handleOf(const vk::CommandBuffer& commandBuffer);
VkInstance handleOf(const vk::Instance& instance);
VkPhysicalDevice handleOf(const vk::PhysicalDevice& physicalDevice);
VkDevice handleOf(const vk::Device& device);
VkQueue handleOf(const vk::Queue& queue);

/// Call the operation's function of the same name with a vk::CommandBuffer of the handle.
void record(OpBase& op, VkCommandBuffer commandBuffer);
void preEval(OpBase& op, VkCommandBuffer commandBuffer);
void postEval(OpBase& op, VkCommandBuffer commandBuffer);

} // namespace native
} // namespace kp
