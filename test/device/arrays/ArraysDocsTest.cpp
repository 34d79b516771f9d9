// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/computing/arrays-in-cpp.md. Each block of that page is a part of this file,
// apart from whitespace.
#include <kompute/Array.hpp>
#include <kompute/arrays/Capture.hpp>

#include "../DocsSupport.hpp"
#include "ArraySupport.hpp"

namespace kp::test {
namespace {

class ArraysDocsTest : public ArrayTest {
protected:
    void SetUp() override {
        if (!has(DType::eInt64) || !has(DType::eFloat64))
            GTEST_SKIP() << "the device has no int64 or no float64";
    }
    /// Other tests expect to have the device for themselves.
    void TearDown() override { arrays::dropDefaultManager(); }
};

TEST_F(ArraysDocsTest, RunsTheFirstExample) {
    // clang-format off
kp::Array x = kp::linspace(0, 1, 1000), y = kp::sqrt(x) * 2 + 1; // nothing is computed yet
float total = kp::sum(y).item<float>();
kp::Array top = kp::sort(y)(kp::Slice(-10, kp::end));
    // clang-format on
    EXPECT_NEAR(total, 2333.0f, 1.0f);
    EXPECT_EQ(toString(top.shape()), "(10,)");
    EXPECT_EQ(top(-1).item<float>(), 3.0f);
}

TEST_F(ArraysDocsTest, RunsTheCodeOnViewsAndFunctions) {
    const std::vector<uint32_t> shader = incrementFloats();
    std::string message;
    // clang-format off
kp::Array ramp = kp::arange(0, 6, 1, kp::DType::eFloat32, &manager);
kp::Array table = kp::Array::of(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}, &manager);
kp::Array border = kp::zeros({2, 3}, kp::DType::eFloat32, &manager);

kp::Array scaled = (table - kp::mean(table, 0)) / kp::stddev(table, 0); // columns
kp::Array chosen = kp::where(scaled > 0, scaled, 0);
chosen.evaluate(); // starts the kernel, and returns at once
std::vector<float> host = chosen.vector<float>();

table(0, kp::Slice(1, kp::end)).assign(0);                 // [[1 0 0] [4 5 6]]
kp::Array backwards = table(kp::Slice(), kp::Slice(kp::begin, kp::end, -1));
kp::Array column = table(kp::ellipsis, 1);                 // shape (2,)
kp::Array rows = table.reshape({3, -1});                   // shape (3, 2)
table.assign(table + 1);

kp::Array large = kp::compress(table > 3, table);          // NumPy's table[table > 3]
kp::Array picked = kp::take(table, kp::argsort(column), 0);
kp::put(ramp, kp::Array::of(std::vector<int32_t>{0, -1}, &manager), 7);

kp::CapturedFunction step = kp::capture([](const std::vector<kp::Array>& in) {
    return std::vector<kp::Array>{in[0] + 0.5 * in[1], in[1] - in[0]};
});
std::vector<kp::Array> state = {table.copy(), border.copy()};
for (int i = 0; i < 10; ++i)
    state = step(state);

std::vector<kp::Array> halved = kp::whileLoop(
    [](const std::vector<kp::Array>& s) { return kp::max(s[0]) > 1; },
    [](const std::vector<kp::Array>& s) { return std::vector<kp::Array>{s[0] / 2}; },
    {table.copy()}, 50);

auto algorithm = manager.algorithm({border.tensor()}, shader); // adds 1 to each element
manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
kp::Array doubled = border * 2;

auto tensor = manager.tensor({1, 2, 3, 4});
kp::Array square = kp::Array::in(tensor, manager, {2, 2}, kp::DType::eFloat32);
square(1).assign(0); // the tensor is 1, 2, 0, 0

try {
    kp::matmul(table, table);
} catch (const kp::InvalidArgument& error) {
    // arrays of the shapes (2, 3) and (2, 3) cannot be multiplied: their inner extents differ, 3 and 2
    message = error.what();
}
    // clang-format on
    ASSERT_EQ(host.size(), 6u);
    for (size_t i = 0; i < host.size(); ++i)
        EXPECT_FLOAT_EQ(host[i], i < 3 ? 0.0f : 1.0f);
    expectArray<float>(backwards, {2, 3}, {1, 1, 2, 7, 6, 5});
    expectRow<float>(column, {1, 6});
    EXPECT_EQ(toString(rows.shape()), "(3, 2)");
    EXPECT_LE(max(halved[0]).item<float>(), 1.0f);
    EXPECT_GT(max(halved[0]).item<float>(), 0.5f);
    expectRow<float>(large, {5, 6, 7});
    expectArray<float>(picked, {2, 3}, {2, 1, 1, 5, 6, 7});
    expectRow<float>(ramp, {7, 1, 2, 3, 4, 7});
    expectArray<float>(doubled, {2, 3}, {2, 2, 2, 2, 2, 2});
    EXPECT_EQ(onDevice<float>(*tensor), (std::vector<float>{1, 2, 0, 0}));
    EXPECT_EQ(message, "arrays of the shapes (2, 3) and (2, 3) cannot be multiplied: their inner "
                       "extents differ, 3 and 2");
}

TEST_F(ArraysDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/computing/arrays-in-cpp.md", "test/device/arrays/ArraysDocsTest.cpp", 9);
}

} // namespace
} // namespace kp::test
