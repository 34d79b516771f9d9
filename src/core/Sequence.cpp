// SPDX-License-Identifier: Apache-2.0
#include <kompute/Sequence.hpp>

#include <algorithm>

#include <kompute/Error.hpp>
#include <kompute/operations/OpAlgoDispatch.hpp>

#include "core/Dependencies.hpp"
#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "core/Recorder.hpp"
#include "core/SequenceImpl.hpp"
#include "vulkan/Retirement.hpp"

namespace kp {

// A recording that the device may still run goes to the retirement list; the sequence starts over
// with a fresh one.
void Sequence::Impl::letGoOfRecording() {
    recorder.reset();
    settle();
    if (!recording)
        return;
    if (recording->submitted.queue) {
        const vulkan::TimelinePoint point = recording->submitted;
        device->retirement().retire({point},
                                    [kept = std::move(recording)]() mutable { kept.reset(); });
    }
    recording.reset();
}

bool Sequence::Impl::pending() const {
    if (!recording)
        return false;
    if (deferred && deferred->recording == recording) {
        if (!deferred->state->resolved())
            return true;
        return deferred->state->phase() == EventState::Phase::eSubmitted &&
               !deferred->state->done();
    }
    return recording->submitted.queue &&
           !recording->submitted.queue->reached(recording->submitted.value);
}

void Sequence::Impl::requireInit() const {
    if (!device)
        throw InvalidArgument("this sequence was destroyed, or its manager was");
}

void Sequence::Impl::requireIdle(const char* what) const {
    requireInit();
    if (state == Impl::State::eRunning)
        throw InvalidArgument(std::string(what) +
                              " was called while the sequence runs; call evalAwait() first");
}

void Sequence::Impl::begin() {
    recorded = false;
    timed = false;
    if (pending())
        letGoOfRecording();
    if (!recording) {
        recording = std::make_shared<Recording>();
        recording->commandBuffer = device->commandBuffers().acquire(queue->family());
    }
    recorder.reset();
    recording->reset();
    recording->commandBuffer.begin(false);
    recorder = std::make_unique<Recorder>(*device, *recording, recording->commandBuffer.handle());
    recorder->begin(totalTimestamps);
    state = Impl::State::eRecording;
}

void Sequence::Impl::end() {
    earlier.clear();
    recorder->end();
    recorder.reset();
    state = Impl::State::eIdle;
    recording->commandBuffer.end();
    recorded = true;
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
    // Algorithms that nobody else has are not kept for a repetition that may never come.
    for (std::shared_ptr<OpBase>& op : earlier)
        if (!op->mOfSequence || static_cast<OpAlgoDispatch&>(*op).mAlgorithm.use_count() == 1)
            op.reset();
}

std::shared_ptr<OpBase> Sequence::Impl::dispatchAgain(const std::shared_ptr<Algorithm>& algorithm,
                                                      const void* pushConstants,
                                                      size_t pushConstantBytes) {
    const size_t place = operations.size();
    if (place >= earlier.size())
        return nullptr;
    std::shared_ptr<OpBase>& op = earlier[place];
    if (op) {
        auto& dispatch = static_cast<OpAlgoDispatch&>(*op);
        if (dispatch.mAlgorithm == algorithm) {
            if (dispatch.mPushConstants.size() + pushConstantBytes > 0)
                dispatch.mPushConstants.assign(pushConstants, pushConstantBytes);
            return std::move(op);
        }
    }
    earlier.clear(); // it is another program
    return nullptr;
}

bool Sequence::Impl::complete() {
    if (state == Impl::State::eRecording)
        end();
    if (!recorded && !operations.empty()) {
        // The driver refused the recording for want of memory; the operations are still known.
        begin();
        recordAll();
        end();
    }
    if (!recorded)
        KP_LOG_WARN("evaluating a sequence with nothing recorded does nothing");
    return recorded;
}

void Sequence::Impl::freshRecording() {
    // The command buffer of a submission that timed out cannot be submitted again while it runs.
    if (pending()) {
        if (!operations.empty()) {
            begin();
            recordAll();
            end();
        } else if (!waitForDeferred(UINT64_MAX)) {
            queue->wait(recording->submitted.value, UINT64_MAX, waitMode);
        }
    }
    settle();
}

void Sequence::Impl::prepare() {
    freshRecording();
    for (const std::shared_ptr<OpBase>& op : hooked)
        native::preEval(*op, recording->commandBuffer.handle());
    for (const std::shared_ptr<Memory>& memory : recording->padded)
        if (memory->isInit())
            memory->impl().pushRows();
}

void Sequence::Impl::noteSubmitted(const vulkan::TimelinePoint& point) {
    recording->submitted = point;
    lastSubmitted = point;
    state = Impl::State::eRunning;
}

void Sequence::Impl::finish() {
    state = Impl::State::eIdle;
    timed = recording->timestamps > 0;
    for (const std::shared_ptr<Memory>& memory : recording->padded)
        if (memory->isInit())
            memory->impl().pullRows();
    for (const std::shared_ptr<OpBase>& op : hooked)
        native::postEval(*op, recording->commandBuffer.handle());
}

void Sequence::Impl::settle() {
    if (!deferred)
        return;
    if (deferred->state->phase() == EventState::Phase::eSubmitted) {
        deferred->recording->submitted = deferred->state->point();
        lastSubmitted = deferred->state->point();
    }
    deferred.reset();
}

void Sequence::Impl::callOff() {
    if (!deferred)
        return;
    if (!deferred->taken.exchange(true))
        deferred->state->fail(std::make_exception_ptr(InvalidArgument(
                                  "a sequence was destroyed before it was submitted: what it waits "
                                  "for had not happened yet")),
                              true);
    waitForDeferred(UINT64_MAX);
}

bool Sequence::Impl::waitForDeferred(uint64_t timeout) {
    if (!deferred)
        return false;
    const bool done = deferred->state->wait(timeout);
    if (done)
        settle();
    return done;
}

void Sequence::Impl::submitLater(Dependencies&& dependencies) {
    freshRecording();
    deferred = std::make_shared<Deferred>();
    deferred->state = std::make_shared<EventState>(device, waitMode, nullptr);
    deferred->recording = recording;
    state = State::eRunning;
    std::move(dependencies)
        .then([work = deferred, owner = device, target = queue,
               hooks = hooked](const std::exception_ptr& failure, Dependencies::Points&& points) {
            if (work->taken.exchange(true))
                return;
            if (failure) {
                work->state->fail(failure, true);
                return;
            }
            try {
                Recording& recorded = *work->recording;
                const VkCommandBuffer commandBuffer = recorded.commandBuffer.handle();
                for (const std::shared_ptr<OpBase>& op : hooks)
                    native::preEval(*op, commandBuffer);
                for (const std::shared_ptr<Memory>& memory : recorded.padded)
                    if (memory->isInit())
                        memory->impl().pushRows();
                const vulkan::TimelinePoint point =
                    vulkan::submitOrdered(*target, {&commandBuffer, 1}, recorded.accesses, points);
                // The sequence may have gone on to another recording.
                owner->retirement().retire({point}, [kept = work->recording] {});
                work->state->submitted(point);
            } catch (...) {
                work->state->fail(std::current_exception());
            }
        });
}

Sequence::Sequence(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device,
                   std::shared_ptr<vk::Queue> computeQueue, uint32_t queueIndex,
                   uint32_t totalTimestamps)
    : Sequence(native::findDevice(device), findQueue(device, computeQueue, queueIndex),
               totalTimestamps) {}

Sequence::Sequence(std::shared_ptr<vulkan::Device> device, vulkan::Queue& queue,
                   uint32_t totalTimestamps)
    : mImpl(std::make_unique<Impl>()) {
    if (totalTimestamps > 0 && queue.timestampValidBits() == 0)
        throw Unsupported(queue.name() + " of " + device->name() + " has no timestamps");
    mImpl->waitMode = device->defaultWaitMode();
    mImpl->device = std::move(device);
    mImpl->queue = &queue;
    mImpl->totalTimestamps = totalTimestamps;
}

Sequence::~Sequence() {
    try {
        destroy();
    } catch (const std::exception& error) {
        KP_LOG_ERROR("destroying a sequence: {}", error.what());
    }
}

vulkan::Queue& Sequence::findQueue(const std::shared_ptr<vk::Device>& device,
                                   const std::shared_ptr<vk::Queue>& queue, uint32_t family) {
    const std::shared_ptr<vulkan::Device> owner = native::findDevice(device);
    if (queue)
        for (size_t i = 0; i < owner->queueCount(); ++i)
            if (owner->queue(i).handle() == native::handleOf(*queue))
                return owner->queue(i);
    throw InvalidArgument("the VkQueue of family " + std::to_string(family) +
                          " is not one of those that the manager of this VkDevice was given");
}

std::shared_ptr<Sequence> Sequence::record(std::shared_ptr<OpBase> op) {
    if (!op)
        throw InvalidArgument("the operation to record is null");
    if (mImpl->state != Impl::State::eRecording)
        begin();
    mImpl->recorder->record(*op);
    if (mImpl->recorder->hooks())
        mImpl->hooked.push_back(op);
    mImpl->operations.push_back(std::move(op));
    return shared_from_this();
}

std::shared_ptr<Sequence> Sequence::recordDispatch(const std::shared_ptr<Algorithm>& algorithm,
                                                   const void* pushConstants,
                                                   size_t pushConstantBytes) {
    if (mImpl->state != Impl::State::eRecording)
        begin();
    std::shared_ptr<OpBase> op = mImpl->dispatchAgain(algorithm, pushConstants, pushConstantBytes);
    if (!op) {
        op = makeOperation<OpAlgoDispatch>(algorithm, pushConstants, pushConstantBytes);
        op->mOfSequence = true;
    }
    return record(std::move(op));
}

std::shared_ptr<Sequence> Sequence::eval() {
    return evalAsync()->evalAwait();
}

std::shared_ptr<Sequence> Sequence::eval(std::shared_ptr<OpBase> op) {
    return evalAsync(std::move(op))->evalAwait();
}

std::shared_ptr<Sequence> Sequence::evalAsync() {
    return evalAsync(std::vector<Event>{});
}

std::shared_ptr<Sequence> Sequence::evalAsync(const std::vector<Event>& waitFor) {
    Impl& impl = *mImpl;
    impl.requireIdle("evalAsync()");
    if (!impl.complete())
        return shared_from_this();
    Dependencies dependencies(impl.device.get(), impl.queue);
    for (const Event& event : waitFor)
        dependencies.add(event);
    if (!dependencies.ready()) {
        impl.submitLater(std::move(dependencies));
        return shared_from_this();
    }
    if (dependencies.failure())
        std::rethrow_exception(dependencies.failure());
    impl.prepare();
    const VkCommandBuffer commandBuffer = impl.recording->commandBuffer.handle();
    impl.noteSubmitted(vulkan::submitOrdered(*impl.queue, {&commandBuffer, 1},
                                             impl.recording->accesses, dependencies.points()));
    return shared_from_this();
}

std::shared_ptr<Sequence> Sequence::evalAsync(std::shared_ptr<OpBase> op) {
    mImpl->requireIdle("evalAsync()");
    clear();
    return record(std::move(op))->evalAsync();
}

std::shared_ptr<Sequence> Sequence::evalAwait(uint64_t waitFor) {
    Impl& impl = *mImpl;
    if (impl.state != Impl::State::eRunning) {
        KP_LOG_WARN("evalAwait() without an evaluation does nothing");
        return shared_from_this();
    }
    bool done = false;
    try {
        done = impl.deferred
                   ? impl.waitForDeferred(waitFor)
                   : impl.queue->wait(impl.recording->submitted.value, waitFor, impl.waitMode);
    } catch (const DeviceLost&) {
        impl.state = Impl::State::eIdle;
        throw;
    } catch (...) {
        // What it waited for failed, so it did not run.
        if (impl.deferred && impl.deferred->state->phase() == EventState::Phase::eFailed)
            impl.state = Impl::State::eIdle;
        throw;
    }
    if (done)
        impl.finish();
    else
        impl.state = Impl::State::eIdle;
    return shared_from_this();
}

Event Sequence::event() const {
    const Impl& impl = *mImpl;
    if (impl.device && impl.deferred)
        return Event(impl.deferred->state);
    if (!impl.device || !impl.lastSubmitted.queue)
        return Event();
    return Event(impl.device, impl.lastSubmitted.queue, impl.lastSubmitted.value, impl.waitMode);
}

void Sequence::clear() {
    if (mImpl->state == Impl::State::eRecording)
        mImpl->end();
    mImpl->forgetOperations();
}

void Sequence::rerecord() {
    mImpl->requireIdle("rerecord()");
    if (mImpl->state == Impl::State::eRecording)
        mImpl->end();
    mImpl->begin();
    mImpl->recordAll();
}

void Sequence::begin() {
    mImpl->requireIdle("begin()");
    if (mImpl->state == Impl::State::eRecording)
        return;
    // A new recording replaces the old one, and with it the operations whose commands are gone.
    mImpl->setOperationsAside();
    mImpl->begin();
}

void Sequence::end() {
    mImpl->requireIdle("end()");
    if (mImpl->state == Impl::State::eRecording)
        mImpl->end();
    else
        KP_LOG_WARN("end() of a sequence that is not recording does nothing");
}

bool Sequence::isRecording() const {
    return mImpl->state == Impl::State::eRecording;
}
bool Sequence::isRunning() const {
    return mImpl->state == Impl::State::eRunning;
}
bool Sequence::isInit() const {
    return mImpl->device != nullptr;
}

std::vector<uint64_t> Sequence::getTimestamps() {
    mImpl->requireIdle("getTimestamps()");
    if (mImpl->totalTimestamps == 0)
        throw InvalidArgument("timestamps are off: make the sequence with Manager::sequence(queue, "
                              "number of operations)");
    if (!mImpl->timed)
        throw InvalidArgument("there are no timestamps before the first evaluation was waited for");
    if (mImpl->recording->timedOverflow)
        throw InvalidArgument("the sequence was made for timestamps of " +
                              std::to_string(mImpl->totalTimestamps) +
                              " operations, but more were recorded");
    return mImpl->recording->queries.read(mImpl->recording->timestamps);
}

std::vector<uint64_t> Sequence::getTimestampsNs() {
    return vulkan::toNanoseconds(getTimestamps(), mImpl->queue->timestampValidBits(),
                                 mImpl->device->physical().properties.limits.timestampPeriod);
}

void Sequence::destroy() {
    Impl& impl = *mImpl;
    if (!impl.device)
        return;
    try {
        impl.callOff();
        if (impl.pending())
            impl.queue->wait(impl.recording->submitted.value, UINT64_MAX, impl.waitMode);
    } catch (const DeviceLost&) { // it runs nothing any more
    } catch (const std::exception&) {
        impl.letGoOfRecording();
    } catch (...) { // thrown by what it waited for, so it did not run
    }
    impl.deferred.reset();
    impl.recorder.reset();
    impl.recording.reset();
    impl.forgetOperations();
    impl.recorded = false;
    impl.timed = false;
    impl.state = Impl::State::eIdle;
    impl.queue = nullptr;
    impl.lastSubmitted = {};
    impl.recordedInto.reset();
    impl.device.reset();
}

void Sequence::recordInto(VkCommandBuffer commandBuffer) {
    mImpl->requireIdle("recordInto()");
    if (!commandBuffer)
        throw InvalidArgument("the command buffer to record into is null");
    auto recording = std::make_shared<Recording>();
    Recorder recorder(*mImpl->device, *recording, commandBuffer);
    recorder.begin(0);
    for (const std::shared_ptr<OpBase>& op : mImpl->operations)
        recorder.record(*op);
    recorder.end();
    // Images get their first layout from a submission of the library's own.
    vulkan::submitOrdered(*mImpl->queue, {}, recording->accesses);
    mImpl->recordedInto = std::move(recording);
}

void Sequence::preEval() {
    for (const std::shared_ptr<OpBase>& op : mImpl->hooked)
        native::preEval(*op, nullptr);
    if (mImpl->recordedInto)
        for (const std::shared_ptr<Memory>& memory : mImpl->recordedInto->padded)
            memory->impl().pushRows();
}

void Sequence::postEval() {
    if (mImpl->recordedInto)
        for (const std::shared_ptr<Memory>& memory : mImpl->recordedInto->padded)
            memory->impl().pullRows();
    for (const std::shared_ptr<OpBase>& op : mImpl->hooked)
        native::postEval(*op, nullptr);
}

VkCommandBuffer Sequence::nativeCommandBuffer() const {
    return mImpl->recording ? mImpl->recording->commandBuffer.handle() : VK_NULL_HANDLE;
}

} // namespace kp
