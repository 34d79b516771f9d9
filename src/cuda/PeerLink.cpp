// SPDX-License-Identifier: Apache-2.0
#include "cuda/PeerLink.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#if defined(__unix__) && !defined(__APPLE__)
#include <dlfcn.h>
#endif

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Environment.hpp"
#include "base/Text.hpp"

namespace kp::cuda {
namespace {

// The part of CUDA's driver API that the library uses, declared here so that building needs no CUDA
// header. The ABI of these functions is the same in all versions of the driver. Structs and values
// are those of cuda.h.

using Result = int;
using DeviceNumber = int;
using Context = void*;
using Stream = void*;
using Address = unsigned long long;
using Allocation = unsigned long long;
using Flags = unsigned long long;

constexpr unsigned kStreamNonBlocking = 1; ///< CU_STREAM_NON_BLOCKING
constexpr int kFileDescriptor = 1;         ///< CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr int kReadWrite = 3;              ///< CU_MEM_ACCESS_FLAGS_PROT_READWRITE

/// CUmemLocation
struct MemoryLocation {
    int type = 1; ///< CU_MEM_LOCATION_TYPE_DEVICE
    int id = 0;
};

/// CUmemAllocationProp
struct AllocationProperties {
    int type = 1; ///< CU_MEM_ALLOCATION_TYPE_PINNED
    int handleTypes = kFileDescriptor;
    MemoryLocation location;
    void* win32HandleMetaData = nullptr;
    unsigned char flags[8] = {};
};

/// CUmemAccessDesc
struct MemoryAccess {
    MemoryLocation location;
    int flags = kReadWrite;
};

/// CUDA's driver library, opened for good. Linux only. Thread-safe.
struct CudaLibrary {
    void* handle = nullptr; ///< null if it is not installed
    std::string missing;    ///< functions that it lacks
    Result (*errorName)(Result, const char**) = nullptr;

    CudaLibrary() {
#if defined(__unix__) && !defined(__APPLE__)
        handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
        errorName = reinterpret_cast<decltype(errorName)>(find("cuGetErrorName"));
    }
    CudaLibrary(const CudaLibrary&) = delete;
    CudaLibrary& operator=(const CudaLibrary&) = delete;

    void* find(const char* function) {
#if defined(__unix__) && !defined(__APPLE__)
        if (void* const found = handle ? dlsym(handle, function) : nullptr)
            return found;
#endif
        missing += formatted(" {}", function);
        return nullptr;
    }

    [[noreturn]] void failOn(Result result, std::string_view function) const {
        constexpr Result kOutOfMemory = 2;
        const char* name = nullptr;
        errorName(result, &name);
        const std::string text =
            formatted("CUDA's driver: {} failed with {}", function.substr(0, function.rfind("_v2")),
                      name ? name : formatted("error {}", result));
        if (result == kOutOfMemory)
            throw OutOfMemory(text);
        throw Unsupported(text);
    }
};

/// A function of the library, which must outlive it.
template <typename... Parameters>
class DriverCall {
public:
    DriverCall(CudaLibrary& library, const char* name)
        : mLibrary(library), mName(name),
          mFunction(reinterpret_cast<Result (*)(Parameters...)>(library.find(name))) {}

    /// @throws OutOfMemory, or Unsupported for other errors
    void operator()(Parameters... values) const {
        if (const Result result = mFunction(values...))
            mLibrary.failOn(result, mName);
    }
    /// Ignores errors.
    void attempt(Parameters... values) const { mFunction(values...); }

private:
    const CudaLibrary& mLibrary;
    const char* mName;
    Result (*mFunction)(Parameters...);
};

struct CudaDriver : CudaLibrary {
    DriverCall<unsigned> cuInit{*this, "cuInit"};
    DriverCall<int*> cuDeviceGetCount{*this, "cuDeviceGetCount"};
    DriverCall<DeviceNumber*, int> cuDeviceGet{*this, "cuDeviceGet"};
    DriverCall<unsigned char*, DeviceNumber> cuDeviceGetUuid{*this, "cuDeviceGetUuid"};
    DriverCall<int*, DeviceNumber, DeviceNumber> cuDeviceCanAccessPeer{*this,
                                                                       "cuDeviceCanAccessPeer"};
    DriverCall<Context*, DeviceNumber> cuDevicePrimaryCtxRetain{*this, "cuDevicePrimaryCtxRetain"};
    DriverCall<Context> cuCtxPushCurrent{*this, "cuCtxPushCurrent_v2"};
    DriverCall<Context*> cuCtxPopCurrent{*this, "cuCtxPopCurrent_v2"};
    DriverCall<size_t*, const AllocationProperties*, int> cuMemGetAllocationGranularity{
        *this, "cuMemGetAllocationGranularity"};
    DriverCall<Allocation*, size_t, const AllocationProperties*, Flags> cuMemCreate{*this,
                                                                                    "cuMemCreate"};
    DriverCall<Allocation> cuMemRelease{*this, "cuMemRelease"};
    DriverCall<void*, Allocation, int, Flags> cuMemExportToShareableHandle{
        *this, "cuMemExportToShareableHandle"};
    DriverCall<Address*, size_t, size_t, Address, Flags> cuMemAddressReserve{*this,
                                                                             "cuMemAddressReserve"};
    DriverCall<Address, size_t> cuMemAddressFree{*this, "cuMemAddressFree"};
    DriverCall<Address, size_t, size_t, Allocation, Flags> cuMemMap{*this, "cuMemMap"};
    DriverCall<Address, size_t> cuMemUnmap{*this, "cuMemUnmap"};
    DriverCall<Address, size_t, const MemoryAccess*, size_t> cuMemSetAccess{*this,
                                                                            "cuMemSetAccess"};
    DriverCall<Address, Address, size_t, Stream> cuMemcpyDtoDAsync{*this, "cuMemcpyDtoDAsync_v2"};
    DriverCall<Stream*, unsigned> cuStreamCreate{*this, "cuStreamCreate"};
    DriverCall<Stream> cuStreamDestroy{*this, "cuStreamDestroy_v2"};
    DriverCall<Stream> cuStreamSynchronize{*this, "cuStreamSynchronize"};
};

/// Never destroyed, because the objects that use it live until the process ends.
CudaDriver& driver() {
    static auto* const instance = new CudaDriver;
    return *instance;
}

/// Makes a context current in this thread as long as this object lives.
class CurrentContext {
public:
    explicit CurrentContext(Context context) { driver().cuCtxPushCurrent(context); }
    ~CurrentContext() {
        Context popped = nullptr;
        driver().cuCtxPopCurrent.attempt(&popped);
    }
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;
};

/// Memory that is mapped for all GPUs with a link to its own. CUDA copies other memory through the
/// host, even if Vulkan has opened it and peer access is enabled.
class LinkMemory final : public PeerLink::Memory {
public:
    /// @param users  GPUs that may access the memory
    LinkMemory(Context usedContext, DeviceNumber device, const std::vector<MemoryAccess>& users,
               uint64_t bytes)
        : context(usedContext) {
        const CurrentContext current(context);
        AllocationProperties properties;
        properties.location.id = device;
        size_t unit = 1;
        driver().cuMemGetAllocationGranularity(&unit, &properties, 0);
        mBytes = (bytes + unit - 1) / unit * unit;
        driver().cuMemCreate(&mAllocation, mBytes, &properties, 0);
        try {
            driver().cuMemAddressReserve(&address, mBytes, 0, 0, 0);
            driver().cuMemMap(address, mBytes, 0, mAllocation, 0);
            mMapped = true;
            driver().cuMemSetAccess(address, mBytes, users.data(), users.size());
            driver().cuStreamCreate(&stream, kStreamNonBlocking);
        } catch (...) {
            release();
            throw;
        }
    }

    ~LinkMemory() override {
        try {
            const CurrentContext current(context);
            release();
        } catch (const std::exception& error) {
            KP_LOG_WARN("memory of a link between GPUs stays allocated: {}", error.what());
        }
    }

    ExternalMemory exportMemory() const override {
        ExternalMemory exported{-1, mBytes, ExternalMemory::kAnyType, 0};
        driver().cuMemExportToShareableHandle(&exported.fd, mAllocation, kFileDescriptor, 0);
        return exported;
    }

    const Context context;
    Address address = 0;
    Stream stream = nullptr;

private:
    void release() {
        if (stream)
            driver().cuStreamDestroy.attempt(stream);
        if (mMapped)
            driver().cuMemUnmap.attempt(address, mBytes);
        if (address != 0)
            driver().cuMemAddressFree.attempt(address, mBytes);
        driver().cuMemRelease.attempt(mAllocation);
    }

    uint64_t mBytes = 0;
    Allocation mAllocation = 0;
    bool mMapped = false;
};

class CudaLink final : public PeerLink {
public:
    /// @throws Unsupported
    CudaLink() {
        driver().cuInit(0);
        int count = 0;
        driver().cuDeviceGetCount(&count);
        mGpus.resize(static_cast<size_t>(count));
        for (int i = 0; i < count; ++i) {
            Gpu& gpu = mGpus[static_cast<size_t>(i)];
            driver().cuDeviceGet(&gpu.device, i);
            driver().cuDeviceGetUuid(gpu.uuid.data(), gpu.device);
        }
        mPeers.assign(mGpus.size() * mGpus.size(), false);
        for (size_t a = 0; a < mGpus.size(); ++a) {
            for (size_t b = 0; b < mGpus.size(); ++b) {
                int canAccess = a == b;
                if (a != b)
                    driver().cuDeviceCanAccessPeer(&canAccess, mGpus[a].device, mGpus[b].device);
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
        return std::make_unique<LinkMemory>(contextOf(index), mGpus[index].device, users, bytes);
    }

    void start(Memory& from, Memory& to, uint64_t bytes) override {
        const auto& source = static_cast<LinkMemory&>(from);
        const CurrentContext current(source.context);
        driver().cuMemcpyDtoDAsync(static_cast<LinkMemory&>(to).address, source.address, bytes,
                                   source.stream);
    }

    void finish(Memory& from) override {
        const auto& source = static_cast<LinkMemory&>(from);
        const CurrentContext current(source.context);
        driver().cuStreamSynchronize(source.stream);
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
            driver().cuDevicePrimaryCtxRetain(&gpu.context, gpu.device);
        return gpu.context;
    }

    std::vector<Gpu> mGpus;
    std::vector<bool> mPeers; ///< for each pair of GPUs
    std::mutex mMutex;        ///< guards the contexts
};

std::shared_ptr<PeerLink> openCudaLink() {
    if (environment("KOMPUTE_CUDA") == "0")
        return nullptr;
    if (!driver().handle)
        return nullptr;
    if (!driver().missing.empty()) {
        KP_LOG_INFO("GPUs exchange data through the host, because CUDA's driver library lacks{}",
                    driver().missing);
        return nullptr;
    }
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
