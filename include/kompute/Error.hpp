// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <kompute/Export.hpp>

namespace kp {

/// What kind of failure an Error reports.
enum class ErrorCode {
    eInvalidArgument, ///< The caller gave something that cannot work; nothing was changed.
    eShader,      ///< A shader does not compile, does not validate or does not fit its arguments.
    eOutOfMemory, ///< The device or the host has no memory left; everything that existed still
                  ///< works.
    eDeviceLost,  ///< The device is gone; every later call on it says so, destruction still works.
    eUnsupported, ///< The driver or device cannot do what was asked.
    eVulkan       ///< Another Vulkan call failed; see Error::vkResult().
};

/// Base of everything this library throws. Derives from std::runtime_error, so code written
/// for the original Kompute catches it unchanged.
class KOMPUTE_API Error : public std::runtime_error {
public:
    /// @param code     kind of failure
    /// @param message  one line that says what was given, what was expected and what to do
    /// @param vkResult the VkResult behind the failure, 0 (VK_SUCCESS) where no Vulkan call failed
    /// @param reasons  details, for instance why each device was refused; what() lists them
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

/// The caller's arguments cannot work.
class KOMPUTE_API InvalidArgument : public Error {
public:
    explicit InvalidArgument(const std::string& message, std::vector<std::string> reasons = {});
    ~InvalidArgument() override;
};

/// A shader was refused. Where the source is known, line() and column() locate the first fault
/// (both count from 1; 0 means unknown) and log() is the compiler's full output.
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

/// No device or host memory left for a request.
class KOMPUTE_API OutOfMemory : public Error {
public:
    explicit OutOfMemory(const std::string& message, int32_t vkResult = 0);
    ~OutOfMemory() override;
};

/// The device stopped. Where the driver gives a fault report, reasons() holds it.
class KOMPUTE_API DeviceLost : public Error {
public:
    explicit DeviceLost(const std::string& message, std::vector<std::string> reasons = {});
    ~DeviceLost() override;
};

/// The driver or device cannot do what was asked; reasons() says what was looked at.
class KOMPUTE_API Unsupported : public Error {
public:
    explicit Unsupported(const std::string& message, std::vector<std::string> reasons = {});
    ~Unsupported() override;
};

} // namespace kp
