// SPDX-License-Identifier: Apache-2.0
#include "primitives/PlanDispatch.hpp"

#include <utility>

#include "core/AlgorithmChecks.hpp"
#include "core/BoundState.hpp"
#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/Recorder.hpp"
#include "operations/StoragePipeline.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp::primitives {

PlanDispatch::PlanDispatch(vulkan::Device& device, const Dispatch& dispatch,
                           const std::vector<uint32_t>& push,
                           std::shared_ptr<vulkan::Pipeline> pipeline,
                           const std::vector<PlanMemory>& memories)
    : mDevice(device) {
    join(dispatch, push, std::move(pipeline), memories);
}

void PlanDispatch::join(const Dispatch& dispatch, const std::vector<uint32_t>& push,
                        std::shared_ptr<vulkan::Pipeline> pipeline,
                        const std::vector<PlanMemory>& memories) {
    const VkPhysicalDeviceLimits& limits = mDevice.physical().properties.limits;
    Commands made;
    made.pipeline = std::move(pipeline);
    std::vector<vulkan::DescriptorWrite> writes;
    for (const View& view : dispatch.views) {
        const PlanMemory& memory = memories[view.memory];
        const StorageView bound =
            storageView(*implOf(*memory.tensor).buffer, memory.start + view.offset, view.bytes,
                        view.elementBytes, kViewAlignment);
        for (uint32_t i = 0; i < view.bindings; ++i) {
            vulkan::DescriptorWrite write;
            write.binding = static_cast<uint32_t>(writes.size());
            write.buffer = bound.info;
            writes.push_back(write);
        }
        if (!dispatch.isExact())
            made.push.push_back(bound.first);
        if (view.use == View::Use::eRead)
            mAccesses.read(memory.tensor);
        else if (view.use == View::Use::eWrite)
            mAccesses.write(memory.tensor).copied(memory.replaced);
        else
            mAccesses.readWrite(memory.tensor).copied();
    }
    made.push.insert(made.push.end(), push.begin(), push.end());
    made.set = mDevice.descriptors().create(made.pipeline->layout(), writes);
    if (dispatch.isExact()) {
        made.groups = dispatch.exactGroups;
    } else if (dispatch.countsMemory == Dispatch::kDirect) {
        made.groups = foldedGroups(dispatch.groups, limits);
    } else {
        const PlanMemory& memory = memories[dispatch.countsMemory];
        made.counts = implOf(*memory.tensor).buffer;
        made.countsOffset = memory.start + dispatch.countsOffset;
        mAccesses.read(memory.tensor, Accesses::By::eIndirect);
    }
    mDispatches.push_back(std::move(made));
}

Accesses PlanDispatch::accesses() {
    return mAccesses;
}

void PlanDispatch::record(const vk::CommandBuffer& commandBuffer) {
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    for (const Commands& dispatch : mDispatches)
        record(dispatch, commands);
    Recorder::keepBindings(*this, commands);
}

void PlanDispatch::record(const Commands& dispatch, VkCommandBuffer commands) const {
    Recorder::withBoundState(mDevice, commands, [&](BoundState& bound, Recorder* recorder) {
        if (recorder) {
            recorder->keep(dispatch.pipeline);
            recorder->keep(dispatch.set);
        }
        bound.bind(*dispatch.pipeline, dispatch.set->handle());
        if (!dispatch.push.empty())
            bound.push(*dispatch.pipeline, dispatch.push.data(),
                       static_cast<uint32_t>(dispatch.push.size() * sizeof dispatch.push[0]));
        if (dispatch.counts)
            vulkan::recordDispatchIndirect(mDevice, commands, *dispatch.counts,
                                           dispatch.countsOffset);
        else
            vulkan::recordDispatch(mDevice, commands, dispatch.groups);
    });
}

} // namespace kp::primitives
