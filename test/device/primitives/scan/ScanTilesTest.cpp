// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/scan/ScanSupport.hpp"

namespace kp::test {
namespace {

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
        for (const uint32_t silent : casesInTurn(manager, std::vector{1u, 2u, 3u, ~0u}, 2)) {
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

} // namespace
} // namespace kp::test
