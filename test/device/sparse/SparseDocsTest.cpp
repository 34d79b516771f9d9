// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/computing/sparse.md. Each block of that page is a part of this file, apart from
// whitespace.
#include <kompute/Sparse.hpp>

#include "device/DocsSupport.hpp"
#include "device/TestSupport.hpp"

namespace kp::test {
namespace {

using SparseDocsTest = DeviceTest;

TEST_F(SparseDocsTest, RunsTheCodeOfThePage) {
    // clang-format off
auto data = kp::Array::of<float>({4, 1, 1, 3}, &manager);
auto indices = kp::Array::of<int32_t>({0, 1, 0, 1}, &manager);
auto offsets = kp::Array::of<int32_t>({0, 2, 4}, &manager);
kp::sparse::Csr a(data, indices, offsets, {2, 2});
kp::Array y = kp::sparse::matmul(a, kp::Array::of<float>({1, 2}, &manager));
    // clang-format on
    EXPECT_EQ(y.vector<float>(), (std::vector<float>{6, 7}));
}

TEST_F(SparseDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/computing/sparse.md", "test/device/sparse/SparseDocsTest.cpp", 1);
}

} // namespace
} // namespace kp::test
