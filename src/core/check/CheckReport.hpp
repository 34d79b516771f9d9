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

/// What the bindings of a shader hold, for messages.
struct BoundText {
    uint32_t set = 0;
    uint32_t binding = 0;
    std::string text;
};

/// The buffer that the dispatches of a checked shader report to. Thread-safe.
class CheckReport {
public:
    /// @throws OutOfMemory
    CheckReport(vulkan::Device& device, std::shared_ptr<const CheckedShader> shader,
                std::vector<BoundText> bound);
    /// Logs faults that nobody has taken.
    ~CheckReport();
    CheckReport(const CheckReport&) = delete;
    CheckReport& operator=(const CheckReport&) = delete;

    const vulkan::Buffer& buffer() const { return *mBuffer; }
    /// Returns the faults of finished work as a CheckFailed, and forgets them; null if there are
    /// none.
    std::exception_ptr take();

private:
    const vulkan::Device* const mDevice; ///< names the device only
    const std::shared_ptr<const CheckedShader> mShader;
    const std::vector<BoundText> mBound;
    const std::shared_ptr<vulkan::Buffer> mBuffer;
    std::mutex mMutex;

    friend void throwFaults(const vulkan::Device& device);
};

using CheckReports = std::vector<std::shared_ptr<CheckReport>>;

/// Returns the faults of the first report that has any, and forgets all; null if none has.
std::exception_ptr takeFaults(const CheckReports& reports);

/// Throws the faults that any finished work of a device has reported and nobody has taken. Call it
/// after a wait that belongs to no event.
/// @throws CheckFailed
void throwFaults(const vulkan::Device& device);

} // namespace kp
