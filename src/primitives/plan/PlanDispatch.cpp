// SPDX-License-Identifier: Apache-2.0
#include "primitives/plan/PlanDispatch.hpp"

#include <algorithm>
#include <utility>

#include "core/Native.hpp"
#include "core/algorithm/AlgorithmChecks.hpp"
#include "core/algorithm/BoundState.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"
#include "operations/StoragePipeline.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp::primitives {
namespace {

/// Returns what the bindings of Dispatch::slots bind: all from the first byte of their views to the
/// last.
std::vector<StorageView> slotsOf(const Dispatch& dispatch,
                                 const std::vector<PlanMemory>& memories) {
    std::vector<View> spans;
    for (size_t i = 0; i < dispatch.slots.size(); ++i) {
        const View& view = dispatch.views[i];
        if (dispatch.slots[i] == spans.size()) { // slots begin in the order of the views
            spans.push_back(view);
            continue;
        }
        View& span = spans[dispatch.slots[i]];
        const uint64_t end = std::max(span.offset + span.bytes, view.offset + view.bytes);
        span.offset = std::min(span.offset, view.offset);
        span.bytes = end - span.offset;
    }
    std::vector<StorageView> slots;
    for (const View& span : spans) {
        const PlanMemory& memory = memories[span.memory];
        slots.push_back(storageView(*implOf(*memory.tensor).buffer, memory.start + span.offset,
                                    span.bytes, span.elementBytes, kViewAlignment));
    }
    return slots;
}

} // namespace

PlanDispatch::PlanDispatch(vulkan::Device& device, const Dispatch& dispatch,
                           const std::vector<uint32_t>& push,
                           std::shared_ptr<vulkan::Pipeline> pipeline,
                           const std::vector<PlanMemory>& memories)
    : mDevice(device) {
    makeSkippable();
    join(dispatch, push, std::move(pipeline), memories);
}

void PlanDispatch::join(const Dispatch& dispatch, const std::vector<uint32_t>& push,
                        std::shared_ptr<vulkan::Pipeline> pipeline,
                        const std::vector<PlanMemory>& memories) {
    const VkPhysicalDeviceLimits& limits = mDevice.physical().properties.limits;
    Commands made;
    made.pipeline = std::move(pipeline);
    std::vector<vulkan::DescriptorWrite> writes;
    const auto bind = [&](const StorageView& bound) {
        vulkan::DescriptorWrite write;
        write.binding = static_cast<uint32_t>(writes.size());
        write.buffer = bound.info;
        writes.push_back(write);
    };
    const std::vector<StorageView> merged = slotsOf(dispatch, memories);
    for (const StorageView& slot : merged)
        bind(slot);
    for (size_t i = 0; i < dispatch.views.size(); ++i) {
        const View& view = dispatch.views[i];
        const PlanMemory& memory = memories[view.memory];
        const vulkan::Buffer& buffer = *implOf(*memory.tensor).buffer;
        StorageView bound = storageView(buffer, memory.start + view.offset, view.bytes,
                                        view.elementBytes, kViewAlignment);
        if (merged.empty())
            for (uint32_t binding = 0; binding < view.bindings; ++binding)
                bind(bound);
        else // of the view's first element in what its slot binds
            bound.first = static_cast<uint32_t>((buffer.offset() + memory.start + view.offset -
                                                 merged[dispatch.slots[i]].info.offset) /
                                                view.elementBytes);
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
        Predication::Slot counts{};
        if (dispatch.counts)
            counts = bound.indirectCounts(*dispatch.counts, dispatch.countsOffset);
        bound.bind(*dispatch.pipeline, dispatch.set->handle());
        if (!dispatch.push.empty())
            bound.push(*dispatch.pipeline, dispatch.push.data(),
                       static_cast<uint32_t>(dispatch.push.size() * sizeof dispatch.push[0]));
        if (dispatch.counts)
            bound.dispatchIndirect(counts);
        else
            bound.dispatch(dispatch.groups);
    });
}

} // namespace kp::primitives
