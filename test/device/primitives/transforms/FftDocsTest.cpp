// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/computing/fft.md. Each block of that page is a part of this file, apart from
// whitespace.
#include <complex>

#include <kompute/Primitives.hpp>

#include "device/DocsSupport.hpp"
#include "device/TestSupport.hpp"

namespace kp::test {
namespace {

using FftDocsTest = DeviceTest;

TEST_F(FftDocsTest, RunsTheCodeOfThePage) {
    // clang-format off
auto values = manager.tensorT<float>({1, 2, 3, 4});
auto spectrum = manager.tensorT<std::complex<float>>(3);
kp::FftOptions real;
real.real = true;
manager.sequence()
    ->record<kp::OpSyncDevice>({values})
    ->record<kp::OpFFT>(values, spectrum, std::vector<uint64_t>{4}, real)
    ->record<kp::OpSyncLocal>({spectrum})
    ->eval();
spectrum->vector();  // {10, -2 + 2i, -2}
    // clang-format on
    const std::vector<std::complex<float>> expected = {{10, 0}, {-2, 2}, {-2, 0}};
    for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_LT(std::abs(spectrum->vector()[i] - expected[i]), 1e-5f) << i;
}

TEST_F(FftDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/computing/fft.md", "test/device/primitives/transforms/FftDocsTest.cpp",
                     1);
}

} // namespace
} // namespace kp::test
