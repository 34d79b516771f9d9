// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/Kompute.hpp>

namespace kp::test {

/// A host application with an instance, a device, a queue and buffers, created with plain Vulkan
/// calls on the physical device of the tests. KOMPUTE_VALIDATION applies to its instance as well.
class HostVulkan {
public:
    enum class Kind {
        eModern, ///< Vulkan 1.2 with timeline semaphores, if the device has them
        eBare    ///< Vulkan 1.1 without features
    };
    explicit HostVulkan(const kp::Manager& like, Kind kind = Kind::eModern);
    ~HostVulkan();
    HostVulkan(const HostVulkan&) = delete;
    HostVulkan& operator=(const HostVulkan&) = delete;

    VkInstance instance() const;
    VkPhysicalDevice physicalDevice() const;
    VkDevice device() const;
    VkQueue queue() const;
    /// The library's default queue family.
    uint32_t family() const;
    /// The argument of Manager's constructor.
    kp::HostDevice description() const;

    /// The device's minStorageBufferOffsetAlignment.
    uint64_t offsetAlignment() const;
    /// A storage buffer in host memory, freed with this object.
    VkBuffer makeBuffer(uint64_t bytes);
    /// The mapped memory of a buffer of makeBuffer().
    uint32_t* contents(VkBuffer buffer);

    /// A command buffer in the recording state.
    VkCommandBuffer begin();
    /// Records vkCmdFillBuffer on all of @p buffer, and a barrier for the commands after it.
    void recordFill(VkCommandBuffer commands, VkBuffer buffer, uint32_t value);
    /// Ends, submits and waits for it.
    void submitAndWait(VkCommandBuffer commands);

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp::test
