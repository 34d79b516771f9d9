// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/Text.hpp"
#include <kompute/Kompute.hpp>

#include "cuda/PeerLink.hpp"

namespace kp::test {

/// Replaces a link from GPU to GPU on machines without one. Like such a link it opens memory that
/// the devices export, but it copies through the host. start() leaves the copy to finish(), so that
/// a caller who does not wait gets old data.
class HostPeerLink final : public cuda::PeerLink {
public:
    /// Replaces the platform's link for as long as it lives.
    class Installed {
    public:
        Installed() { cuda::PeerLink::replace(link); }
        ~Installed() { cuda::PeerLink::replace(nullptr); }
        Installed(const Installed&) = delete;
        Installed& operator=(const Installed&) = delete;

        const std::shared_ptr<HostPeerLink> link = std::make_shared<HostPeerLink>();
    };

    /// Lets the @p number-th copy from now on fail.
    void failAt(int number) { mFailIn = number; }
    /// Lets make() fail from now on.
    void failMake() { mFailsMake = true; }
    int copies() const { return mCopies; }

    bool connects(const vulkan::Device&, const vulkan::Device&) const override { return true; }

    std::unique_ptr<cuda::PeerLink::Memory> make(const vulkan::Device& device,
                                                 uint64_t bytes) override {
        const std::lock_guard lock(mMutex);
        if (mFailsMake)
            throw Unsupported("no memory for a link");
        auto memory = std::make_unique<Memory>();
        memory->tensor = managerOn(device).exportableTensor(bytes, 1, kp::Memory::DataTypes::eChar);
        return memory;
    }

    void start(cuda::PeerLink::Memory& from, cuda::PeerLink::Memory& to, uint64_t bytes) override {
        static_cast<Memory&>(from).pending.push_back({&static_cast<Memory&>(to), bytes});
    }

    void finish(cuda::PeerLink::Memory& from) override {
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
    struct Memory final : cuda::PeerLink::Memory {
        ExternalMemory exportMemory() const override {
            ExternalMemory exported = tensor->exportMemory();
            exported.memoryType = ExternalMemory::kAnyType; // like memory of another API
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
                options.deviceUuid += kp::formatted("{:02x}", byte);
            options.shareDevice = false;
            manager = std::make_unique<kp::Manager>(options);
        }
        return *manager;
    }

    std::mutex mMutex; ///< guards the managers
    std::map<VkPhysicalDevice, std::unique_ptr<kp::Manager>> mManagers;
    std::atomic<int> mFailIn = 0;
    std::atomic<int> mCopies = 0;
    std::atomic<bool> mFailsMake = false;
};

} // namespace kp::test
