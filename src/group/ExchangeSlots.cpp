// SPDX-License-Identifier: Apache-2.0
#include "group/ExchangeSlots.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#ifdef __unix__
#include <unistd.h>
#endif

#include <kompute/logger/Logger.hpp>

#include "vulkan/Device.hpp"
#include "vulkan/Queue.hpp"
#include "vulkan/Retirement.hpp"

namespace kp::group {
namespace {

/// Of a large page, which devices copy faster than many small ones.
constexpr std::align_val_t kHostAlignment{uint64_t{2} << 20};

} // namespace

SlotSizes slotSizes(ExchangePath path) {
    constexpr uint64_t kMiB = uint64_t{1} << 20;
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
        vulkan::Retirement::waitDespiteErrors(reader);
    abandonPassing();
    mViews.clear(); // before the memory that they are views of
    mMemories.clear();
    if (mHost)
        ::operator delete(mHost, kHostAlignment);
}

vulkan::Buffer& ExchangeSlot::view(size_t place) {
    std::shared_ptr<vulkan::Buffer>& view = mViews[place];
    if (view)
        return *view;
    vulkan::Device& device = *mDevices[place];
    switch (mPath) {
    case ExchangePath::eHostMemory:
        view = vulkan::Buffer::importHost(device, mHost, mBytes);
        return *view;
    case ExchangePath::eSharedMemory:
        view = mExporter ? import(device, mExporter->exportMemory())
                         : vulkan::Buffer::createExportable(device, mBytes);
        if (!mExporter)
            mExporter = view;
        return *view;
    case ExchangePath::ePeerMemory:
        if (!mLink)
            mLink = PeerLink::between(device, device);
        mMemories[place] = mLink->make(device, mBytes);
        view = import(device, mMemories[place]->exportMemory());
        return *view;
    case ExchangePath::eStaging:
    case ExchangePath::eAuto:
        break;
    }
    view = vulkan::Buffer::create(device, mBytes, vulkan::MemoryPlace::eStaging);
    return *view;
}

void ExchangeSlot::waitUntilFree() {
    for (const vulkan::TimelinePoint& reader : mReaders)
        reader.queue->wait(reader.value, UINT64_MAX, reader.queue->device().defaultWaitMode());
    mReaders.clear();
}

/// Closes the file descriptor, too.
std::shared_ptr<vulkan::Buffer> ExchangeSlot::import(vulkan::Device& device,
                                                     const ExternalMemory& memory) const {
    struct Closed {
        int fd;
        ~Closed() {
#ifdef __unix__
            close(fd);
#endif
        }
    } const closed{memory.fd};
    return vulkan::Buffer::importMemory(device, memory, mBytes);
}

void ExchangeSlot::pass(size_t from, size_t to, uint64_t bytes) {
    if (mPath == ExchangePath::eStaging)
        std::memcpy(view(to).mapped(), view(from).mapped(), bytes);
    if (mPath != ExchangePath::ePeerMemory)
        return;
    view(to);
    mLink->start(*mMemories[from], *mMemories[to], bytes);
    mPassing = mMemories[from].get();
}

void ExchangeSlot::finishPassing() {
    if (PeerLink::Memory* const from = std::exchange(mPassing, nullptr))
        mLink->finish(*from);
}

void ExchangeSlot::abandonPassing() noexcept {
    try {
        finishPassing();
    } catch (const std::exception& error) {
        KP_LOG_WARN("a copy between devices that was given up failed: {}", error.what());
    }
}

ExchangeSlots::Lease ExchangeSlots::lease(size_t count) {
    count = std::clamp<size_t>(count, 1, mSizes.each);
    std::vector<std::unique_ptr<ExchangeSlot>> slots;
    std::unique_lock lock(mMutex);
    mReturned.wait(lock, [&] { return mLeased + count <= mSizes.most; });
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

void ExchangeSlots::giveBack(std::vector<std::unique_ptr<ExchangeSlot>> slots) {
    std::vector<std::unique_ptr<ExchangeSlot>> freed; // outside of the lock
    {
        const std::lock_guard lock(mMutex);
        mLeased -= slots.size();
        for (std::unique_ptr<ExchangeSlot>& slot : slots)
            (mIdle.size() < mSizes.kept ? mIdle : freed).push_back(std::move(slot));
    }
    mReturned.notify_all();
}

uint64_t ExchangeSlots::bytes() const {
    const std::lock_guard lock(mMutex);
    return (mIdle.size() + mLeased) * mSizes.bytes;
}

} // namespace kp::group
