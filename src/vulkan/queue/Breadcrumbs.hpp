// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "vulkan/device/DevicePlan.hpp"

namespace kp::vulkan {

class Breadcrumbs;
class Buffer;
class Device;

/// How far the device has come in one command buffer. Used by one thread at a time, except for
/// rename().
class Trail {
public:
    /// @param owner  of the command buffer, for messages: "sequence 'frame'"
    Trail(Breadcrumbs& breadcrumbs, std::string owner);
    ~Trail();
    Trail(const Trail&) = delete;
    Trail& operator=(const Trail&) = delete;

    /// Begins anew. The device must have finished with the previous commands.
    void begin();
    void rename(std::string owner); ///< thread-safe
    /// Records that the commands of an operation follow, and those before it end.
    /// @param operation  for messages
    void add(VkCommandBuffer commandBuffer, std::string operation);
    void end(VkCommandBuffer commandBuffer); ///< records that the last operation ends

private:
    friend class Breadcrumbs;

    void write(VkCommandBuffer commandBuffer, uint32_t begun, uint32_t finished);

    Breadcrumbs& mBreadcrumbs;
    /// What the device writes: how many operations it has begun and, for markers, finished.
    std::shared_ptr<Buffer> mProgress; ///< null for checkpoints
    uint32_t mNumber = 0;              ///< of this trail, for checkpoints
    // Guarded by the mutex of the breadcrumbs.
    std::string mOwner;
    std::vector<std::string> mOperations;
};

/// The trails of a device's command buffers: they tell which operations were under way when the
/// device was lost, or are while it seems to hang. Thread-safe.
class Breadcrumbs {
public:
    Breadcrumbs(Device& device, BreadcrumbKind kind);

    /// Returns the operations that the device has begun and not finished, for messages. With
    /// checkpoints, nothing before the device is lost.
    std::vector<std::string> underWay() const;

private:
    friend class Trail;

    /// Operations of a trail: from the first to the last, counted from 1.
    struct Range {
        uint32_t first;
        uint32_t last;
    };

    Range rangeOf(const Trail& trail) const;
    void describe(const Trail& trail, Range range, std::vector<std::string>& texts) const;
    void describeCheckpoints(std::vector<std::string>& texts) const;

    Device& mDevice;
    const BreadcrumbKind mKind;
    mutable std::mutex mMutex; ///< guards the next two and the texts of the trails
    std::vector<Trail*> mTrails;
    uint32_t mNumbers = 0; ///< given to trails
};

} // namespace kp::vulkan
