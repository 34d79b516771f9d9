// SPDX-License-Identifier: Apache-2.0
#include "core/GatheredRecording.hpp"

#include <functional>
#include <memory>
#include <vector>

#include "core/DispatchCommands.hpp"
#include "core/OperationClass.hpp"
#include "core/Recorder.hpp"
#include "core/Recording.hpp"
#include "vulkan/queue/Submission.hpp"

namespace kp {
namespace {

/// The open commands of a gathering. Launches add to them until something else is gathered.
class GatheredRecording final : public vulkan::OpenCommands {
public:
    explicit GatheredRecording(const vulkan::Queue& queue) {
        mRecording.begin(queue.device(), queue);
        mRecorder = std::make_unique<Recorder>(queue.device(), mRecording, handle());
    }

    VkCommandBuffer handle() const override { return mRecording.commandBuffer.handle(); }
    void record(OpBase& operation) { mRecorder->record(operation); }
    void end() override {
        mRecorder->end();
        mRecorder.reset();
        mRecording.commandBuffer.end();
    }

private:
    Recording mRecording;
    std::unique_ptr<Recorder> mRecorder; ///< null once ended
};

} // namespace

std::optional<vulkan::TimelinePoint> gather(vulkan::Queue& queue, OpBase& operation,
                                            std::span<const vulkan::TimelinePoint> waits) {
    if (!isPlainDispatch(operation))
        return std::nullopt;
    const DispatchCommands commands(static_cast<const OpAlgoDispatch&>(operation));
    if (!commands.accessesBindingOnly())
        return std::nullopt;
    // Static, so that a steady state allocates nothing. The binding holds the resources.
    thread_local std::vector<vulkan::ResourceAccess> accesses;
    accesses.clear();
    for (const MemoryBinding::Use& use : commands.binding()->uses)
        accesses.push_back({{std::shared_ptr<void>(), use.resource.get()}, 0, use.writes});
    const auto add = [&](vulkan::Gathering& gathering) {
        // Nothing else opens commands in a gathering.
        auto* open = static_cast<GatheredRecording*>(gathering.last());
        if (!open) {
            const auto made = std::make_shared<GatheredRecording>(queue);
            gathering.open(made);
            open = made.get();
        }
        open->record(operation);
    };
    return vulkan::gatherOrdered(queue, accesses, waits, std::ref(add));
}

} // namespace kp
