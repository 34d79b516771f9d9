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

/// When memory was last written and last used at all, per queue. Guarded by the device's
/// submission mutex.
struct ResourceUse {
    TimelinePoint lastWrite;
    std::vector<TimelinePoint> lastUses; ///< at most one per queue, writes included

    void note(const TimelinePoint& point, bool writes);
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
    ResourceUse& use() const { return mSharedUse ? *mSharedUse : mOwnUse; }

    /// What the hazard tracker tells memory apart by: equal for two views of one memory.
    const void* hazardKey() const { return &use(); }

    /// Set when the user destroyed it: command buffers that name it are refused from then on.
    void markDestroyed() { mDestroyed.store(true, std::memory_order_release); }
    bool destroyed() const { return mDestroyed.load(std::memory_order_acquire); }

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

    Device& mDevice;
    std::shared_ptr<ResourceUse> mSharedUse; ///< set where several objects are views of one memory

private:
    bool idle() const;
    void retireLater(std::function<void()> release) const;
    std::vector<TimelinePoint> pendingUses() const;

    mutable ResourceUse mOwnUse;
    std::atomic<bool> mDestroyed{false};
};

} // namespace kp::vulkan
