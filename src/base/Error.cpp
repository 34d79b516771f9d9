// SPDX-License-Identifier: Apache-2.0
#include <kompute/Error.hpp>

#include <utility>

namespace kp {

#ifdef _GLIBCXX_DEBUG
bool detail::needsLibkomputeBuiltWith_GLIBCXX_DEBUG() {
    return true;
}
#endif

namespace {

constexpr int32_t kVkErrorDeviceLost = -4;

std::string withReasons(const std::string& message, const std::vector<std::string>& reasons) {
    std::string text = message;
    for (const std::string& reason : reasons)
        text += "\n  - " + reason;
    return text;
}

} // namespace

Error::Error(ErrorCode code, const std::string& message, int32_t vkResult,
             std::vector<std::string> reasons)
    : std::runtime_error(withReasons(message, reasons)), mCode(code), mVkResult(vkResult),
      mReasons(std::move(reasons)) {}
Error::~Error() = default;

InvalidArgument::InvalidArgument(const std::string& message, std::vector<std::string> reasons)
    : Error(ErrorCode::eInvalidArgument, message, 0, std::move(reasons)) {}
InvalidArgument::~InvalidArgument() = default;

ShaderError::ShaderError(const std::string& message, std::string file, uint32_t line,
                         uint32_t column, std::string log)
    : Error(ErrorCode::eShader, message), mFile(std::move(file)), mLine(line), mColumn(column),
      mLog(std::move(log)) {}
ShaderError::~ShaderError() = default;

OutOfMemory::OutOfMemory(const std::string& message, int32_t vkResult,
                         std::vector<std::string> reasons)
    : Error(ErrorCode::eOutOfMemory, message, vkResult, std::move(reasons)) {}
OutOfMemory::~OutOfMemory() = default;

DeviceLost::DeviceLost(const std::string& message, std::vector<std::string> reasons)
    : Error(ErrorCode::eDeviceLost, message, kVkErrorDeviceLost, std::move(reasons)) {}
DeviceLost::~DeviceLost() = default;

Cancelled::Cancelled(const std::string& message) : Error(ErrorCode::eCancelled, message) {}
Cancelled::~Cancelled() = default;

Unsupported::Unsupported(const std::string& message, std::vector<std::string> reasons)
    : Error(ErrorCode::eUnsupported, message, 0, std::move(reasons)) {}
Unsupported::~Unsupported() = default;

} // namespace kp
