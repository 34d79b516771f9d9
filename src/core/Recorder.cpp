// SPDX-License-Identifier: Apache-2.0
#include "core/Recorder.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <typeinfo>
#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

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

void Recording::reset() {
    accesses.clear();
    kept.clear();
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

void Recorder::writeTimestamp() {
    if (mTimed == 0)
        return;
    if (mRecording.timestamps > mTimed) {
        mRecording.timedOverflow = true;
        return;
    }
    vulkan::recordTimestamp(mDevice, mCommandBuffer, mRecording.queries.handle(),
                            mRecording.timestamps++);
}

template <typename T>
void Recorder::note(const std::shared_ptr<T>& resource, const Accesses::Entry& entry) {
    mOperationAccesses.push_back(
        {resource->hazardKey(), kindOf(entry.by), entry.reads, entry.writes});
    mRecording.accesses.add(resource, entry.writes);
}

void Recorder::order(const Accesses& accesses) {
    mOperationAccesses.clear();
    for (const Accesses::Entry& entry : accesses.entries()) {
        requireSameDevice(*entry.memory, mDevice, "a sequence");
        Memory::Impl& impl = entry.memory->impl();
        if (entry.part == Accesses::Part::eMirror)
            note(impl.ensureMirror(), entry);
        else if (impl.buffer)
            note(impl.buffer, entry);
        else
            note(impl.image, entry);
        mHostMayRead |= entry.writes && (entry.part == Accesses::Part::eMirror || !impl.mirrored);
        if (impl.padded && std::find(mRecording.padded.begin(), mRecording.padded.end(),
                                     entry.memory) == mRecording.padded.end())
            mRecording.padded.push_back(entry.memory);
    }
    if (!mOpened) {
        if (accesses.isAnything())
            vulkan::recordFullBarrier(mDevice, mCommandBuffer);
        else
            vulkan::recordOpeningBarrier(mDevice, mCommandBuffer);
        mOpened = true;
    }
    vulkan::HazardBarrier barrier;
    if (accesses.isAnything()) {
        mRecording.accesses.addUnknown();
        mHostMayRead = true;
        barrier = mHazards.nextUnknown();
    } else {
        barrier = mHazards.next(mOperationAccesses);
    }
    if (barrier.needed())
        vulkan::recordHazardBarrier(mDevice, mCommandBuffer, barrier);
}

void Recorder::record(OpBase& op) {
    if (!op.mInitialised) {
        op.init();
        op.mInitialised = true;
    }
    const Activation activation(this);
    order(op.accesses());
    if (mLabels)
        vulkan::recordBeginLabel(mDevice, mCommandBuffer, nameOf(op).c_str());
    mBindingsKnown = false;
    native::record(op, mCommandBuffer);
    if (!mBindingsKnown)
        forgetBindings();
    for (const std::shared_ptr<vulkan::Image>& image : mChangedLayouts)
        if (image->recordedLayout() != VK_IMAGE_LAYOUT_GENERAL)
            vulkan::recordRestoreLayout(mCommandBuffer, *image);
    mChangedLayouts.clear();
    if (mLabels)
        vulkan::recordEndLabel(mDevice, mCommandBuffer);
    writeTimestamp();
}

void Recorder::end() {
    if (mRecording.accesses.unknown())
        vulkan::recordFullBarrier(mDevice, mCommandBuffer);
    if (mHostMayRead)
        vulkan::recordHostBarrier(mDevice, mCommandBuffer);
}

void Recorder::keep(std::shared_ptr<const void> object) {
    if (mRecording.kept.empty() || mRecording.kept.back() != object)
        mRecording.kept.push_back(std::move(object));
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
