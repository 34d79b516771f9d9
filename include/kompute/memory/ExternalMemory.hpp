// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp {

/// Device memory that another Vulkan device can open: in another process, in another library of
/// this process, or another logical device on the same GPU. The handle is an opaque file descriptor
/// in Vulkan's terms (on Windows, an opaque HANDLE), valid only for the same physical device and
/// driver. Plain data: the caller of Tensor::exportMemory closes the file descriptor or HANDLE.
struct ExternalMemory {
    /// Marks memory that Vulkan did not allocate, such as CUDA's (cuMemExportToShareableHandle).
    static constexpr uint32_t kAnyType = UINT32_MAX;

    int fd = -1;                  ///< the file descriptor; -1 on Windows
    uint64_t allocationBytes = 0; ///< size of the whole VkDeviceMemory
    uint32_t memoryType = 0;      ///< memoryTypeIndex of the allocation, or kAnyType
    uint64_t offset = 0;          ///< bytes from the start of the allocation to the data
    void* handle = nullptr;       ///< the HANDLE on Windows; null elsewhere
};

} // namespace kp
