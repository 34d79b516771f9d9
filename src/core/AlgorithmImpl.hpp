// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
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

/// A pipeline with memory bound to it, and all that recording its dispatch needs to know of the
/// memory. Never changed once made.
struct Binding {
    struct Use {
        std::shared_ptr<vulkan::Resource> resource;
        bool reads = false;
        bool writes = false;
    };
    std::shared_ptr<vulkan::Pipeline> pipeline;
    std::shared_ptr<vulkan::DescriptorSet> set; ///< null where the shader binds nothing
    std::vector<Use> uses;                      ///< in the order of the shader's bindings
    bool hostMayRead = false;                   ///< what the shader writes, in place
    bool padded = false;                        ///< one is an image whose rows the host view copies

    /// True where a tensor was rebuilt or destroyed since.
    bool outdated() const {
        for (const Use& use : uses)
            if (use.resource->destroyed())
                return true;
        return false;
    }
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
    bool memoryChanged() const {
        if (!binding->outdated()) [[likely]]
            return false;
        requireMemory();
        return true;
    }
    /// Binds the memory objects anew where one was rebuilt. @throws as memoryChanged()
    void refreshBinding() {
        if (memoryChanged()) [[unlikely]]
            rebind();
    }
    /// What a dispatch pushes: constants of its own or, without any, the algorithm's.
    /// @throws InvalidArgument where there are not as many as the shader takes
    std::span<const unsigned char> constantsFor(std::span<const unsigned char> own) const {
        const std::span<const unsigned char> chosen =
            own.empty() ? std::span<const unsigned char>(pushConstants) : own;
        const bool asBuilt = pushConstants.empty() || chosen.size() == pushConstants.size();
        if (!asBuilt || chosen.size() != reflection->pushConstantSize) [[unlikely]]
            checkConstants(chosen.size());
        return chosen;
    }
    /// What a dispatch reads and writes; empty where there is no shader.
    Accesses accesses() const;

    // Only where requireReady() holds.
    void recordBind(VkCommandBuffer commandBuffer);
    /// @param bytes  as constantsFor() gave them
    void recordPush(VkCommandBuffer commandBuffer, std::span<const unsigned char> bytes);
    void recordDispatch(VkCommandBuffer commandBuffer);

private:
    void requireMemory() const;
    void rebind();
    void checkConstants(size_t bytes) const;
};

} // namespace kp
