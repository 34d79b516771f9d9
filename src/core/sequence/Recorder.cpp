// SPDX-License-Identifier: Apache-2.0
#include "core/sequence/Recorder.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/operations/OpAlgoDispatch.hpp>

#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/algorithm/AlgorithmImpl.hpp"
#include "core/algorithm/DispatchCommands.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/OperationClass.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/queue/Barriers.hpp"

namespace kp {
namespace {

thread_local Recorder* tActive = nullptr;

vulkan::WorkKind kindOf(Accesses::By by) {
    if (by == Accesses::By::eTransfer)
        return vulkan::WorkKind::eTransfer;
    return by == Accesses::By::eIndirect ? vulkan::WorkKind::eIndirect : vulkan::WorkKind::eCompute;
}

/// Makes a recorder the active one of this thread for the length of a scope.
class Activation {
public:
    explicit Activation(Recorder* recorder) : mPrevious(tActive) { tActive = recorder; }
    ~Activation() { tActive = mPrevious; }
    Activation(const Activation&) = delete;
    Activation& operator=(const Activation&) = delete;

private:
    Recorder* mPrevious;
};

void requireAlgorithmOf(const vulkan::Device& device, const Algorithm::Impl& algorithm) {
    if (algorithm.device.get() == &device) [[likely]]
        return;
    for (const std::shared_ptr<Memory>& memory : algorithm.memObjects)
        requireSameDevice(*memory, device, "a sequence");
    failForeign("an algorithm", *algorithm.device, "a sequence", device);
}

} // namespace

const vulkan::Queue& computeQueue(const vulkan::Device& device) {
    for (size_t i = 0; i < device.userQueueCount(); ++i)
        if (device.queue(i).computes())
            return device.queue(i);
    fail<Unsupported>("{} has no queue that computes, which operations need", device.name());
}

void OpBase::recordPart(const vk::CommandBuffer& commandBuffer, OpBase& part) {
    Recorder* recorder = Recorder::active(native::handleOf(commandBuffer));
    if (!recorder)
        throw InvalidArgument("recordPart() is for record(), while a sequence calls it");
    recorder->recordPart(part);
}

Recorder::Recorder(vulkan::Device& device, Recording& recording, VkCommandBuffer commandBuffer,
                   Order order)
    : mDevice(device), mRecording(recording), mCommandBuffer(commandBuffer),
      mLabels(device.labels() ? Labels::eOperations : Labels::eNone), mBound(device, commandBuffer),
      mDispatches(order == Order::eByNeed ? Dispatches::eDeferred : Dispatches::eRecorded),
      mCopies(!recording.trail) {} // copies are recorded elsewhere, without the trail

Recorder* Recorder::active(VkCommandBuffer commandBuffer) {
    return tActive && tActive->mCommandBuffer == commandBuffer ? tActive : nullptr;
}

bool Recorder::predicates() {
    return tActive && tActive->mBound.predication();
}

bool Recorder::choosesCommands() {
    return tActive && tActive->mRecording.commandBuffer;
}

void Recorder::begin(uint32_t timestamps, const std::string& name) {
    if (mLabels != Labels::eNone) {
        mDevice.setName(VK_OBJECT_TYPE_COMMAND_BUFFER, mCommandBuffer, name);
        if (!name.empty()) {
            vulkan::recordBeginLabel(mDevice, mCommandBuffer, name.c_str());
            mLabels = Labels::eSequence;
        }
    }
    if (timestamps == 0)
        return;
    mTimed = timestamps;
    dropCopies();
    mDispatches = Dispatches::eRecorded; // the times belong to the operations in their order
    mRecording.acquireQueries(mDevice, timestamps + 1);
    if (!mDevice.queryPools().hostReset())
        vulkan::recordResetTimestamps(mDevice, mCommandBuffer, mRecording.queries.handle(),
                                      timestamps + 1);
    writeTimestamp();
}

void Recorder::writeTimestamp(bool launch) {
    if (mTimed == 0)
        return;
    if (mRecording.timestamps > mTimed) {
        mRecording.timedOverflow = true;
        return;
    }
    vulkan::recordTimestamp(mDevice, mCommandBuffer, mRecording.queries.handle(),
                            mRecording.timestamps++, launch);
}

void Recorder::writeOwedTimestamp() {
    if (mLast != Last::eUntimedDispatch)
        return;
    mLast = Last::eDispatch;
    writeTimestamp();
}

void Recorder::note(const Accesses::Entry& entry) {
    requireSameDevice(*entry.memory, mDevice, "a sequence");
    Memory::Impl& impl = implOf(*entry.memory);
    const bool mirror = entry.part == Accesses::Part::eMirror;
    const std::shared_ptr<vulkan::Resource> resource =
        mirror ? std::shared_ptr<vulkan::Resource>(impl.mirrorBuffer()) : impl.primary();
    const size_t known = mRecording.accesses.resources().size();
    mOperationAccesses.push_back({mRecording.accesses.add(resource, entry.writes), kindOf(entry.by),
                                  entry.reads, entry.writes});
    if (entry.copied && !mirror) {
        vulkan::MirrorUse& use = mRecording.accesses.mirrorUse(*resource);
        use.copied = true;
        // A skipped step replaces nothing.
        use.replaces |= entry.replaces && mRecording.accesses.resources().size() > known &&
                        !mBound.predication();
    }
    mClosing.hostMayRead |= entry.writes && (mirror || impl.hostReadable());
    notePadded(entry.memory);
}

void Recorder::noteMirrors(const Accesses& accesses) {
    for (const Accesses::Entry& entry : accesses.entries()) {
        if (entry.part != Accesses::Part::eMirror)
            continue;
        vulkan::Resource& memory = implOf(*entry.memory).memory();
        mRecording.accesses.add(implOf(*entry.memory).primary(), false);
        vulkan::MirrorUse& use = mRecording.accesses.mirrorUse(memory);
        use.synced = true;
        use.agrees = true;
        use.copied = false;
        if (entry.reads) {
            use.uploads = true;
            memory.mirror()->noteSyncDevice();
        }
        if (entry.writes)
            memory.mirror()->noteSyncLocal();
    }
}

void Recorder::notePadded(const std::shared_ptr<Memory>& memory) {
    std::vector<std::shared_ptr<Memory>>& padded = mRecording.padded;
    if (implOf(*memory).padded && std::find(padded.begin(), padded.end(), memory) == padded.end())
        padded.push_back(memory);
}

void Recorder::keepBinding(const std::shared_ptr<const MemoryBinding>& binding) {
    keep(binding);
    if (binding->notes.report) [[unlikely]]
        noteReport(binding->notes.report);
}

void Recorder::noteReport(const std::shared_ptr<CheckReport>& report) {
    CheckReports& reports = mRecording.reports;
    if (std::find(reports.begin(), reports.end(), report) == reports.end())
        reports.push_back(report);
    mClosing.kinds |= vulkan::bit(vulkan::WorkKind::eCompute);
    mClosing.hostMayRead = true;
}

void Recorder::recordDispatch(const OpAlgoDispatch& op) {
    DispatchCommands commands(op);
    if (commands.bound().notes.report) [[unlikely]]
        commands.useOwnReport(mRecording.reports);
    const Algorithm::Impl& algorithm = commands.algorithm();
    requireAlgorithmOf(mDevice, algorithm);
    note(commands.bound());
    if (commands.bound().padded) [[unlikely]]
        algorithm.eachUsed([this](const shader::Binding&, const std::shared_ptr<Memory>& memory) {
            notePadded(memory);
        });
    if (op.mGroupCounts) [[unlikely]]
        note({op.mGroupCounts, true, false, Accesses::By::eIndirect});
    notePredication(op.mGroupCounts != nullptr);
    keepBinding(commands.binding());
    recordOrDefer(commands, algorithm.accessesAnything());
    if (mCopies)
        copy(commands);
    mLast = Last::eDispatch;
}

void Recorder::copy(const DispatchCommands& commands) {
    if (!commands.accessesBindingOnly() || mRecording.copies.size() == Recording::kMaxCopies) {
        dropCopies();
        return;
    }
    try {
        mRecording.copies.add(commands);
    } catch (const std::bad_alloc&) { // it works without
        dropCopies();
    }
}

void Recorder::dropCopies() {
    mCopies = false;
    mRecording.copies.clear();
}

void Recorder::record(const DispatchCommands& commands) {
    note(commands.bound());
    recordOrDefer(commands, false);
}

void Recorder::note(const MemoryBinding& binding) {
    mOperationAccesses.clear();
    for (const MemoryBinding::Use& use : binding.uses)
        mOperationAccesses.push_back({mRecording.accesses.addBorrowed(*use.resource, use.writes),
                                      vulkan::WorkKind::eCompute, use.reads, use.writes});
    mClosing.hostMayRead |= binding.hostMayRead;
}

// Dispatches read their group counts, and indirect ones copy theirs before (Predication).
void Recorder::notePredication(bool indirect) {
    Predication* const predication = mBound.predication();
    if (!predication) [[likely]]
        return;
    std::vector<vulkan::HazardAccess> copied;
    for (const vulkan::HazardAccess& access : mOperationAccesses)
        if (access.kind == vulkan::WorkKind::eIndirect)
            copied.push_back({access.memory, vulkan::WorkKind::eCompute, true, false});
    mOperationAccesses.insert(mOperationAccesses.end(), copied.begin(), copied.end());
    keep(predication->counts());
    const uint32_t counts = mRecording.accesses.add(predication->counts(), indirect);
    mOperationAccesses.push_back({counts, vulkan::WorkKind::eIndirect, true, false});
    if (indirect)
        mOperationAccesses.push_back({counts, vulkan::WorkKind::eCompute, false, true});
}

void Recorder::recordOrDefer(const DispatchCommands& commands, bool anything) {
    if (mDispatches == Dispatches::eDeferred && !anything) {
        mRecording.deferred.add(commands, mOperationAccesses);
    } else {
        recordDeferred();
        recordDispatch(commands, mOperationAccesses, anything);
    }
}

void Recorder::requireComplete() const {
    if (mDispatches == Dispatches::eLost)
        throw OutOfMemory("memory ran out while a sequence was recorded; record it again");
}

void Recorder::recordDeferred() {
    requireComplete();
    if (mRecording.deferred.empty())
        return;
    const Dispatches before = std::exchange(mDispatches, Dispatches::eLost); // unless this returns
    mRecording.deferred.forEach(
        [&](const DispatchCommands& commands, std::span<const vulkan::HazardAccess> accesses) {
            recordDispatch(commands, accesses, false);
        });
    mRecording.deferred.clear();
    mDispatches = before;
}

void Recorder::recordDispatch(const DispatchCommands& commands,
                              std::span<const vulkan::HazardAccess> accesses, bool anything) {
    const bool waits = recordBarrier(accesses, anything);
    const bool endsThePreviousOne = mLast == Last::eUntimedDispatch && waits;
    if (!endsThePreviousOne)
        writeOwedTimestamp();
    if (mRecording.trail) [[unlikely]]
        leaveCrumb(commands.describe());
    if (mLabels != Labels::eNone)
        vulkan::recordBeginLabel(mDevice, mCommandBuffer, commands.label());
    commands.record(mBound, mCommandBuffer);
    if (endsThePreviousOne) {
        mLast = Last::eDispatch;
        writeTimestamp(true);
    }
    if (mLabels != Labels::eNone)
        vulkan::recordEndLabel(mDevice, mCommandBuffer);
}

void Recorder::recordOther(OpBase& op) {
    dropCopies();
    recordDeferred();
    writeOwedTimestamp();
    mLast = Last::eOperation;
    if (!op.mInitialised) {
        op.init();
        op.mInitialised = true;
    }
    const Activation activation(this);
    mOperationAccesses.clear();
    if (mBound.predication() && !op.mSkippable)
        fail<InvalidArgument>(
            "OpRepeat cannot skip {}: it has other commands than dispatches, which would run in "
            "every step. Record it before or after OpRepeat, or use a shader",
            classNameOf(op));
    if (vulkan::CommandTape* const tape = vulkan::CommandTape::of(mCommandBuffer);
        tape && !op.mSavable) [[unlikely]]
        tape->noteUnknown(classNameOf(op));
    const Accesses accesses = op.accesses();
    bool indirect = false;
    for (const Accesses::Entry& entry : accesses.entries()) {
        note(entry);
        indirect |= entry.by == Accesses::By::eIndirect;
    }
    notePredication(indirect);
    noteMirrors(accesses);
    recordBarrier(mOperationAccesses, accesses.isAnything());

    if (mRecording.trail) [[unlikely]]
        leaveCrumb(classNameOf(op));
    if (mLabels != Labels::eNone)
        vulkan::recordBeginLabel(mDevice, mCommandBuffer, classNameOf(op).c_str());
    const Current around = std::exchange(mCurrent, {&op, !accesses.isAnything(), false});
    native::record(op, mCommandBuffer);
    if (!std::exchange(mCurrent, around).keepsBindings)
        mBound.forget();
    restoreLayouts();
    if (mLabels != Labels::eNone)
        vulkan::recordEndLabel(mDevice, mCommandBuffer);
}

void Recorder::leaveCrumb(std::string operation) {
    if (mOuter)
        operation = formatted("{}, part {}: {}", classNameOf(*mOuter), ++mParts, operation);
    else
        mParts = 0;
    mRecording.trail->add(mCommandBuffer, std::move(operation));
}

// Submissions of the library end with a barrier against dispatches and transfers of later ones. The
// host application's commands around this recording may not.
void Recorder::recordOpening(bool anything) {
    const bool amongForeign = mDevice.wrapped() || !mRecording.commandBuffer;
    if (anything)
        vulkan::recordFullBarrier(mDevice, mCommandBuffer);
    else if (amongForeign)
        vulkan::recordOpeningBarrier(mDevice, mCommandBuffer);
    mOpening = anything || amongForeign ? Opening::eIndirect : Opening::eClosedKinds;
}

bool Recorder::recordBarrier(std::span<const vulkan::HazardAccess> accesses, bool anything) {
    if (mOpening == Opening::eNothing)
        recordOpening(anything);
    if (vulkan::CommandTape* const tape = vulkan::CommandTape::of(mCommandBuffer)) [[unlikely]]
        tape->noteAccesses(accesses);
    vulkan::HazardBarrier barrier;
    if (anything) {
        mRecording.accesses.addUnknown();
        barrier = mRecording.hazards.nextUnknown();
    } else {
        vulkan::WorkKinds kinds = 0;
        for (const vulkan::HazardAccess& access : accesses)
            kinds |= vulkan::bit(access.kind);
        mClosing.kinds |= kinds;
        barrier = mRecording.hazards.next(accesses);
        if ((kinds & vulkan::bit(vulkan::WorkKind::eIndirect)) && mOpening != Opening::eIndirect) {
            barrier.before |= vulkan::kClosedKinds;
            barrier.after |= vulkan::bit(vulkan::WorkKind::eIndirect);
            mOpening = Opening::eIndirect;
        }
    }
    if (barrier.needed())
        vulkan::recordHazardBarrier(mDevice, mCommandBuffer, barrier);
    return (barrier.before & vulkan::bit(vulkan::WorkKind::eCompute)) != 0;
}

void Recorder::record(OpBase& op) {
    recordCommands(op);
    if (mTimed != 0 && mLast == Last::eDispatch && mDevice.plan().launchTimestamps)
        mLast = Last::eUntimedDispatch;
    else
        writeTimestamp();
}

void Recorder::recordPart(OpBase& op) {
    // The operation around it may have recorded anything up to here, and may do so after it.
    restoreLayouts();
    mBound.forget();
    const OpBase* const outerOuter = std::exchange(mOuter, mCurrent.op);
    // The operation around it may record more.
    const Dispatches dispatches = std::exchange(mDispatches, Dispatches::eRecorded);
    recordCommands(op);
    mDispatches = dispatches;
    mOuter = outerOuter;
    mCurrent.keepsBindings = false;
    mLast = Last::eOperation;
}

void Recorder::recordStep(std::span<const std::shared_ptr<OpBase>> operations,
                          Predication& predication) {
    struct Step {
        Step(Recorder& recorder, Predication& predication)
            : of(recorder), scratch(std::exchange(recorder.mScratch, nullptr)) {
            of.mBound.setPredication(&predication);
        }
        ~Step() {
            of.mBound.setPredication(nullptr);
            of.mScratch = scratch;
        }
        Recorder& of;
        vulkan::SharedScratch::Loan* const scratch;
    };
    const Step step(*this, predication);
    for (const std::shared_ptr<OpBase>& operation : operations)
        recordPart(*operation);
}

void Recorder::rehearseStep(vulkan::Device& device,
                            std::span<const std::shared_ptr<OpBase>> operations,
                            Predication& predication) {
    Recording recording;
    recording.begin(device, computeQueue(device), [] { return std::string("a rehearsal"); });
    Recorder recorder(device, recording, recording.commandBuffer.handle());
    const Activation activation(&recorder);
    recorder.recordStep(operations, predication);
}

std::vector<const vulkan::Resource*>
Recorder::writtenBy(vulkan::Device& device, std::span<const std::shared_ptr<OpBase>> operations) {
    Recording recording;
    recording.begin(device, computeQueue(device), [] { return std::string("a rehearsal"); });
    Recorder recorder(device, recording, recording.commandBuffer.handle());
    for (const std::shared_ptr<OpBase>& operation : operations)
        recorder.record(*operation);
    std::vector<const vulkan::Resource*> written;
    for (const vulkan::ResourceAccess& access : recording.accesses.resources())
        if (access.writes)
            written.push_back(access.resource.get());
    return written;
}

void Recorder::recordCommands(OpBase& op) {
    if (isPlainDispatch(op)) [[likely]]
        recordDispatch(static_cast<const OpAlgoDispatch&>(op));
    else
        recordOther(op);
}

void Recorder::restoreLayouts() {
    for (const std::shared_ptr<vulkan::Image>& image : mChangedLayouts)
        if (image->recordedLayout() != VK_IMAGE_LAYOUT_GENERAL)
            vulkan::recordRestoreLayout(mCommandBuffer, *image);
    mChangedLayouts.clear();
}

void Recorder::end() {
    recordDeferred();
    writeOwedTimestamp();
    if (mRecording.trail) [[unlikely]]
        mRecording.trail->end(mCommandBuffer);
    if (mLabels == Labels::eSequence)
        vulkan::recordEndLabel(mDevice, mCommandBuffer);
    mRecording.dropUnused();
    if (mRecording.accesses.unknown()) {
        vulkan::recordFullBarrier(mDevice, mCommandBuffer);
        vulkan::recordHostBarrier(mDevice, mCommandBuffer);
    } else if (mClosing.kinds != 0) {
        vulkan::recordClosingBarrier(mDevice, mCommandBuffer, mClosing.kinds, mClosing.hostMayRead);
    }
}

} // namespace kp
