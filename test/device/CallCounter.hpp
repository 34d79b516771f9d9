// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <kompute/Kompute.hpp>

namespace kp::vulkan {
class Device;
}

namespace kp::test {

/// Counts the Vulkan calls of a device in the device's function table, for as long as it lives.
/// There may be one counter at a time, and only while no other thread uses the device.
class CallCounter {
public:
    explicit CallCounter(const kp::Manager& manager);
    ~CallCounter();
    CallCounter(const CallCounter&) = delete;
    CallCounter& operator=(const CallCounter&) = delete;

    void reset();
    /// Calls of one function since the last reset. Throws std::logic_error if it is not counted.
    uint64_t of(const std::string& function) const;
    uint64_t submits() const { return of("vkQueueSubmit"); }
    uint64_t barriers() const { return of("vkCmdPipelineBarrier"); }
    /// Calls of all counted vkCreate... and vkAllocate... functions.
    uint64_t objectsCreated() const;
    /// Every function that was called, with its count.
    std::string list() const;

private:
    std::shared_ptr<vulkan::Device> mDevice;
};

} // namespace kp::test
