// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kp {

/// Device memory that another Vulkan device can open: one of another process, of another library in
/// this one, or another logical device of the same GPU. What Vulkan calls an opaque file
/// descriptor: it is only of use to the same physical device with the same driver. Plain data;
/// whoever got it from Tensor::exportMemory closes the file descriptor.
struct ExternalMemory {
    /// For memory that Vulkan did not allocate, such as CUDA's (cuMemExportToShareableHandle).
    static constexpr uint32_t kAnyType = UINT32_MAX;

    int fd = -1;
    uint64_t allocationBytes = 0; ///< of the whole VkDeviceMemory
    uint32_t memoryType = 0;      ///< memoryTypeIndex that it was allocated with, or kAnyType
    uint64_t offset = 0;          ///< bytes from its beginning to what is meant
};

} // namespace kp
