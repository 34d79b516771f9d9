// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kp::cuda {

// The part of CUDA's driver API that the library uses, declared here so that building needs no CUDA
// header. The ABI of these functions is the same in all versions of the driver. Structs and values
// match cuda.h.

using Result = int;
using DeviceNumber = int;
using Context = void*;
using Stream = void*;
using MarkHandle = void*;      ///< CUevent
using SemaphoreHandle = void*; ///< CUexternalSemaphore
using Address = unsigned long long;
using Allocation = unsigned long long;
using Flags = unsigned long long;

constexpr unsigned kStreamNonBlocking = 1; ///< CU_STREAM_NON_BLOCKING
constexpr unsigned kDisableTiming = 2;     ///< CU_EVENT_DISABLE_TIMING
constexpr int kFileDescriptor = 1;         ///< CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr int kReadWrite = 3;              ///< CU_MEM_ACCESS_FLAGS_PROT_READWRITE
constexpr int kTimelineFd = 9; ///< CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD

constexpr Result kInvalidValue = 1;
constexpr Result kOutOfMemory = 2;
constexpr Result kNotReady = 600;

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

/// CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC
struct SemaphoreDescription {
    int type = kTimelineFd;
    union {
        int fd;
        void* win32[2];
    } handle = {};
    unsigned flags = 0;
    unsigned reserved[16] = {};
};

/// CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS and ..._WAIT_PARAMS, which differ only in unused parts.
struct SemaphoreValue {
    unsigned long long value = 0;
    unsigned char rest[136] = {};
};
static_assert(sizeof(SemaphoreValue) == 144);

/// CUDA's driver library, opened for good. Linux only. Thread-safe.
struct DriverLibrary {
    void* handle = nullptr; ///< null if it is not installed
    std::string missing;    ///< functions that it lacks
    Result (*errorName)(Result, const char**) = nullptr;

    DriverLibrary();
    DriverLibrary(const DriverLibrary&) = delete;
    DriverLibrary& operator=(const DriverLibrary&) = delete;

    /// @param optional  a library without it is not noted as old
    void* find(const char* function, bool optional = false);
    [[noreturn]] void failOn(Result result, std::string_view function) const;
};

/// A function of the library, which must outlive it.
template <typename... Parameters>
class DriverCall {
public:
    DriverCall(DriverLibrary& library, const char* name, bool optional = false)
        : mLibrary(library), mName(name),
          mFunction(reinterpret_cast<Result (*)(Parameters...)>(library.find(name, optional))) {}

    /// Returns false for an optional function that the driver lacks.
    explicit operator bool() const { return mFunction != nullptr; }
    /// @throws OutOfMemory, or Unsupported for other errors
    void operator()(Parameters... values) const {
        if (const Result result = mFunction(values...))
            mLibrary.failOn(result, mName);
    }
    /// Returns the error.
    Result attempt(Parameters... values) const { return mFunction(values...); }

private:
    const DriverLibrary& mLibrary;
    const char* mName;
    Result (*mFunction)(Parameters...);
};

struct Driver : DriverLibrary {
    DriverCall<unsigned> cuInit{*this, "cuInit"};
    DriverCall<int*> cuDeviceGetCount{*this, "cuDeviceGetCount"};
    DriverCall<DeviceNumber*, int> cuDeviceGet{*this, "cuDeviceGet"};
    DriverCall<unsigned char*, DeviceNumber> cuDeviceGetUuid{*this, "cuDeviceGetUuid"};
    DriverCall<int*, DeviceNumber, DeviceNumber> cuDeviceCanAccessPeer{*this,
                                                                       "cuDeviceCanAccessPeer"};
    DriverCall<Context*, DeviceNumber> cuDevicePrimaryCtxRetain{*this, "cuDevicePrimaryCtxRetain"};
    DriverCall<Context> cuCtxPushCurrent{*this, "cuCtxPushCurrent_v2"};
    DriverCall<Context*> cuCtxPopCurrent{*this, "cuCtxPopCurrent_v2"};
    DriverCall<> cuCtxSynchronize{*this, "cuCtxSynchronize"};
    DriverCall<Context, MarkHandle> cuCtxRecordEvent{*this, "cuCtxRecordEvent", true};
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
    DriverCall<void*, int, Address> cuPointerGetAttribute{*this, "cuPointerGetAttribute"};
    DriverCall<Address, Address, size_t, Stream> cuMemcpyDtoDAsync{*this, "cuMemcpyDtoDAsync_v2"};
    DriverCall<Stream*, unsigned> cuStreamCreate{*this, "cuStreamCreate"};
    DriverCall<Stream> cuStreamDestroy{*this, "cuStreamDestroy_v2"};
    DriverCall<Stream> cuStreamQuery{*this, "cuStreamQuery"};
    DriverCall<Stream> cuStreamSynchronize{*this, "cuStreamSynchronize"};
    DriverCall<Stream, Context*> cuStreamGetCtx{*this, "cuStreamGetCtx"};
    DriverCall<Stream, unsigned long long*> cuStreamGetId{*this, "cuStreamGetId", true};
    DriverCall<Stream, int*> cuStreamIsCapturing{*this, "cuStreamIsCapturing"};
    DriverCall<MarkHandle*, unsigned> cuEventCreate{*this, "cuEventCreate"};
    DriverCall<MarkHandle> cuEventDestroy{*this, "cuEventDestroy_v2"};
    DriverCall<MarkHandle> cuEventQuery{*this, "cuEventQuery"};
    DriverCall<SemaphoreHandle*, const SemaphoreDescription*> cuImportExternalSemaphore{
        *this, "cuImportExternalSemaphore"};
    DriverCall<SemaphoreHandle> cuDestroyExternalSemaphore{*this, "cuDestroyExternalSemaphore"};
    DriverCall<const SemaphoreHandle*, const SemaphoreValue*, unsigned, Stream>
        cuSignalExternalSemaphoresAsync{*this, "cuSignalExternalSemaphoresAsync"};
    DriverCall<const SemaphoreHandle*, const SemaphoreValue*, unsigned, Stream>
        cuWaitExternalSemaphoresAsync{*this, "cuWaitExternalSemaphoresAsync"};
};

/// Returns the library, which the first call opens. Never destroyed, because the objects that use
/// it live until the process ends.
Driver& driver();

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

using Uuid = std::array<unsigned char, 16>;

/// A GPU as CUDA's driver sees it.
struct DriverGpu {
    DeviceNumber number = 0;
    Uuid uuid{};

    /// Returns the primary context, which CUDA code of the program shares. The first call retains
    /// it until the process ends. Thread-safe.
    Context context() const;
};

/// Returns the GPUs of the driver.
/// @throws Unsupported, with the reason and the remedy
const std::vector<DriverGpu>& driverGpus();

/// Returns true if @p user can access memory of @p owner, over NVLink or PCI Express. A GPU can
/// access its own.
bool canAccess(const DriverGpu& user, const DriverGpu& owner);

/// Memory of one GPU that other APIs can open by a file descriptor, and the GPUs of @p users by its
/// address. Its size is a multiple of CUDA's granule of 2 MiB.
class MappedMemory {
public:
    /// @throws OutOfMemory, Unsupported
    MappedMemory(const DriverGpu& gpu, const std::vector<MemoryAccess>& users, uint64_t bytes);
    ~MappedMemory();
    MappedMemory(const MappedMemory&) = delete;
    MappedMemory& operator=(const MappedMemory&) = delete;

    Address address() const { return mAddress; }
    uint64_t bytes() const { return mBytes; }
    Context context() const { return mContext; }
    /// Lets another GPU use the memory by the same address, if it can; for copies between GPUs.
    void shareWith(const DriverGpu& user);
    /// Returns a new file descriptor, which the caller closes.
    int exportHandle() const;

private:
    void release();

    const Context mContext;
    Address mAddress = 0;
    uint64_t mBytes = 0;
    Allocation mAllocation = 0;
    bool mMapped = false;
};

} // namespace kp::cuda
