// SPDX-License-Identifier: Apache-2.0
#include "cuda/PeerLink.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Environment.hpp"
#include "cuda/Driver.hpp"

namespace kp::cuda {
namespace {

/// Memory that is mapped for all GPUs with a link to its own. CUDA copies other memory through the
/// host, even if Vulkan has opened it and peer access is enabled.
class LinkMemory final : public PeerLink::Memory {
public:
    /// @param users  GPUs that may access the memory
    LinkMemory(const DriverGpu& gpu, const std::vector<MemoryAccess>& users, uint64_t bytes)
        : memory(gpu, users, bytes) {
        const CurrentContext current(memory.context());
        driver().cuStreamCreate(&stream, kStreamNonBlocking);
    }

    ~LinkMemory() override {
        try {
            const CurrentContext current(memory.context());
            driver().cuStreamDestroy.attempt(stream);
        } catch (const std::exception& error) {
            KP_LOG_WARN("a stream of a link between GPUs stays open: {}", error.what());
        }
    }

    ExternalMemory exportMemory() const override {
        return {memory.exportHandle(), memory.bytes(), ExternalMemory::kAnyType, 0};
    }

    const MappedMemory memory;
    Stream stream = nullptr;
};

class CudaLink final : public PeerLink {
public:
    /// @throws Unsupported
    CudaLink() : mGpus(driverGpus()) {
        for (const DriverGpu& user : mGpus)
            for (const DriverGpu& owner : mGpus)
                mReaches.push_back(canAccess(user, owner));
    }

    bool connects(const vulkan::Device& a, const vulkan::Device& b) const override {
        const size_t first = indexOf(a);
        const size_t second = indexOf(b);
        return first < mGpus.size() && second < mGpus.size() && reaches(first, second) &&
               reaches(second, first);
    }

    std::unique_ptr<Memory> make(const vulkan::Device& device, uint64_t bytes) override {
        const size_t index = indexOf(device);
        std::vector<MemoryAccess> users;
        for (size_t other = 0; other < mGpus.size(); ++other)
            if (reaches(other, index))
                users.push_back({{.id = mGpus[other].number}});
        return std::make_unique<LinkMemory>(mGpus[index], users, bytes);
    }

    void start(Memory& from, Memory& to, uint64_t bytes) override {
        const auto& source = static_cast<LinkMemory&>(from);
        const CurrentContext current(source.memory.context());
        driver().cuMemcpyDtoDAsync(static_cast<LinkMemory&>(to).memory.address(),
                                   source.memory.address(), bytes, source.stream);
    }

    void finish(Memory& from) override {
        const auto& source = static_cast<LinkMemory&>(from);
        const CurrentContext current(source.memory.context());
        driver().cuStreamSynchronize(source.stream);
    }

private:
    bool reaches(size_t user, size_t owner) const { return mReaches[user * mGpus.size() + owner]; }

    /// Returns the number of GPUs if CUDA does not have the device.
    size_t indexOf(const vulkan::Device& device) const {
        const auto isSame = [&](const DriverGpu& gpu) {
            return std::equal(gpu.uuid.begin(), gpu.uuid.end(),
                              std::begin(device.physical().deviceUuid));
        };
        return static_cast<size_t>(std::find_if(mGpus.begin(), mGpus.end(), isSame) -
                                   mGpus.begin());
    }

    const std::vector<DriverGpu>& mGpus;
    std::vector<bool> mReaches; ///< for each pair of GPUs: canAccess()
};

std::shared_ptr<PeerLink> openCudaLink() {
    if (environment("KOMPUTE_CUDA") == "0" || !driver().handle)
        return nullptr;
    try {
        return std::make_shared<CudaLink>();
    } catch (const Error& error) {
        KP_LOG_INFO("GPUs exchange data through the host: {}", error.what());
        return nullptr;
    }
}

/// Returns this process's link between NVIDIA GPUs, over NVLink or PCI Express, which the first
/// call opens. Linux only. Null if CUDA's driver library, which is part of the display driver, is
/// not installed or finds no GPU, and with KOMPUTE_CUDA=0.
///
/// From its first copy until the process ends, the link uses the primary context of each GPU, which
/// CUDA code of the program shares.
const std::shared_ptr<PeerLink>& cudaLink() {
    // Never destroyed: at exit, the driver may be unloaded before the library's objects are gone.
    static const auto* const link = new std::shared_ptr<PeerLink>(openCudaLink());
    return *link;
}

std::mutex replacementMutex;
std::shared_ptr<PeerLink> replacement; ///< guarded by replacementMutex

} // namespace

PeerLink::Memory::~Memory() = default;
PeerLink::~PeerLink() = default;

std::shared_ptr<PeerLink> PeerLink::between(const vulkan::Device& a, const vulkan::Device& b) {
    std::shared_ptr<PeerLink> link;
    {
        const std::lock_guard lock(replacementMutex);
        link = replacement;
    }
    if (!link && a.physical().isNvidia() && b.physical().isNvidia())
        link = cudaLink();
    return link && link->connects(a, b) ? link : nullptr;
}

void PeerLink::replace(std::shared_ptr<PeerLink> link) {
    const std::lock_guard lock(replacementMutex);
    replacement.swap(link);
}

} // namespace kp::cuda
