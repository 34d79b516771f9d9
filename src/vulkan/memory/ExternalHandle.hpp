// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <kompute/memory/ExternalMemory.hpp>

#include "vulkan/device/Vulkan.hpp"

namespace kp::vulkan {

class Device;

// A handle by which one device gives its memory to another: a file descriptor, or a HANDLE on
// Windows.

#if defined(_WIN32)
constexpr const char* kExternalMemoryExtension = "VK_KHR_external_memory_win32";
constexpr auto kExternalMemoryKind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT;
#else
constexpr const char* kExternalMemoryExtension = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
constexpr auto kExternalMemoryKind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
#endif

/// Returns true if a device can export its memory, and import others'.
bool sharesMemory(const Device& device);

/// Sets the handle of memory that was allocated with kExternalMemoryKind; the caller owns it.
void exportHandle(const Device& device, VkDeviceMemory memory, ExternalMemory& exported);

void closeHandle(const ExternalMemory& memory) noexcept;

/// Names a handle in messages.
std::string describeHandle(const ExternalMemory& memory);

/// What vkAllocateMemory needs to open the memory of a handle, which stays the caller's.
class MemoryImport {
public:
    /// @throws InvalidArgument if the handle is not open
    explicit MemoryImport(const ExternalMemory& memory);
    ~MemoryImport();
    MemoryImport(const MemoryImport&) = delete;
    MemoryImport& operator=(const MemoryImport&) = delete;

    /// pNext of VkMemoryAllocateInfo
    const void* info() const { return &mInfo; }
    /// Call it once the memory is allocated.
    void succeeded() { mSucceeded = true; }

private:
#if defined(_WIN32)
    /// VkImportMemoryWin32HandleInfoKHR, without the system's header.
    struct Info {
        VkStructureType type;
        const void* next;
        VkExternalMemoryHandleTypeFlagBits handleType;
        void* handle;
        const wchar_t* name;
    };
    Info mInfo;
#else
    VkImportMemoryFdInfoKHR mInfo;
#endif
    bool mSucceeded = false;
};

} // namespace kp::vulkan
