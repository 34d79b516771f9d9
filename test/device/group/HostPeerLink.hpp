// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <kompute/Kompute.hpp>

#include "group/PeerLink.hpp"

namespace kp::test {

/// Stands in for a link from GPU to GPU where there is none: it opens what devices export, as such
/// a link would, and copies through the host. Each start() leaves its copy to finish(), so that a
/// caller who does not wait gets old data.
class HostPeerLink final : public group::PeerLink {
public:
    /// Takes the place of what the platform offers for as long as it lives.
    class Installed {
    public:
        Installed() { PeerLink::replace(link); }
        ~Installed() { PeerLink::replace(nullptr); }
        Installed(const Installed&) = delete;
        Installed& operator=(const Installed&) = delete;

        const std::shared_ptr<HostPeerLink> link = std::make_shared<HostPeerLink>();
    };

    /// Lets a copy fail: the @p number-th from now on.
    void failAt(int number) { mFailIn = number; }
    /// Lets make() fail from now on.
    void refuseMemory() { mRefuses = true; }
    int copies() const { return mCopies; }

    bool connects(const vulkan::Device&, const vulkan::Device&) const override { return true; }

    std::unique_ptr<PeerLink::Memory> make(const vulkan::Device& device, uint64_t bytes) override {
        const std::lock_guard lock(mMutex);
        if (mRefuses)
            throw Unsupported("no memory for a link");
        auto memory = std::make_unique<Memory>();
        memory->tensor = managerOn(device).exportableTensor(bytes, 1, kp::Memory::DataTypes::eChar);
        return memory;
    }

    void start(PeerLink::Memory& from, PeerLink::Memory& to, uint64_t bytes) override {
        static_cast<Memory&>(from).pending.push_back({&static_cast<Memory&>(to), bytes});
    }

    void finish(PeerLink::Memory& from) override {
        const std::lock_guard lock(mMutex);
        auto& source = static_cast<Memory&>(from);
        const std::vector<Copy> pending = std::move(source.pending);
        source.pending.clear();
        for (const Copy& copy : pending) {
            ++mCopies;
            if (mFailIn-- == 1)
                throw std::runtime_error("the link is broken");
            std::vector<char> bytes(copy.bytes);
            source.tensor->download(bytes.data(), copy.bytes);
            copy.to->tensor->upload(bytes.data(), copy.bytes);
            std::vector<char> arrived(1); // upload() may return before the device has copied
            copy.to->tensor->download(arrived.data(), 1, copy.bytes - 1);
        }
    }

private:
    struct Memory;
    struct Copy {
        Memory* to;
        uint64_t bytes;
    };
    struct Memory final : PeerLink::Memory {
        ExternalMemory exportMemory() const override {
            ExternalMemory exported = tensor->exportMemory();
            exported.memoryType = ExternalMemory::kAnyType; // as of memory that is not Vulkan's
            return exported;
        }

        std::shared_ptr<kp::Tensor> tensor;
        std::vector<Copy> pending;
    };

    kp::Manager& managerOn(const vulkan::Device& device) {
        std::unique_ptr<kp::Manager>& manager = mManagers[device.physical().handle];
        if (!manager) {
            kp::ManagerOptions options;
            for (const uint8_t byte : device.physical().deviceUuid)
                options.deviceUuid += fmt::format("{:02x}", byte);
            options.shareDevice = false;
            manager = std::make_unique<kp::Manager>(options);
        }
        return *manager;
    }

    std::mutex mMutex; ///< guards the managers
    std::map<VkPhysicalDevice, std::unique_ptr<kp::Manager>> mManagers;
    std::atomic<int> mFailIn = 0;
    std::atomic<int> mCopies = 0;
    std::atomic<bool> mRefuses = false;
};

} // namespace kp::test
