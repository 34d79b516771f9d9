// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and correlations of rows, by each method.
#include "ArraySupport.hpp"

namespace kp::test {
namespace {

using Part = ConvolutionPart;

class ArrayConvolutionTest : public ArrayTest {};

TEST_F(ArrayConvolutionTest, PartsAreKept) {
    const Array a = of<float>({1, 2, 3, 4});
    const Array v = of<float>({1, 0, -1});
    expectRow<float>(convolve(a, v), {1, 2, 2, 2, -3, -4});
    expectRow<float>(convolve(v, a, Part::eSame), {2, 2, 2, -3});
    expectRow<float>(convolve(a, v, Part::eValid), {2, 2});
    expectRow<float>(correlate(a, v), {-2, -2});
    expectRow<float>(correlate(v, a, Part::eFull), {4, 3, -2, -2, -2, -1});
    expectRow<int32_t>(convolve(of<int32_t>({1, 2}), of<int8_t>({3, 4})), {3, 10, 8});
}

TEST_F(ArrayConvolutionTest, MethodsAgree) {
    std::vector<float> values;
    for (int i = 0; i < 20'000; ++i)
        values.push_back(static_cast<float>(i % 13));
    const Array a = of<float>(values);
    for (const int64_t length : {7, 500, 20'000}) {
        const Array v = a(Slice(0, length));
        const Array direct = convolve(a, v, Part::eSame, ConvolutionMethod::eDirect);
        for (const auto method : {ConvolutionMethod::eFourier, ConvolutionMethod::eAutomatic}) {
            const Array found = convolve(a, v, Part::eSame, method);
            const auto scale = max(direct).item<float>();
            EXPECT_LT(max(abs(found - direct)).item<float>(), 1e-5f * scale) << length;
        }
    }
}

TEST_F(ArrayConvolutionTest, OtherArgumentsAreRefused) {
    const Array x = of<int32_t>({1, 2, 3});
    EXPECT_ERROR(InvalidArgument,
                 "convolve() takes rows of at least one element, not of shape (0,)",
                 convolve(x, x(Slice(0, 0))));
    EXPECT_ERROR(InvalidArgument, "correlate() takes rows of at least one element, not of shape ()",
                 correlate(x, x(0)));
    EXPECT_ERROR(InvalidArgument, "not int32, whose sums they would round",
                 convolve(x, x, Part::eFull, ConvolutionMethod::eFourier));
}

} // namespace
} // namespace kp::test
