// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/reduce/ReduceSupport.hpp"

namespace kp::test {
namespace {

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

} // namespace
} // namespace kp::test
