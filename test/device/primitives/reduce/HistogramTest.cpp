// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/reduce/HistogramPlan.hpp"

namespace kp::test {
namespace {

using kp::Bins;
using kp::HistogramOptions;
using kp::TensorRange;
using DataTypes = kp::Memory::DataTypes;

constexpr auto kCounted = kp::Memory::MemoryTypes::eStorage;

template <typename T>
constexpr bool kHasFractions = !std::is_integral_v<T>;

/// A number as double; integers of 64 bits are small in these tests.
template <typename T>
double asDouble(T value) {
    if constexpr (std::is_same_v<T, double> || std::is_integral_v<T>)
        return static_cast<double>(value);
    else
        return static_cast<double>(static_cast<float>(value));
}

template <typename T>
std::vector<double> edgesOf(double low, double high, size_t bins) {
    std::vector<double> edges;
    for (size_t i = 0; i <= bins; ++i) {
        const double edge =
            i == bins ? high
                      : static_cast<double>(i) * ((high - low) / static_cast<double>(bins)) + low;
        if constexpr (std::is_same_v<T, double> || !kHasFractions<T>)
            edges.push_back(edge);
        else
            edges.push_back(asDouble(static_cast<T>(static_cast<float>(edge))));
    }
    return edges;
}

/// NumPy's rule: the last bin whose lower edge is not above; the last bin has its upper edge.
std::optional<size_t> binAmong(const std::vector<double>& edges, double value) {
    const size_t bins = edges.size() - 1;
    if (!(value >= edges.front() && value <= edges.back()))
        return {};
    const auto above =
        std::upper_bound(edges.begin(), edges.begin() + static_cast<int64_t>(bins), value);
    return static_cast<size_t>(above - edges.begin()) - 1;
}

/// Numbers around [-2, 2], or small integers, and special ones.
template <typename T>
std::vector<T> countedValues(size_t count, uint64_t seed) {
    const std::vector<uint32_t> words = randomValues<uint32_t>(count, seed);
    std::vector<T> values(count);
    for (size_t i = 0; i < count; ++i) {
        if constexpr (kHasFractions<T>) {
            const float infinity = std::numeric_limits<float>::infinity();
            const float nan = std::numeric_limits<float>::quiet_NaN();
            const float special[] = {0.0f, -0.0f, infinity, -infinity, nan, 1e-40f, 1.0f, -1.0f};
            const float some = static_cast<float>(words[i] % 5000) / 1024.0f - 2.4f;
            values[i] = static_cast<T>(i % 9 == 4 ? special[i / 9 % 8] : some);
        } else {
            values[i] = static_cast<T>(words[i] % 120 + (i % 13 == 0 ? 200 : 0));
        }
    }
    return values;
}

class HistogramTest : public DeviceTest {
protected:
    template <typename T>
    std::shared_ptr<kp::TensorT<T>> stored(const std::vector<T>& values) {
        return manager.tensorT<T>(values, kCounted);
    }

    template <typename Count, typename T>
    static std::vector<Count> countsOf(const std::vector<T>& values,
                                       const std::vector<double>& edges) {
        std::vector<Count> counts(edges.size() - 1);
        for (const T value : values)
            if (const auto bin = binAmong(edges, asDouble(value)))
                ++counts[*bin];
        return counts;
    }

    template <typename T, typename Count = uint32_t>
    void expectEven(const std::vector<T>& values, double low, double high, size_t bins) {
        const auto out = manager.tensorT<Count>(std::vector<Count>(bins, 77), kCounted);
        manager.sequence()->eval<kp::OpHistogram>(stored(values), out, Bins::even(low, high));
        EXPECT_EQ(onDevice<Count>(*out), countsOf<Count>(values, edgesOf<T>(low, high, bins)))
            << values.size() << " values in " << bins << " bins";
    }
};

TEST_F(HistogramTest, CountsAnyNumberOfElements) {
    for (const size_t count : kSizes)
        expectEven(countedValues<float>(count, count), -2, 2, 10);
}

TEST_F(HistogramTest, CountsInAnyNumberOfBins) {
    const auto values = countedValues<float>(5000, 1);
    for (const size_t bins : {1, 2, 3, 64, 255, 256, 257, 1023, 1024, 1025, 4096, 4097, 20000})
        expectEven(values, -2.25, 1.5, bins);
}

TEST_F(HistogramTest, CountsNumbersOfEveryType) {
    expectEven(countedValues<int8_t>(1000, 1), -3.5, 100, 7);
    expectEven(countedValues<uint8_t>(1000, 2), 0, 1000, 10);
    expectEven(countedValues<uint8_t>(1000, 2), -10, 256, 13);
    expectEven(countedValues<int16_t>(1000, 3), 3, 99, 12);
    expectEven(countedValues<uint16_t>(1003, 4), 0.5, 250.5, 25);
    expectEven<int32_t, int32_t>(countedValues<int32_t>(1000, 5), -1e9, 1e9, 8);
    expectEven<uint32_t, uint64_t>(countedValues<uint32_t>(1000, 6), 10, 300, 11);
    expectEven<int64_t, int64_t>(countedValues<int64_t>(1000, 7), -20, 120, 30);
    expectEven(countedValues<uint64_t>(1000, 8), 0, 330, 33);
    expectEven(countedValues<kp::Half>(1000, 9), -1, 1, 9);
    expectEven(countedValues<kp::BFloat16>(1000, 10), -1, 1, 16);
    expectEven(countedValues<double>(1000, 11), -0.1, 0.7, 24);
}

// The guess by multiplication must not decide: numbers next to edges.
TEST_F(HistogramTest, AgreesWithEdgesToTheLastBit) {
    std::vector<float> values;
    for (const double edge : edgesOf<float>(-0.3, 0.9, 37))
        for (const float towards : {-10.0f, 10.0f}) {
            values.push_back(static_cast<float>(edge));
            values.push_back(std::nextafterf(static_cast<float>(edge), towards));
        }
    expectEven(values, -0.3, 0.9, 37);
    // Far from 0, where edges are equal or neighbours.
    std::vector<float> far;
    for (int i = 0; i < 40; ++i)
        far.push_back(1e8f + 8.0f * static_cast<float>(i % 7 - 1));
    expectEven(far, 1e8, 1e8 + 24, 9);
    std::vector<double> denormal;
    for (int i = 0; i < 40; ++i)
        denormal.push_back(static_cast<double>(i) * 4.9406564584124654e-324);
    expectEven(denormal, 0, 20 * 4.9406564584124654e-324, 20);
    std::vector<int64_t> large;
    for (int64_t i = 0; i < 50; ++i)
        large.push_back((int64_t{1} << 52) + i);
    expectEven(large, 0x1p52, 0x1p52 + 48, 16);
}

TEST_F(HistogramTest, LimitsOutsideOfTheTypeAreNoProblem) {
    const std::vector<uint8_t> bytes = {0, 1, 254, 255};
    expectEven(bytes, -5, -1, 3);
    expectEven(bytes, 255.5, 300, 3);
    expectEven(bytes, 0.2, 0.8, 3);
    expectEven(bytes, 255, 256, 4);
    expectEven(std::vector<int64_t>{INT64_MIN, -1, 0, INT64_MAX}, -1e300, 1e300, 2);
    expectEven(std::vector<uint64_t>{0, 1, UINT64_MAX}, -1e19, 3e19, 4);
}

TEST_F(HistogramTest, CountsBetweenEdges) {
    const auto check = [&](const auto& values, const auto& edges) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        std::vector<double> wide;
        for (const T edge : edges)
            wide.push_back(asDouble(edge));
        const auto out = manager.tensorT<uint32_t>(edges.size() - 1, kCounted);
        manager.sequence()->eval<kp::OpHistogram>(stored(values), out,
                                                  Bins::between(stored(edges)));
        EXPECT_EQ(onDevice<uint32_t>(*out), countsOf<uint32_t>(values, wide));
    };
    const float infinity = std::numeric_limits<float>::infinity();
    check(countedValues<float>(3000, 1), std::vector<float>{-infinity, -1, -0.0f, 0.5f, infinity});
    check(countedValues<float>(3000, 1), std::vector<float>{-1, -1, 0, 0, 1, 1});
    check(countedValues<double>(3000, 2), std::vector<double>{-1.5, 1.25});
    check(countedValues<int8_t>(3000, 3), std::vector<int8_t>{-100, 0, 5, 5, 60});
    check(countedValues<uint64_t>(3000, 4), std::vector<uint64_t>{0, 1, 100, UINT64_MAX});
    std::vector<float> many;
    for (int i = 0; i < 3000; ++i)
        many.push_back(static_cast<float>(i * i) * 1e-7f - 1);
    check(countedValues<float>(3000, 5), many);
}

TEST_F(HistogramTest, CountsIntegers) {
    const auto check = [&](const auto& values, size_t bins, auto count) {
        using Count = decltype(count);
        std::vector<Count> expected(bins);
        for (const auto value : values)
            if (value >= 0 && static_cast<uint64_t>(value) < bins)
                ++expected[static_cast<size_t>(value)];
        const auto out = manager.tensorT<Count>(bins, kCounted);
        manager.sequence()->eval<kp::OpHistogram>(stored(values), out, Bins::integers());
        EXPECT_EQ(onDevice<Count>(*out), expected);
    };
    check(countedValues<uint8_t>(3000, 1), 256, uint32_t{});
    check(countedValues<int8_t>(3000, 2), 100, uint64_t{});
    check(countedValues<uint16_t>(3000, 3), 300, int64_t{});
    check(countedValues<int32_t>(3000, 4), 7, uint32_t{});
    check(countedValues<uint32_t>(3000, 5), 10000, int32_t{});
    check(std::vector<int64_t>{-1, 0, 1, 1, INT64_MIN, INT64_MAX, int64_t{1} << 32}, 3, uint32_t{});
    check(std::vector<uint64_t>{0, 1, 1, UINT64_MAX, uint64_t{1} << 32}, 2, uint32_t{});
}

TEST_F(HistogramTest, AddsUpWeights) {
    const auto values = countedValues<float>(5000, 1);
    const auto edges = edgesOf<float>(-2, 2, 37);
    const auto check = [&](auto type, kp::Determinism determinism) {
        using T = decltype(type);
        const std::vector<T> weights = randomValues<T>(values.size(), 5);
        std::vector<double> expected(37);
        std::vector<double> magnitude(37);
        for (size_t i = 0; i < values.size(); ++i)
            if (const auto bin = binAmong(edges, asDouble(values[i]))) {
                expected[*bin] += static_cast<double>(weights[i]);
                magnitude[*bin] += std::fabs(static_cast<double>(weights[i]));
            }
        HistogramOptions options;
        const auto weightTensor = stored(weights);
        options.weights = weightTensor;
        options.determinism = determinism;
        const auto out = manager.tensorT<T>(std::vector<T>(37, 5), kCounted);
        manager.sequence()->eval<kp::OpHistogram>(stored(values), out, Bins::even(-2, 2), options);
        const std::vector<T> found = onDevice<T>(*out);
        const double step = static_cast<double>(std::numeric_limits<T>::epsilon());
        for (size_t i = 0; i < 37; ++i)
            EXPECT_NEAR(static_cast<double>(found[i]), expected[i], 200 * step * magnitude[i]) << i;
        EXPECT_EQ(onDevice<T>(*weightTensor), weights);
    };
    for (const auto determinism : {kp::Determinism::eRunToRun, kp::Determinism::eNone}) {
        check(float{}, determinism);
        check(double{}, determinism);
    }
}

// Of weights of very different sizes, sums depend on the order.
TEST_F(HistogramTest, SumsOfWeightsAreEqualFromRunToRun) {
    std::vector<uint32_t> values = randomValues<uint32_t>(20000, 1);
    std::vector<float> weights = randomValues<float>(20000, 2);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] %= 11; // of 10 bins
        weights[i] = std::ldexp(weights[i], static_cast<int>(i % 40));
    }
    HistogramOptions options;
    options.weights = stored(weights);
    const auto in = stored(values);
    const auto out = manager.tensorT<float>(10, kCounted);
    auto sequence = manager.sequence();
    sequence->record<kp::OpHistogram>(in, out, Bins::integers(), options);
    sequence->eval();
    const std::vector<float> first = onDevice<float>(*out);
    for (int i = 0; i < 3; ++i) {
        sequence->eval();
        EXPECT_EQ(onDevice<float>(*out), first);
    }
    // One bin after the other, reduced as a tensor of its own, has the same error bound.
    for (uint32_t bin = 0; bin < 10; ++bin) {
        double sum = 0;
        double magnitude = 0;
        for (size_t i = 0; i < values.size(); ++i)
            if (values[i] == bin) {
                sum += static_cast<double>(weights[i]);
                magnitude += std::fabs(static_cast<double>(weights[i]));
            }
        EXPECT_NEAR(static_cast<double>(first[bin]), sum, 1e-5 * magnitude);
    }
}

TEST_F(HistogramTest, CountsPartsOfTensorsInASequence) {
    const auto bytes = countedValues<uint8_t>(500, 1);
    const auto in = manager.tensorT<uint8_t>(bytes);
    const auto out = manager.tensorT<uint32_t>(std::vector<uint32_t>(20, 9));
    const auto total = manager.tensorT<uint32_t>(1);
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({in, out})
        ->record<kp::OpHistogram>(TensorRange(in, 13, 301), TensorRange(out, 3, 12),
                                  Bins::even(0, 130))
        ->record<kp::OpReduce>(TensorRange(out, 3, 12), total, kp::ReduceOperation::eSum)
        ->record<kp::OpHistogram>(TensorRange(in, 0, 0), TensorRange(out, 0, 1), Bins::even(0, 1))
        ->record<kp::OpHistogram>(in, TensorRange(out, 20, 0), Bins::integers());
    const std::vector<uint8_t> part(bytes.begin() + 13, bytes.begin() + 314);
    std::vector<uint32_t> expected(20, 9);
    const auto counts = countsOf<uint32_t>(part, edgesOf<uint8_t>(0, 130, 12));
    std::copy(counts.begin(), counts.end(), expected.begin() + 3);
    expected[0] = 0;
    for (int i = 0; i < 2; ++i) { // counts are set, not added to
        sequence->eval();
        EXPECT_EQ(out->vector(), expected);
        EXPECT_EQ(total->vector()[0], std::accumulate(counts.begin(), counts.end(), 0u));
    }
}

// Devices with small storage buffers count part by part, in the elements as in the bins.
TEST_F(HistogramTest, CountsWhatNoViewCanHold) {
    const auto values = countedValues<float>(3000, 2);
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.maxViewBytes = 1600;
    traits.isCpu = false; // several blocks at a time
    kp::primitives::HistogramProblem problem;
    problem.kind = Bins::Kind::eEven;
    problem.low = -2;
    problem.high = 2;
    problem.count = values.size();
    problem.bins = 1000;
    const auto out = manager.tensorT<uint32_t>(1000, kCounted);
    manager.sequence()->eval(
        plannedOperation(kp::primitives::planHistogram(problem, traits), {stored(values), out}));
    const auto edges = edgesOf<float>(-2, 2, 1000);
    EXPECT_EQ(onDevice<uint32_t>(*out), countsOf<uint32_t>(values, edges));

    problem.weighted = true;
    problem.out = DataTypes::eFloat;
    const std::vector<float> ones(values.size(), 1);
    const std::vector<float> expected = countsOf<float>(values, edges);
    for (const auto determinism : {kp::Determinism::eRunToRun, kp::Determinism::eNone}) {
        problem.determinism = determinism;
        const auto sums = manager.tensorT<float>(1000, kCounted);
        manager.sequence()->eval(plannedOperation(kp::primitives::planHistogram(problem, traits),
                                                  {stored(values), stored(ones), sums}));
        EXPECT_EQ(onDevice<float>(*sums), expected);
    }
}

TEST_F(HistogramTest, RefusesArgumentsThatDoNotMatch) {
    const auto floats = stored<float>({1, 2, 3});
    const auto words = stored<uint32_t>({1, 2, 3});
    const auto counts = manager.tensorT<uint32_t>(2);
    const auto sums = manager.tensorT<float>(2);
    HistogramOptions weighted;
    weighted.weights = floats;
    const auto refuse = [&](const char* part, const TensorRange& in, const TensorRange& out,
                            const Bins& bins, const HistogramOptions& options = {}) {
        EXPECT_ERROR(kp::InvalidArgument, part, kp::OpHistogram(in, out, bins, options));
    };
    refuse("counts integers, but the input is of eFloat", floats, counts, Bins::integers());
    refuse("the output must be of eUnsignedInt", floats, sums, Bins::even(0, 1));
    refuse("sums of weights are of eFloat or eDouble, not of eUnsignedInt", words, counts,
           Bins::integers(), weighted);
    refuse("weights of eFloat cannot be added up to eDouble", words, manager.tensorT<double>(2),
           Bins::integers(), weighted);
    refuse("but there are 3 weights", TensorRange(words, 0, 2), sums, Bins::integers(), weighted);
    refuse("2 bins have 3 edges, but 2 were given", floats, counts,
           Bins::between(TensorRange(floats, 0, 2)));
    refuse("must have the same type", words, counts, Bins::between(floats));
    refuse("the tensor of edges is null", words, counts, Bins::between({}));
    refuse("overlap", words, TensorRange(words, 1, 2), Bins::integers());
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    refuse("no even bins of eFloat from 1 to 1", floats, counts, Bins::even(1, 1));
    refuse("no even bins", floats, counts, Bins::even(0, 1e39));
    refuse("no even bins", floats, counts, Bins::even(0, nan));
    refuse("no even bins", words, counts, Bins::even(-infinity, 0));
    refuse("no even bins", manager.tensorT<kp::Half>(2), counts, Bins::even(0, 70000));
}

} // namespace
} // namespace kp::test
