// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/HostMirror.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <kompute/logger/Logger.hpp>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/Image.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp::vulkan {

HostMirror::HostMirror(Resource& memory, uint64_t bytes) : mMemory(memory), mBytes(bytes) {}

HostMirror::HostMirror(const std::shared_ptr<Buffer>& memory, uint64_t bytes)
    : HostMirror(*memory, bytes) {
    mDeviceBuffer = memory;
}

HostMirror::HostMirror(const std::shared_ptr<Image>& memory, uint64_t bytes)
    : HostMirror(*memory, bytes) {
    mDeviceImage = memory;
}

HostMirror::~HostMirror() = default;

const std::shared_ptr<Buffer>& HostMirror::buffer() {
    if (!mBuffer)
        mBuffer = Buffer::create(mMemory.device(), mBytes, MemoryPlace::eHost);
    return mBuffer;
}

void HostMirror::release() {
    const std::lock_guard lock(mMutex);
    mMemory.setHostNewer(0);
    mSynced.store(false, std::memory_order_relaxed);
    mBuffer.reset();
}

bool HostMirror::agrees() const {
    return mAgreedWrites.load(std::memory_order_relaxed) == mMemory.use().writes();
}

bool HostMirror::deviceHasContents() const {
    return mWritten.load(std::memory_order_relaxed) || mExposed.load(std::memory_order_relaxed) ||
           mMemory.use().writes() > 0;
}

bool HostMirror::mustFetch() const {
    return mCopied.load(std::memory_order_relaxed) ||
           ((mMemory.hostNewer() & (kChanged | kOnlyHost)) == 0 && !agrees());
}

bool HostMirror::syncing() const {
    if (!mSynced.load(std::memory_order_acquire))
        return false;
    const std::vector<TimelinePoint> writes = mBuffer->usesBefore(false);
    return !std::ranges::all_of(writes, DeletionQueue::reached);
}

void HostMirror::finishSync() {
    if (!mSynced.exchange(false, std::memory_order_acquire))
        return;
    try {
        mBuffer->waitUntilFree(false);
    } catch (...) {
        mSynced.store(true, std::memory_order_relaxed);
        throw;
    }
}

bool HostMirror::current() const {
    return !mustFetch() && !syncing();
}

void HostMirror::fetch() {
    const std::shared_ptr<Buffer>& mirror = buffer();
    const uint64_t writes = mMemory.use().writes();
    const bool copied = mCopied.exchange(false, std::memory_order_acquire);
    Transfer& transfer = mMemory.device().transfer();
    try {
        if (const std::shared_ptr<Buffer> memory = mDeviceBuffer.lock()) {
            transfer.download(memory, 0, mirror, mBytes);
        } else if (const std::shared_ptr<Image> image = mDeviceImage.lock()) {
            mirror->waitUntilFree(true);
            transfer.download(image, mirror->mapped());
        }
    } catch (...) {
        if (copied)
            mCopied.store(true, std::memory_order_relaxed);
        throw;
    }
    mAgreedWrites.store(writes, std::memory_order_relaxed);
    mMemory.setHostNewer(0);
}

void HostMirror::upload() {
    const std::shared_ptr<Buffer> mirror = mBuffer;
    Transfer& transfer = mMemory.device().transfer();
    mirror->waitUntilFree(false);
    if (const std::shared_ptr<Buffer> memory = mDeviceBuffer.lock())
        transfer.upload(memory, 0, mirror->mapped(), mBytes);
    else if (const std::shared_ptr<Image> image = mDeviceImage.lock())
        transfer.upload(image, mirror->mapped());
    mWritten.store(true, std::memory_order_relaxed);
    mAgreedWrites.store(mMemory.use().writes(), std::memory_order_relaxed);
    mMemory.setHostNewer(0);
}

void* HostMirror::view() {
    const std::lock_guard lock(mMutex);
    if (mustFetch())
        fetch();
    else
        finishSync();
    return buffer()->mapped();
}

void* HostMirror::give() {
    void* const memory = view();
    noteGiven();
    return memory;
}

void* HostMirror::viewAtOnce(bool given) {
    if (given && mMemory.hostNewer() != 0 && current())
        return mBuffer->mapped();
    void* memory = nullptr;
    {
        const std::lock_guard lock(mMutex);
        if (mustFetch() || mSynced.load(std::memory_order_acquire))
            return nullptr;
        memory = buffer()->mapped();
    }
    if (given)
        noteGiven();
    return memory;
}

void HostMirror::noteGiven() {
    if (!deviceHasContents())
        addNewer(kOnlyHost);
    else if (!programCopies() && !mSyncsLocal.load(std::memory_order_relaxed))
        addNewer(kViewGiven);
}

void HostMirror::replace(const void* data) {
    const std::lock_guard lock(mMutex);
    finishSync(); // it would overwrite the data
    std::memcpy(buffer()->mapped(), data, mBytes);
    noteHostChange();
}

void HostMirror::noteHostChange() {
    buffer();
    mCopied.store(false, std::memory_order_relaxed);
    addNewer(deviceHasContents() ? kChanged : kOnlyHost);
}

void HostMirror::addNewer(uint8_t bits) {
    mMemory.setHostNewer(static_cast<uint8_t>(mMemory.hostNewer() | bits));
}

void HostMirror::fetchCopies() {
    const std::lock_guard lock(mMutex);
    if (mCopied.load(std::memory_order_relaxed))
        fetch();
}

void HostMirror::noteDeviceWrite() {
    mWritten.store(true, std::memory_order_relaxed);
    mMemory.setHostNewer(0);
    mCopied.store(true, std::memory_order_release);
}

void HostMirror::expose() {
    const std::lock_guard lock(mMutex);
    if ((mMemory.hostNewer() & kOnlyHost) && mBuffer)
        upload();
    mExposed.store(true, std::memory_order_relaxed);
}

void HostMirror::beforeUse(const MirrorUse& use) {
    if (use.replaces)
        return;
    const std::lock_guard lock(mMutex);
    const uint8_t newer = mMemory.hostNewer();
    if (newer == 0 || !mBuffer || mMemory.destroyed())
        return;
    if (newer & kOnlyHost) {
        upload();
        return;
    }
    if (newer & kChanged) {
        if (!programCopies()) {
            upload();
        } else if (!mWarned) {
            mWarned = true;
            KP_LOG_WARN(
                "memory is used whose host view was changed (setData(), or an assignment in "
                "Python) since the last OpSyncDevice; the device still has the old values: "
                "record OpSyncDevice of it before the work");
        }
        return;
    }
    if (programCopies() || mSyncsLocal.load(std::memory_order_relaxed) || !agrees())
        mMemory.setHostNewer(0); // the program copies, or the device memory is newer
    else
        upload();
}

void HostMirror::noteUse(const MirrorUse& use) noexcept {
    if (use.replaces || use.synced)
        mMemory.setHostNewer(0);
    if (use.synced)
        mSynced.store(true, std::memory_order_release);
    if (use.synced || use.copied)
        mCopied.store(use.copied, std::memory_order_release);
    if (use.agrees)
        mAgreedWrites.store(mMemory.use().writes(), std::memory_order_relaxed);
}

} // namespace kp::vulkan
