// SPDX-License-Identifier: Apache-2.0
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
namespace {

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

TEST_F(ReduceTest, SumsAnyNumberOfElements) {
    for (const size_t count : kSizes) {
        const auto values = randomValues<uint32_t>(count, count);
        EXPECT_EQ(reduced<uint32_t>(values, ReduceOperation::eSum).front(),
                  std::accumulate(values.begin(), values.end(), 0u))
            << count;
    }
}

TEST_F(ReduceTest, ReducesIntegersOfEverySize) {
    expectIntegers<int8_t>(true);
    expectIntegers<uint8_t, uint32_t>();
    expectIntegers<int16_t, int64_t>();
    expectIntegers<uint16_t>();
    expectIntegers<int32_t, int64_t>();
    expectIntegers<uint32_t>();
    expectIntegers<int64_t>(true);
    expectIntegers<uint64_t>();
}

TEST_F(ReduceTest, ReducesFloatingPointNumbersOfEverySize) {
    expectFloats<float>(3e-7, true);
    expectFloats<double>(1e-15, true);
    expectFloats<float, double>(1e-15);
    expectFloats<kp::Half>(1e-3, true);
    expectFloats<kp::Half, float>(3e-7);
    expectFloats<kp::BFloat16>(1e-2);
}

TEST_F(ReduceTest, AnswersQuestionsAboutBooleans) {
    for (const size_t count : {1, 3, 257, 5000}) {
        const auto values = std::make_unique<bool[]>(count);
        const auto ask = [&](ReduceOperation operation) {
            const auto in = manager.tensor(values.get(), count, 1, kp::Memory::DataTypes::eBool,
                                           kp::Memory::MemoryTypes::eStorage);
            const auto out = manager.tensorT<bool>(1);
            manager.sequence()->eval<kp::OpReduce>(in, out, operation);
            return out->data()[0];
        };
        EXPECT_FALSE(ask(ReduceOperation::eAny));
        values[count - 1] = true;
        EXPECT_TRUE(ask(ReduceOperation::eAny));
        EXPECT_EQ(ask(ReduceOperation::eAll), count == 1);
        std::fill_n(values.get(), count, true);
        EXPECT_TRUE(ask(ReduceOperation::eAll));
        EXPECT_TRUE(ask(ReduceOperation::eMinimum));
        const auto in = manager.tensor(values.get(), count, 1, kp::Memory::DataTypes::eBool,
                                       kp::Memory::MemoryTypes::eStorage);
        const auto sum = manager.tensorT<int64_t>(1);
        manager.sequence()->eval<kp::OpReduce>(in, sum, ReduceOperation::eSum);
        EXPECT_EQ(sum->vector().front(), static_cast<int64_t>(count));
    }
}

TEST_F(ReduceTest, MinimumAndMaximumAreNaNIfAnyElementIs) {
    const float nan = Limits<float>::quiet_NaN();
    const float infinity = Limits<float>::infinity();
    std::vector<float> values = randomValues<float>(3000);
    values[100] = infinity;
    values[200] = -infinity;
    EXPECT_EQ(reduced<float>(values, ReduceOperation::eMaximum).front(), infinity);
    EXPECT_EQ(reduced<float>(values, ReduceOperation::eMinimum).front(), -infinity);
    EXPECT_TRUE(std::isnan(reduced<float>(values, ReduceOperation::eSum).front()));
    EXPECT_EQ(reduced<uint32_t>(values, ReduceOperation::eArgMinimum).front(), 200u);
    values[2500] = nan;
    values[1700] = -nan;
    EXPECT_TRUE(std::isnan(reduced<float>(values, ReduceOperation::eMaximum).front()));
    EXPECT_TRUE(std::isnan(reduced<float>(values, ReduceOperation::eMinimum).front()));
    EXPECT_EQ(reduced<uint32_t>(values, ReduceOperation::eArgMinimum).front(), 1700u);
    EXPECT_EQ(reduced<uint32_t>(values, ReduceOperation::eArgMaximum).front(), 1700u);
    EXPECT_EQ(reduced<uint32_t>(values, ReduceOperation::eAny).front(), 1u);
    const std::vector<double> doubles(values.begin(), values.end());
    EXPECT_TRUE(std::isnan(reduced<double>(doubles, ReduceOperation::eMinimum).front()));
    EXPECT_EQ(reduced<uint32_t>(doubles, ReduceOperation::eArgMaximum).front(), 1700u);
}

TEST_F(ReduceTest, IndexIsThatOfTheFirstAmongEqualElements) {
    for (const size_t count : {2, 100, 5000, 40000}) {
        EXPECT_EQ(
            reduced<uint32_t>(std::vector<float>(count, 2), ReduceOperation::eArgMinimum).front(),
            0u);
        std::vector<int32_t> values(count, 3);
        values[count / 2] = 5;
        values[count - 1] = 5;
        EXPECT_EQ(reduced<uint64_t>(values, ReduceOperation::eArgMaximum).front(), count / 2);
    }
}

TEST_F(ReduceTest, ReducesAlongEveryAxis) {
    const std::function<int32_t(const std::vector<int32_t>&)> sum = [](const auto& line) {
        uint32_t total = 0;
        for (const int32_t x : line)
            total += static_cast<uint32_t>(x);
        return static_cast<int32_t>(total);
    };
    for (const std::vector<uint64_t>& shape : {std::vector<uint64_t>{1},
                                               {17},
                                               {1, 1, 1, 1},
                                               {3, 5},
                                               {300, 7},
                                               {7, 300},
                                               {1, 5000},
                                               {5000, 1},
                                               {2, 20000},
                                               {20000, 2},
                                               {13, 5, 7},
                                               {2, 3000, 3},
                                               {64, 64, 64},
                                               {3, 4, 5, 6},
                                               {31, 2, 33, 3},
                                               {2, 1, 129, 257}})
        expectAxes<int32_t, int32_t>(shape, ReduceOperation::eSum, sum);
    for (const std::vector<uint64_t>& shape :
         {std::vector<uint64_t>{3, 5, 19}, {101, 33}, {3000, 40}, {40, 3000}})
        expectAxes<uint8_t, uint8_t>(
            shape, ReduceOperation::eMaximum,
            [](const std::vector<uint8_t>& line) { return std::ranges::max(line); });
}

TEST_F(ReduceTest, IndexCountsAlongTheAxis) {
    for (const std::vector<uint64_t>& shape :
         {std::vector<uint64_t>{3, 5, 19}, {101, 33}, {30000, 3}, {3, 30000}})
        expectAxes<uint32_t, float>(
            shape, ReduceOperation::eArgMinimum, [](const std::vector<float>& line) {
                return static_cast<uint32_t>(std::ranges::min_element(line) - line.begin());
            });
}

TEST_F(ReduceTest, ReducesSegmentsOfAnyLength) {
    const auto expectSegments = [&]<typename Offset>(const std::vector<Offset>& offsets,
                                                     size_t count) {
        const auto values = randomValues<int32_t>(count, count);
        const size_t segments = offsets.size() - 1;
        std::vector<int64_t> sums(segments);
        std::vector<float> means(segments);
        for (size_t i = 0; i < segments; ++i) {
            const auto begin = values.begin() + static_cast<std::ptrdiff_t>(offsets[i]);
            const auto end = values.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]);
            sums[i] = std::accumulate(begin, end, int64_t{0});
            means[i] =
                static_cast<float>(static_cast<double>(sums[i]) / static_cast<double>(end - begin));
        }
        ReduceOptions options;
        options.segments = manager.tensorT<Offset>(offsets, kStorage);
        EXPECT_EQ(reduced<int64_t>(values, ReduceOperation::eSum, segments, options), sums);
        const auto given = reduced<double>(values, ReduceOperation::eMean, segments, options);
        for (size_t i = 0; i < segments; ++i) {
            if (offsets[i] == offsets[i + 1])
                EXPECT_TRUE(std::isnan(given[i]));
            else
                EXPECT_NEAR(static_cast<float>(given[i]), means[i], 1 + std::abs(means[i]) * 1e-6);
        }
    };
    expectSegments(std::vector<uint32_t>{0, 0, 1, 5, 5, 5, 100, 1000, 1000}, 1000);
    expectSegments(std::vector<int64_t>{0, 70000}, 70000);
    expectSegments(std::vector<uint64_t>{3, 70, 60000, 60001}, 70000);
    expectSegments(std::vector<uint32_t>{0, 41234}, 70000); // a count that a selection left
    std::vector<int32_t> many;
    for (int32_t i = 0; i <= 5000; ++i)
        many.push_back(i * 3);
    expectSegments(many, 15000);
}

TEST_F(ReduceTest, IgnoresPartsOfSegmentsOutsideOfTheInput) {
    const auto values = ascending<uint32_t>(10);
    ReduceOptions options;
    options.segments = manager.tensorT<uint32_t>({5, 20, 30, 2, 4}, kStorage);
    EXPECT_EQ(reduced<uint32_t>(values, ReduceOperation::eSum, 4, options),
              (std::vector<uint32_t>{5 + 6 + 7 + 8 + 9, 0, 0, 2 + 3}));
    EXPECT_EQ(reduced<float>(values, ReduceOperation::eMean, 4, options)[0], 7.0f);
    // Several groups per segment.
    options.segments = manager.tensorT<int32_t>({-50, 90000}, kStorage);
    EXPECT_EQ(reduced<float>(std::vector<float>(70000, 3), ReduceOperation::eMean, 1, options)[0],
              3.0f);
}

TEST_F(ReduceTest, OfNothingIsTheIdentity) {
    const auto in = manager.tensorT<float>({1, 2, 3}, kStorage);
    const auto out = manager.tensorT<float>(3);
    const auto reduce = [&](const kp::Operator& combine, const ReduceOptions& options = {},
                            uint64_t results = 1) {
        manager.sequence()->eval<kp::OpReduce>(TensorRange(in, 3, 0), TensorRange(out, 0, results),
                                               combine, options);
        return out->vector();
    };
    EXPECT_EQ(reduce(ReduceOperation::eSum)[0], 0);
    EXPECT_EQ(reduce(ReduceOperation::eProduct)[0], 1);
    EXPECT_EQ(reduce(ReduceOperation::eMinimum)[0], Limits<float>::infinity());
    EXPECT_EQ(reduce(ReduceOperation::eMaximum)[0], -Limits<float>::infinity());
    EXPECT_TRUE(std::isnan(reduce(ReduceOperation::eMean)[0]));
    EXPECT_EQ(reduce({"a + 2 * b", "7"})[0], 7);
    ReduceOptions options;
    options.shape = {3, 0};
    options.axis = 1;
    EXPECT_EQ(reduce(ReduceOperation::eProduct, options, 3), (std::vector<float>{1, 1, 1}));
    options.shape = {0, 3};
    options.axis = 0;
    EXPECT_EQ(reduce(ReduceOperation::eSum, options, 3), (std::vector<float>{0, 0, 0}));
    options.axis = 1;
    EXPECT_EQ(reduce(ReduceOperation::eProduct, options, 0), (std::vector<float>{0, 0, 0}));
    const auto index = manager.tensorT<uint32_t>(1);
    EXPECT_ERROR(kp::InvalidArgument, "eArgMinimum needs at least one element",
                 manager.sequence()->eval<kp::OpReduce>(TensorRange(in, 0, 0), index,
                                                        ReduceOperation::eArgMinimum));
}

TEST_F(ReduceTest, TakesPartsOfTensors) {
    for (const size_t first : {0, 1, 3, 5, 16, 61})
        for (const size_t count : {1, 2, 15, 40, 1000, 50001}) {
            const auto values = randomValues<uint8_t>(first + count + 9);
            const auto in = manager.tensorT<uint8_t>(values, kStorage);
            const auto out = manager.tensorT<uint16_t>(std::vector<uint16_t>(4, 7), kStorage);
            manager.sequence()->eval<kp::OpReduce>(TensorRange(in, first, count),
                                                   TensorRange(out, 1, 1), ReduceOperation::eSum);
            uint16_t sum = 0;
            for (size_t i = 0; i < count; ++i)
                sum = static_cast<uint16_t>(sum + values[first + i]);
            EXPECT_EQ(onDevice<uint16_t>(*out), (std::vector<uint16_t>{7, sum, 7, 7}))
                << first << " " << count;
        }
}

TEST_F(ReduceTest, TakesOperatorsInGlsl) {
    const auto values = randomValues<float>(5000);
    float largest = 0;
    for (const float x : values)
        largest = std::max(largest, std::abs(x));
    EXPECT_EQ(reduced<float>(values, {"max(abs(a), abs(b))", "0"}).front(), largest);
    const auto integers = randomValues<int32_t>(5000);
    int64_t common = 0;
    for (const int32_t x : integers)
        common = std::max<int64_t>(common, int64_t{x} * 1);
    EXPECT_EQ(reduced<int64_t>(integers, {"a > b ? a : b", "T(0)"}).front(), common);
}

TEST_F(ReduceTest, SaysWhatIsWrongWithAnOperator) {
    const std::vector<float> values = {1, 2};
    EXPECT_ERROR(kp::ShaderError, "operator:1:5: error: 'q' : undeclared identifier\n 1 | a + q",
                 reduced<float>(values, {"a + q", "0"}));
    EXPECT_ERROR(kp::ShaderError, "operator:2:3: error: 'q'",
                 reduced<float>(values, {"a +\n  q", "0"}));
    EXPECT_ERROR(kp::ShaderError, "identity:1:1: error: 'nothing'",
                 reduced<float>(values, {"a + b", "nothing"}));
    EXPECT_ERROR(kp::ShaderError,
                 "operator:1:4: error: syntax error, unexpected ')' after the end of this text\n"
                 " 1 | a +\n",
                 reduced<float>(values, {"a +", "0"}));
    EXPECT_ERROR(kp::ShaderError, "identity:2:4: error: syntax error",
                 reduced<float>(values, {"a + b", "1\n  +\n"}));
    EXPECT_ERROR(kp::ShaderError, "identity:1:1: error: ", reduced<float>(values, {"a + b", "\n"}));
}

TEST_F(ReduceTest, WorksWithoutSubgroupOperations) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.subgroups = false;
    for (const size_t count : {1, 100, 5000, 70001}) {
        const auto values = randomValues<int32_t>(count);
        kp::primitives::ReduceProblem problem;
        problem.in = kp::Memory::DataTypes::eInt;
        problem.out = kp::Memory::DataTypes::eLong;
        problem.length = count;
        const auto out = manager.tensorT<int64_t>(1);
        manager.sequence()->eval(
            plannedOperation(kp::primitives::planReduce(problem, traits),
                             {manager.tensorT<int32_t>(values, kStorage), out}));
        EXPECT_EQ(out->vector().front(), std::accumulate(values.begin(), values.end(), int64_t{0}));
    }
}

// The views of a device are at most 2 GiB, and often less. Here they have a few elements.
TEST_F(ReduceTest, CutsWhatNoViewCanHold) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.maxViewBytes = 4096;
    const auto values = randomValues<int32_t>(60000);
    const auto in = manager.tensorT<int32_t>(values, kStorage);
    const std::vector<std::vector<uint64_t>> shapes = {
        {1, 60000, 1}, {3, 20000, 1}, {60, 1000, 1}, {6000, 10, 1}, {1, 600, 100}, {10, 60, 100},
        {1, 20, 3000}, {3, 10, 2000}, {100, 6, 100}, {60000, 1, 1}, {1, 2, 30000}};
    for (const std::vector<uint64_t>& shape : shapes)
        for (const auto operation : {ReduceOperation::eSum, ReduceOperation::eArgMinimum}) {
            kp::primitives::ReduceProblem problem;
            problem.in = kp::Memory::DataTypes::eInt;
            problem.out = kp::Memory::DataTypes::eInt;
            problem.combine = operation;
            problem.outer = shape[0];
            problem.length = shape[1];
            problem.inner = shape[2];
            const auto out = manager.tensorT<int32_t>(problem.results());
            manager.sequence()->eval(
                plannedOperation(kp::primitives::planReduce(problem, traits), {in, out}));
            std::vector<int32_t> expected(problem.results());
            for (uint64_t i = 0; i < expected.size(); ++i) {
                uint32_t sum = 0;
                uint64_t best = 0;
                const auto at = [&](uint64_t row) {
                    return values[(i / shape[2] * shape[1] + row) * shape[2] + i % shape[2]];
                };
                for (uint64_t row = 0; row < shape[1]; ++row) {
                    sum += static_cast<uint32_t>(at(row));
                    best = at(row) < at(best) ? row : best;
                }
                expected[i] = operation == ReduceOperation::eSum ? static_cast<int32_t>(sum)
                                                                 : static_cast<int32_t>(best);
            }
            EXPECT_EQ(out->vector(), expected)
                << ::testing::PrintToString(shape) << " " << static_cast<int>(operation);
        }
}

TEST_F(ReduceTest, CutsSegmentsThatNoViewCanHold) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.maxViewBytes = 4096;
    const auto values = randomValues<float>(20000);
    std::vector<uint32_t> offsets;
    for (uint32_t i = 0; i <= 700; ++i)
        offsets.push_back(std::min<uint32_t>(i * i / 20, 20000));
    kp::primitives::ReduceProblem problem;
    problem.out = kp::Memory::DataTypes::eDouble;
    problem.combine = ReduceOperation::eMean;
    problem.length = values.size();
    problem.segments = kp::primitives::Segments{offsets.size() - 1, false};
    const auto out = manager.tensorT<double>(offsets.size() - 1);
    manager.sequence()->eval(plannedOperation(kp::primitives::planReduce(problem, traits),
                                              {manager.tensorT<float>(values, kStorage), out,
                                               manager.tensorT<uint32_t>(offsets, kStorage)}));
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
        double sum = 0;
        for (uint32_t at = offsets[i]; at < offsets[i + 1]; ++at)
            sum += values[at];
        const double mean = sum / (offsets[i + 1] - offsets[i]);
        if (offsets[i] == offsets[i + 1])
            EXPECT_TRUE(std::isnan(out->data()[i])) << i;
        else
            EXPECT_NEAR(out->data()[i], mean, 1e-12) << i;
    }
}

TEST_F(ReduceTest, RunsAgainAmongOtherWorkOnTheSameMemory) {
    const auto values = manager.tensorT<uint32_t>(std::vector<uint32_t>(30000, 1));
    const auto sums = manager.tensorT<uint32_t>(2);
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({values});
    for (uint64_t i = 0; i < 2; ++i) {
        sequence->record<kp::OpReduce>(values, TensorRange(sums, i, 1), ReduceOperation::eSum);
        sequence->record<kp::OpAlgoDispatch>(manager.algorithm({values}, addShader(1)));
    }
    for (uint32_t round = 1; round < 4; ++round) {
        std::fill_n(values->data(), values->size(), round);
        sequence->eval();
        EXPECT_EQ(sums->vector(), (std::vector<uint32_t>{30000 * round, 30000 * (round + 1)}));
    }
}

TEST_F(ReduceTest, EqualInputGivesEqualBits) {
    const auto values = randomValues<float>(100003);
    const float first = reduced<float>(values, ReduceOperation::eSum).front();
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(reduced<float>(values, ReduceOperation::eSum).front(), first);
}

TEST_F(ReduceTest, ScratchMemoryServesOneOperationAfterAnother) {
    const auto values = manager.tensorT<float>(std::vector<float>(200000, 1), kStorage);
    const auto sum = manager.tensorT<float>(1);
    const auto device = deviceOf(manager);
    if (device->instance()->validation().any())
        GTEST_SKIP() << "nothing is kept under validation";
    const vulkan::BufferPool& pool = device->scratchPool();
    for (int i = 0; i < 2; ++i)
        manager.sequence()->eval<kp::OpReduce>(values, sum, ReduceOperation::eSum);
    const size_t kept = pool.count();
    EXPECT_GT(kept, 0u);
    for (int i = 0; i < 10; ++i)
        manager.sequence()->eval<kp::OpReduce>(values, sum, ReduceOperation::eSum);
    EXPECT_LE(pool.count(), kept + 1);
    EXPECT_TRUE(device->clearBufferPools());
    EXPECT_EQ(pool.count(), 0u);
}

TEST_F(ReduceTest, FollowsATensorThatWasRebuilt) {
    const auto values = manager.tensorT<float>({1, 2, 3});
    const auto sum = manager.tensorT<float>(1);
    const auto operation = std::make_shared<kp::OpReduce>(values, sum, ReduceOperation::eSum);
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({values})->record(operation)->eval();
    EXPECT_EQ(sum->vector().front(), 6);
    const std::vector<float> others = {10, 20, 30};
    values->rebuild(others.data(), 3, sizeof(float));
    sequence->rerecord();
    sequence->eval();
    EXPECT_EQ(sum->vector().front(), 60);
    values->rebuild(others.data(), 2, sizeof(float));
    EXPECT_ERROR(kp::InvalidArgument, "when the input had 3 elements, and now it has 2",
                 sequence->rerecord());
}

TEST_F(ReduceTest, RefusesArgumentsThatDoNotMatch) {
    const auto floats = manager.tensorT<float>({1, 2, 3, 4, 5, 6});
    const auto one = manager.tensorT<float>(1);
    const auto integer = manager.tensorT<int32_t>(1);
    const auto expect = [&](const char* message, const TensorRange& in, const TensorRange& out,
                            const kp::Operator& combine, const ReduceOptions& options = {}) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpReduce(in, out, combine, options));
    };
    const auto axis = [](std::vector<uint64_t> shape, int number) {
        ReduceOptions options;
        options.shape = std::move(shape);
        options.axis = number;
        return options;
    };
    expect("the input is null", {}, one, ReduceOperation::eSum);
    expect("the output is null", floats, {}, ReduceOperation::eSum);
    expect("the result has 1 element, but the output 2", floats, manager.tensorT<float>(2),
           ReduceOperation::eSum);
    expect("the input begins at element 4 and has 3 elements, but its tensor has only 6",
           TensorRange(floats, 4, 3), one, ReduceOperation::eSum);
    expect("overlap", floats, TensorRange(floats, 0, 1), ReduceOperation::eSum);
    expect("needs an output of a floating-point type, not of eInt", floats, integer,
           ReduceOperation::eSum);
    expect("eMinimum of eFloat needs an output of the same type, not of eInt", floats, integer,
           ReduceOperation::eMinimum);
    expect("combines the bits of integers", floats, one, ReduceOperation::eAnd);
    expect("eArgMinimum of eFloat needs an output of eUnsignedInt", floats, one,
           ReduceOperation::eArgMinimum);
    expect("eMean of eFloat needs an output of a floating-point type", floats, integer,
           ReduceOperation::eMean);
    expect("the shape (2, 2) does not have the input's 6 elements", floats, one,
           ReduceOperation::eSum, axis({2, 2}, 0));
    expect("axis 2 does not exist in an array of 2 dimensions", floats, one, ReduceOperation::eSum,
           axis({2, 3}, 2));
    expect("up to 4 dimensions, not 5", floats, one, ReduceOperation::eSum,
           axis({1, 1, 1, 1, 6}, 2));
    ReduceOptions segments = axis({6}, 0);
    segments.segments = integer;
    expect("give either segments, or shape and axis", floats, one, ReduceOperation::eSum, segments);
    segments = {};
    segments.segments = floats;
    expect("the offsets must be of eUnsignedInt", floats, one, ReduceOperation::eSum, segments);
    const auto custom = manager.tensor(uint64_t{6}, uint64_t{12}, kp::Memory::DataTypes::eCustom);
    expect("elements of eCustom cannot be reduced", custom, one, ReduceOperation::eSum);
    const auto destroyed = manager.tensorT<float>({1});
    destroyed->destroy();
    expect("was destroyed", destroyed, one, ReduceOperation::eSum);
    kp::Manager other([] {
        kp::ManagerOptions options;
        options.shareDevice = false;
        return options;
    }());
    expect("cannot be used by OpReduce of another", other.tensorT<float>({1, 2}), one,
           ReduceOperation::eSum);
}

TEST_F(ReduceTest, OperatorsIncludeNoFiles) {
    const TemporaryFolder folder;
    folder.write("term.glsl", "a + b");
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    const auto in = manager.tensorT<float>({1, 2, 3}, kStorage);
    EXPECT_ERROR(
        kp::ShaderError, "'term.glsl' is not read",
        manager.sequence()->eval<kp::OpReduce>(in, manager.tensorT<float>(1),
                                               kp::Operator{"\n#include \"term.glsl\"\n", "0"}));
    std::filesystem::current_path(before);
}

} // namespace
} // namespace kp::test
