// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/Export.hpp>

namespace kp {

namespace vulkan {
class Device;
class Queue;
enum class WaitMode;
} // namespace vulkan

/// A point in the work of a device: "everything up to this submission". Cheap to copy. Stays usable
/// after the sequence or the manager that gave it is gone. Thread-safe.
class KOMPUTE_API Event {
public:
    /// An event that is done already.
    Event();
    Event(std::shared_ptr<vulkan::Device> device, vulkan::Queue* queue, uint64_t value,
          vulkan::WaitMode waitMode);
    ~Event();
    Event(const Event&);
    Event& operator=(const Event&);

    /// True once the device has finished the work. Never blocks.
    /// @throws DeviceLost where the device was lost
    bool done() const;

    /// Blocks until the work is done or @p timeout nanoseconds are over.
    /// @return false when the time was over first
    /// @throws DeviceLost where the device was lost
    bool wait(uint64_t timeout = UINT64_MAX) const;

    /// The queue's count at this point; 0 for the empty event.
    uint64_t value() const { return mValue; }

private:
    friend class Sequence;

    std::shared_ptr<vulkan::Device> mDevice;
    vulkan::Queue* mQueue = nullptr;
    uint64_t mValue = 0;
    vulkan::WaitMode mWaitMode{};
};

} // namespace kp
