// SPDX-License-Identifier: Apache-2.0
#include "core/sequence/GatheredRecording.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/algorithm/DispatchCommands.hpp"
#include "core/algorithm/DispatchCopies.hpp"
#include "core/sequence/OperationClass.hpp"
#include "core/sequence/Recorder.hpp"
#include "core/sequence/Recording.hpp"
#include "vulkan/queue/Submission.hpp"

namespace kp {
namespace {

/// Dispatches in a gathering that share a command buffer. Launches add to them until something else
/// is gathered.
class GatheredRecording final : public vulkan::LateCommands {
public:
    static constexpr size_t kMaxDispatches = 64;

    GatheredRecording(const vulkan::Queue& queue, Recorder::Order order)
        : mQueue(queue), mOrder(order) {}

    bool takes(Recorder::Order order) const {
        return order == mOrder && mDispatches.size() < kMaxDispatches;
    }
    void add(const DispatchCommands& commands) {
        if (mBindings.empty() || mBindings.back() != commands.binding())
            mBindings.push_back(commands.binding());
        mDispatches.add(commands);
    }
    /// @param kept  whose dispatches the caller keeps until they have run
    void add(DispatchCopies& kept) {
        const size_t before = mDispatches.size();
        try {
            for (size_t i = 0; i < kept.size(); ++i)
                mDispatches.add(kept[i]);
        } catch (...) {
            while (mDispatches.size() > before)
                mDispatches.dropLast();
            throw;
        }
    }

    VkCommandBuffer record() override {
        mRecording.begin(mQueue.device(), mQueue, [&] { return "launches on " + mQueue.name(); });
        const VkCommandBuffer handle = mRecording.commandBuffer.handle();
        Recorder recorder(mQueue.device(), mRecording, handle, mOrder);
        for (size_t i = 0; i < mDispatches.size(); ++i)
            recorder.record(mDispatches[i]);
        recorder.end();
        mRecording.commandBuffer.end();
        return handle;
    }

private:
    const vulkan::Queue& mQueue;
    const Recorder::Order mOrder;
    std::vector<std::shared_ptr<const MemoryBinding>> mBindings;
    DispatchCopies mDispatches;
    Recording mRecording;
};

/// Returns the end of a gathering, for more dispatches.
GatheredRecording& lastOf(vulkan::Gathering& gathering, const vulkan::Queue& queue,
                          Recorder::Order order) {
    // Nothing else adds late commands to a gathering.
    auto* const last = static_cast<GatheredRecording*>(gathering.last());
    if (last && last->takes(order))
        return *last;
    auto made = std::make_shared<GatheredRecording>(queue, order);
    GatheredRecording& added = *made;
    gathering.add(std::move(made));
    return added;
}

} // namespace

std::optional<vulkan::TimelinePoint> gather(vulkan::Queue& queue, const LaunchRules& rules,
                                            OpBase& operation,
                                            std::span<const vulkan::TimelinePoint> waits) {
    if (!isPlainDispatch(operation) || !queue.busy())
        return std::nullopt;
    const DispatchCommands commands(static_cast<const OpAlgoDispatch&>(operation));
    if (!commands.accessesBindingOnly() || commands.algorithm().device.get() != &queue.device())
        return std::nullopt;
    // Static, so that a steady state allocates nothing. The binding holds the resources.
    thread_local std::vector<vulkan::ResourceAccess> accesses;
    accesses.clear();
    for (const MemoryBinding::Use& use : commands.bound().uses)
        accesses.push_back({{std::shared_ptr<void>(), use.resource.get()}, 0, use.writes, {}});
    vulkan::bringToDevice(accesses);
    const auto add = [&](vulkan::Gathering& gathering) {
        lastOf(gathering, queue, rules.order()).add(commands);
    };
    return vulkan::gatherOrdered(queue, accesses, waits, std::ref(add));
}

std::optional<vulkan::TimelinePoint> gather(vulkan::Queue& queue, const LaunchRules& rules,
                                            Recording& recording,
                                            std::span<const vulkan::TimelinePoint> waits) {
    if (recording.copies.empty() || !queue.busy())
        return std::nullopt;
    const auto add = [&](vulkan::Gathering& gathering) {
        lastOf(gathering, queue, rules.order()).add(recording.copies);
    };
    return vulkan::gatherOrdered(queue, recording.accesses.resources(), waits, std::ref(add));
}

} // namespace kp
