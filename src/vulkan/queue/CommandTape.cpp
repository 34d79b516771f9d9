// SPDX-License-Identifier: Apache-2.0
#include "vulkan/queue/CommandTape.hpp"

#include <algorithm>

#include "vulkan/pipeline/PipelineCache.hpp"

namespace kp::vulkan {

CommandTape::Command CommandTape::boundDispatch(Command::Kind kind) const {
    Command command{.kind = kind};
    command.pipeline = mPipeline;
    const PipelineLayout& layout = mPipeline->layout();
    command.sets.resize(layout.setCount());
    for (const DescriptorBinding& binding : layout.bindings())
        if (binding.set < mSets.size())
            command.sets[binding.set] = mSets[binding.set];
    const size_t pushed = std::min<size_t>(layout.pushConstantBytes(), mPush.size());
    command.push.assign(mPush.begin(), mPush.begin() + static_cast<ptrdiff_t>(pushed));
    return command;
}

void CommandTape::dispatch(const std::array<uint32_t, 3>& groups) {
    Command command = boundDispatch(Command::Kind::eDispatch);
    command.groups = groups;
    mCommands.push_back(std::move(command));
}

void CommandTape::dispatchIndirect(VkBuffer counts, uint64_t offset) {
    Command command = boundDispatch(Command::Kind::eDispatchIndirect);
    command.source = counts;
    command.sourceOffset = offset;
    mCommands.push_back(std::move(command));
}

void CommandTape::copy(VkBuffer source, VkBuffer destination,
                       std::span<const VkBufferCopy> regions) {
    Command command{.kind = Command::Kind::eCopy};
    command.source = source;
    command.destination = destination;
    command.regions.assign(regions.begin(), regions.end());
    mCommands.push_back(std::move(command));
}

void CommandTape::fill(VkBuffer buffer, uint64_t offset, uint64_t bytes, uint32_t pattern) {
    Command command{.kind = Command::Kind::eFill};
    command.destination = buffer;
    command.regions.push_back({0, offset, bytes});
    command.pattern = pattern;
    mCommands.push_back(std::move(command));
}

void CommandTape::noteAccesses(std::span<const HazardAccess> accesses) {
    for (const HazardAccess& access : accesses) {
        if (mUses.size() <= access.memory)
            mUses.resize(access.memory + size_t{1});
        Use& use = mUses[access.memory];
        use.readsFirst |= access.reads && !use.reads && !use.writes;
        use.reads |= access.reads;
        use.writes |= access.writes;
        if (access.writes)
            use.lastWrite = mCommands.size();
    }
}

void CommandTape::barrier(const HazardBarrier& barrier) {
    Command command{.kind = Command::Kind::eBarrier};
    command.barrier = barrier;
    mCommands.push_back(std::move(command));
}

} // namespace kp::vulkan
