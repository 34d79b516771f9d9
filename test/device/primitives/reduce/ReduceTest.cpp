// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/reduce/ReduceSupport.hpp"

namespace kp::test {
namespace {

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

TEST_F(ReduceTest, EqualInputGivesEqualBits) {
    const auto values = randomValues<float>(100003);
    const float first = reduced<float>(values, ReduceOperation::eSum).front();
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(reduced<float>(values, ReduceOperation::eSum).front(), first);
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
