// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <kompute/Export.hpp>

namespace kp {

/// Kind of failure that an Error reports.
enum class ErrorCode {
    eInvalidArgument, ///< The arguments cannot work; nothing was changed.
    eShader,          ///< A shader does not compile, is invalid or does not match its arguments.
    eOutOfMemory,     ///< No device or host memory left; existing objects still work.
    eDeviceLost,      ///< The device stopped; later calls on it throw too, destruction works.
    eUnsupported,     ///< The driver or device does not support the request.
    eVulkan,          ///< Another Vulkan call failed; see Error::vkResult().
    eCancelled,       ///< The work was cancelled before it started.
    eCheckFailed      ///< A shader made a mistake that checked mode found.
};

/// Base class of all exceptions that the library throws. Derives from std::runtime_error, so code
/// written for the original Kompute catches it unchanged.
class KOMPUTE_API Error : public std::runtime_error {
public:
    /// @param message   one line: the given value, the expected one, and the remedy
    /// @param vkResult  VkResult behind the failure; 0 (VK_SUCCESS) if no Vulkan call failed
    /// @param reasons   details that what() also lists, such as why each device was rejected
    Error(ErrorCode code, const std::string& message, int32_t vkResult = 0,
          std::vector<std::string> reasons = {});
    ~Error() override;

    ErrorCode code() const noexcept { return mCode; }
    int32_t vkResult() const noexcept { return mVkResult; }
    const std::vector<std::string>& reasons() const noexcept { return mReasons; }

private:
    ErrorCode mCode;
    int32_t mVkResult;
    std::vector<std::string> mReasons;
};

/// Thrown if the caller's arguments cannot work.
class KOMPUTE_API InvalidArgument : public Error {
public:
    explicit InvalidArgument(const std::string& message, std::vector<std::string> reasons = {});
    ~InvalidArgument() override;
};

/// Thrown if a shader is rejected. If the source is known, file(), line() and column() locate the
/// first error (line and column start at 1; 0 means unknown), and log() is the compiler's full
/// output.
class KOMPUTE_API ShaderError : public Error {
public:
    explicit ShaderError(const std::string& message, std::string file = {}, uint32_t line = 0,
                         uint32_t column = 0, std::string log = {});
    ~ShaderError() override;

    const std::string& file() const noexcept { return mFile; }
    uint32_t line() const noexcept { return mLine; }
    uint32_t column() const noexcept { return mColumn; }
    const std::string& log() const noexcept { return mLog; }

private:
    std::string mFile;
    uint32_t mLine;
    uint32_t mColumn;
    std::string mLog;
};

/// Thrown if there is not enough device or host memory.
class KOMPUTE_API OutOfMemory : public Error {
public:
    explicit OutOfMemory(const std::string& message, int32_t vkResult = 0,
                         std::vector<std::string> reasons = {});
    ~OutOfMemory() override;
};

/// Thrown if the device stopped. reasons() contains the driver's fault report, if there is one, and
/// with ManagerOptions::breadcrumbs the operations that were under way.
class KOMPUTE_API DeviceLost : public Error {
public:
    explicit DeviceLost(const std::string& message, std::vector<std::string> reasons = {});
    ~DeviceLost() override;
};

/// Thrown by waits for work that was cancelled before it started: its sequence was cancelled, or
/// the sequence or its manager was destroyed, while it waited for an event.
class KOMPUTE_API Cancelled : public Error {
public:
    explicit Cancelled(const std::string& message);
    ~Cancelled() override;
};

/// Thrown if the driver or device does not support the request. reasons() lists the checks.
class KOMPUTE_API Unsupported : public Error {
public:
    explicit Unsupported(const std::string& message, std::vector<std::string> reasons = {});
    ~Unsupported() override;
};

} // namespace kp
