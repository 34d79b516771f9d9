// SPDX-License-Identifier: Apache-2.0
#include <kompute/Error.hpp>

#include <gtest/gtest.h>

namespace kp::test {
namespace {

template <typename Thrown, typename... Args>
void expectClass(ErrorCode code, const Args&... args) {
    bool asItself = false;
    try {
        throw Thrown("it went wrong", args...);
    } catch (const Thrown& error) {
        asItself = true;
        EXPECT_EQ(error.code(), code);
    }
    EXPECT_TRUE(asItself);
    EXPECT_THROW(throw Thrown("it went wrong", args...), Error);
    EXPECT_THROW(throw Thrown("it went wrong", args...), std::runtime_error);
}

TEST(Error, HasACodePerClassAndIsCaughtAsItsBases) {
    expectClass<InvalidArgument>(ErrorCode::eInvalidArgument);
    expectClass<ShaderError>(ErrorCode::eShader);
    expectClass<OutOfMemory>(ErrorCode::eOutOfMemory);
    expectClass<DeviceLost>(ErrorCode::eDeviceLost);
    expectClass<Unsupported>(ErrorCode::eUnsupported);
}

TEST(Error, IsNotCaughtAsAnotherClass) {
    const auto throwOne = [] { throw InvalidArgument("x"); };
    EXPECT_THROW(throwOne(), InvalidArgument);
    try {
        throwOne();
    } catch (const Unsupported&) {
        FAIL() << "an InvalidArgument was caught as Unsupported";
    } catch (const Error&) {
    }
}

TEST(Error, ListsTheReasonsInItsMessage) {
    const Unsupported error("no device will do",
                            {"device 0 is too old", "device 1 has no compute"});
    EXPECT_STREQ(error.what(),
                 "no device will do\n  - device 0 is too old\n  - device 1 has no compute");
    EXPECT_EQ(error.reasons().size(), 2u);
}

TEST(Error, CarriesTheVulkanResult) {
    EXPECT_EQ(Error(ErrorCode::eVulkan, "x", -13).vkResult(), -13);
    EXPECT_EQ(OutOfMemory("x", -2).vkResult(), -2);
    EXPECT_EQ(DeviceLost("x").vkResult(), -4); // VK_ERROR_DEVICE_LOST
    EXPECT_EQ(InvalidArgument("x").vkResult(), 0);
}

TEST(Error, GivesTheLocationOfAShaderError) {
    const ShaderError error("bad", "a.comp", 3, 7, "the log");
    EXPECT_EQ(error.file(), "a.comp");
    EXPECT_EQ(error.line(), 3u);
    EXPECT_EQ(error.column(), 7u);
    EXPECT_EQ(error.log(), "the log");
    EXPECT_EQ(ShaderError("bad").line(), 0u);
}

TEST(Error, CopiesAllItsParts) {
    const Unsupported error("x", {"y"});
    const Error copy = error;
    EXPECT_EQ(copy.code(), ErrorCode::eUnsupported);
    EXPECT_EQ(copy.reasons(), error.reasons());
    EXPECT_STREQ(copy.what(), error.what());
}

} // namespace
} // namespace kp::test
