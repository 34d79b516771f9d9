// SPDX-License-Identifier: Apache-2.0
#include "group/ExchangeSlot.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <kompute/logger/Logger.hpp>

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/ExternalHandle.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp::group {
namespace {

/// The size of a large page: devices copy from one large page faster than from many small ones.
constexpr std::align_val_t kHostAlignment{uint64_t{2} << 20};

} // namespace

SlotSizes slotSizes(ExchangePath path) {
    constexpr uint64_t kMiB = uint64_t{1} << 20;
    // Two logical devices of one GPU take turns on it, and a change takes an H200 165 us, as long
    // as it takes to copy 300 MiB. So each has as much to do in its turn as the slots hold. When a
    // slot of 4 MiB was read as soon as it was written, there was a change per slot: 22 GB/s.
    // Through host memory the GPU's copy engines do the work, at the rate of the link: 47 to 51.
    if (path == ExchangePath::eSharedMemory)
        return {16 * kMiB, 4, 8, 4, true};
    if (path == ExchangePath::ePeerMemory)
        return {16 * kMiB, 4, 8, 4};
    return {4 * kMiB, 8, 32, 8};
}

ExchangeSlot::ExchangeSlot(ExchangePath path, std::vector<std::shared_ptr<vulkan::Device>> devices)
    : mPath(path), mBytes(slotSizes(path).bytes), mDevices(std::move(devices)),
      mViews(mDevices.size()), mMemories(mDevices.size()) {
    if (mPath == ExchangePath::eHostMemory)
        mHost = ::operator new(mBytes, kHostAlignment);
}

ExchangeSlot::~ExchangeSlot() {
    for (const vulkan::TimelinePoint& reader : mReaders)
        vulkan::DeletionQueue::waitDespiteErrors(reader);
    abandonCopies();
    mViews.clear(); // before their memory
    mMemories.clear();
    if (mHost)
        ::operator delete(mHost, kHostAlignment);
}

vulkan::Buffer& ExchangeSlot::view(size_t device) {
    std::shared_ptr<vulkan::Buffer>& view = mViews[device];
    if (!view)
        view = createView(device);
    return *view;
}

std::shared_ptr<vulkan::Buffer> ExchangeSlot::createView(size_t index) {
    vulkan::Device& device = *mDevices[index];
    switch (mPath) {
    case ExchangePath::eHostMemory:
        return vulkan::Buffer::importHost(device, mHost, mBytes);
    case ExchangePath::eSharedMemory:
        if (mExporter)
            return import(device, vulkan::Buffer::exportMemory(*mExporter));
        mExporter = vulkan::Buffer::createExportable(device, mBytes);
        return mExporter;
    case ExchangePath::ePeerMemory:
        if (!mLink)
            mLink = cuda::PeerLink::between(device, device);
        mMemories[index] = mLink->make(device, mBytes);
        return import(device, mMemories[index]->exportMemory());
    case ExchangePath::eStaging:
    case ExchangePath::eAuto:
        break;
    }
    return vulkan::Buffer::create(device, mBytes, vulkan::MemoryPlace::eStaging);
}

std::shared_ptr<vulkan::Buffer> ExchangeSlot::import(vulkan::Device& device,
                                                     const ExternalMemory& memory) const {
    struct OwnedHandle {
        const ExternalMemory& memory;
        ~OwnedHandle() { vulkan::closeHandle(memory); }
    } const owned{memory};
    return vulkan::Buffer::importMemory(device, memory, mBytes);
}

void ExchangeSlot::waitUntilFree() {
    for (const vulkan::TimelinePoint& reader : mReaders)
        reader.queue->wait(reader.value, UINT64_MAX, reader.queue->device().defaultWaitMode());
    mReaders.clear();
}

void ExchangeSlot::startCopy(size_t from, size_t to, uint64_t bytes) {
    if (mPath == ExchangePath::eStaging) {
        std::memcpy(view(to).mapped(), view(from).mapped(), bytes);
    } else if (mPath == ExchangePath::ePeerMemory) {
        view(to);
        mLink->start(*mMemories[from], *mMemories[to], bytes);
        mCopying = mMemories[from].get();
    }
}

void ExchangeSlot::finishCopies() {
    if (cuda::PeerLink::Memory* const source = std::exchange(mCopying, nullptr))
        mLink->finish(*source);
}

void ExchangeSlot::abandonCopies() noexcept {
    try {
        finishCopies();
    } catch (const std::exception& error) {
        KP_LOG_WARN("an abandoned copy between devices failed: {}", error.what());
    }
}

ExchangeSlotPool::Lease ExchangeSlotPool::lease(size_t count) {
    count = std::clamp<size_t>(count, 1, mSizes.perLease);
    std::vector<std::unique_ptr<ExchangeSlot>> slots;
    std::unique_lock lock(mMutex);
    mReturned.wait(lock, [&] { return mLeased + count <= mSizes.max; });
    mLeased += count;
    while (slots.size() < count && !mIdle.empty()) {
        slots.push_back(std::move(mIdle.back()));
        mIdle.pop_back();
    }
    lock.unlock();
    try {
        while (slots.size() < count)
            slots.push_back(std::make_unique<ExchangeSlot>(mPath, mDevices));
    } catch (...) {
        lock.lock();
        mLeased -= count - slots.size();
        lock.unlock();
        giveBack(std::move(slots));
        throw;
    }
    return Lease(*this, std::move(slots));
}

void ExchangeSlotPool::giveBack(std::vector<std::unique_ptr<ExchangeSlot>> slots) {
    std::vector<std::unique_ptr<ExchangeSlot>> freed; // destroyed after the lock is released
    {
        const std::lock_guard lock(mMutex);
        mLeased -= slots.size();
        for (std::unique_ptr<ExchangeSlot>& slot : slots)
            (mIdle.size() < mSizes.kept ? mIdle : freed).push_back(std::move(slot));
    }
    mReturned.notify_all();
}

uint64_t ExchangeSlotPool::bytes() const {
    const std::lock_guard lock(mMutex);
    return (mIdle.size() + mLeased) * mSizes.bytes;
}

} // namespace kp::group
