// SPDX-License-Identifier: Apache-2.0
//
// Kernels of arrays on a device that binds four storage buffers.
#include <kompute/arrays/Engine.hpp>

#include "ArraySupport.hpp"
#include "unit/ScopedEnvironment.hpp"

namespace kp::test {
namespace {

class ArrayBuffersTest : public DeviceTest {
protected:
    static std::shared_ptr<Manager> managerOfLeast() {
        const ScopedEnvironment variable("KOMPUTE_PROFILE", "vulkan-1.1-least");
        return std::make_shared<Manager>();
    }
    template <typename T>
    Array of(const std::vector<T>& values) {
        return Array::of(values, least.get());
    }
    Array counting(const Shape& shape) {
        return arange(0, shape.product(), 1, DType::eInt32, least.get()).reshape(shape).copy();
    }

    std::shared_ptr<Manager> least = managerOfLeast();
};

TEST_F(ArrayBuffersTest, AnExpressionOfManyArraysIsComputedInParts) {
    std::vector<Array> terms;
    for (int32_t i = 0; i < 9; ++i)
        terms.push_back(of<int32_t>({i, 10 * i}));
    Array sum = terms[0];
    for (size_t i = 1; i < terms.size(); ++i)
        sum = sum + terms[i] * terms[i - 1];
    int32_t expected = 0;
    for (int32_t i = 1; i < 9; ++i)
        expected += i * (i - 1);
    expectRow<int32_t>(sum, {expected, 100 * expected});
}

TEST_F(ArrayBuffersTest, ThreeIndicesAreAddedUpFirst) {
    const Array x = counting({2, 3, 4});
    const Array still = x.strided(0, {2}, {0});
    const std::vector<Array> indices = {of<int32_t>({1, -2}), of<int32_t>({-1, 0}),
                                        of<uint32_t>({3, 1})};
    expectRow<int32_t>(arrays::take(still, indices, {{2, 12, 0}, {3, 4, 1}, {4, 1, 2}}), {23, 1});
    // The second axis backwards.
    const Array back = x.strided(8, {2}, {0});
    expectRow<int32_t>(arrays::take(back, indices, {{2, 12, 0}, {3, -4, 1}, {4, 1, 2}}), {15, 9});
    EXPECT_THROW(arrays::take(still,
                              {of<int32_t>({1, 1}), of<int32_t>({3, 0}), of<int32_t>({0, 0})},
                              {{2, 12, 0}, {3, 4, 1}, {4, 1, 2}}),
                 arrays::OutOfBounds);
}

TEST_F(ArrayBuffersTest, IndicesThatAreExpressionsAreChecked) {
    const Array x = counting({6});
    const Array still = x.strided(0, {2}, {0});
    const auto index = [&] {
        return of<int32_t>({1, 2}) + of<int32_t>({2, 1}) * of<int32_t>({1, 2});
    };
    expectRow<int32_t>(arrays::take(still, {index()}, {{6, 1, 0}}), {3, 4});
    EXPECT_THROW(arrays::take(still, {index()}, {{4, 1, 0}}), arrays::OutOfBounds);
}

TEST_F(ArrayBuffersTest, AMaskAndTwoIndicesSetWhatTheySelect) {
    const Array x = counting({2, 3});
    const Array still = x.strided(0, {3}, {0});
    arrays::put(still, of<int32_t>({7, 8, 9}), {of<int32_t>({0, 1, 1}), of<int32_t>({2, 0, -1})},
                {{2, 3, 0}, {3, 1, 1}}, of<int32_t>({1, 0, 1}) > 0);
    EXPECT_EQ(x.vector<int32_t>(), (std::vector<int32_t>{0, 1, 7, 3, 4, 9}));
}

TEST_F(ArrayBuffersTest, StridesBeyondThePushConstantsTakeNoStorageBuffer) {
    const Shape shape{2, 3, 2, 3, 2, 3};
    const Array a = counting(shape);
    const auto walked = [&](const Array& array) {
        // The axes in another order, so that none are walked through as one.
        return array.strided(0, {2, 2, 2, 3, 3, 3}, {108, 18, 3, 36, 6, 1});
    };
    const Array b = counting(shape);
    const Array c = counting(shape);
    const Array found = where(walked(a) > 100, walked(b) * 2, c.reshape({2, 2, 2, 3, 3, 3}));
    const std::vector<int32_t> elements = found.vector<int32_t>();
    for (int32_t i = 0; i < 216; ++i) {
        const int32_t z = i % 3, y = i / 3 % 3, x = i / 9 % 3;
        const int32_t w = i / 27 % 2, v = i / 54 % 2, u = i / 108;
        const int32_t value = u * 108 + v * 18 + w * 3 + x * 36 + y * 6 + z;
        EXPECT_EQ(elements[static_cast<size_t>(i)], value > 100 ? 2 * value : i);
    }
}

} // namespace
} // namespace kp::test
