// SPDX-License-Identifier: Apache-2.0
#include "core/sequence/SequenceImpl.hpp"

#include <exception>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>
#include <kompute/operations/OpAlgoDispatch.hpp>
#include <kompute/shader/Check.hpp>

#include "base/Process.hpp"
#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/algorithm/BindingText.hpp"
#include "vulkan/queue/DeletionQueue.hpp"

namespace kp {

void failInCallback(const char* what) {
    fail<InvalidArgument>(
        "{} was called by an operation of the same sequence: a sequence cannot be "
        "changed or evaluated in init(), accesses(), record(), preEval() and "
        "postEval(). Call it after the sequence's function has returned, or use "
        "another sequence",
        what);
}

void Sequence::Impl::requireNoCallback(const char* what) const {
    if (calling == 0)
        return;
    if (Calling::here(*this))
        failInCallback(what);
    fail<InvalidArgument>(
        "{} was called while another thread uses the sequence{}; a sequence belongs "
        "to one thread at a time: make one for each thread, or lock a mutex",
        what, quotedName(name));
}

void Sequence::Impl::requireIdle(const char* what) const {
    requireDriver();
    if (!queue)
        fail<InvalidArgument>("this sequence{} was destroyed, or its manager was",
                              quotedName(name));
    requireNoCallback(what);
    if (state == State::eRunning)
        fail<InvalidArgument>("{} was called while the sequence{} runs; call evalAwait() first, or "
                              "use another sequence (each thread needs its own)",
                              what, quotedName(name));
}

bool Sequence::Impl::heldBack() const {
    return launched == recording.get() && Internals::state(event) &&
           !Internals::state(event)->resolved();
}

bool Sequence::Impl::pending() const {
    return recording && (heldBack() || (launched == recording.get() && recording->pending()));
}

std::shared_ptr<Queue> Sequence::Impl::queueToFollow() const {
    const auto follows = [](const vulkan::ResourceAccess& access) {
        return access.resource->followsLaunches();
    };
    return WaitingLaunch::any() && std::ranges::any_of(recording->accesses.resources(), follows)
               ? managerQueue.lock()
               : nullptr;
}

void Sequence::Impl::releaseRecording() {
    recorder.reset();
    if (!recording)
        return;
    if (!heldBack()) // otherwise the launch keeps it
        Recording::release(device(), std::move(recording));
    recording.reset();
    launched = nullptr;
}

void Sequence::Impl::begin() {
    state = State::eEmpty;
    if (pending())
        releaseRecording();
    if (!recording)
        recording = std::make_shared<Recording>();
    recorder.reset();
    recording->begin(device(), queue->queue, [this] { return describe(); });
    recorder = std::make_unique<Recorder>(device(), *recording, recording->commandBuffer.handle(),
                                          queue->rules.order());
    recorder->begin(totalTimestamps, name);
    state = State::eRecording;
}

void Sequence::Impl::prepareToRecord(const char* what) {
    requireNoCallback(what);
    if (state == State::eRecording)
        return;
    requireIdle(what);
    // A new recording replaces the old one, and with it the operations whose commands are gone.
    setOperationsAside();
    begin();
}

void Sequence::Impl::end() {
    earlier.clear();
    state = State::eEmpty;
    recorder->end();
    recorder.reset();
    recording->commandBuffer.end();
    state = State::eRecorded;
}

void Sequence::Impl::append(std::shared_ptr<OpBase> op) {
    {
        const Calling guard(*this);
        recorder->record(*op);
    }
    if (recorder->hooks())
        hooked.push_back(op);
    operations.push_back(std::move(op));
}

void Sequence::Impl::recordAll() {
    for (const std::shared_ptr<OpBase>& op : operations)
        recorder->record(*op);
}

void Sequence::Impl::forgetOperations() {
    operations.clear();
    hooked.clear();
    earlier.clear();
}

void Sequence::Impl::setOperationsAside() {
    hooked.clear();
    earlier.clear();
    earlier.swap(operations);
    // Do not keep an algorithm alive for a reuse that may never come.
    for (std::shared_ptr<OpBase>& op : earlier)
        if (!op->mOfSequence || static_cast<OpAlgoDispatch&>(*op).mAlgorithm.use_count() == 1)
            op.reset();
}

std::shared_ptr<OpBase> Sequence::Impl::reuseDispatch(const std::shared_ptr<Algorithm>& algorithm,
                                                      const void* pushConstants,
                                                      size_t pushConstantBytes,
                                                      Memory::DataTypes type) {
    const size_t position = operations.size();
    if (position >= earlier.size())
        return nullptr;
    if (std::shared_ptr<OpBase>& op = earlier[position]) {
        auto& dispatch = static_cast<OpAlgoDispatch&>(*op);
        if (dispatch.mAlgorithm == algorithm) {
            if (dispatch.mPushConstants.size() + pushConstantBytes > 0)
                dispatch.mPushConstants.assign(pushConstants, pushConstantBytes);
            dispatch.mPushType = type;
            return std::move(op);
        }
    }
    earlier.clear(); // the program records something else now
    return nullptr;
}

bool Sequence::Impl::complete() {
    if (state == State::eRecording)
        end();
    if (state == State::eEmpty && !operations.empty()) {
        // The driver had no memory for the recording, but the operations are still known.
        begin();
        recordAll();
        end();
    }
    if (state == State::eEmpty)
        KP_LOG_WARN("evaluating a sequence with nothing recorded does nothing");
    return state != State::eEmpty;
}

void Sequence::Impl::makeSubmittable() {
    if (!pending())
        return;
    if (operations.empty()) {
        event.wait();
        return;
    }
    begin();
    recordAll();
    end();
}

void Sequence::Impl::preEval(const std::vector<std::shared_ptr<OpBase>>& hooked,
                             Recording& recording) {
    for (const std::shared_ptr<OpBase>& op : hooked)
        native::preEval(*op, recording.commandBuffer.handle());
}

void Sequence::Impl::noteLaunched(Event launch) {
    event = std::move(launch);
    launched = recording.get();
    state = State::eRunning;
    timedOut = false;
}

bool Sequence::Impl::over() const {
    const std::shared_ptr<EventState>& launch = Internals::state(event);
    if (!launch)
        return vulkan::DeletionQueue::reached({Internals::queue(event), event.value()});
    if (!launch->resolved())
        return false;
    return launch->phase() != EventState::Phase::eSubmitted ||
           vulkan::DeletionQueue::reached(launch->point());
}

void Sequence::Impl::letGo() {
    if (state == State::eRunning)
        state = State::eRecorded;
}

bool Sequence::Impl::cancel(const char* why) {
    const std::shared_ptr<EventState>& launch = Internals::state(event);
    if (!launch || launch->resolved() || !launch->claim())
        return false;
    launch->fail(std::make_exception_ptr(Cancelled(
                     formatted("the work was cancelled before it was submitted: its sequence{} was "
                               "{} while it waited for an event",
                               quotedName(name), why))),
                 true);
    return true;
}

bool Sequence::Impl::tryCancel() {
    const std::shared_ptr<EventState>& launch = Internals::state(event);
    return !launch || cancel("destroyed") || launch->resolved();
}

void Sequence::Impl::destroy() {
    if (!queue || driverGone())
        return;
    requireNoCallback("destroy()");
    try {
        if (!tryCancel())
            Internals::state(event)->waitUntilResolved(UINT64_MAX);
        if (state == State::eRunning)
            event.wait();
    } catch (const CheckFailed& error) {
        KP_LOG_ERROR("nothing waited for {} whose shader made a mistake: {}", describe(),
                     error.what());
    } catch (...) { // it failed, or could not be waited for
    }
    releaseRecording(); // after a timeout, the device may still run it
    forgetOperations();
    state = State::eEmpty;
    event = Event();
    recordedInto.reset();
    queue.reset();
}

} // namespace kp
