// SPDX-License-Identifier: Apache-2.0
#include "group/CudaLink.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifdef __unix__
#include <dlfcn.h>
#include <unistd.h>
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
using CudaExternalMemory = void*;
using CudaAddress = unsigned long long;

constexpr CudaResult kSuccess = 0;
constexpr CudaResult kOutOfMemory = 2;
constexpr CudaResult kPeerAccessAlreadyEnabled = 704;
constexpr int kOpaqueFd = 1;               ///< CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD
constexpr unsigned kStreamNonBlocking = 1; ///< CU_STREAM_NON_BLOCKING

struct CudaHandleDescription {
    int type = kOpaqueFd;
    union {
        int fd;
        struct {
            void* handle;
            const void* name;
        } win32;
        const void* nvSciBufObject;
    } handle{};
    unsigned long long size = 0;
    unsigned flags = 0;
    unsigned reserved[16] = {};
};

struct CudaBufferDescription {
    unsigned long long offset = 0;
    unsigned long long size = 0;
    unsigned flags = 0;
    unsigned reserved[16] = {};
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
    X(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", CudaResult(CudaContext, unsigned))           \
    X(cuImportExternalMemory, "cuImportExternalMemory",                                            \
      CudaResult(CudaExternalMemory*, const CudaHandleDescription*))                               \
    X(cuExternalMemoryGetMappedBuffer, "cuExternalMemoryGetMappedBuffer",                          \
      CudaResult(CudaAddress*, CudaExternalMemory, const CudaBufferDescription*))                  \
    X(cuDestroyExternalMemory, "cuDestroyExternalMemory", CudaResult(CudaExternalMemory))          \
    X(cuMemFree, "cuMemFree_v2", CudaResult(CudaAddress))                                          \
    X(cuMemcpyPeerAsync, "cuMemcpyPeerAsync",                                                      \
      CudaResult(CudaAddress, CudaContext, CudaAddress, CudaContext, size_t, CudaStream))          \
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

    std::unique_ptr<PeerLink::Memory> open(const vulkan::Buffer& memory) override;
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

    /// Without it copies between the two would go through the host.
    void connect(const Memory& from, const Memory& to);

    const CudaFunctions mCuda;
    std::vector<Gpu> mGpus;
    std::vector<bool> mPeers; ///< for each pair of GPUs
    std::mutex mMutex;        ///< guards contexts and what follows
    std::set<std::pair<size_t, size_t>> mConnected;
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

class Link::Memory final : public PeerLink::Memory {
public:
    Memory(Link& link, size_t place, const vulkan::Buffer& buffer)
        : place(place), context(link.contextOf(place)), mLink(link) {
        const Current current(link, context);
        const CudaFunctions& cuda = link.mCuda;
        const ExternalMemory exported = buffer.exportMemory();
        CudaHandleDescription handle;
        handle.handle.fd = exported.fd;
        handle.size = exported.allocationBytes;
        const CudaResult imported = cuda.cuImportExternalMemory(&mMemory, &handle);
#ifdef __unix__
        if (imported != kSuccess) // else the descriptor is CUDA's
            close(exported.fd);
#endif
        link.check(imported, "cuImportExternalMemory");
        try {
            CudaBufferDescription whole;
            whole.size = buffer.size();
            link.check(cuda.cuExternalMemoryGetMappedBuffer(&address, mMemory, &whole),
                       "cuExternalMemoryGetMappedBuffer");
            link.check(cuda.cuStreamCreate(&stream, kStreamNonBlocking), "cuStreamCreate");
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
            KP_LOG_WARN("memory stays open: {}", error.what());
        }
    }

    const size_t place;
    const CudaContext context;
    CudaAddress address = 0;
    CudaStream stream = nullptr;

private:
    void release() {
        if (stream)
            mLink.mCuda.cuStreamDestroy(stream);
        if (address != 0)
            mLink.mCuda.cuMemFree(address);
        mLink.mCuda.cuDestroyExternalMemory(mMemory);
    }

    Link& mLink; ///< lives until the process ends
    CudaExternalMemory mMemory = nullptr;
};

std::unique_ptr<PeerLink::Memory> Link::open(const vulkan::Buffer& memory) {
    return std::make_unique<Memory>(*this, placeOf(memory.device()), memory);
}

void Link::connect(const Memory& from, const Memory& to) {
    const std::lock_guard lock(mMutex);
    if (from.place == to.place || !mConnected.insert({from.place, to.place}).second)
        return;
    for (const auto& [user, owner] : {std::pair(&from, &to), std::pair(&to, &from)}) {
        const Current current(*this, user->context);
        const CudaResult result = mCuda.cuCtxEnablePeerAccess(owner->context, 0);
        if (result != kSuccess && result != kPeerAccessAlreadyEnabled)
            KP_LOG_WARN("CUDA gives one GPU no access to another one's memory (error {}): copies "
                        "between them are slow",
                        result);
    }
}

void Link::start(PeerLink::Memory& from, PeerLink::Memory& to, uint64_t bytes) {
    const auto& source = static_cast<Memory&>(from);
    const auto& target = static_cast<Memory&>(to);
    connect(source, target);
    const Current current(*this, source.context);
    check(mCuda.cuMemcpyPeerAsync(target.address, target.context, source.address, source.context,
                                  bytes, source.stream),
          "cuMemcpyPeerAsync");
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
