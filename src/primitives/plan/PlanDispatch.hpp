// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <kompute/operations/OpBase.hpp>

#include "core/check/DispatchNotes.hpp"
#include "operations/StoragePipeline.hpp"
#include "primitives/plan/Plan.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/pipeline/DescriptorAllocator.hpp"
#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp::primitives {

/// A memory of a plan: a tensor, from one of its bytes on.
struct PlanMemory {
    std::shared_ptr<Tensor> tensor;
    uint64_t start = 0;
    const char* name = ""; ///< for messages: "the input"
    bool replaced = false; ///< the plan writes all elements of the tensor without reading them
};

/// The memories of a plan, and what its dispatches share in checked mode.
struct PlanMemories {
    std::vector<PlanMemory> all;
    std::shared_ptr<vulkan::Buffer> shadow; ///< of CheckReport; null at first
};

/// A dispatch of a plan, and those that are joined to it, as a part of the primitive's operation.
class PlanDispatch final : public OpBase {
public:
    /// @param push  instead of the dispatch's
    /// @param memories  of the plan; their tensors are alive and large enough
    PlanDispatch(vulkan::Device& device, const Dispatch& dispatch,
                 const std::vector<uint32_t>& push, const StoragePipeline& pipeline,
                 PlanMemories& memories);

    /// Adds a joined dispatch.
    void join(const Dispatch& dispatch, const std::vector<uint32_t>& push,
              const StoragePipeline& pipeline, PlanMemories& memories);

    Accesses accesses() override;
    void record(const vk::CommandBuffer& commandBuffer) override;
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    struct Commands {
        std::shared_ptr<vulkan::Pipeline> pipeline;
        std::shared_ptr<vulkan::DescriptorSet> set;
        std::vector<uint32_t> push;
        std::array<uint32_t, 3> groups{};
        std::shared_ptr<vulkan::Buffer> counts; ///< of an indirect dispatch
        uint64_t countsOffset = 0;
        DispatchNotes notes;
        std::vector<std::shared_ptr<vulkan::DescriptorSet>> reportSets; ///< if there is a report
    };
    void report(Commands& dispatch, const StoragePipeline& pipeline, std::vector<BoundMemory> bound,
                PlanMemories& memories) const;
    void record(const Commands& dispatch, VkCommandBuffer commands) const;

    vulkan::Device& mDevice;
    Accesses mAccesses; ///< of all
    std::vector<Commands> mDispatches;
};

} // namespace kp::primitives
