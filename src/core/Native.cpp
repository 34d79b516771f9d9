// SPDX-License-Identifier: Apache-2.0

// The only file of the library that includes vulkan.hpp. It uses the types and calls no Vulkan
// function.
#define VK_NO_PROTOTYPES
#define VULKAN_HPP_DISPATCH_LOADER_DYNAMIC 1
#include <vulkan/vulkan.hpp>

#include "core/Native.hpp"

#include <cstring>

#include <kompute/Image.hpp>
#include <kompute/Manager.hpp>
#include <kompute/Tensor.hpp>
#include <kompute/operations/OpBase.hpp>

namespace kp {
namespace native {

VkCommandBuffer handleOf(const vk::CommandBuffer& commandBuffer) {
    return commandBuffer;
}
VkInstance handleOf(const vk::Instance& instance) {
    return instance;
}
VkPhysicalDevice handleOf(const vk::PhysicalDevice& physicalDevice) {
    return physicalDevice;
}
VkDevice handleOf(const vk::Device& device) {
    return device;
}
VkQueue handleOf(const vk::Queue& queue) {
    return queue;
}

void record(OpBase& op, VkCommandBuffer commandBuffer) {
    op.record(vk::CommandBuffer(commandBuffer));
}
void preEval(OpBase& op, VkCommandBuffer commandBuffer) {
    op.preEval(vk::CommandBuffer(commandBuffer));
}
void postEval(OpBase& op, VkCommandBuffer commandBuffer) {
    op.postEval(vk::CommandBuffer(commandBuffer));
}

} // namespace native

namespace {

/// Copies the structure into Memory::Impl::descriptorInfo.
template <typename Info>
Info* storeIn(unsigned char* bytes, const Info& info) {
    std::memcpy(bytes, &info, sizeof info);
    return reinterpret_cast<Info*>(bytes);
}

} // namespace

std::shared_ptr<vk::Buffer> Tensor::getPrimaryBuffer() {
    return std::make_shared<vk::Buffer>(nativeBuffer());
}

std::shared_ptr<vk::Image> Image::getPrimaryImage() {
    return std::make_shared<vk::Image>(nativeImage());
}

void Image::recordPrimaryImageBarrier(const vk::CommandBuffer& commandBuffer,
                                      vk::AccessFlagBits srcAccess, vk::AccessFlagBits dstAccess,
                                      vk::PipelineStageFlagBits srcStage,
                                      vk::PipelineStageFlagBits dstStage,
                                      vk::ImageLayout dstLayout) {
    recordLayoutChange(commandBuffer, static_cast<uint32_t>(srcAccess),
                       static_cast<uint32_t>(dstAccess), static_cast<uint32_t>(srcStage),
                       static_cast<uint32_t>(dstStage), static_cast<int>(dstLayout));
}

vk::DescriptorType Memory::getDescriptorType() const {
    return type() == Type::eTensor ? vk::DescriptorType::eStorageBuffer
                                   : vk::DescriptorType::eStorageImage;
}

vk::WriteDescriptorSet Memory::constructDescriptorSet(vk::DescriptorSet descriptorSet,
                                                      uint32_t binding) {
    vk::WriteDescriptorSet write;
    write.dstSet = descriptorSet;
    write.dstBinding = binding;
    write.descriptorCount = 1;
    write.descriptorType = getDescriptorType();
    if (type() == Type::eTensor) {
        write.pBufferInfo =
            storeIn(descriptorStore(), static_cast<Tensor*>(this)->constructDescriptorBufferInfo());
    } else {
        const auto* image = static_cast<const Image*>(this);
        const vk::DescriptorImageInfo info({}, image->nativeView(), vk::ImageLayout::eGeneral);
        write.pImageInfo = storeIn(descriptorStore(), info);
    }
    return write;
}

vk::DescriptorBufferInfo Tensor::constructDescriptorBufferInfo() {
    return {nativeBuffer(), nativeOffset(), memorySize()};
}

vk::PhysicalDeviceProperties Manager::getDeviceProperties() const {
    VkPhysicalDeviceProperties properties;
    copyDeviceProperties(&properties);
    return properties;
}

std::vector<vk::PhysicalDevice> Manager::listDevices() const {
    std::vector<vk::PhysicalDevice> devices;
    for (const VkPhysicalDevice device : nativePhysicalDevices())
        devices.emplace_back(device);
    return devices;
}

std::shared_ptr<vk::Instance> Manager::getVkInstance() const {
    return std::make_shared<vk::Instance>(nativeInstance());
}

} // namespace kp
