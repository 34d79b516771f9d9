// SPDX-License-Identifier: Apache-2.0
#include "group/shards/ShardWork.hpp"

#include <algorithm>
#include <utility>

#include <kompute/Sequence.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/queue/QueueImpl.hpp"

namespace kp::group {

void ShardWork::run() const {
    std::vector<std::shared_ptr<Sequence>> sequences;
    for (size_t device = 0; device < mOperations.size(); ++device) {
        if (mOperations[device].empty())
            continue;
        const auto sequence = mGroup->managers[device]->sequence();
        for (const std::shared_ptr<OpBase>& operation : mOperations[device])
            sequence->record(operation);
        sequences.push_back(sequence);
        sequence->evalAsync();
    }
    for (const std::shared_ptr<Sequence>& sequence : sequences)
        sequence->evalAwait();
}

void ShardTransfers::add(size_t source, const Tensor& from, uint64_t fromOffset, size_t destination,
                         const Tensor& to, uint64_t toOffset, uint64_t bytes) {
    if (bytes == 0)
        return;
    // Bytes with several destinations leave their device once.
    for (DeviceTransfer& known : mTransfers)
        if (known.source == implOf(from).buffer && known.offset == fromOffset &&
            known.bytes == bytes) {
            known.destinations.push_back({destination, implOf(to).buffer, toOffset});
            return;
        }
    mTransfers.push_back({source,
                          implOf(from).buffer,
                          fromOffset,
                          bytes,
                          {{destination, implOf(to).buffer, toOffset}}});
}

void ShardTransfers::run(const DeviceGroup::Impl& group) const {
    std::vector<vulkan::TimelinePoint> ends(group.managers.size());
    group.exchange->run(mTransfers, {}, ends);
}

std::vector<Event> launchOn(const std::vector<const Buffer::Impl*>& buffers,
                            const std::vector<Event>& waitFor, std::function<void()> function) {
    std::vector<uint32_t> indices;
    for (const Buffer::Impl* const buffer : buffers)
        indices.insert(indices.end(), buffer->queueOfCopy.begin(), buffer->queueOfCopy.end());
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    std::vector<std::shared_ptr<Queue>> queues;
    for (const uint32_t index : indices)
        queues.push_back(buffers[0]->group->queues[index]);
    return Queue::Impl::launchAcross(
        queues, waitFor,
        [run = std::move(function)](std::vector<vulkan::TimelinePoint>&) { run(); });
}

std::shared_ptr<Tensor> scratchOn(const DeviceGroup::Impl& group, size_t device, uint64_t numbers,
                                  Memory::DataTypes type) {
    return group.managers[device]->tensor(numbers, Memory::dataTypeMemorySize(type), type,
                                          Memory::MemoryTypes::eStorage);
}

void requireNumbers(const Buffer::Impl& buffer, const DeviceGroup::Impl& group, const char* what) {
    buffer.requireAlive();
    if (buffer.group.get() != &group)
        fail<InvalidArgument>("{} buffers of its group, but {} is of another one", what,
                              buffer.describe());
    if (buffer.type.components() != 1 || buffer.type.number == Memory::DataTypes::eCustom)
        fail<InvalidArgument>("{} numbers, not {}", what, buffer.describe());
}

void requirePlacement(const Buffer::Impl& buffer, bool sharded, const char* what) {
    if (buffer.sharded() != sharded)
        fail<InvalidArgument>("{} a {} buffer, not {} that is {}", what,
                              sharded ? "sharded" : "replicated", buffer.describe(),
                              sharded ? "replicated" : "sharded");
}

} // namespace kp::group
