// SPDX-License-Identifier: Apache-2.0
#include "core/queue/OperationLaunch.hpp"

#include <utility>

#include "core/Native.hpp"
#include "core/queue/LaunchCapture.hpp"
#include "core/sequence/GatheredRecording.hpp"
#include "core/sequence/OperationClass.hpp"
#include "core/sequence/Recorder.hpp"
#include "core/sequence/Recording.hpp"
#include "vulkan/memory/SharedScratch.hpp"

namespace kp {
namespace {

using Operations = OperationLaunch::Operations;

std::shared_ptr<Recording> recorded(const Queue::Impl& queue, const Operations& operations,
                                    bool timed, vulkan::SharedScratch::Loan& scratch) {
    vulkan::Device& device = *queue.device;
    auto recording = std::make_shared<Recording>();
    recording->begin(device, queue.queue, [&] { return queue.describe(); });
    Recorder recorder(device, *recording, recording->commandBuffer.handle(), queue.rules.order());
    recorder.lend(scratch);
    recorder.begin(timed ? static_cast<uint32_t>(operations.size()) : 0);
    for (const std::shared_ptr<OpBase>& operation : operations) {
        recorder.record(*operation);
        if (recorder.hooks())
            native::preEval(*operation, recording->commandBuffer.handle());
    }
    recorder.end();
    recording->commandBuffer.end();
    return recording;
}

Submitted submitOnce(const Queue::Impl& queue, const Operations& operations, bool timed,
                     Queue::Impl::Points waits, const std::shared_ptr<EventState>& state) {
    if (const vulkan::TimelinePoint point = OperationLaunch::waitsFor(queue.queue); point.queue)
        queue.queue.wait(point.value, UINT64_MAX, queue.rules.waitMode);
    if (queue.rules.coalesce && !timed && operations.size() == 1)
        if (const auto point = gather(queue.queue, queue.rules, *operations.front(), waits))
            return {*point, {}, {}};
    // Returned when the work is submitted: later submissions follow it.
    vulkan::SharedScratch::Loan scratch(queue.device->sharedScratch(), queue.queue);
    std::shared_ptr<Recording> recording = recorded(queue, operations, timed, scratch);
    Recording* const pointer = recording.get();
    Submitted work = kp::submit(queue.queue, {&pointer, 1}, waits, queue.rules);
    if (timed)
        state->timedBy(recording);
    Recording::release(*queue.device, std::move(recording));
    return work;
}

} // namespace

LaunchNames::LaunchNames(const Operations& operations, bool timed, std::string_view first) {
    if (!timed)
        return;
    for (const std::shared_ptr<OpBase>& operation : operations)
        mNames.push_back(launchNameOf(*operation));
    if (!first.empty())
        mNames.front() = first;
}

void LaunchNames::log(const Queue::Impl& queue, const Event& event) const {
    for (uint32_t i = 0; i < mNames.size(); ++i)
        queue.logLaunch(mNames[i], Internals::event<Event>(Internals::state(event), i));
}

vulkan::TimelinePoint OperationLaunch::waitsFor(vulkan::Queue& queue) {
    const uint64_t last = queue.lastValue();
    if (last <= kMaxLead || queue.reached(last - kMaxLead))
        return {};
    return {&queue, last - kMaxLead};
}

Event OperationLaunch::launch(Queue::Impl& queue, Operations operations,
                              const std::vector<Event>& waitFor, bool timed) {
    if (!waitFor.empty())
        LaunchCapture::refuse("a launch that waits for events");
    if (LaunchCapture::take(queue, operations))
        return Event();
    const LaunchNames names(operations, timed);
    Event event = queue.launch(
        waitFor, timed,
        [&](Queue::Impl::Points waits, const std::shared_ptr<EventState>& state) {
            return submitOnce(queue, operations, timed, waits, state);
        },
        [&]() -> Queue::Impl::Submit {
            return [&queue, timed, kept = std::move(operations)](
                       Queue::Impl::Points waits, const std::shared_ptr<EventState>& state) {
                return submitOnce(queue, kept, timed, waits, state);
            };
        });
    names.log(queue, event);
    return event;
}

} // namespace kp
