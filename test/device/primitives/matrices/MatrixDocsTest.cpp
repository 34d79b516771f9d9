// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/computing/matrices.md. Each block of that page is a part of this file, apart
// from whitespace.
#include <algorithm>

#include <kompute/Primitives.hpp>

#include "device/DocsSupport.hpp"
#include "device/TestSupport.hpp"

namespace kp::test {
namespace {

using MatrixDocsTest = DeviceTest;

TEST_F(MatrixDocsTest, RunsTheCodeOfThePage) {
    // clang-format off
auto a = manager.tensorT<float>(64 * 32);
auto b = manager.tensorT<float>(32 * 48);
auto c = manager.tensorT<float>(64 * 48);
manager.sequence()
    ->record<kp::OpRandom>(a, kp::Distribution::uniform(-1, 1), kp::RandomState{1})
    ->record<kp::OpRandom>(b, kp::Distribution::normal(), kp::RandomState{2})
    ->record<kp::OpMatMul>(a, b, c, kp::MatrixExtents{64, 48, 32})
    ->eval();
    // clang-format on
    const std::vector<float> left = a->vector(), right = b->vector(), product = c->vector();
    const auto [least, most] = std::minmax_element(left.begin(), left.end());
    EXPECT_GE(*least, -1.0f);
    EXPECT_LT(*most, 1.0f);
    EXPECT_GT(*most - *least, 1.5f);
    for (size_t row = 0; row < 64; ++row)
        for (size_t column = 0; column < 48; ++column) {
            double sum = 0;
            for (size_t k = 0; k < 32; ++k)
                sum += double(left[row * 32 + k]) * double(right[k * 48 + column]);
            ASSERT_NEAR(product[row * 48 + column], sum, 1e-4) << row << ", " << column;
        }
}

TEST_F(MatrixDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/computing/matrices.md",
                     "test/device/primitives/matrices/MatrixDocsTest.cpp", 1);
}

} // namespace
} // namespace kp::test
