// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/scan/ScanPlan.hpp"
#include "primitives/source/OperatorSource.hpp"

namespace kp::test {
namespace {

using kp::ReduceOperation;
using kp::ScanOptions;
using kp::TensorRange;
using kp::primitives::ScanProblem;

/// Scans by a loop. @param starts  whether a segment starts at an element
template <typename Out, typename In, typename Combine>
std::vector<Out> scannedByLoop(const std::vector<In>& values, bool exclusive, Out identity,
                               Combine combine, const std::function<bool(size_t)>& starts = {}) {
    std::vector<Out> results(values.size());
    Out sum = identity;
    for (size_t i = 0; i < values.size(); ++i) {
        if (starts && starts(i))
            sum = identity;
        const Out before = sum;
        sum = combine(sum, static_cast<Out>(values[i]));
        results[i] = exclusive ? before : sum;
    }
    return results;
}

constexpr auto kPlus = [](auto a, auto b) { return wrapped(a, b, std::plus<>()); };

class ScanTest : public DeviceTest {
protected:
    static constexpr auto kStorage = kp::Memory::MemoryTypes::eStorage;

    template <typename Out, typename In>
    std::vector<Out> scanned(const std::vector<In>& values, const kp::Operator& combine,
                             const ScanOptions& options = {}) {
        const auto in = manager.tensorT<In>(values, kStorage);
        const auto out = manager.tensorT<Out>(values.size());
        manager.sequence()->eval<kp::OpScan>(in, out, combine, options);
        return out->vector();
    }
    /// Runs a plan for uint32_t sums.
    std::vector<uint32_t> planned(const std::vector<uint32_t>& values, ScanProblem problem,
                                  const kp::primitives::DeviceTraits& traits,
                                  const std::vector<uint32_t>& offsets = {}) {
        problem.in = problem.out = kp::Memory::DataTypes::eUnsignedInt;
        const auto in = manager.tensorT<uint32_t>(values, kStorage);
        const auto out = problem.inPlace ? in : manager.tensorT<uint32_t>(values.size(), kStorage);
        std::vector<TensorRange> tensors = {in, out};
        if (!offsets.empty())
            tensors.push_back(manager.tensorT<uint32_t>(offsets, kStorage));
        manager.sequence()->eval(
            plannedOperation(kp::primitives::planScan(problem, traits), tensors));
        return onDevice<uint32_t>(*out);
    }

    static ScanOptions exclusively() {
        ScanOptions options;
        options.exclusive = true;
        return options;
    }

    template <typename In, typename Out = In>
    void expectSums() {
        for (const size_t count : {9001, 70001}) {
            const std::vector<In> values = randomValues<In>(count, count);
            EXPECT_EQ(scanned<Out>(values, ReduceOperation::eSum),
                      scannedByLoop<Out>(values, false, Out{0}, kPlus))
                << count;
        }
    }
};

TEST_F(ScanTest, ScansAnyNumberOfElements) {
    for (const size_t count : kSizes) {
        const auto values = randomValues<uint32_t>(count, count);
        EXPECT_EQ(scanned<uint32_t>(values, ReduceOperation::eSum),
                  scannedByLoop<uint32_t>(values, false, 0u, kPlus))
            << count;
    }
}

TEST_F(ScanTest, SumsIntegersOfEverySize) {
    expectSums<int8_t>();
    expectSums<uint8_t, uint32_t>();
    expectSums<int16_t, int64_t>();
    expectSums<uint16_t>();
    expectSums<int32_t>();
    expectSums<uint32_t, uint64_t>();
    expectSums<int64_t>();
    expectSums<uint64_t, uint8_t>();
}

TEST_F(ScanTest, SumsFloatingPointNumbers) {
    const auto expectNear = [](const auto& given, const std::vector<double>& exact,
                               double tolerance) {
        double worst = 0;
        for (size_t i = 0; i < exact.size(); ++i) {
            double value = 0;
            if constexpr (std::is_same_v<std::decay_t<decltype(given[i])>, double>)
                value = given[i];
            else
                value = static_cast<double>(static_cast<float>(given[i]));
            worst = std::max(worst, std::abs(value - exact[i]) / (1 + std::abs(exact[i])));
        }
        EXPECT_LE(worst, tolerance);
    };
    const auto values = randomValues<double>(50001);
    const std::vector<float> floats(values.begin(), values.end());
    const auto exact = scannedByLoop<double>(values, false, 0.0, kPlus);
    expectNear(scanned<double>(values, ReduceOperation::eSum), exact, 1e-13);
    expectNear(scanned<float>(floats, ReduceOperation::eSum), exact, 2e-5);
    expectNear(scanned<double>(floats, ReduceOperation::eSum),
               scannedByLoop<double>(floats, false, 0.0, kPlus), 1e-13);
    std::vector<kp::Half> halves(3000);
    std::vector<double> exactHalves(3000);
    for (size_t i = 0; i < halves.size(); ++i) {
        halves[i] = kp::Half(floats[i]);
        exactHalves[i] = static_cast<double>(static_cast<float>(halves[i]));
    }
    expectNear(scanned<kp::Half>(halves, ReduceOperation::eSum),
               scannedByLoop<double>(exactHalves, false, 0.0, kPlus), 1e-3);
    expectNear(scanned<float>(halves, ReduceOperation::eSum),
               scannedByLoop<double>(exactHalves, false, 0.0, kPlus), 1e-5);
}

TEST_F(ScanTest, TakesEveryOperator) {
    const auto values = randomValues<int32_t>(20000);
    const auto expect = [&](ReduceOperation operation, int32_t identity, const auto& combine) {
        EXPECT_EQ(scanned<int32_t>(values, operation, exclusively()),
                  scannedByLoop<int32_t>(values, true, identity, combine));
    };
    expect(ReduceOperation::eProduct, 1, [](int32_t a, int32_t b) {
        return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
    });
    expect(ReduceOperation::eMinimum, std::numeric_limits<int32_t>::max(),
           [](int32_t a, int32_t b) { return std::min(a, b); });
    expect(ReduceOperation::eMaximum, std::numeric_limits<int32_t>::min(),
           [](int32_t a, int32_t b) { return std::max(a, b); });
    expect(ReduceOperation::eAnd, -1, [](int32_t a, int32_t b) { return a & b; });
    expect(ReduceOperation::eOr, 0, [](int32_t a, int32_t b) { return a | b; });
    expect(ReduceOperation::eXor, 0, [](int32_t a, int32_t b) { return a ^ b; });
}

// Function composition x -> p * x + q, packed into one number, is associative and not commutative.
TEST_F(ScanTest, KeepsTheOrderOfAnOperatorThatIsNotCommutative) {
    const kp::Operator compose("((a >> 16) * (b >> 16) << 16) | "
                               "(((b >> 16) * (a & 65535u) + (b & 65535u)) & 65535u)",
                               "65536u");
    std::vector<uint32_t> values = randomValues<uint32_t>(30000);
    const auto combine = [](uint32_t a, uint32_t b) {
        return ((a >> 16) * (b >> 16) << 16) | (((b >> 16) * (a & 65535u) + (b & 65535u)) & 65535u);
    };
    EXPECT_EQ(scanned<uint32_t>(values, compose),
              scannedByLoop<uint32_t>(values, false, 65536u, combine));
}

template <typename T>
void expectExtremesUpToNaN(const std::vector<T>& maxima, const std::vector<T>& minima,
                           const std::vector<T>& values, size_t nan) {
    T largest = -std::numeric_limits<T>::infinity();
    T smallest = std::numeric_limits<T>::infinity();
    for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(std::isnan(maxima[i]), i >= nan) << i;
        ASSERT_EQ(std::isnan(minima[i]), i >= nan) << i;
        if (i >= nan)
            continue;
        largest = std::max(largest, values[i]);
        smallest = std::min(smallest, values[i]);
        ASSERT_EQ(maxima[i], largest) << i;
        ASSERT_EQ(minima[i], smallest) << i;
    }
}

TEST_F(ScanTest, MinimumAndMaximumAreNaNFromTheFirstNaNOn) {
    const auto expectExtremes = [&]<typename T>(T nan) {
        auto values = randomValues<T>(10000);
        values[0] = -values[0];
        values[5000] = std::numeric_limits<T>::infinity();
        values[6000] = -std::numeric_limits<T>::infinity();
        values[7000] = nan;
        expectExtremesUpToNaN(scanned<T>(values, ReduceOperation::eMaximum),
                              scanned<T>(values, ReduceOperation::eMinimum), values, 7000);
    };
    for (const int sign : {1, -1}) {
        expectExtremes(std::copysign(std::numeric_limits<float>::quiet_NaN(), float(sign)));
        expectExtremes(std::copysign(std::numeric_limits<double>::quiet_NaN(), double(sign)));
    }
}

TEST_F(ScanTest, ScansAlongEveryAxis) {
    for (const std::vector<uint64_t>& shape : {std::vector<uint64_t>{1},
                                               {5000},
                                               {300, 7},
                                               {7, 300},
                                               {1, 5000},
                                               {5000, 1},
                                               {2, 20000},
                                               {20000, 2},
                                               {13, 5, 7},
                                               {2, 3000, 3},
                                               {40, 64, 64},
                                               {3, 4, 5, 6},
                                               {2, 1, 129, 257}}) {
        const uint64_t count =
            std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<>());
        const auto values = randomValues<int32_t>(count, count);
        for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
            for (const bool exclusive : {false, true}) {
                const uint64_t length = shape[static_cast<size_t>(axis)];
                uint64_t inner = 1;
                for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i)
                    inner *= shape[i];
                std::vector<int32_t> expected(count);
                for (uint64_t line = 0; line < count / length; ++line) {
                    uint32_t sum = 0;
                    for (uint64_t i = 0; i < length; ++i) {
                        const uint64_t at = (line / inner * length + i) * inner + line % inner;
                        const uint32_t before = sum;
                        sum += static_cast<uint32_t>(values[at]);
                        expected[at] = static_cast<int32_t>(exclusive ? before : sum);
                    }
                }
                ScanOptions options;
                options.shape = shape;
                options.axis = axis;
                options.exclusive = exclusive;
                EXPECT_EQ(scanned<int32_t>(values, ReduceOperation::eSum, options), expected)
                    << "axis " << axis << " of " << ::testing::PrintToString(shape);
            }
    }
}

TEST_F(ScanTest, StartsAgainAtEveryOffset) {
    const auto values = randomValues<uint32_t>(50000);
    const auto expectSegments = [&]<typename Offset>(const std::vector<Offset>& offsets) {
        std::vector<bool> starts(values.size());
        for (const Offset offset : offsets)
            if (static_cast<uint64_t>(offset) < starts.size())
                starts[static_cast<size_t>(offset)] = true;
        for (const bool exclusive : {false, true}) {
            ScanOptions options;
            options.exclusive = exclusive;
            options.segments = manager.tensorT<Offset>(offsets, kStorage);
            EXPECT_EQ(scanned<uint32_t>(values, ReduceOperation::eSum, options),
                      scannedByLoop<uint32_t>(values, exclusive, 0u, kPlus,
                                              [&](size_t i) { return starts[i]; }));
        }
    };
    expectSegments(std::vector<uint32_t>{0, 0, 1, 5, 5, 31, 32, 33, 1000, 40000, 50000});
    expectSegments(std::vector<int64_t>{-5, 49999, 20, 1ll << 40});
    std::vector<uint64_t> many;
    for (uint64_t i = 0; i < 50000; i += 1 + i % 7)
        many.push_back(i);
    expectSegments(many);
}

TEST_F(ScanTest, WorksInPlace) {
    for (const size_t count : {10, 5000, 60000}) {
        const auto values = randomValues<uint32_t>(count);
        const auto tensor = manager.tensorT<uint32_t>(values, kStorage);
        manager.sequence()->eval<kp::OpScan>(tensor, tensor, ReduceOperation::eSum);
        EXPECT_EQ(onDevice<uint32_t>(*tensor), scannedByLoop<uint32_t>(values, false, 0u, kPlus));
    }
    const auto values = randomValues<uint32_t>(60000);
    const auto tensor = manager.tensorT<uint32_t>(values, kStorage);
    ScanOptions options;
    options.shape = {20, 1000, 3};
    options.axis = 1;
    manager.sequence()->eval<kp::OpScan>(tensor, tensor, ReduceOperation::eSum, options);
    EXPECT_EQ(onDevice<uint32_t>(*tensor),
              scanned<uint32_t>(values, ReduceOperation::eSum, options));
}

TEST_F(ScanTest, TakesPartsOfTensors) {
    for (const size_t first : {0, 1, 3, 8, 17})
        for (const size_t shift : {0, 1, 2})
            for (const size_t count : {1, 15, 1000, 20001}) {
                const auto values = randomValues<uint8_t>(first + count + 5);
                const auto in = manager.tensorT<uint8_t>(values, kStorage);
                const auto out = manager.tensorT<uint16_t>(
                    std::vector<uint16_t>(first + shift + count + 3, 7), kStorage);
                manager.sequence()->eval<kp::OpScan>(TensorRange(in, first, count),
                                                     TensorRange(out, first + shift, count),
                                                     ReduceOperation::eSum);
                std::vector<uint16_t> expected(first + shift + count + 3, 7);
                uint16_t sum = 0;
                for (size_t i = 0; i < count; ++i)
                    expected[first + shift + i] = sum =
                        static_cast<uint16_t>(sum + values[first + i]);
                EXPECT_EQ(onDevice<uint16_t>(*out), expected) << first << " " << count;
            }
}

// Rows of whole blocks of 16 bytes have smaller tiles if the first one begins at a block, too.
TEST_F(ScanTest, RowsOfWholeBlocksMayBeginAnywhere) {
    for (const uint64_t length : {512, 1024, 4096, 8192, 40960})
        for (const size_t first : {0, 1, 2, 4}) {
            const uint64_t rows = 5;
            const auto values = randomValues<uint32_t>(first + rows * length);
            const auto in = manager.tensorT<uint32_t>(values, kStorage);
            const auto out = manager.tensorT<uint64_t>(rows * length, kStorage);
            ScanOptions options;
            options.shape = {rows, length};
            options.axis = 1;
            manager.sequence()->eval<kp::OpScan>(TensorRange(in, first, rows * length), out,
                                                 ReduceOperation::eSum, options);
            std::vector<uint64_t> expected(rows * length);
            for (size_t i = 0; i < expected.size(); ++i)
                expected[i] = (i % length == 0 ? 0 : expected[i - 1]) + values[first + i];
            EXPECT_EQ(onDevice<uint64_t>(*out), expected) << length << " from " << first;
        }
}

TEST_F(ScanTest, OfNothingDoesNothing) {
    const auto in = manager.tensorT<float>({1, 2}, kStorage);
    const auto out = manager.tensorT<float>({5, 5}, kStorage);
    manager.sequence()->eval<kp::OpScan>(TensorRange(in, 2), TensorRange(out, 1, 0),
                                         ReduceOperation::eSum);
    ScanOptions options;
    options.shape = {4, 0, 3};
    options.axis = 1;
    manager.sequence()->eval<kp::OpScan>(TensorRange(in, 2), TensorRange(out, 1, 0),
                                         ReduceOperation::eSum, options);
    EXPECT_EQ(onDevice<float>(*out), (std::vector<float>{5, 5}));
}

TEST_F(ScanTest, WorksWithoutSubgroupOperationsAndMemoryModel) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    const bool hasSubgroups = traits.subgroups;
    for (const bool subgroups : {false, true})
        for (const bool memoryModel : {false, true}) {
            if ((subgroups && !hasSubgroups) || (memoryModel && !traitsOf(manager).memoryModel))
                continue;
            traits.subgroups = subgroups;
            traits.memoryModel = memoryModel;
            for (const size_t count : {100, 5000, 40000}) {
                const auto values = randomValues<uint32_t>(count);
                ScanProblem problem;
                problem.length = count;
                EXPECT_EQ(planned(values, problem, traits),
                          scannedByLoop<uint32_t>(values, false, 0u, kPlus));
            }
        }
}

// On a GPU, tiles are larger, and lanes look at several of them.
TEST_F(ScanTest, WorksAsOnAGpu) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.isCpu = false;
    traits.isNvidia = false; // whose largest tiles take a software driver minutes to compile
    ScanProblem problem;
    for (const size_t count : {60013, 300007}) { // without and with look-back
        const auto values = randomValues<uint32_t>(count);
        problem.length = count;
        for (const bool arithmetic : {traits.subgroupArithmetic, false}) {
            kp::primitives::DeviceTraits without = traits;
            without.subgroupArithmetic = arithmetic;
            EXPECT_EQ(planned(values, problem, without),
                      scannedByLoop<uint32_t>(values, false, 0u, kPlus))
                << count << " " << arithmetic;
        }
    }
    struct Case {
        ReduceOperation operation;
        uint32_t identity;
        uint32_t (*combine)(uint32_t, uint32_t);
    };
    constexpr Case kCases[] = {
        {ReduceOperation::eProduct, 1, [](uint32_t a, uint32_t b) { return a * b; }},
        {ReduceOperation::eMinimum, ~0U, [](uint32_t a, uint32_t b) { return std::min(a, b); }},
        {ReduceOperation::eMaximum, 0, [](uint32_t a, uint32_t b) { return std::max(a, b); }},
        {ReduceOperation::eAnd, ~0U, [](uint32_t a, uint32_t b) { return a & b; }},
        {ReduceOperation::eOr, 0, [](uint32_t a, uint32_t b) { return a | b; }},
        {ReduceOperation::eXor, 0, [](uint32_t a, uint32_t b) { return a ^ b; }}};
    std::vector<uint32_t> odd = randomValues<uint32_t>(60013);
    for (uint32_t& value : odd) // so that products do not become 0
        value |= 1;
    problem.length = odd.size();
    for (const Case& each : kCases) {
        problem.combine = each.operation;
        EXPECT_EQ(planned(odd, problem, traits),
                  scannedByLoop<uint32_t>(odd, false, each.identity, each.combine))
            << kp::primitives::nameOf(each.operation);
    }
    // Large tiles, and one addition at a time, as if each were rounded.
    problem.combine = kp::Operator("a + b", "0");
    problem.in = problem.out = kp::Memory::DataTypes::eFloat;
    const auto floats = randomValues<float>(1100003);
    problem.length = floats.size();
    const auto in = manager.tensorT<float>(floats, kStorage);
    std::vector<float> first;
    for (const uint32_t silent : {0u, 5u, 0u}) {
        problem.silentGroups = silent;
        const auto out = manager.tensorT<float>(floats.size(), kStorage);
        manager.sequence()->eval(
            plannedOperation(kp::primitives::planScan(problem, traits), {in, out}));
        if (first.empty())
            first = onDevice<float>(*out);
        else
            EXPECT_TRUE(first == onDevice<float>(*out)) << silent;
    }
    double worst = 0;
    double sum = 0;
    for (size_t i = 0; i < floats.size(); ++i) {
        sum += static_cast<double>(floats[i]);
        worst = std::max(worst, std::abs(static_cast<double>(first[i]) - sum));
    }
    EXPECT_LT(worst, 0.01);
}

// Some work groups never publish what the others wait for.
TEST_F(ScanTest, FinishesWhenOtherWorkGroupsMakeNoProgress) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    const bool hasSubgroups = traits.subgroups;
    const auto values = randomValues<uint32_t>(50000);
    for (const bool subgroups : {false, true})
        for (const uint32_t silent : {1u, 2u, 3u, 0xffffffffu}) {
            if (subgroups && !hasSubgroups)
                continue;
            traits.subgroups = subgroups;
            ScanProblem problem;
            problem.length = values.size();
            problem.silentGroups = silent;
            EXPECT_EQ(planned(values, problem, traits),
                      scannedByLoop<uint32_t>(values, false, 0u, kPlus))
                << silent << " " << subgroups;
        }
}

// The views of a device are at most 2 GiB, and often less. Here they have a few elements.
TEST_F(ScanTest, CutsWhatNoViewCanHold) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.maxViewBytes = 4096 * 5;
    const auto values = randomValues<uint32_t>(60000);
    const std::vector<std::vector<uint64_t>> shapes = {
        {1, 60000, 1}, {3, 20000, 1}, {60, 1000, 1}, {6000, 10, 1}, {1, 600, 100},
        {10, 60, 100}, {1, 20, 3000}, {3, 2, 10000}, {100, 6, 100}, {60000, 1, 1},
        {1, 2, 30000}, {7, 8571, 1},  {1, 30000, 2}};
    for (const std::vector<uint64_t>& shape : shapes)
        for (const bool exclusive : {false, true}) {
            ScanProblem problem;
            problem.exclusive = exclusive;
            problem.outer = shape[0];
            problem.length = shape[1];
            problem.inner = shape[2];
            const uint64_t count = shape[0] * shape[1] * shape[2];
            const std::vector<uint32_t> given(values.begin(),
                                              values.begin() + static_cast<std::ptrdiff_t>(count));
            std::vector<uint32_t> expected(count);
            for (uint64_t line = 0; line < shape[0] * shape[2]; ++line) {
                uint32_t sum = 0;
                for (uint64_t i = 0; i < shape[1]; ++i) {
                    const uint64_t at =
                        (line / shape[2] * shape[1] + i) * shape[2] + line % shape[2];
                    const uint32_t before = sum;
                    sum += given[at];
                    expected[at] = exclusive ? before : sum;
                }
            }
            EXPECT_EQ(planned(given, problem, traits), expected)
                << ::testing::PrintToString(shape) << (exclusive ? " exclusive" : "");
        }
    std::vector<uint32_t> offsets = {0, 100, 5120, 5121, 10240, 31000};
    ScanProblem problem;
    problem.length = values.size();
    problem.segments = kp::primitives::Segments{offsets.size() - 1, false};
    EXPECT_EQ(planned(values, problem, traits, offsets),
              scannedByLoop<uint32_t>(values, false, 0u, kPlus, [&](size_t i) {
                  return std::ranges::find(offsets, i) != offsets.end();
              }));
}

TEST_F(ScanTest, EqualInputGivesEqualBits) {
    const auto values = randomValues<float>(200003);
    const auto first = scanned<float>(values, ReduceOperation::eSum);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(scanned<float>(values, ReduceOperation::eSum), first);
}

TEST_F(ScanTest, RunsAgainAmongOtherWorkOnTheSameMemory) {
    const auto values = manager.tensorT<uint32_t>(std::vector<uint32_t>(30000, 1));
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({values});
    sequence->record<kp::OpScan>(values, values, ReduceOperation::eSum);
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({values}, addShader(1)));
    sequence->record<kp::OpScan>(values, values, ReduceOperation::eMaximum);
    for (uint32_t round = 1; round < 4; ++round) {
        std::fill_n(values->data(), values->size(), round);
        sequence->eval();
        const std::vector<uint32_t> given = values->vector();
        for (uint32_t i = 0; i < given.size(); ++i)
            ASSERT_EQ(given[i], (i + 1) * round + 1) << i;
    }
}

TEST_F(ScanTest, RefusesArgumentsThatDoNotMatch) {
    const auto floats = manager.tensorT<float>({1, 2, 3, 4, 5, 6});
    const auto others = manager.tensorT<float>(6);
    const auto expect = [&](const char* message, const TensorRange& in, const TensorRange& out,
                            const kp::Operator& combine, const ScanOptions& options = {}) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpScan(in, out, combine, options));
    };
    expect("the input is null", {}, others, ReduceOperation::eSum);
    expect("the input has 6 elements, but the output has 2", floats, TensorRange(others, 0, 2),
           ReduceOperation::eSum);
    expect("overlap", TensorRange(floats, 0, 4), TensorRange(floats, 1, 4), ReduceOperation::eSum);
    expect("eMean does not combine two elements", floats, others, ReduceOperation::eMean);
    expect("combines the bits of integers", floats, others, ReduceOperation::eXor);
    expect("eSum of eFloat needs an output of a floating-point type, not of eInt", floats,
           manager.tensorT<int32_t>(6), ReduceOperation::eSum);
    expect("eMaximum of eFloat needs an output of the same type, not of eDouble", floats,
           manager.tensorT<double>(6), ReduceOperation::eMaximum);
    ScanOptions options;
    options.shape = {2, 2};
    expect("the shape (2, 2) does not have the input's 6 elements", floats, others,
           ReduceOperation::eSum, options);
    options.shape = {2, 3};
    options.axis = -3;
    expect("axis -3 does not exist in an array of 2 dimensions", floats, others,
           ReduceOperation::eSum, options);
    options.segments = others;
    expect("give either segments, or shape and axis", floats, others, ReduceOperation::eSum,
           options);
}

} // namespace
} // namespace kp::test
