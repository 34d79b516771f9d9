// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "vulkan/Buffer.hpp"
#include "vulkan/Device.hpp"

namespace kp::group {

/// A link between GPUs that Vulkan does not offer: it opens memory that a device exports and copies
/// from there to memory of another device, past the host. Thread-safe.
class PeerLink {
public:
    /// Memory of one device that the link has open.
    class Memory {
    public:
        Memory() = default;
        virtual ~Memory();
        Memory(const Memory&) = delete;
        Memory& operator=(const Memory&) = delete;
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
    /// @param memory  made by Buffer::createExportable; open until what is returned goes
    /// @throws Unsupported where the link cannot open it, OutOfMemory
    virtual std::unique_ptr<Memory> open(const vulkan::Buffer& memory) = 0;
    /// Starts a copy from the beginning of one memory to that of another. Nothing else uses either
    /// until finish().
    virtual void start(Memory& from, Memory& to, uint64_t bytes) = 0;
    /// Returns when all copies from a memory are done, and their devices may use what they read and
    /// wrote. @throws Error where one failed
    virtual void finish(Memory& from) = 0;
};

} // namespace kp::group
