// SPDX-License-Identifier: Apache-2.0
//
// The functions of shaders/lib/wide, which stand in for 64-bit integers and doubles.
#include <gtest/gtest.h>

#include "device/TestSupport.hpp"
#include "wide/WideArguments.hpp"
#include "wide/WideKernel.hpp"

namespace kp::test {
namespace {

constexpr size_t kRandomCalls = 100'000;

const WideFunction& functionNamed(const std::string& name) {
    for (const WideFunction& each : wideFunctions())
        if (each.name == name)
            return each;
    throw std::invalid_argument("no function is called " + name);
}

class WideNumbersTest : public ::testing::TestWithParam<WideFunction> {
protected:
    kp::Manager manager;
};

TEST_P(WideNumbersTest, HasTheBitsOfTheHost) {
    const WideKernel kernel(manager, GetParam());
    const WideArguments specials = specialArguments(GetParam());
    EXPECT_EQ(firstWrong(GetParam(), specials, kernel.run(specials)), "");
    proof::Random random(1, 0);
    const WideArguments others = randomArguments(GetParam(), kRandomCalls, random);
    EXPECT_EQ(firstWrong(GetParam(), others, kernel.run(others)), "");
}

INSTANTIATE_TEST_SUITE_P(Functions, WideNumbersTest, ::testing::ValuesIn(wideFunctions()),
                         [](const auto& info) { return info.param.name; });

using WideNumbersFaultTest = DeviceTest;

TEST_F(WideNumbersFaultTest, TiesThatAreRoundedUpAreFound) {
    const WideFunction& sum = functionNamed("kp_f64_add");
    const WideKernel kernel(manager, sum, "ties");
    const WideArguments specials = specialArguments(sum);
    EXPECT_NE(firstWrong(sum, specials, kernel.run(specials)), "");
}

} // namespace
} // namespace kp::test
