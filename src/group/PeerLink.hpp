// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <kompute/ExternalMemory.hpp>

#include "vulkan/Device.hpp"

namespace kp::group {

/// A link between GPUs that Vulkan does not offer: it makes memory that a device can open, and
/// copies from there to such memory of another device, past the host. Thread-safe.
class PeerLink {
public:
    /// Memory of one device, the link's own.
    class Memory {
    public:
        Memory() = default;
        virtual ~Memory();
        Memory(const Memory&) = delete;
        Memory& operator=(const Memory&) = delete;

        /// For Buffer::importMemory on its device. Whoever calls closes the file descriptor.
        virtual ExternalMemory exportMemory() const = 0;
    };

    PeerLink() = default;
    virtual ~PeerLink();
    PeerLink(const PeerLink&) = delete;
    PeerLink& operator=(const PeerLink&) = delete;

    /// The link that copies between two devices; null where there is none. What the platform offers
    /// is looked for at the first call that concerns two GPUs of a vendor with such a link.
    static std::shared_ptr<PeerLink> between(const vulkan::Device& a, const vulkan::Device& b);
    /// For tests: takes the place of what the platform offers, for all devices, until it is called
    /// with null. Links that are in use stay in use.
    static void replace(std::shared_ptr<PeerLink> link);

    virtual bool connects(const vulkan::Device& a, const vulkan::Device& b) const = 0;
    /// @throws Unsupported where the link cannot, OutOfMemory
    virtual std::unique_ptr<Memory> make(const vulkan::Device& device, uint64_t bytes) = 0;
    /// Starts a copy from the beginning of one memory to that of another. Nothing else uses either
    /// until finish().
    virtual void start(Memory& from, Memory& to, uint64_t bytes) = 0;
    /// Returns when all copies from a memory are done, and their devices may use what they read and
    /// wrote. @throws Error where one failed
    virtual void finish(Memory& from) = 0;
};

} // namespace kp::group
