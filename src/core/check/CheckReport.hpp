// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/check/CheckedShader.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp {

/// The contents of a shader's binding.
struct BoundMemory {
    uint32_t set = 0;
    uint32_t binding = 0;
    std::string text; ///< for messages
    uint64_t bytes = 0;
};

/// The buffer that the dispatches of a checked shader report to. Thread-safe.
class CheckReport {
public:
    /// @throws OutOfMemory
    CheckReport(vulkan::Device& device, std::shared_ptr<const CheckedShader> shader,
                std::vector<BoundMemory> bound);
    /// Logs faults that were not taken.
    ~CheckReport();
    CheckReport(const CheckReport&) = delete;
    CheckReport& operator=(const CheckReport&) = delete;

    const vulkan::Buffer& buffer() const { return *mBuffer; }
    /// Returns the buffer of CheckedModule::shadowed; null if there is none.
    const vulkan::Buffer* shadow() const { return mShadow.get(); }
    /// Records that the shadow is cleared, before a dispatch.
    void recordReset(const vulkan::DeviceHandle& device, VkCommandBuffer commandBuffer) const;
    /// Returns the faults of finished work as a CheckFailed, and forgets them; null if there are
    /// none.
    std::exception_ptr take();

private:
    void makeShadow(vulkan::Device& device);

    const vulkan::Device* const mDevice; ///< names the device only
    const std::shared_ptr<const CheckedShader> mShader;
    const std::vector<BoundMemory> mBound;
    const std::shared_ptr<vulkan::Buffer> mBuffer;
    std::shared_ptr<vulkan::Buffer> mShadow;
    std::mutex mMutex;

    friend void throwFaults(const vulkan::Device& device);
};

using CheckReports = std::vector<std::shared_ptr<CheckReport>>;

/// Returns the faults of the first report that has any, and forgets all; null if none has.
std::exception_ptr takeFaults(const CheckReports& reports);

/// Throws the untaken faults of any finished work of a device. Call it
/// after a wait that belongs to no event.
/// @throws CheckFailed
void throwFaults(const vulkan::Device& device);

} // namespace kp
