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
                           std::shared_ptr<vulkan::Pipeline> pipeline,
                           const std::vector<PlanMemory>& memories)
    : mDevice(device), mPipeline(std::move(pipeline)) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
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
            mPush.push_back(bound.first);
        if (view.use == View::Use::eRead)
            mAccesses.read(memory.tensor);
        else if (view.use == View::Use::eWrite)
            mAccesses.write(memory.tensor).copied();
        else
            mAccesses.readWrite(memory.tensor).copied();
    }
    mPush.insert(mPush.end(), dispatch.push.begin(), dispatch.push.end());
    mSet = device.descriptors().create(mPipeline->layout(), writes);
    if (dispatch.isExact()) {
        mGroups = dispatch.exactGroups;
    } else if (dispatch.countsMemory == Dispatch::kDirect) {
        mGroups = foldedGroups(dispatch.groups, limits);
    } else {
        const PlanMemory& memory = memories[dispatch.countsMemory];
        mCounts = implOf(*memory.tensor).buffer;
        mCountsOffset = memory.start + dispatch.countsOffset;
        mAccesses.read(memory.tensor, Accesses::By::eIndirect);
    }
}

Accesses PlanDispatch::accesses() {
    return mAccesses;
}

void PlanDispatch::record(const vk::CommandBuffer& commandBuffer) {
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    Recorder::withBoundState(mDevice, commands, [&](BoundState& bound, Recorder* recorder) {
        if (recorder) {
            recorder->keep(mPipeline);
            recorder->keep(mSet);
        }
        bound.bind(*mPipeline, mSet->handle());
        if (!mPush.empty())
            bound.push(*mPipeline, mPush.data(),
                       static_cast<uint32_t>(mPush.size() * sizeof mPush[0]));
        if (mCounts)
            vulkan::recordDispatchIndirect(mDevice, commands, *mCounts, mCountsOffset);
        else
            vulkan::recordDispatch(mDevice, commands, mGroups);
    });
    Recorder::keepBindings(*this, commands);
}

} // namespace kp::primitives
