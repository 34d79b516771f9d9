// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/ExternalHandle.hpp"

#if defined(_WIN32)
#include <windows.h>

#include <vulkan/vulkan_win32.h>
#else
#include <unistd.h>
#endif

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/Instance.hpp"

namespace kp::vulkan {

#if defined(_WIN32)

namespace {

/// volk's tables have it only where every file includes the system's header.
PFN_vkGetMemoryWin32HandleKHR getMemoryHandle(const Device& device) {
    return reinterpret_cast<PFN_vkGetMemoryWin32HandleKHR>(
        device.instance()->table().vkGetDeviceProcAddr(device.handle(),
                                                       "vkGetMemoryWin32HandleKHR"));
}

} // namespace

bool sharesMemory(const Device& device) {
    return device.plan().hasExtension(kExternalMemoryExtension) && getMemoryHandle(device);
}

void exportHandle(const Device& device, VkDeviceMemory memory, ExternalMemory& exported) {
    VkMemoryGetWin32HandleInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_WIN32_HANDLE_INFO_KHR};
    info.memory = memory;
    info.handleType = kExternalMemoryKind;
    device.check(getMemoryHandle(device)(device.handle(), &info, &exported.handle),
                 "vkGetMemoryWin32HandleKHR");
}

void closeHandle(const ExternalMemory& memory) noexcept {
    if (memory.handle)
        CloseHandle(memory.handle);
}

std::string describeHandle(const ExternalMemory& memory) {
    return formatted("handle {}", memory.handle);
}

MemoryImport::MemoryImport(const ExternalMemory& memory)
    : mInfo{VK_STRUCTURE_TYPE_IMPORT_MEMORY_WIN32_HANDLE_INFO_KHR, nullptr, kExternalMemoryKind,
            memory.handle, nullptr} {
    static_assert(sizeof(Info) == sizeof(VkImportMemoryWin32HandleInfoKHR) &&
                  offsetof(Info, handle) == offsetof(VkImportMemoryWin32HandleInfoKHR, handle));
    DWORD flags = 0;
    if (!memory.handle || !GetHandleInformation(memory.handle, &flags))
        fail<InvalidArgument>("{} of external memory is not open", describeHandle(memory));
}

MemoryImport::~MemoryImport() = default; // an import does not take the handle

#else

bool sharesMemory(const Device& device) {
    return device.plan().hasExtension(kExternalMemoryExtension) && device.vk().vkGetMemoryFdKHR;
}

void exportHandle(const Device& device, VkDeviceMemory memory, ExternalMemory& exported) {
    VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
    info.memory = memory;
    info.handleType = kExternalMemoryKind;
    device.check(device.vk().vkGetMemoryFdKHR(device.handle(), &info, &exported.fd),
                 "vkGetMemoryFdKHR");
}

void closeHandle(const ExternalMemory& memory) noexcept {
    if (memory.fd >= 0)
        ::close(memory.fd);
}

std::string describeHandle(const ExternalMemory& memory) {
    return formatted("file descriptor {}", memory.fd);
}

// A successful import takes ownership of the descriptor, so it gets a duplicate.
MemoryImport::MemoryImport(const ExternalMemory& memory)
    : mInfo{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr, kExternalMemoryKind,
            ::dup(memory.fd)} {
    if (mInfo.fd < 0)
        fail<InvalidArgument>("{} of external memory is not open", describeHandle(memory));
}

MemoryImport::~MemoryImport() {
    if (!mSucceeded && mInfo.fd >= 0)
        ::close(mInfo.fd);
}

#endif

} // namespace kp::vulkan
