// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <kompute/Array.hpp>
#include <kompute/arrays/Engine.hpp>

#include "../TestSupport.hpp"

namespace kp::test {

/// A test of arrays on a manager of its own.
class ArrayTest : public DeviceTest {
protected:
    template <typename T>
    Array of(const std::vector<T>& values) {
        return Array::of(values, &manager);
    }
    template <typename T>
    Array of(const std::vector<T>& values, const Shape& shape) {
        return Array::of(values, shape, &manager);
    }
    /// 0, 1, 2, ... as float32, of a shape.
    Array counting(const Shape& shape) {
        return arange(0, shape.product(), 1, DType::eInt32, &manager)
            .reshape(shape)
            .astype(DType::eFloat32);
    }
    bool has(DType dtype) { return arrays::unsupportedReason(manager, dtype).empty(); }
};

/// Expects a shape, a type and elements.
template <typename T>
void expectArray(const Array& array, const Shape& shape, const std::vector<T>& elements) {
    EXPECT_EQ(toString(array.shape()), toString(shape));
    ASSERT_EQ(toString(array.dtype()), std::string(toString(dtypeOf(Memory::dataType<T>()))));
    EXPECT_EQ(array.template vector<T>(), elements);
}

/// Same, of one axis.
template <typename T>
void expectRow(const Array& array, const std::vector<T>& elements) {
    expectArray<T>(array, {static_cast<int64_t>(elements.size())}, elements);
}

/// Expects floating-point elements up to rounding; NaN where NaN is expected.
template <typename T>
void expectNear(const Array& array, const std::vector<double>& expected, double relative = 3e-6) {
    const std::vector<T> found = array.template vector<T>();
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
        const auto value = static_cast<double>(found[i]);
        if (std::isnan(expected[i])) {
            EXPECT_TRUE(std::isnan(value)) << i << ": " << value;
        } else if (std::isinf(expected[i])) {
            EXPECT_EQ(value, expected[i]) << i;
        } else {
            EXPECT_NEAR(value, expected[i], relative * std::max(1.0, std::abs(expected[i]))) << i;
        }
    }
}

} // namespace kp::test
