// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/Kompute.hpp>

namespace kp::test {

/// A host application: instance, device, queue and buffers of its own, made with plain Vulkan calls
/// on the physical device that the tests run on. With KOMPUTE_VALIDATION its instance is validated
/// as the library's own is.
class HostVulkan {
public:
    enum class Kind {
        eModern, ///< Vulkan 1.2 or more with timeline semaphores, where the device has them
        eBare    ///< Vulkan 1.1 and nothing switched on
    };
    explicit HostVulkan(const kp::Manager& like, Kind kind = Kind::eModern);
    ~HostVulkan();
    HostVulkan(const HostVulkan&) = delete;
    HostVulkan& operator=(const HostVulkan&) = delete;

    VkInstance instance() const;
    VkPhysicalDevice physicalDevice() const;
    VkDevice device() const;
    VkQueue queue() const;
    /// First family with compute, as the library takes it by default.
    uint32_t family() const;
    /// All of it, as Manager wants it.
    kp::HostDevice description() const;

    /// Least multiple that offsets into storage buffers must be of.
    uint64_t offsetAlignment() const;
    /// A storage buffer in host memory, freed with this object.
    VkBuffer makeBuffer(uint64_t bytes);
    /// Its memory.
    uint32_t* contents(VkBuffer buffer);

    /// A command buffer that is recording.
    VkCommandBuffer begin();
    /// Records vkCmdFillBuffer on all of @p buffer, and a barrier to what follows.
    void recordFill(VkCommandBuffer commands, VkBuffer buffer, uint32_t value);
    /// Ends, submits and waits for it.
    void submitAndWait(VkCommandBuffer commands);

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp::test
