// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/computing/linear-algebra.md. Each block of that page is a part of this file,
// apart from whitespace.
#include <kompute/Primitives.hpp>

#include "device/DocsSupport.hpp"
#include "device/TestSupport.hpp"

namespace kp::test {
namespace {

using DenseDocsTest = DeviceTest;

TEST_F(DenseDocsTest, RunsTheCodeOfThePage) {
    // clang-format off
auto a = manager.tensorT<float>({4, 1, 1, 3});
auto b = manager.tensorT<float>({1, 2});
auto x = manager.tensorT<float>(2);
auto info = manager.tensorT<int32_t>(1);
manager.sequence()
    ->record<kp::OpSyncDevice>({a, b})
    ->record<kp::OpSolve>(a, b, x, info, kp::SquareMatrices{2}, 1)
    ->eval();
    // clang-format on
    EXPECT_EQ(info->vector()[0], 0);
    EXPECT_NEAR(x->vector()[0], 1.0 / 11, 1e-6);
    EXPECT_NEAR(x->vector()[1], 7.0 / 11, 1e-6);
}

TEST_F(DenseDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/computing/linear-algebra.md", "test/device/dense/DenseDocsTest.cpp", 1);
}

} // namespace
} // namespace kp::test
