// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/reduce/ReducePlan.hpp"
#include "unit/TestFiles.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/Instance.hpp"
#include "vulkan/memory/BufferPool.hpp"

namespace kp::test {

using kp::ReduceOperation;
using kp::ReduceOptions;
using kp::TensorRange;

template <typename T>
using Limits = std::numeric_limits<T>;

class ReduceTest : public DeviceTest {
protected:
    static constexpr auto kStorage = kp::Memory::MemoryTypes::eStorage;

    template <typename Out, typename In>
    std::vector<Out> reduced(const std::vector<In>& values, const kp::Operator& combine,
                             size_t results = 1, const ReduceOptions& options = {}) {
        const auto in = manager.tensorT<In>(values, kStorage);
        const auto out = manager.tensorT<Out>(results);
        manager.sequence()->eval<kp::OpReduce>(in, out, combine, options);
        return out->vector();
    }

    /// Reduces along each axis of a shape and compares with a loop.
    template <typename Out, typename In>
    void expectAxes(const std::vector<uint64_t>& shape, const kp::Operator& combine,
                    const std::function<Out(const std::vector<In>&)>& reference) {
        const uint64_t count =
            std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<>());
        const std::vector<In> values = randomValues<In>(count, count);
        const auto in = manager.tensorT<In>(values, kStorage);
        for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
            const auto at = static_cast<size_t>(axis);
            uint64_t inner = 1;
            for (size_t i = at + 1; i < shape.size(); ++i)
                inner *= shape[i];
            const uint64_t results = count / shape[at];
            std::vector<Out> expected(results);
            for (uint64_t result = 0; result < results; ++result) {
                std::vector<In> line(shape[at]);
                for (uint64_t i = 0; i < shape[at]; ++i)
                    line[i] = values[(result / inner * shape[at] + i) * inner + result % inner];
                expected[result] = reference(line);
            }
            const auto out = manager.tensorT<Out>(results);
            ReduceOptions options;
            options.shape = shape;
            options.axis = axis;
            manager.sequence()->eval<kp::OpReduce>(in, out, combine, options);
            EXPECT_EQ(out->vector(), expected)
                << "axis " << axis << " of " << ::testing::PrintToString(shape);
        }
    }

    template <typename In, typename Out = In>
    void expectIntegers(bool everyOperation = false) {
        for (const size_t count : {1, 100, 70001}) {
            const std::vector<In> v = randomValues<In>(count, count);
            Out sum = 0;
            In product = 1;
            In all = static_cast<In>(~In{0});
            In any = 0;
            In odd = 0;
            uint32_t nonZero = 0;
            for (const In x : v) {
                sum = wrapped(sum, static_cast<Out>(x), std::plus<>());
                product = wrapped(product, x, std::multiplies<>());
                all = static_cast<In>(all & x);
                any = static_cast<In>(any | x);
                odd = static_cast<In>(odd ^ x);
                nonZero += x != 0;
            }
            EXPECT_EQ(reduced<Out>(v, ReduceOperation::eSum).front(), sum) << count;
            EXPECT_EQ(reduced<In>(v, ReduceOperation::eMinimum).front(), std::ranges::min(v));
            EXPECT_EQ(reduced<uint32_t>(v, ReduceOperation::eArgMaximum).front(),
                      std::ranges::max_element(v) - v.begin());
            if (!everyOperation)
                continue;
            EXPECT_EQ(reduced<In>(v, ReduceOperation::eProduct).front(), product) << count;
            EXPECT_EQ(reduced<In>(v, ReduceOperation::eAnd).front(), all) << count;
            EXPECT_EQ(reduced<In>(v, ReduceOperation::eOr).front(), any) << count;
            EXPECT_EQ(reduced<In>(v, ReduceOperation::eXor).front(), odd) << count;
            EXPECT_EQ(reduced<In>(v, ReduceOperation::eMaximum).front(), std::ranges::max(v));
            EXPECT_EQ(reduced<uint32_t>(v, ReduceOperation::eCountNonZero).front(), nonZero);
            EXPECT_EQ(reduced<uint32_t>(v, ReduceOperation::eArgMinimum).front(),
                      std::ranges::min_element(v) - v.begin());
        }
    }

    template <typename In, typename Out = In>
    void expectFloats(double tolerance, bool everyOperation = false) {
        for (const size_t count : {1, 100, 70001}) {
            const std::vector<In> v = randomValues<In>(count, count);
            std::vector<double> exact(v.size());
            std::ranges::transform(v, exact.begin(),
                                   [](In x) { return static_cast<double>(static_cast<float>(x)); });
            if constexpr (std::is_same_v<In, double>)
                exact = v;
            const double sum = std::accumulate(exact.begin(), exact.end(), 0.0);
            double magnitude = 0;
            for (const double x : exact)
                magnitude += std::abs(x);
            const auto toDouble = [](Out x) {
                if constexpr (std::is_same_v<Out, double>)
                    return x;
                else
                    return static_cast<double>(static_cast<float>(x));
            };
            EXPECT_NEAR(toDouble(reduced<Out>(v, ReduceOperation::eSum).front()), sum,
                        tolerance * (magnitude + std::abs(sum)));
            EXPECT_NEAR(toDouble(reduced<Out>(v, ReduceOperation::eMean).front()),
                        sum / static_cast<double>(count), tolerance);
            if (!everyOperation)
                continue;
            const auto smallest = std::ranges::min_element(exact) - exact.begin();
            const auto largest = std::ranges::max_element(exact) - exact.begin();
            EXPECT_EQ(std::memcmp(&reduced<In>(v, ReduceOperation::eMinimum).front(),
                                  &v[static_cast<size_t>(smallest)], sizeof(In)),
                      0);
            EXPECT_EQ(std::memcmp(&reduced<In>(v, ReduceOperation::eMaximum).front(),
                                  &v[static_cast<size_t>(largest)], sizeof(In)),
                      0);
            EXPECT_EQ(reduced<int64_t>(v, ReduceOperation::eArgMinimum).front(), smallest);
            EXPECT_EQ(reduced<int32_t>(v, ReduceOperation::eArgMaximum).front(), largest);
        }
    }
};

} // namespace kp::test
