// SPDX-License-Identifier: Apache-2.0
#include "group/CudaLink.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#ifdef __unix__
#include <dlfcn.h>
#endif

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

namespace kp::group {
namespace {

// The little of CUDA's driver interface that is needed, as its documentation has it ("CUDA Driver
// API": the interface of the library's functions stays the same from version to version). No header
// of CUDA's is needed to build.
using CudaResult = int;
using CudaDevice = int;
using CudaContext = void*;
using CudaStream = void*;
using CudaAddress = unsigned long long;
using CudaAllocation = unsigned long long;

constexpr CudaResult kSuccess = 0;
constexpr CudaResult kOutOfMemory = 2;
constexpr unsigned kStreamNonBlocking = 1; ///< CU_STREAM_NON_BLOCKING
constexpr int kFileDescriptor = 1;         ///< CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr int kReadWrite = 3;              ///< CU_MEM_ACCESS_FLAGS_PROT_READWRITE

struct CudaLocation {
    int type = 1; ///< CU_MEM_LOCATION_TYPE_DEVICE
    int id = 0;
};

struct CudaAllocationProperties {
    int type = 1; ///< CU_MEM_ALLOCATION_TYPE_PINNED
    int handleTypes = kFileDescriptor;
    CudaLocation location;
    void* win32HandleMetaData = nullptr;
    unsigned char flags[8] = {};
};

struct CudaAccess {
    CudaLocation location;
    int flags = kReadWrite;
};

#define KOMPUTE_CUDA_FUNCTIONS(X)                                                                  \
    X(cuInit, "cuInit", CudaResult(unsigned))                                                      \
    X(cuGetErrorName, "cuGetErrorName", CudaResult(CudaResult, const char**))                      \
    X(cuDeviceGetCount, "cuDeviceGetCount", CudaResult(int*))                                      \
    X(cuDeviceGet, "cuDeviceGet", CudaResult(CudaDevice*, int))                                    \
    X(cuDeviceGetUuid, "cuDeviceGetUuid", CudaResult(unsigned char*, CudaDevice))                  \
    X(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", CudaResult(int*, CudaDevice, CudaDevice))    \
    X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", CudaResult(CudaContext*, CudaDevice))  \
    X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", CudaResult(CudaContext))                            \
    X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", CudaResult(CudaContext*))                             \
    X(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity",                              \
      CudaResult(size_t*, const CudaAllocationProperties*, int))                                   \
    X(cuMemCreate, "cuMemCreate",                                                                  \
      CudaResult(CudaAllocation*, size_t, const CudaAllocationProperties*, unsigned long long))    \
    X(cuMemRelease, "cuMemRelease", CudaResult(CudaAllocation))                                    \
    X(cuMemExportToShareableHandle, "cuMemExportToShareableHandle",                                \
      CudaResult(void*, CudaAllocation, int, unsigned long long))                                  \
    X(cuMemAddressReserve, "cuMemAddressReserve",                                                  \
      CudaResult(CudaAddress*, size_t, size_t, CudaAddress, unsigned long long))                   \
    X(cuMemAddressFree, "cuMemAddressFree", CudaResult(CudaAddress, size_t))                       \
    X(cuMemMap, "cuMemMap",                                                                        \
      CudaResult(CudaAddress, size_t, size_t, CudaAllocation, unsigned long long))                 \
    X(cuMemUnmap, "cuMemUnmap", CudaResult(CudaAddress, size_t))                                   \
    X(cuMemSetAccess, "cuMemSetAccess",                                                            \
      CudaResult(CudaAddress, size_t, const CudaAccess*, size_t))                                  \
    X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                                   \
      CudaResult(CudaAddress, CudaAddress, size_t, CudaStream))                                    \
    X(cuStreamCreate, "cuStreamCreate", CudaResult(CudaStream*, unsigned))                         \
    X(cuStreamDestroy, "cuStreamDestroy_v2", CudaResult(CudaStream))                               \
    X(cuStreamSynchronize, "cuStreamSynchronize", CudaResult(CudaStream))

struct CudaFunctions {
#define X(member, name, signature) std::add_pointer_t<signature> member = nullptr;
    KOMPUTE_CUDA_FUNCTIONS(X)
#undef X

    /// False where a function is missing.
    bool load([[maybe_unused]] void* library) {
#ifdef __unix__
        bool complete = true;
#define X(member, name, signature)                                                                 \
    member = reinterpret_cast<std::add_pointer_t<signature>>(dlsym(library, name));                \
    complete = complete && member != nullptr;
        KOMPUTE_CUDA_FUNCTIONS(X)
#undef X
        return complete;
#else
        return false;
#endif
    }
};

struct Gpu {
    CudaDevice device = 0;
    std::array<unsigned char, VK_UUID_SIZE> uuid{};
    CudaContext context = nullptr; ///< made at first use
};

class Link final : public PeerLink {
public:
    /// @throws Unsupported
    explicit Link(const CudaFunctions& cuda) : mCuda(cuda) {
        check(mCuda.cuInit(0), "cuInit");
        int count = 0;
        check(mCuda.cuDeviceGetCount(&count), "cuDeviceGetCount");
        mGpus.resize(static_cast<size_t>(count));
        for (int i = 0; i < count; ++i) {
            Gpu& gpu = mGpus[static_cast<size_t>(i)];
            check(mCuda.cuDeviceGet(&gpu.device, i), "cuDeviceGet");
            check(mCuda.cuDeviceGetUuid(gpu.uuid.data(), gpu.device), "cuDeviceGetUuid");
        }
        mPeers.assign(mGpus.size() * mGpus.size(), false);
        for (size_t a = 0; a < mGpus.size(); ++a)
            for (size_t b = 0; b < mGpus.size(); ++b) {
                int can = a == b;
                if (a != b)
                    check(mCuda.cuDeviceCanAccessPeer(&can, mGpus[a].device, mGpus[b].device),
                          "cuDeviceCanAccessPeer");
                mPeers[a * mGpus.size() + b] = can != 0;
            }
    }

    bool connects(const vulkan::Device& a, const vulkan::Device& b) const override {
        const size_t from = placeOf(a), to = placeOf(b), count = mGpus.size();
        return from < count && to < count && mPeers[from * count + to] && mPeers[to * count + from];
    }

    std::unique_ptr<PeerLink::Memory> make(const vulkan::Device& device, uint64_t bytes) override;
    void start(PeerLink::Memory& from, PeerLink::Memory& to, uint64_t bytes) override;
    void finish(PeerLink::Memory& from) override;

private:
    class Memory;
    class Current;

    void check(CudaResult result, const char* what) const {
        if (result == kSuccess)
            return;
        const char* name = nullptr;
        mCuda.cuGetErrorName(result, &name);
        const std::string text = std::string("CUDA's driver: ") + what + " failed with " +
                                 (name ? name : std::to_string(result).c_str());
        if (result == kOutOfMemory)
            throw OutOfMemory(text);
        throw Unsupported(text);
    }

    /// The number of GPUs where CUDA does not have the device.
    size_t placeOf(const vulkan::Device& device) const {
        const auto same = [&](const Gpu& gpu) {
            return std::equal(gpu.uuid.begin(), gpu.uuid.end(),
                              std::begin(device.physical().deviceUuid));
        };
        return static_cast<size_t>(std::find_if(mGpus.begin(), mGpus.end(), same) - mGpus.begin());
    }

    CudaContext contextOf(size_t place) {
        const std::lock_guard lock(mMutex);
        Gpu& gpu = mGpus[place];
        if (!gpu.context)
            check(mCuda.cuDevicePrimaryCtxRetain(&gpu.context, gpu.device),
                  "cuDevicePrimaryCtxRetain");
        return gpu.context;
    }

    const CudaFunctions mCuda;
    std::vector<Gpu> mGpus;
    std::vector<bool> mPeers; ///< for each pair of GPUs
    std::mutex mMutex;        ///< guards the contexts
};

/// Makes a context the current one of this thread for as long as it lives.
class Link::Current {
public:
    Current(const Link& link, CudaContext context) : mLink(link) {
        link.check(link.mCuda.cuCtxPushCurrent(context), "cuCtxPushCurrent");
    }
    ~Current() {
        CudaContext popped = nullptr;
        mLink.mCuda.cuCtxPopCurrent(&popped);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

private:
    const Link& mLink;
};

/// Memory that all GPUs with a link to its own have mapped: of other memory, even such as is opened
/// from Vulkan and has access enabled, CUDA makes copies through the host.
class Link::Memory final : public PeerLink::Memory {
public:
    Memory(Link& link, size_t place, uint64_t bytes)
        : context(link.contextOf(place)), mLink(link), mCuda(link.mCuda) {
        const Current current(link, context);
        CudaAllocationProperties properties;
        properties.location.id = link.mGpus[place].device;
        size_t unit = 1;
        link.check(mCuda.cuMemGetAllocationGranularity(&unit, &properties, 0),
                   "cuMemGetAllocationGranularity");
        mBytes = (bytes + unit - 1) / unit * unit;
        link.check(mCuda.cuMemCreate(&mAllocation, mBytes, &properties, 0), "cuMemCreate");
        try {
            link.check(mCuda.cuMemAddressReserve(&address, mBytes, 0, 0, 0), "cuMemAddressReserve");
            link.check(mCuda.cuMemMap(address, mBytes, 0, mAllocation, 0), "cuMemMap");
            mMapped = true;
            std::vector<CudaAccess> users;
            for (size_t other = 0; other < link.mGpus.size(); ++other)
                if (link.mPeers[other * link.mGpus.size() + place])
                    users.push_back({{.id = link.mGpus[other].device}});
            link.check(mCuda.cuMemSetAccess(address, mBytes, users.data(), users.size()),
                       "cuMemSetAccess");
            link.check(mCuda.cuStreamCreate(&stream, kStreamNonBlocking), "cuStreamCreate");
        } catch (...) {
            release();
            throw;
        }
    }

    ~Memory() override {
        try {
            const Current current(mLink, context);
            release();
        } catch (const std::exception& error) {
            KP_LOG_WARN("memory of a link between GPUs stays allocated: {}", error.what());
        }
    }

    ExternalMemory exportMemory() const override {
        ExternalMemory exported{-1, mBytes, ExternalMemory::kAnyType, 0};
        mLink.check(
            mCuda.cuMemExportToShareableHandle(&exported.fd, mAllocation, kFileDescriptor, 0),
            "cuMemExportToShareableHandle");
        return exported;
    }

    const CudaContext context;
    CudaAddress address = 0;
    CudaStream stream = nullptr;

private:
    void release() {
        if (stream)
            mCuda.cuStreamDestroy(stream);
        if (mMapped)
            mCuda.cuMemUnmap(address, mBytes);
        if (address != 0)
            mCuda.cuMemAddressFree(address, mBytes);
        mCuda.cuMemRelease(mAllocation);
    }

    Link& mLink; ///< lives until the process ends
    const CudaFunctions& mCuda;
    uint64_t mBytes = 0;
    CudaAllocation mAllocation = 0;
    bool mMapped = false;
};

std::unique_ptr<PeerLink::Memory> Link::make(const vulkan::Device& device, uint64_t bytes) {
    return std::make_unique<Memory>(*this, placeOf(device), bytes);
}

void Link::start(PeerLink::Memory& from, PeerLink::Memory& to, uint64_t bytes) {
    const auto& source = static_cast<Memory&>(from);
    const Current current(*this, source.context);
    check(mCuda.cuMemcpyDtoDAsync(static_cast<Memory&>(to).address, source.address, bytes,
                                  source.stream),
          "cuMemcpyDtoDAsync");
}

void Link::finish(PeerLink::Memory& from) {
    const auto& source = static_cast<Memory&>(from);
    const Current current(*this, source.context);
    check(mCuda.cuStreamSynchronize(source.stream), "cuStreamSynchronize");
}

std::shared_ptr<PeerLink> makeLink() {
#if defined(__unix__) && !defined(__APPLE__)
    const char* wanted = std::getenv("KOMPUTE_CUDA");
    if (wanted && std::string_view(wanted) == "0")
        return nullptr;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return nullptr;
    CudaFunctions functions;
    if (!functions.load(library)) {
        KP_LOG_INFO("CUDA's driver library lacks functions; GPUs exchange data through the host");
        return nullptr;
    }
    try {
        return std::make_shared<Link>(functions);
    } catch (const Error& error) {
        KP_LOG_INFO("GPUs exchange data through the host: {}", error.what());
        return nullptr;
    }
#else
    return nullptr;
#endif
}

} // namespace

std::shared_ptr<PeerLink> CudaLink::instance() {
    // Never destroyed: the driver may be gone before objects of the process are.
    static const auto* const link = new std::shared_ptr<PeerLink>(makeLink());
    return *link;
}

} // namespace kp::group
