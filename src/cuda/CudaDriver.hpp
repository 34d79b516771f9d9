// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace kp::cuda {

// The part of CUDA's driver API that the library uses, declared here so that building needs no CUDA
// header. The ABI of these functions is the same in all versions of the driver. Structs and values
// are those of cuda.h.

using Result = int;
using DeviceNumber = int;
using Context = void*;
using Stream = void*;
using Address = unsigned long long;
using Allocation = unsigned long long;

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

/// The functions of CUDA's driver library. Thread-safe.
struct CudaDriver {
    Result (*cuInit)(unsigned) = nullptr;
    Result (*cuGetErrorName)(Result, const char**) = nullptr;
    Result (*cuDeviceGetCount)(int*) = nullptr;
    Result (*cuDeviceGet)(DeviceNumber*, int) = nullptr;
    Result (*cuDeviceGetUuid)(unsigned char*, DeviceNumber) = nullptr;
    Result (*cuDeviceCanAccessPeer)(int*, DeviceNumber, DeviceNumber) = nullptr;
    Result (*cuDevicePrimaryCtxRetain)(Context*, DeviceNumber) = nullptr;
    Result (*cuCtxPushCurrent)(Context) = nullptr;
    Result (*cuCtxPopCurrent)(Context*) = nullptr;
    Result (*cuMemGetAllocationGranularity)(size_t*, const AllocationProperties*, int) = nullptr;
    Result (*cuMemCreate)(Allocation*, size_t, const AllocationProperties*,
                          unsigned long long) = nullptr;
    Result (*cuMemRelease)(Allocation) = nullptr;
    Result (*cuMemExportToShareableHandle)(void*, Allocation, int, unsigned long long) = nullptr;
    Result (*cuMemAddressReserve)(Address*, size_t, size_t, Address, unsigned long long) = nullptr;
    Result (*cuMemAddressFree)(Address, size_t) = nullptr;
    Result (*cuMemMap)(Address, size_t, size_t, Allocation, unsigned long long) = nullptr;
    Result (*cuMemUnmap)(Address, size_t) = nullptr;
    Result (*cuMemSetAccess)(Address, size_t, const MemoryAccess*, size_t) = nullptr;
    Result (*cuMemcpyDtoDAsync)(Address, Address, size_t, Stream) = nullptr;
    Result (*cuStreamCreate)(Stream*, unsigned) = nullptr;
    Result (*cuStreamDestroy)(Stream) = nullptr;
    Result (*cuStreamSynchronize)(Stream) = nullptr;

    /// Opens the library, for good. Empty if it is not installed or lacks a function, and on
    /// systems other than Linux.
    static std::optional<CudaDriver> open();

    /// Throws unless a function succeeded.
    /// @param function  its name, for the message
    /// @throws OutOfMemory, or Unsupported for other errors
    void check(Result result, const char* function) const;
};

} // namespace kp::cuda
