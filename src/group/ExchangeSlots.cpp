// SPDX-License-Identifier: Apache-2.0
#include "group/ExchangeSlots.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#ifdef __unix__
#include <unistd.h>
#endif

#include "vulkan/Device.hpp"
#include "vulkan/Queue.hpp"
#include "vulkan/Retirement.hpp"

namespace kp::group {
namespace {

/// Of a large page, which devices copy faster than many small ones.
constexpr std::align_val_t kHostAlignment{uint64_t{2} << 20};

} // namespace

ExchangeSlot::ExchangeSlot(ExchangePath path, std::vector<std::shared_ptr<vulkan::Device>> devices)
    : mPath(path), mDevices(std::move(devices)), mViews(mDevices.size()) {
    if (mPath == ExchangePath::eHostMemory)
        mHost = ::operator new(kBytes, kHostAlignment);
}

ExchangeSlot::~ExchangeSlot() {
    for (const vulkan::TimelinePoint& reader : mReaders)
        vulkan::Retirement::waitDespiteErrors(reader);
    mViews.clear(); // before the memory that they are views of
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
        view = vulkan::Buffer::importHost(device, mHost, kBytes);
        return *view;
    case ExchangePath::eSharedMemory:
        view = mExporter ? importShared(device) : vulkan::Buffer::createExportable(device, kBytes);
        if (!mExporter)
            mExporter = view;
        return *view;
    case ExchangePath::eStaging:
    case ExchangePath::eAuto:
        break;
    }
    view = vulkan::Buffer::create(device, kBytes, vulkan::MemoryPlace::eStaging);
    return *view;
}

void ExchangeSlot::waitUntilFree() {
    for (const vulkan::TimelinePoint& reader : mReaders)
        reader.queue->wait(reader.value, UINT64_MAX, reader.queue->device().defaultWaitMode());
    mReaders.clear();
}

std::shared_ptr<vulkan::Buffer> ExchangeSlot::importShared(vulkan::Device& device) const {
    const ExternalMemory memory = mExporter->exportMemory();
    struct Closed {
        int fd;
        ~Closed() {
#ifdef __unix__
            close(fd);
#endif
        }
    } const closed{memory.fd};
    return vulkan::Buffer::importMemory(device, memory, kBytes);
}

void ExchangeSlot::pass(size_t from, size_t to, uint64_t bytes) {
    if (mPath == ExchangePath::eStaging)
        std::memcpy(view(to).mapped(), view(from).mapped(), bytes);
}

ExchangeSlots::Lease ExchangeSlots::lease(size_t count) {
    count = std::clamp<size_t>(count, 1, kEach);
    std::vector<std::unique_ptr<ExchangeSlot>> slots;
    std::unique_lock lock(mMutex);
    mReturned.wait(lock, [&] { return mLeased + count <= kMost; });
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
            (mIdle.size() < kKept ? mIdle : freed).push_back(std::move(slot));
    }
    mReturned.notify_all();
}

uint64_t ExchangeSlots::bytes() const {
    const std::lock_guard lock(mMutex);
    return (mIdle.size() + mLeased) * ExchangeSlot::kBytes;
}

} // namespace kp::group
