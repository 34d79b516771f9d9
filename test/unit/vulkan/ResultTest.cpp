// SPDX-License-Identifier: Apache-2.0
#include "vulkan/device/Result.hpp"

#include <gtest/gtest.h>

#include <kompute/Error.hpp>

namespace kp::vulkan::test {
namespace {

template <typename Expected>
void expectThrown(VkResult result, ErrorCode code) {
    try {
        throwResult(result, "vkDoIt of 3 things");
        FAIL() << "no exception";
    } catch (const Expected& error) {
        EXPECT_EQ(error.code(), code) << nameOf(result);
        EXPECT_NE(std::string(error.what()).find("vkDoIt of 3 things"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find(nameOf(result)), std::string::npos);
    }
}

TEST(Result, MapsEachFailureToItsErrorClass) {
    expectThrown<OutOfMemory>(VK_ERROR_OUT_OF_DEVICE_MEMORY, ErrorCode::eOutOfMemory);
    expectThrown<OutOfMemory>(VK_ERROR_OUT_OF_HOST_MEMORY, ErrorCode::eOutOfMemory);
    expectThrown<OutOfMemory>(VK_ERROR_FRAGMENTED_POOL, ErrorCode::eOutOfMemory);
    expectThrown<DeviceLost>(VK_ERROR_DEVICE_LOST, ErrorCode::eDeviceLost);
    expectThrown<Unsupported>(VK_ERROR_EXTENSION_NOT_PRESENT, ErrorCode::eUnsupported);
    expectThrown<Unsupported>(VK_ERROR_FEATURE_NOT_PRESENT, ErrorCode::eUnsupported);
    expectThrown<Unsupported>(VK_ERROR_INCOMPATIBLE_DRIVER, ErrorCode::eUnsupported);
    expectThrown<Error>(VK_ERROR_INITIALIZATION_FAILED, ErrorCode::eVulkan);
    expectThrown<Error>(VK_ERROR_UNKNOWN, ErrorCode::eVulkan);
}

TEST(Result, KeepsTheVulkanResult) {
    try {
        throwResult(VK_ERROR_OUT_OF_DEVICE_MEMORY, "x");
        FAIL() << "no exception";
    } catch (const Error& error) {
        EXPECT_EQ(error.vkResult(), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    }
}

TEST(Result, AcceptsSuccessCodes) {
    EXPECT_NO_THROW(check(VK_SUCCESS, "x"));
    EXPECT_NO_THROW(check(VK_INCOMPLETE, "x"));
    EXPECT_NO_THROW(check(VK_TIMEOUT, "x"));
    EXPECT_THROW(check(VK_ERROR_UNKNOWN, "x"), Error);
}

TEST(Result, NamesUnknownResults) {
    EXPECT_STREQ(nameOf(static_cast<VkResult>(-123456)), "an unknown Vulkan error");
    EXPECT_STREQ(nameOf(VK_ERROR_DEVICE_LOST), "VK_ERROR_DEVICE_LOST");
}

} // namespace
} // namespace kp::vulkan::test
