// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace kp::vulkan {

class Buffer;
class Device;

/// Host memory of the caller, imported for one device and added to its HostRanges, in pieces if it
/// is larger than one allocation may be. Destruction waits for the transfers that use it.
class ImportedHostMemory {
public:
    /// Imports the pages around @p memory, for transfers of @p memory alone. If the device needs a
    /// larger alignment than a page, imports the aligned part of @p memory.
    /// @throws Unsupported if the device or driver does not import it, OutOfMemory
    ImportedHostMemory(std::shared_ptr<Device> device, void* memory, uint64_t bytes);
    ~ImportedHostMemory();
    ImportedHostMemory(const ImportedHostMemory&) = delete;
    ImportedHostMemory& operator=(const ImportedHostMemory&) = delete;

private:
    void release() noexcept;

    std::shared_ptr<Device> mDevice;
    std::vector<std::shared_ptr<Buffer>> mBuffers;
    std::vector<uint64_t> mNumbers; ///< in the device's HostRanges
};

} // namespace kp::vulkan
