// SPDX-License-Identifier: Apache-2.0
#include <kompute/Sequence.hpp>

#include <deque>
#include <exception>
#include <span>
#include <unordered_set>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/operations/OpAlgoDispatch.hpp>

#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/manager/WrapHostDevice.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/SequenceImpl.hpp"
#include "vulkan/memory/HostMirror.hpp"
#include "vulkan/queue/DeletionQueue.hpp"

namespace kp {

Sequence::Sequence(std::shared_ptr<vk::PhysicalDevice>, std::shared_ptr<vk::Device> device,
                   std::shared_ptr<vk::Queue> computeQueue, uint32_t queueIndex,
                   uint32_t totalTimestamps)
    : Sequence(findDevice(device), findQueue(device, computeQueue, queueIndex),
               LaunchRules{findDevice(device)->defaultWaitMode()}, totalTimestamps) {}

Sequence::Sequence(std::shared_ptr<vulkan::Device> device, vulkan::Queue& queue,
                   const LaunchRules& rules, uint32_t totalTimestamps)
    : mImpl(std::make_unique<Impl>()) {
    if (totalTimestamps > 0 && queue.timestampValidBits() == 0)
        fail<Unsupported>("{} of {} has no timestamps", queue.name(), device->name());
    // Not in order: after a timeout, an evaluation overtakes one that is still held back.
    mImpl->queue = std::make_shared<Queue::Impl>(std::move(device), queue, rules, false);
    mImpl->totalTimestamps = totalTimestamps;
}

Sequence::~Sequence() {
    try {
        mImpl->destroy(); // without the gate: this is the last owner
    } catch (const std::exception& error) {
        KP_LOG_ERROR("destroying a sequence: {}", error.what());
    }
}

vulkan::Queue& Sequence::findQueue(const std::shared_ptr<vk::Device>& device,
                                   const std::shared_ptr<vk::Queue>& queue, uint32_t family) {
    const std::shared_ptr<vulkan::Device> owner = findDevice(device);
    if (queue)
        for (size_t i = 0; i < owner->queueCount(); ++i)
            if (owner->queue(i).handle() == native::handleOf(*queue))
                return owner->queue(i);
    fail<InvalidArgument>("the VkQueue of family {} is not among the queues of the manager of this "
                          "VkDevice",
                          family);
}

std::shared_ptr<Sequence> Sequence::record(std::shared_ptr<OpBase> op) {
    if (!op)
        throw InvalidArgument("the operation to record is null");
    const CallGate::Call call(mImpl->gate);
    mImpl->prepareToRecord("record()");
    std::shared_ptr<Sequence> self = shared_from_this(); // the operation may drop the last one
    mImpl->append(std::move(op));
    return self;
}

std::shared_ptr<Sequence> Sequence::recordDispatch(const std::shared_ptr<Algorithm>& algorithm,
                                                   const void* pushConstants,
                                                   size_t pushConstantBytes,
                                                   Memory::DataTypes type) {
    const CallGate::Call call(mImpl->gate);
    mImpl->prepareToRecord("record()");
    std::shared_ptr<OpBase> op =
        mImpl->reuseDispatch(algorithm, pushConstants, pushConstantBytes, type);
    if (!op) {
        op = std::make_shared<OpAlgoDispatch>(algorithm, pushConstants, pushConstantBytes, type);
        op->mOfSequence = true;
    }
    std::shared_ptr<Sequence> self = shared_from_this();
    mImpl->append(std::move(op));
    return self;
}

namespace {

/// Waits for an evaluation that the same call has started. The caller cannot wait for it again.
std::shared_ptr<Sequence> awaitStarted(Sequence& sequence) {
    try {
        return sequence.evalAwait();
    } catch (...) {
        implOf(sequence).letGo();
        throw;
    }
}

} // namespace

std::shared_ptr<Sequence> Sequence::eval() {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireIdle("eval()");
    evalAsync();
    return isRunning() ? awaitStarted(*this) : shared_from_this(); // there was nothing to evaluate
}

std::shared_ptr<Sequence> Sequence::eval(std::shared_ptr<OpBase> op) {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireIdle("eval()");
    return awaitStarted(*evalAsync(std::move(op)));
}

std::shared_ptr<Sequence> Sequence::evalAsync() {
    return evalAsync(std::vector<Event>{});
}

std::shared_ptr<Sequence> Sequence::evalAsync(const std::vector<Event>& waitFor) {
    Impl& impl = *mImpl;
    const CallGate::Call call(impl.gate);
    impl.requireIdle("evalAsync()");
    std::shared_ptr<Sequence> self = shared_from_this();
    const Impl::Calling calling(impl);
    if (!impl.complete())
        return self;
    impl.makeSubmittable();
    const auto now = [&](Queue::Impl::Points waits, const std::shared_ptr<EventState>&) {
        impl.preEval();
        Recording* const recording = impl.recording.get();
        return submit(impl.queue->queue, {&recording, 1}, waits, impl.queue->rules);
    };
    const auto later = [&]() -> Queue::Impl::Submit {
        return [queue = impl.queue.get(), kept = impl.recording, hooked = impl.hooked](
                   Queue::Impl::Points waits, const std::shared_ptr<EventState>&) {
            Impl::preEval(hooked, *kept);
            Recording* const recording = kept.get();
            Submitted work = submit(queue->queue, {&recording, 1}, waits, queue->rules);
            // The sequence may have another recording by now, or be destroyed.
            queue->device->deletionQueue().push({work.point}, [kept] {});
            return work;
        };
    };
    std::vector<Event> awaited = waitFor;
    if (const std::shared_ptr<Queue> followed = impl.queueToFollow())
        awaited.push_back(followed->barrier());
    Event launch = impl.queue->launch(awaited, false, now, later);
    if (Internals::state(launch) && Internals::state(launch)->phase() == EventState::Phase::eFailed)
        std::rethrow_exception(Internals::state(launch)->error());
    impl.noteLaunched(std::move(launch));
    return self;
}

std::shared_ptr<Sequence> Sequence::evalAsync(std::shared_ptr<OpBase> op) {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireIdle("evalAsync()");
    clear();
    return record(std::move(op))->evalAsync();
}

std::shared_ptr<Sequence> Sequence::evalAwait(uint64_t waitFor) {
    Impl& impl = *mImpl;
    const CallGate::Call call(impl.gate);
    impl.requireNoCallback("evalAwait()");
    if (impl.state != Impl::State::eRunning) {
        KP_LOG_WARN("evalAwait() without an evaluation does nothing");
        return shared_from_this();
    }
    bool done = false;
    try {
        done = impl.event.wait(waitFor);
    } catch (const DeviceLost&) {
        impl.letGo();
        throw;
    } catch (...) {
        if (impl.over()) // else the caller can wait again
            impl.letGo();
        throw;
    }
    impl.timedOut = !done;
    impl.state = done ? Impl::State::eFinished : Impl::State::eRecorded;
    std::shared_ptr<Sequence> self = shared_from_this();
    const Impl::Calling calling(impl);
    if (done)
        for (const std::shared_ptr<OpBase>& op : impl.hooked)
            native::postEval(*op, impl.recording->commandBuffer.handle());
    return self;
}

bool Sequence::cancel() {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireNoCallback("cancel()");
    if (!mImpl->cancel("cancelled"))
        return false;
    mImpl->letGo();
    return true;
}

void Sequence::setName(std::string_view name) {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireNoCallback("setName()");
    mImpl->name = name;
    if (mImpl->recording && mImpl->recording->trail)
        mImpl->recording->trail->rename(mImpl->describe());
}

Event Sequence::event() const {
    return mImpl->queue ? mImpl->event : Event();
}

void Sequence::clear() {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireNoCallback("clear()");
    if (mImpl->state == Impl::State::eRecording)
        mImpl->end();
    mImpl->forgetOperations();
}

void Sequence::rerecord() {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireIdle("rerecord()");
    if (mImpl->state == Impl::State::eRecording)
        mImpl->end();
    const std::shared_ptr<Sequence> self = weak_from_this().lock();
    const Impl::Calling calling(*mImpl);
    mImpl->begin();
    mImpl->recordAll();
}

void Sequence::begin() {
    const CallGate::Call call(mImpl->gate);
    mImpl->prepareToRecord("begin()");
}

void Sequence::end() {
    const CallGate::Call call(mImpl->gate);
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
bool Sequence::timedOut() const {
    return mImpl->timedOut;
}
bool Sequence::isInit() const {
    return mImpl->queue != nullptr;
}

std::vector<uint64_t> Sequence::getTimestamps() {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireIdle("getTimestamps()");
    if (mImpl->totalTimestamps == 0)
        throw InvalidArgument("timestamps are off: make the sequence with Manager::sequence(queue, "
                              "number of operations)");
    if (mImpl->state != Impl::State::eFinished || !mImpl->recording->hasTimes())
        throw InvalidArgument("there are no timestamps: the last evaluation was not waited for, or "
                              "it failed");
    if (mImpl->recording->timedOverflow)
        fail<InvalidArgument>(
            "the sequence was made for timestamps of {} operations, but more were "
            "recorded",
            mImpl->totalTimestamps);
    return mImpl->recording->readTicks();
}

std::vector<uint64_t> Sequence::getTimestampsNs() {
    getTimestamps(); // checks
    return mImpl->recording->readTimes();
}

void Sequence::destroy() {
    const CallGate::Call call(mImpl->gate);
    mImpl->destroy();
}

namespace {

/// Copies the host's changes to the device, in memory that the host application's next submission
/// of a recording uses. That submission is not ordered after the copies, so waits.
void bringToDeviceNow(const Recording& recording) {
    for (const vulkan::ResourceAccess& access : recording.accesses.resources())
        if (access.resource->hostNewer() != 0 && !access.mirror.replaces) {
            vulkan::bringToDevice(*access.resource, access.mirror);
            access.resource->waitUntilFree(false);
        }
}

} // namespace

void Sequence::recordInto(VkCommandBuffer commandBuffer) {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireIdle("recordInto()");
    if (!commandBuffer)
        throw InvalidArgument("the command buffer to record into is null");
    const std::shared_ptr<Sequence> self = weak_from_this().lock();
    const Impl::Calling calling(*mImpl);
    auto recording = std::make_shared<Recording>();
    Recorder recorder(mImpl->device(), *recording, commandBuffer);
    recorder.begin(0);
    for (const std::shared_ptr<OpBase>& op : mImpl->operations)
        recorder.record(*op);
    recorder.end();
    bringToDeviceNow(*recording);
    // Images get their first layout from a submission of the library.
    vulkan::submitOrdered(mImpl->queue->queue, {}, recording->accesses);
    mImpl->recordedInto = std::move(recording);
}

void Sequence::preEval() {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireNoCallback("preEval()");
    const std::shared_ptr<Sequence> self = weak_from_this().lock();
    const Impl::Calling calling(*mImpl);
    for (const std::shared_ptr<OpBase>& op : mImpl->hooked)
        native::preEval(*op, nullptr);
    if (mImpl->recordedInto) {
        bringToDeviceNow(*mImpl->recordedInto);
        pushRows(mImpl->recordedInto->padded);
    }
}

void Sequence::postEval() {
    const CallGate::Call call(mImpl->gate);
    mImpl->requireNoCallback("postEval()");
    const std::shared_ptr<Sequence> self = weak_from_this().lock();
    const Impl::Calling calling(*mImpl);
    if (mImpl->recordedInto) {
        vulkan::noteForeignRun(mImpl->device(), mImpl->recordedInto->accesses);
        pullRows(mImpl->recordedInto->padded);
        if (const std::exception_ptr faults = takeFaults(mImpl->recordedInto->reports))
            std::rethrow_exception(faults);
    }
    for (const std::shared_ptr<OpBase>& op : mImpl->hooked)
        native::postEval(*op, nullptr);
}

VkCommandBuffer Sequence::nativeCommandBuffer() const {
    return mImpl->recording ? mImpl->recording->commandBuffer.handle() : VK_NULL_HANDLE;
}

namespace {

/// @throws InvalidArgument if they cannot be evaluated together
void requireEvaluable(const std::vector<std::shared_ptr<Sequence>>& sequences) {
    std::unordered_set<const Sequence*> seen;
    for (const std::shared_ptr<Sequence>& sequence : sequences) {
        if (!sequence)
            throw InvalidArgument("a sequence to evaluate is null");
        if (!seen.insert(sequence.get()).second)
            throw InvalidArgument("a sequence to evaluate was given twice");
        implOf(*sequence).requireIdle("evalAllAsync()");
    }
}

vulkan::Queue& queueOf(const Sequence& sequence) {
    return implOf(sequence).queue->queue;
}

/// Returns true if the state of a host mirror before @p next depends on a write of an operation of
/// @p earlier, which must then be submitted first: the mirror must be copied from the device, or
/// holds newer data that is copied to the device unless it was written.
bool takesMirrorsOf(Sequence& next, std::span<Sequence* const> earlier) {
    for (const vulkan::ResourceAccess& access : implOf(next).recording->accesses.resources()) {
        const vulkan::HostMirror* mirror = access.resource->mirror();
        const bool behind = mirror && access.mirror.uploads && mirror->behindCopies();
        const bool newer = access.resource->hostNewer() != 0;
        if (!access.mirror.uploads && !newer)
            continue;
        for (const Sequence* sequence : earlier)
            for (const vulkan::ResourceAccess& other :
                 implOf(*sequence).recording->accesses.resources())
                if (other.resource == access.resource &&
                    ((access.mirror.uploads && other.mirror.copied) ||
                     (other.writes && (behind || newer))))
                    return true;
    }
    return false;
}

void launchTogether(std::span<Sequence* const> neighbours) {
    std::vector<Recording*> recordings;
    for (Sequence* sequence : neighbours) {
        Sequence::Impl& impl = implOf(*sequence);
        if (const std::shared_ptr<Queue> followed = impl.queueToFollow())
            implOf(*followed).waitUntilSubmitted();
        impl.makeSubmittable();
        impl.preEval();
        recordings.push_back(impl.recording.get());
    }
    const Submitted work = submit(queueOf(*neighbours.front()), recordings, {},
                                  implOf(*neighbours.front()).queue->rules);
    for (Sequence* sequence : neighbours)
        implOf(*sequence).noteLaunched(implOf(*sequence).queue->launched(work));
}

} // namespace

void evalAllAsync(const std::vector<std::shared_ptr<Sequence>>& sequences) {
    std::deque<CallGate::Call> calls;
    for (const std::shared_ptr<Sequence>& sequence : sequences)
        if (sequence)
            calls.emplace_back(implOf(*sequence).gate);
    requireEvaluable(sequences);
    // An operation of one sequence must not change another one.
    std::deque<Sequence::Impl::Calling> calling;
    for (const std::shared_ptr<Sequence>& sequence : sequences)
        calling.emplace_back(implOf(*sequence));
    std::vector<Sequence*> ready;
    for (const std::shared_ptr<Sequence>& sequence : sequences)
        if (implOf(*sequence).complete())
            ready.push_back(sequence.get());
    for (size_t first = 0; first < ready.size();) {
        size_t end = first + 1;
        while (end < ready.size() && &queueOf(*ready[end]) == &queueOf(*ready[first]) &&
               !takesMirrorsOf(*ready[end], std::span(ready).subspan(first, end - first)))
            ++end;
        launchTogether(std::span(ready).subspan(first, end - first));
        first = end;
    }
}

void evalAll(const std::vector<std::shared_ptr<Sequence>>& sequences) {
    evalAllAsync(sequences);
    std::exception_ptr failure;
    for (const std::shared_ptr<Sequence>& sequence : sequences) {
        try {
            if (sequence->isRunning())
                awaitStarted(*sequence);
        } catch (...) {
            if (!failure)
                failure = std::current_exception();
        }
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace kp
