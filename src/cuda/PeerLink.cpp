// SPDX-License-Identifier: Apache-2.0
#include "cuda/PeerLink.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Environment.hpp"
#include "cuda/CudaDriver.hpp"

namespace kp::cuda {
namespace {

/// Makes a context current in this thread as long as this object lives.
class CurrentContext {
public:
    CurrentContext(const CudaDriver& driver, Context context) : mDriver(driver) {
        driver.check(driver.cuCtxPushCurrent(context), "cuCtxPushCurrent");
    }
    ~CurrentContext() {
        Context popped = nullptr;
        mDriver.cuCtxPopCurrent(&popped);
    }
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;

private:
    const CudaDriver& mDriver;
};

/// Memory that is mapped for all GPUs with a link to its own. CUDA copies other memory through the
/// host, even if Vulkan has opened it and peer access is enabled.
class LinkMemory final : public PeerLink::Memory {
public:
    /// @param users  GPUs that may access the memory
    LinkMemory(const CudaDriver& driver, Context usedContext, DeviceNumber device,
               const std::vector<MemoryAccess>& users, uint64_t bytes)
        : context(usedContext), mDriver(driver) {
        const CurrentContext current(driver, context);
        AllocationProperties properties;
        properties.location.id = device;
        size_t unit = 1;
        driver.check(driver.cuMemGetAllocationGranularity(&unit, &properties, 0),
                     "cuMemGetAllocationGranularity");
        mBytes = (bytes + unit - 1) / unit * unit;
        driver.check(driver.cuMemCreate(&mAllocation, mBytes, &properties, 0), "cuMemCreate");
        try {
            driver.check(driver.cuMemAddressReserve(&address, mBytes, 0, 0, 0),
                         "cuMemAddressReserve");
            driver.check(driver.cuMemMap(address, mBytes, 0, mAllocation, 0), "cuMemMap");
            mMapped = true;
            driver.check(driver.cuMemSetAccess(address, mBytes, users.data(), users.size()),
                         "cuMemSetAccess");
            driver.check(driver.cuStreamCreate(&stream, kStreamNonBlocking), "cuStreamCreate");
        } catch (...) {
            release();
            throw;
        }
    }

    ~LinkMemory() override {
        try {
            const CurrentContext current(mDriver, context);
            release();
        } catch (const std::exception& error) {
            KP_LOG_WARN("memory of a link between GPUs stays allocated: {}", error.what());
        }
    }

    ExternalMemory exportMemory() const override {
        ExternalMemory exported{-1, mBytes, ExternalMemory::kAnyType, 0};
        mDriver.check(
            mDriver.cuMemExportToShareableHandle(&exported.fd, mAllocation, kFileDescriptor, 0),
            "cuMemExportToShareableHandle");
        return exported;
    }

    const Context context;
    Address address = 0;
    Stream stream = nullptr;

private:
    void release() {
        if (stream)
            mDriver.cuStreamDestroy(stream);
        if (mMapped)
            mDriver.cuMemUnmap(address, mBytes);
        if (address != 0)
            mDriver.cuMemAddressFree(address, mBytes);
        mDriver.cuMemRelease(mAllocation);
    }

    const CudaDriver& mDriver; ///< lives until the process ends
    uint64_t mBytes = 0;
    Allocation mAllocation = 0;
    bool mMapped = false;
};

class CudaLink final : public PeerLink {
public:
    /// @throws Unsupported
    explicit CudaLink(const CudaDriver& driver) : mDriver(driver) {
        mDriver.check(mDriver.cuInit(0), "cuInit");
        int count = 0;
        mDriver.check(mDriver.cuDeviceGetCount(&count), "cuDeviceGetCount");
        mGpus.resize(static_cast<size_t>(count));
        for (int i = 0; i < count; ++i) {
            Gpu& gpu = mGpus[static_cast<size_t>(i)];
            mDriver.check(mDriver.cuDeviceGet(&gpu.device, i), "cuDeviceGet");
            mDriver.check(mDriver.cuDeviceGetUuid(gpu.uuid.data(), gpu.device), "cuDeviceGetUuid");
        }
        mPeers.assign(mGpus.size() * mGpus.size(), false);
        for (size_t a = 0; a < mGpus.size(); ++a) {
            for (size_t b = 0; b < mGpus.size(); ++b) {
                int canAccess = a == b;
                if (a != b)
                    mDriver.check(
                        mDriver.cuDeviceCanAccessPeer(&canAccess, mGpus[a].device, mGpus[b].device),
                        "cuDeviceCanAccessPeer");
                mPeers[a * mGpus.size() + b] = canAccess != 0;
            }
        }
    }

    bool connects(const vulkan::Device& a, const vulkan::Device& b) const override {
        const size_t first = indexOf(a);
        const size_t second = indexOf(b);
        return first < mGpus.size() && second < mGpus.size() && canAccess(first, second) &&
               canAccess(second, first);
    }

    std::unique_ptr<Memory> make(const vulkan::Device& device, uint64_t bytes) override {
        const size_t index = indexOf(device);
        std::vector<MemoryAccess> users;
        for (size_t other = 0; other < mGpus.size(); ++other)
            if (canAccess(other, index))
                users.push_back({{.id = mGpus[other].device}});
        return std::make_unique<LinkMemory>(mDriver, contextOf(index), mGpus[index].device, users,
                                            bytes);
    }

    void start(Memory& from, Memory& to, uint64_t bytes) override {
        const auto& source = static_cast<LinkMemory&>(from);
        const CurrentContext current(mDriver, source.context);
        mDriver.check(mDriver.cuMemcpyDtoDAsync(static_cast<LinkMemory&>(to).address,
                                                source.address, bytes, source.stream),
                      "cuMemcpyDtoDAsync");
    }

    void finish(Memory& from) override {
        const auto& source = static_cast<LinkMemory&>(from);
        const CurrentContext current(mDriver, source.context);
        mDriver.check(mDriver.cuStreamSynchronize(source.stream), "cuStreamSynchronize");
    }

private:
    struct Gpu {
        DeviceNumber device = 0;
        std::array<unsigned char, VK_UUID_SIZE> uuid{};
        Context context = nullptr; ///< created at first use
    };

    bool canAccess(size_t user, size_t owner) const { return mPeers[user * mGpus.size() + owner]; }

    /// Returns the number of GPUs if CUDA does not have the device.
    size_t indexOf(const vulkan::Device& device) const {
        const auto isSame = [&](const Gpu& gpu) {
            return std::equal(gpu.uuid.begin(), gpu.uuid.end(),
                              std::begin(device.physical().deviceUuid));
        };
        return static_cast<size_t>(std::find_if(mGpus.begin(), mGpus.end(), isSame) -
                                   mGpus.begin());
    }

    Context contextOf(size_t index) {
        const std::lock_guard lock(mMutex);
        Gpu& gpu = mGpus[index];
        if (!gpu.context)
            mDriver.check(mDriver.cuDevicePrimaryCtxRetain(&gpu.context, gpu.device),
                          "cuDevicePrimaryCtxRetain");
        return gpu.context;
    }

    const CudaDriver mDriver;
    std::vector<Gpu> mGpus;
    std::vector<bool> mPeers; ///< for each pair of GPUs
    std::mutex mMutex;        ///< guards the contexts
};

std::shared_ptr<PeerLink> openCudaLink() {
    if (environment("KOMPUTE_CUDA") == "0")
        return nullptr;
    const std::optional<CudaDriver> driver = CudaDriver::open();
    if (!driver)
        return nullptr;
    try {
        return std::make_shared<CudaLink>(*driver);
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
