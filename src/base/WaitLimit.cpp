// SPDX-License-Identifier: Apache-2.0
#include <kompute/queue/WaitLimit.hpp>

#include <kompute/Error.hpp>

namespace kp {
namespace {

constexpr int32_t kTimeout = 2; ///< VK_TIMEOUT

thread_local uint64_t tLimit = UINT64_MAX;

} // namespace

WaitLimit::WaitLimit(uint64_t nanoseconds) : mOuter(tLimit) {
    tLimit = nanoseconds;
}

WaitLimit::~WaitLimit() {
    tLimit = mOuter;
}

uint64_t WaitLimit::current() {
    return tLimit;
}

bool WaitLimit::caused(const Error& error) {
    return error.code() == ErrorCode::eVulkan && error.vkResult() == kTimeout;
}

void WaitLimit::fail() {
    throw Error(ErrorCode::eVulkan,
                "the device was still busy at the end of a WaitLimit; call again to go on waiting",
                kTimeout);
}

} // namespace kp
