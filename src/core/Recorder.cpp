// SPDX-License-Identifier: Apache-2.0
#include "core/Recorder.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>
#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

#include <kompute/Error.hpp>
#include <kompute/operations/OpAlgoDispatch.hpp>

#include "core/AlgorithmChecks.hpp"
#include "core/AlgorithmImpl.hpp"
#include "core/MemoryImpl.hpp"
#include "core/Native.hpp"
#include "vulkan/Device.hpp"

namespace kp {
namespace {

thread_local Recorder* tActive = nullptr;

/// "kp::OpCopy" where the compiler's names can be read, else the compiler's name.
std::string nameOf(const OpBase& op) {
    const char* name = typeid(op).name();
#if __has_include(<cxxabi.h>)
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> readable(
        abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
    if (status == 0)
        return readable.get();
#endif
    return name;
}

vulkan::WorkKind kindOf(Accesses::By by) {
    switch (by) {
    case Accesses::By::eDispatch:
        return vulkan::WorkKind::eCompute;
    case Accesses::By::eTransfer:
        return vulkan::WorkKind::eTransfer;
    case Accesses::By::eIndirect:
        return vulkan::WorkKind::eIndirect;
    }
    return vulkan::WorkKind::eCompute;
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

} // namespace

void OpBase::recordPart(const vk::CommandBuffer& commandBuffer, OpBase& part) {
    Recorder* recorder = Recorder::active(native::handleOf(commandBuffer));
    if (!recorder)
        throw InvalidArgument("recordPart() is for record(), while a sequence calls it");
    recorder->recordPart(part);
}

void Recording::reset() {
    accesses.clear();
    hazards.reset();
    // What nothing else has a use for any more does not wait for the next recording's end.
    for (std::shared_ptr<const void>& object : kept)
        if (object.use_count() == 1)
            object.reset();
    keptCount = 0;
    padded.clear();
    timestamps = 0;
    timedOverflow = false;
}

Recorder::Recorder(vulkan::Device& device, Recording& recording, VkCommandBuffer commandBuffer)
    : mDevice(device), mRecording(recording), mCommandBuffer(commandBuffer),
      mLabels(device.debugUtils() && device.instance()->validation().any()) {}

Recorder::~Recorder() = default;

Recorder* Recorder::active(VkCommandBuffer commandBuffer) {
    return tActive && tActive->mCommandBuffer == commandBuffer ? tActive : nullptr;
}

bool Recorder::choosesCommands() {
    return tActive && tActive->mRecording.commandBuffer;
}

void Recorder::begin(uint32_t timestamps) {
    if (timestamps == 0)
        return;
    mTimed = timestamps;
    if (!mRecording.queries || mRecording.queries.capacity() < timestamps + 1)
        mRecording.queries = mDevice.queryPools().acquire(timestamps + 1);
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
    const auto record = launch ? vulkan::recordLaunchTimestamp : vulkan::recordTimestamp;
    record(mDevice, mCommandBuffer, mRecording.queries.handle(), mRecording.timestamps++);
}

void Recorder::writeOwedTimestamp() {
    if (std::exchange(mOwesTimestamp, false))
        writeTimestamp();
}

void Recorder::note(const Accesses::Entry& entry) {
    requireSameDevice(*entry.memory, mDevice, "a sequence");
    Memory::Impl& impl = entry.memory->impl();
    const bool mirror = entry.part == Accesses::Part::eMirror;
    const std::shared_ptr<vulkan::Resource> resource =
        mirror ? std::shared_ptr<vulkan::Resource>(impl.ensureMirror()) : impl.primary();
    mOperationAccesses.push_back({mRecording.accesses.add(resource, entry.writes), kindOf(entry.by),
                                  entry.reads, entry.writes});
    mHostMayRead |=
        entry.writes &&
        (mirror || (impl.buffer ? impl.buffer->hostReadable() : impl.image->mapped() != nullptr));
    notePadded(entry.memory);
}

void Recorder::notePadded(const std::shared_ptr<Memory>& memory) {
    std::vector<std::shared_ptr<Memory>>& padded = mRecording.padded;
    if (memory->impl().padded && std::find(padded.begin(), padded.end(), memory) == padded.end())
        padded.push_back(memory);
}

void Recorder::order(OpBase& op) {
    mOperationAccesses.clear();
    const Accesses accesses = op.accesses();
    for (const Accesses::Entry& entry : accesses.entries())
        note(entry);
    recordBarrier(accesses.isAnything());
}

// The same commands and barriers as by way of OpAlgoDispatch::accesses() and record().
bool Recorder::recordDispatch(const OpAlgoDispatch& op) {
    if (!op.mAlgorithm || op.mGroupCounts)
        return false;
    Algorithm::Impl& algorithm = op.mAlgorithm->impl();
    if (algorithm.device.get() != &mDevice || !algorithm.binding)
        return false;
    const std::span<const unsigned char> constants =
        algorithm.constantsFor({op.mPushConstants.data(), op.mPushConstants.size()});
    checkWorkgroup(algorithm.workgroup, mDevice);
    algorithm.refreshBinding();
    const Binding& binding = *algorithm.binding;
    keep(algorithm.binding);

    mOperationAccesses.clear();
    for (const Binding::Use& use : binding.uses)
        mOperationAccesses.push_back({mRecording.accesses.addBorrowed(*use.resource, use.writes),
                                      vulkan::WorkKind::eCompute, use.reads, use.writes});
    mHostMayRead |= binding.hostMayRead;
    if (binding.padded) [[unlikely]]
        for (const shader::Binding& used : algorithm.reflection->bindings)
            notePadded(algorithm.memObjects[used.binding]);
    bool waits = false;
    if (algorithm.reflection->usesBufferAddresses)
        recordBarrier(true);
    else
        waits = recordDispatchBarrier();
    const bool endsTheOneBefore = mOwesTimestamp && waits;
    if (!endsTheOneBefore)
        writeOwedTimestamp();

    if (mLabels)
        vulkan::recordBeginLabel(mDevice, mCommandBuffer, nameOf(op).c_str());
    bind(*binding.pipeline, binding.set ? binding.set->handle() : VK_NULL_HANDLE);
    if (!constants.empty())
        push(*binding.pipeline, constants.data(), static_cast<uint32_t>(constants.size()));
    vulkan::recordDispatch(mDevice, mCommandBuffer, algorithm.workgroup);
    if (endsTheOneBefore) {
        mOwesTimestamp = false;
        writeTimestamp(true);
    }
    if (mLabels)
        vulkan::recordEndLabel(mDevice, mCommandBuffer);
    mDispatched = true;
    mHooks = false;
    return true;
}

// Submissions of the library end with a barrier against the dispatches and transfers of later ones.
// What a host application submits or records around this may not.
void Recorder::recordOpening(bool anything) {
    const bool amongForeign = mDevice.wrapped() || !mRecording.commandBuffer;
    if (anything)
        vulkan::recordFullBarrier(mDevice, mCommandBuffer);
    else if (amongForeign)
        vulkan::recordOpeningBarrier(mDevice, mCommandBuffer);
    mOpened = true;
    mIndirectOpened = anything || amongForeign;
}

bool Recorder::recordDispatchBarrier() {
    if (!mOpened)
        recordOpening(false);
    if (mOperationAccesses.empty())
        return false;
    mUsedKinds |= vulkan::bit(vulkan::WorkKind::eCompute);
    const vulkan::HazardBarrier barrier = mRecording.hazards.next(mOperationAccesses);
    if (barrier.needed())
        vulkan::recordHazardBarrier(mDevice, mCommandBuffer, barrier);
    return (barrier.before & vulkan::bit(vulkan::WorkKind::eCompute)) != 0;
}

void Recorder::recordBarrier(bool anything) {
    if (!mOpened)
        recordOpening(anything);
    vulkan::HazardBarrier barrier;
    if (anything) {
        mRecording.accesses.addUnknown();
        barrier = mRecording.hazards.nextUnknown();
    } else {
        vulkan::WorkKinds kinds = 0;
        for (const vulkan::HazardAccess& access : mOperationAccesses)
            kinds |= vulkan::bit(access.kind);
        mUsedKinds |= kinds;
        barrier = mRecording.hazards.next(mOperationAccesses);
        if ((kinds & vulkan::bit(vulkan::WorkKind::eIndirect)) && !mIndirectOpened) {
            barrier.before |= vulkan::kClosedKinds;
            barrier.after |= vulkan::bit(vulkan::WorkKind::eIndirect);
            mIndirectOpened = true;
        }
    }
    if (barrier.needed())
        vulkan::recordHazardBarrier(mDevice, mCommandBuffer, barrier);
}

void Recorder::record(OpBase& op) {
    recordCommands(op);
    if (mDispatched && mDevice.plan().timesLaunches)
        mOwesTimestamp = mTimed != 0;
    else
        writeTimestamp();
}

void Recorder::recordPart(OpBase& op) {
    // The operation around it may have recorded anything up to here, and may do so after it.
    restoreLayouts();
    forgetBindings();
    const OpBase* const outer = mCurrent;
    recordCommands(op);
    mCurrent = outer;
    mBindingsKnown = false;
    mDispatched = false;
    mHooks = true;
}

void Recorder::recordCommands(OpBase& op) {
    if (typeid(op) == typeid(OpAlgoDispatch) &&
        recordDispatch(static_cast<const OpAlgoDispatch&>(op))) [[likely]]
        return;
    writeOwedTimestamp();
    mDispatched = false;
    if (!op.mInitialised) {
        op.init();
        op.mInitialised = true;
    }
    const Activation activation(this);
    order(op);
    if (mLabels)
        vulkan::recordBeginLabel(mDevice, mCommandBuffer, nameOf(op).c_str());
    mBindingsKnown = false;
    mHooks = true;
    mCurrent = &op;
    native::record(op, mCommandBuffer);
    if (!mBindingsKnown)
        forgetBindings();
    restoreLayouts();
    if (mLabels)
        vulkan::recordEndLabel(mDevice, mCommandBuffer);
}

void Recorder::restoreLayouts() {
    for (const std::shared_ptr<vulkan::Image>& image : mChangedLayouts)
        if (image->recordedLayout() != VK_IMAGE_LAYOUT_GENERAL)
            vulkan::recordRestoreLayout(mCommandBuffer, *image);
    mChangedLayouts.clear();
}

void Recorder::end() {
    writeOwedTimestamp();
    mRecording.dropOld();
    if (mRecording.accesses.unknown()) {
        vulkan::recordFullBarrier(mDevice, mCommandBuffer);
        vulkan::recordHostBarrier(mDevice, mCommandBuffer);
    } else if (mUsedKinds != 0) {
        vulkan::recordClosingBarrier(mDevice, mCommandBuffer, mUsedKinds, mHostMayRead);
    }
}

void Recorder::bind(const vulkan::Pipeline& pipeline, VkDescriptorSet set) {
    if (mBoundPipeline != pipeline.handle()) {
        vulkan::recordBind(mDevice, mCommandBuffer, pipeline);
        mBoundPipeline = pipeline.handle();
    }
    const VkPipelineLayout layout = pipeline.layout().handle();
    if (mBoundLayout != layout) {
        mBoundLayout = layout;
        mBoundSet = VK_NULL_HANDLE;
        mPushed.clear();
    }
    if (mBoundSet != set) {
        vulkan::recordBindSet(mDevice, mCommandBuffer, pipeline, set);
        mBoundSet = set;
    }
}

void Recorder::push(const vulkan::Pipeline& pipeline, const void* data, uint32_t bytes) {
    if (mBoundLayout == pipeline.layout().handle() && mPushed.size() == bytes &&
        std::memcmp(mPushed.data(), data, bytes) == 0)
        return;
    vulkan::recordPush(mDevice, mCommandBuffer, pipeline, data, bytes);
    mPushed.assign(static_cast<const unsigned char*>(data),
                   static_cast<const unsigned char*>(data) + bytes);
}

void Recorder::noteLayout(const std::shared_ptr<vulkan::Image>& image) {
    mChangedLayouts.push_back(image);
}

void Recorder::forgetBindings() {
    mBoundPipeline = VK_NULL_HANDLE;
    mBoundLayout = VK_NULL_HANDLE;
    mBoundSet = VK_NULL_HANDLE;
    mPushed.clear();
}

} // namespace kp
