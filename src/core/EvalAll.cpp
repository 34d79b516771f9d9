// SPDX-License-Identifier: Apache-2.0
#include <kompute/Sequence.hpp>

#include <span>
#include <unordered_set>

#include <kompute/Error.hpp>

#include "core/SequenceImpl.hpp"
#include "vulkan/Submission.hpp"

namespace kp {
namespace {

/// The sequences that have something to run, checked before any of them is touched.
std::vector<Sequence::Impl*> executable(const std::vector<std::shared_ptr<Sequence>>& sequences) {
    std::unordered_set<const Sequence*> seen;
    for (const std::shared_ptr<Sequence>& sequence : sequences) {
        if (!sequence)
            throw InvalidArgument("a sequence to evaluate is null");
        if (!seen.insert(sequence.get()).second)
            throw InvalidArgument("a sequence to evaluate was given twice");
        sequence->impl().requireIdle("evalAllAsync()");
    }
    std::vector<Sequence::Impl*> ready;
    for (const std::shared_ptr<Sequence>& sequence : sequences)
        if (sequence->impl().complete())
            ready.push_back(&sequence->impl());
    return ready;
}

void submitTogether(std::span<Sequence::Impl* const> neighbours) {
    vulkan::AccessList accesses;
    std::vector<VkCommandBuffer> commandBuffers;
    for (Sequence::Impl* impl : neighbours) {
        impl->prepare();
        accesses.add(impl->recording->accesses);
        commandBuffers.push_back(impl->recording->commandBuffer.handle());
    }
    const vulkan::TimelinePoint point =
        vulkan::submitOrdered(*neighbours.front()->queue, commandBuffers, accesses);
    for (Sequence::Impl* impl : neighbours)
        impl->noteSubmitted(point);
}

} // namespace

void evalAllAsync(const std::vector<std::shared_ptr<Sequence>>& sequences) {
    const std::vector<Sequence::Impl*> ready = executable(sequences);
    for (size_t first = 0; first < ready.size();) {
        size_t end = first + 1;
        while (end < ready.size() && ready[end]->queue == ready[first]->queue)
            ++end;
        submitTogether(std::span(ready).subspan(first, end - first));
        first = end;
    }
}

void evalAll(const std::vector<std::shared_ptr<Sequence>>& sequences) {
    evalAllAsync(sequences);
    for (const std::shared_ptr<Sequence>& sequence : sequences)
        if (sequence->isRunning())
            sequence->evalAwait();
}

} // namespace kp
