// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/sort/SortPlan.hpp"

namespace kp::test {

template <typename T>
constexpr bool kIsReal = !std::is_integral_v<T>;

/// The order of OpSort.
template <typename T>
bool isBefore(T left, T right) {
    if constexpr (kIsReal<T>) {
        using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
        const Real a = static_cast<Real>(left);
        const Real b = static_cast<Real>(right);
        if (std::isnan(a) || std::isnan(b))
            return !std::isnan(a);
        return a == b ? std::signbit(a) && !std::signbit(b) : a < b;
    } else {
        return left < right;
    }
}
template <typename T>
bool isLess(T a, T b) {
    if constexpr (kIsReal<T>)
        if (std::isnan(static_cast<double>(static_cast<float>(b))) &&
            std::isnan(static_cast<double>(static_cast<float>(a))))
            return false;
    return isBefore(a, b);
}

/// The indices of a part of the keys in their order, from 0.
template <typename T>
std::vector<uint32_t> order(const std::vector<T>& keys, size_t first, size_t count,
                            bool descending = false) {
    std::vector<uint32_t> indices(count);
    std::iota(indices.begin(), indices.end(), 0u);
    std::stable_sort(indices.begin(), indices.end(), [&](uint32_t a, uint32_t b) {
        const T left = keys[first + a];
        const T right = keys[first + b];
        return descending ? isLess(right, left) : isLess(left, right);
    });
    return indices;
}
template <typename T>
std::vector<uint32_t> order(const std::vector<T>& keys, bool descending = false) {
    return order(keys, 0, keys.size(), descending);
}

template <typename T, typename Index>
std::vector<T> gathered(const std::vector<T>& values, const std::vector<Index>& indices) {
    std::vector<T> out(indices.size());
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = values[indices[i]];
    return out;
}

template <typename T>
bool hasSameBits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Keys with many equal ones among them, and with every kind of special number.
template <typename T>
std::vector<T> keysOf(size_t count, uint64_t seed) {
    std::vector<T> keys = randomValues<T>(count, seed);
    for (size_t i = 0; i < count; ++i) {
        if (i % 3 == 1)
            keys[i] = keys[i / 2];
        if constexpr (kIsReal<T>) {
            const float infinity = std::numeric_limits<float>::infinity();
            const float nan = std::numeric_limits<float>::quiet_NaN();
            const float special[] = {0.0f, -0.0f, infinity, -infinity, nan, -nan, 1e-40f, -1e-40f};
            if (i % 7 == 5)
                keys[i] = static_cast<T>(special[i / 7 % 8]);
        } else if (i % 11 == 3) {
            keys[i] = i % 2 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
        }
    }
    return keys;
}

class SortTest : public DeviceTest {
protected:
    static constexpr auto kStorage = kp::Memory::MemoryTypes::eStorage;

    template <typename T>
    std::shared_ptr<kp::TensorT<T>> stored(const std::vector<T>& values) {
        return manager.tensorT<T>(values, kStorage);
    }

    /// Sorts keys, keys with values, and indices, and compares with std::stable_sort.
    template <typename T>
    void expectSorted(const std::vector<T>& keys, const SortOptions& options = {}) {
        const std::vector<uint32_t> indices = order(keys, options.descending);
        const std::vector<T> sorted = gathered(keys, indices);
        const auto alone = stored(keys);
        manager.sequence()->eval<kp::OpSort>(alone, TensorRange{}, options);
        EXPECT_TRUE(hasSameBits(onDevice<T>(*alone), sorted)) << keys.size() << " keys";

        std::vector<uint64_t> values(keys.size());
        std::iota(values.begin(), values.end(), uint64_t{1} << 40);
        const auto withValues = stored(keys);
        const auto wide = stored(values);
        manager.sequence()->eval<kp::OpSort>(withValues, wide, options);
        EXPECT_TRUE(hasSameBits(onDevice<T>(*withValues), sorted)) << keys.size() << " keys";
        EXPECT_EQ(onDevice<uint64_t>(*wide), gathered(values, indices)) << keys.size() << " keys";

        const auto source = stored(keys);
        const auto found = stored(std::vector<uint32_t>(keys.size()));
        manager.sequence()->eval<kp::OpArgSort>(source, found, options);
        EXPECT_EQ(onDevice<uint32_t>(*found), indices) << keys.size() << " keys";
        EXPECT_TRUE(hasSameBits(onDevice<T>(*source), keys));
    }

    /// Sorts keys and indices in one operation, as drivers take long to compile the variants.
    template <typename T>
    void expectOrdered(const std::vector<T>& keys, const SortOptions& given = {}) {
        SortOptions options = given;
        const std::vector<uint32_t> indices = order(keys, options.descending);
        const auto sorted = stored(std::vector<T>(keys.size()));
        const auto found = stored(std::vector<uint32_t>(keys.size()));
        options.sortedKeys = sorted;
        manager.sequence()->eval<kp::OpArgSort>(stored(keys), found, options);
        EXPECT_EQ(onDevice<uint32_t>(*found), indices) << keys.size() << " keys";
        EXPECT_TRUE(hasSameBits(onDevice<T>(*sorted), gathered(keys, indices)));
    }

    /// Runs a plan of the test's own over keys and 32-bit values, in place.
    template <typename T>
    void expectPlanned(const std::vector<T>& keys, const primitives::DeviceTraits& traits,
                       const primitives::SortRules& rules, uint32_t valueBytes = 4) {
        primitives::SortProblem problem;
        const auto tensor = stored(keys);
        problem.keys = tensor->dataType();
        problem.count = keys.size();
        problem.bits = sizeof(T) * 8;
        problem.valueBytes = valueBytes;
        problem.keysInPlace = true;
        problem.valuesInPlace = true;
        const std::vector<uint32_t> indices = order(keys);
        std::vector<TensorRange> tensors = {tensor};
        std::vector<uint32_t> values(keys.size() * std::max(4u, valueBytes) / 4);
        std::iota(values.begin(), values.end(), 7u);
        const auto valueTensor = stored(values);
        if (valueBytes > 0)
            tensors.push_back(valueTensor);
        manager.sequence()->eval(
            plannedOperation(primitives::planSort(problem, traits, rules), tensors));
        EXPECT_TRUE(hasSameBits(onDevice<T>(*tensor), gathered(keys, indices)))
            << keys.size() << " keys of " << sizeof(T) << " bytes";
        if (valueBytes == 4) {
            EXPECT_EQ(onDevice<uint32_t>(*valueTensor), gathered(values, indices))
                << keys.size() << " keys of " << sizeof(T) << " bytes";
        }
    }

    primitives::SortRules rulesFor(primitives::SortWay way, const primitives::DeviceTraits& traits,
                                   uint32_t groupSize, uint32_t items) {
        primitives::SortRules rules = primitives::SortRules::of(primitives::SortProblem{}, traits);
        rules.way = way;
        rules.pass = primitives::SortRules::fitted({groupSize, items, true, false}, traits);
        rules.spins = 8;
        return rules;
    }
};

} // namespace kp::test
