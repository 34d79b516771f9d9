// SPDX-License-Identifier: Apache-2.0
#include "primitives/plan/PlanDispatch.hpp"

#include <algorithm>
#include <utility>

#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/algorithm/AlgorithmChecks.hpp"
#include "core/algorithm/BindingText.hpp"
#include "core/algorithm/BoundState.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp::primitives {
namespace {

/// Returns the ranges that the bindings of Dispatch::slots bind: from the first byte of their views
/// to the last.
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
                           const std::vector<uint32_t>& push, const StoragePipeline& pipeline,
                           PlanMemories& memories)
    : mDevice(device) {
    makeSkippable();
    join(dispatch, push, pipeline, memories);
}

void PlanDispatch::join(const Dispatch& dispatch, const std::vector<uint32_t>& push,
                        const StoragePipeline& pipeline, PlanMemories& memories) {
    const VkPhysicalDeviceLimits& limits = mDevice.physical().properties.limits;
    Commands made;
    made.pipeline = pipeline.pipeline;
    std::vector<vulkan::DescriptorWrite> writes;
    std::vector<BoundMemory> bindings;
    const auto bind = [&](const StorageView& bound, const PlanMemory& memory) {
        vulkan::DescriptorWrite write;
        write.binding = static_cast<uint32_t>(writes.size());
        write.buffer = bound.info;
        writes.push_back(write);
        if (pipeline.checked) [[unlikely]]
            bindings.push_back(
                {0, write.binding,
                 formatted("{}, {}", memory.name, describeMemory(implOf(*memory.tensor))),
                 bound.info.range, bound.info.offset - implOf(*memory.tensor).buffer->offset(),
                 vulkan::WrittenMemory::of(*implOf(*memory.tensor).buffer),
                 implOf(*memory.tensor).elementSize});
    };
    const std::vector<StorageView> merged = slotsOf(dispatch, memories.all);
    for (size_t slot = 0; slot < merged.size(); ++slot) {
        const auto first = std::ranges::find(dispatch.slots, slot) - dispatch.slots.begin();
        bind(merged[slot], memories.all[dispatch.views[static_cast<size_t>(first)].memory]);
    }
    for (size_t i = 0; i < dispatch.views.size(); ++i) {
        const View& view = dispatch.views[i];
        const PlanMemory& memory = memories.all[view.memory];
        const vulkan::Buffer& buffer = *implOf(*memory.tensor).buffer;
        StorageView bound = storageView(buffer, memory.start + view.offset, view.bytes,
                                        view.elementBytes, kViewAlignment);
        const auto firstBinding = static_cast<uint32_t>(writes.size());
        if (merged.empty())
            for (uint32_t binding = 0; binding < view.bindings; ++binding)
                bind(bound, memory);
        else // of the view's first element in what its slot binds
            bound.first = static_cast<uint32_t>((buffer.offset() + memory.start + view.offset -
                                                 merged[dispatch.slots[i]].info.offset) /
                                                view.elementBytes);
        const uint32_t binding = merged.empty() ? firstBinding : dispatch.slots[i];
        if (view.use != View::Use::eRead && vulkan::WrittenMemory::follows(buffer)) [[unlikely]]
            for (uint32_t k = 0; k < view.bindings; ++k)
                if (!follows(pipeline.checked.get(), 0, binding + k))
                    made.notes.unnoted.push_back({&buffer, memory.start + view.offset, view.bytes});
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
    if (pipeline.checked) [[unlikely]]
        report(made, pipeline, std::move(bindings), memories);
    if (dispatch.isExact()) {
        made.groups = dispatch.exactGroups;
    } else if (dispatch.countsMemory == Dispatch::kDirect) {
        made.groups = foldedGroups(dispatch.groups, limits);
    } else {
        const PlanMemory& memory = memories.all[dispatch.countsMemory];
        made.counts = implOf(*memory.tensor).buffer;
        made.countsOffset = memory.start + dispatch.countsOffset;
        mAccesses.read(memory.tensor, Accesses::By::eIndirect);
    }
    mDispatches.push_back(std::move(made));
}

void PlanDispatch::report(Commands& dispatch, const StoragePipeline& pipeline,
                          std::vector<BoundMemory> bound, PlanMemories& memories) const {
    dispatch.notes.report = std::make_shared<CheckReport>(
        mDevice, pipeline.checked, std::move(bound), nullptr, &memories.shadow);
    dispatch.reportSets.resize(pipeline.checked->module.reportSet); // from set 1 on
    dispatch.reportSets.back() = dispatch.notes.report->describe(pipeline.pipeline->layout());
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
        if (recorder && dispatch.notes.report) [[unlikely]] {
            recorder->keep(dispatch.reportSets.back());
            recorder->noteReport(dispatch.notes.report);
        }
        dispatch.notes.record(mDevice, commands);
        Predication::Slot counts{};
        if (dispatch.counts)
            counts = bound.indirectCounts(*dispatch.counts, dispatch.countsOffset);
        bound.bind(*dispatch.pipeline, dispatch.set.get());
        if (dispatch.notes.report) [[unlikely]]
            bound.bindFurther(*dispatch.pipeline, dispatch.reportSets);
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
