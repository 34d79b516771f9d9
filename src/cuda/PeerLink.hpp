// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/memory/ExternalMemory.hpp>

#include "vulkan/device/Device.hpp"

namespace kp::cuda {

/// A link between GPUs that Vulkan does not offer. Allocates memory that a device can open, and
/// copies it to such memory of another device without the host. Thread-safe.
class PeerLink {
public:
    /// Memory of the link on one device.
    class Memory {
    public:
        Memory() = default;
        virtual ~Memory();
        Memory(const Memory&) = delete;
        Memory& operator=(const Memory&) = delete;

        /// Returns a handle for Buffer::importMemory() on the same device. The caller owns
        /// the file descriptor.
        virtual ExternalMemory exportMemory() const = 0;
    };

    PeerLink() = default;
    virtual ~PeerLink();
    PeerLink(const PeerLink&) = delete;
    PeerLink& operator=(const PeerLink&) = delete;

    /// Returns the link that connects two devices; null if there is none. The first call for two
    /// NVIDIA GPUs opens CUDA's driver library.
    static std::shared_ptr<PeerLink> between(const vulkan::Device& a, const vulkan::Device& b);
    /// For tests: replaces the platform's link for all devices, until it is called with null. Links
    /// in use stay in use.
    static void replace(std::shared_ptr<PeerLink> link);

    virtual bool connects(const vulkan::Device& a, const vulkan::Device& b) const = 0;
    /// Allocates memory.
    /// @throws Unsupported if the link cannot allocate it, OutOfMemory
    virtual std::unique_ptr<Memory> make(const vulkan::Device& device, uint64_t bytes) = 0;
    /// Starts a copy from the start of one memory to the start of another. Nothing else may use
    /// either until finish().
    virtual void start(Memory& from, Memory& to, uint64_t bytes) = 0;
    /// Returns when all copies from a memory are done, so that the devices may use source and
    /// destinations again.
    /// @throws Error if a copy failed
    virtual void finish(Memory& from) = 0;
};

} // namespace kp::cuda
