// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/operations/OpBase.hpp>

#include "core/Specialization.hpp"
#include "shader/Reflection.hpp"
#include "vulkan/Buffer.hpp"
#include "vulkan/DescriptorAllocator.hpp"
#include "vulkan/Device.hpp"
#include "vulkan/PipelineCache.hpp"

namespace kp {

/// A pipeline with memory bound to it. Never changed once made.
struct Binding {
    std::shared_ptr<vulkan::Pipeline> pipeline;
    std::shared_ptr<vulkan::DescriptorSet> set; ///< null where the shader binds nothing
    /// What the set is bound to, in the order of the shader's bindings.
    std::vector<std::shared_ptr<vulkan::Resource>> resources;
};

struct Algorithm::Impl {
    std::shared_ptr<vulkan::Device> device; ///< null after destroy()
    std::vector<std::shared_ptr<Memory>> memObjects;
    std::shared_ptr<const shader::Reflection> reflection; ///< null without a shader
    std::shared_ptr<vulkan::Pipeline> pipeline;
    /// What a recorded dispatch needs kept alive, in one object. Null without a shader.
    std::shared_ptr<const Binding> binding;
    Workgroup workgroup{1, 1, 1};
    Workgroup localSize{1, 1, 1};
    Specialization specialization;
    std::vector<unsigned char> pushConstants;

    /// @throws InvalidArgument where there is no shader
    void requireReady() const;
    /// Binds the memory objects as they are now.
    void bindMemory();
    /// True where a tensor was rebuilt since. @throws InvalidArgument where one was destroyed
    bool memoryChanged() const;
    /// What a dispatch reads and writes; empty where there is no shader.
    Accesses accesses() const;

    // Only where requireReady() holds.
    void recordBind(VkCommandBuffer commandBuffer);
    void recordPush(VkCommandBuffer commandBuffer, const std::vector<unsigned char>& bytes);
    void recordDispatch(VkCommandBuffer commandBuffer);
};

} // namespace kp
