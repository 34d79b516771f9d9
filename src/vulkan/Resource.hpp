// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "vulkan/Timeline.hpp"

namespace kp::vulkan {

class Device;
class Queue;

/// When memory was last written and last used at all, per queue. Guarded by the device's
/// submission mutex.
struct ResourceUse {
    TimelinePoint lastWrite;
    TimelinePoint lastUse;             ///< on the queue that used it first, writes included
    std::vector<TimelinePoint> others; ///< the last uses on other queues, one for each

    /// Makes note() of a point of this queue free of allocation.
    void prepare(const Queue& queue) {
        if (lastUse.queue && lastUse.queue != &queue) [[unlikely]]
            others.reserve(others.size() + 1);
    }
    void note(const TimelinePoint& point, bool writes) {
        if (writes)
            lastWrite = point;
        if (!lastUse.queue || lastUse.queue == point.queue)
            lastUse = point;
        else
            noteOther(point);
    }
    std::vector<TimelinePoint> all() const;

private:
    void noteOther(const TimelinePoint& point);
};

/// Memory that the device works on: a Buffer or an Image. Shared by the object that users see and
/// by every recorded command buffer that names it.
class Resource {
public:
    explicit Resource(Device& device) : mDevice(device) {}
    virtual ~Resource() = default;
    Resource(const Resource&) = delete;
    Resource& operator=(const Resource&) = delete;

    Device& device() const { return mDevice; }
    ResourceUse& use() const { return *mUse; }

    /// What memory is told apart by: equal for two views of one memory. The address of no Resource.
    const void* hazardKey() const { return mUse; }
    /// True where another object may be a view of the same memory.
    bool sharesUse() const { return mUse != &mOwnUse; }

    /// Set when the user destroyed it: command buffers that name it are refused from then on.
    void markDestroyed() { mDestroyed.store(true, std::memory_order_release); }
    bool destroyed() const { return mDestroyed.load(std::memory_order_acquire); }

    /// True for an image until the submission that brings it to its layout. Guarded by the device's
    /// submission mutex.
    bool awaitsLayout() const { return mAwaitsLayout; }

    /// True where the device is done with this memory.
    bool idle() const;
    /// The submissions that a write (or, not @p writing, a read) of this memory comes after.
    std::vector<TimelinePoint> usesBefore(bool writing) const;
    /// Blocks until the device no longer writes (@p forWriting: no longer uses) this memory.
    void waitUntilFree(bool forWriting) const;

protected:
    /// Calls @p release once the device no longer uses the memory: at once where it does not now,
    /// without allocating. For destructors.
    template <typename Release>
    void retire(Release release) const {
        if (idle())
            release();
        else
            retireLater(std::move(release));
    }

    /// Where several objects are views of one memory.
    void shareUse(std::shared_ptr<ResourceUse> use) {
        mSharedUse = std::move(use);
        mUse = mSharedUse.get();
    }

    void setAwaitsLayout(bool awaits) { mAwaitsLayout = awaits; }

    Device& mDevice;

private:
    void retireLater(std::function<void()> release) const;

    // What each submission looks at comes first, in as few cache lines as can be.
    ResourceUse* mUse = &mOwnUse;
    std::atomic<bool> mDestroyed{false};
    bool mAwaitsLayout = false;
    ResourceUse mOwnUse;
    std::shared_ptr<ResourceUse> mSharedUse;
};

} // namespace kp::vulkan
