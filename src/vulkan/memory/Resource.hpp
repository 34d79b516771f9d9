// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/Process.hpp"
#include "vulkan/memory/HostMirror.hpp"
#include "vulkan/queue/Timeline.hpp"

namespace kp::vulkan {

class Device;
class Queue;

/// The last write and the last uses of memory. Guarded by the device's submission mutex.
struct ResourceUse {
    TimelinePoint lastWrite;
    TimelinePoint lastUse;             ///< on the first queue that used it, writes included
    std::vector<TimelinePoint> others; ///< the last use on each other queue

    /// Call before note() of a point of this queue, which then does not allocate.
    void prepare(const Queue& queue) {
        if (lastUse.queue && lastUse.queue != &queue) [[unlikely]]
            others.reserve(others.size() + 1);
    }
    void note(const TimelinePoint& point, bool writes) {
        if (writes) {
            lastWrite = point;
            countWrite();
        }
        mUses.store(mUses.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        if (!lastUse.queue || lastUse.queue == point.queue)
            lastUse = point;
        else
            noteOther(point);
    }

    void countWrite() {
        mWrites.store(mWrites.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    /// Returns the number of submissions that wrote the memory. Needs no mutex.
    uint64_t writes() const { return mWrites.load(std::memory_order_acquire); }
    /// Returns the number of submissions that used the memory. Needs no mutex.
    uint64_t uses() const { return mUses.load(std::memory_order_acquire); }

private:
    void noteOther(const TimelinePoint& point);

    std::atomic<uint64_t> mWrites{0};
    std::atomic<uint64_t> mUses{0};
};

/// Lets all queues of these families use a buffer or image, without ownership transfers.
/// @param families  must outlive the use of @p info, a VkBufferCreateInfo or VkImageCreateInfo
template <typename CreateInfo>
void shareBetween(const std::vector<uint32_t>& families, CreateInfo& info) {
    if (families.size() <= 1)
        return;
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = static_cast<uint32_t>(families.size());
    info.pQueueFamilyIndices = families.data();
}

/// A Buffer or an Image. Shared by the user's object and every recorded command buffer that uses
/// it.
class Resource {
public:
    explicit Resource(Device& device);
    virtual ~Resource() = default;

    Device& device() const { return mDevice; }
    ResourceUse& use() const { return *mUse; }

    /// Identifies the memory: equal for two views of one memory, and never the address of a
    /// Resource.
    const void* hazardKey() const { return mUse; }
    /// Returns true if there may be other views of the memory.
    bool sharesUse() const { return mSharesUse.load(std::memory_order_relaxed); }
    /// Returns true if it is a view of the memory of another Resource, which may have been used
    /// before anything could know of views.
    bool viewsOther() const { return mViewsOther; }

    /// Set when the user destroys it. Submitting a command buffer that uses it throws from then on.
    void markDestroyed() { mDestroyed.store(true, std::memory_order_release); }
    bool destroyed() const { return mDestroyed.load(std::memory_order_acquire); }

    /// Memory that arrays have given. The host and sequences that access it also follow launches of
    /// the manager's default queue that are not submitted yet.
    bool followsLaunches() const { return mFollowsLaunches.load(std::memory_order_relaxed); }
    void setFollowsLaunches(bool follows) {
        mFollowsLaunches.store(follows, std::memory_order_relaxed);
    }

    /// True for an image until a submission brings it to its layout. Guarded by the device's
    /// submission mutex.
    bool awaitsLayout() const { return mAwaitsLayout; }

    /// Data in the host's mirror that is newer than this memory: bits of HostMirror, almost
    /// always 0.
    uint8_t hostNewer() const { return mHostNewer.load(std::memory_order_relaxed); }
    void setHostNewer(uint8_t bits) { mHostNewer.store(bits, std::memory_order_relaxed); }
    /// Null if the host has no mirror of this memory.
    HostMirror* mirror() const { return mMirror ? &*mMirror : nullptr; }
    /// @param memory  a Buffer or an Image
    template <typename Memory>
    static void addMirror(const std::shared_ptr<Memory>& memory, uint64_t bytes) {
        memory->mMirror.emplace(memory, bytes);
    }

    /// Returns true if the device has finished with this memory.
    bool idle() const;
    /// Returns the submissions that a write (@p writing) or a read of this memory must wait for.
    std::vector<TimelinePoint> usesBefore(bool writing) const;
    /// Blocks until the device no longer uses (@p forWriting) or no longer writes this memory.
    void waitUntilFree(bool forWriting) const;
    /// As waitUntilFree(), for a host that looks at the memory again and again.
    void waitForHost(bool forWriting) const;
    /// Returns true if nothing that may use (@p forWriting) or write the memory was submitted since
    /// waitForHost(). Takes no lock and asks no queue.
    bool unusedSinceWait(bool forWriting) const {
        const std::atomic<uint64_t>& known = forWriting ? mUsesWaitedFor : mWritesWaitedFor;
        return submissions(forWriting) == known.load(std::memory_order_acquire);
    }
    /// Returns false if waitForHost() would block.
    bool freeForHost(bool forWriting) const;

protected:
    /// Calls @p release once the device has finished with the memory: now, without allocating, if
    /// it has already. For destructors.
    template <typename Release>
    void deferDeletion(Release release) const {
        if (driverGone())
            keepHandle(new Release(std::move(release)));
        else if (idle())
            release();
        else
            pushDeletion(std::move(release));
    }

    /// For several objects that are views of one memory.
    void shareUse(std::shared_ptr<ResourceUse> use) {
        mSharedUse = std::move(use);
        mUse = mSharedUse.get();
        noteViews();
    }
    /// Makes this a view of the memory of @p other, which lives as long.
    void shareUseOf(const std::shared_ptr<Resource>& other) {
        shareUse(std::shared_ptr<ResourceUse>(other, &other->use()));
        mViewsOther = true;
    }
    /// From now on there may be views of this memory.
    void noteViews() { mSharesUse.store(true, std::memory_order_relaxed); }

    void setAwaitsLayout(bool awaits) { mAwaitsLayout = awaits; }

    Device& mDevice;

private:
    void pushDeletion(std::function<void()> release) const;
    /// Returns a number that grows with each submission that may use or write the memory.
    uint64_t submissions(bool writing) const {
        return (writing ? use().uses() : use().writes()) +
               mUnknownAccesses.load(std::memory_order_acquire);
    }

    // Every submission reads the first members, which therefore share a cache line.
    ResourceUse* mUse = &mOwnUse;
    std::atomic<bool> mDestroyed{false};
    bool mAwaitsLayout = false;
    std::atomic<uint8_t> mHostNewer{0};
    std::atomic<bool> mFollowsLaunches{false};
    std::atomic<bool> mSharesUse{false};
    bool mViewsOther = false;
    ResourceUse mOwnUse;
    std::shared_ptr<ResourceUse> mSharedUse;
    mutable std::optional<HostMirror> mMirror;     ///< in here: one allocation less
    const std::atomic<uint64_t>& mUnknownAccesses; ///< of the device
    // submissions() before the host last waited.
    mutable std::atomic<uint64_t> mUsesWaitedFor{0};
    mutable std::atomic<uint64_t> mWritesWaitedFor{0};
};

} // namespace kp::vulkan
