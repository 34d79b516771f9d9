// SPDX-License-Identifier: Apache-2.0
//
// Primitives on devices of host applications, with objects of several managers, from several
// threads.
#include <algorithm>
#include <numeric>
#include <thread>

#include "device/HostVulkan.hpp"
#include "device/primitives/PrimitiveSupport.hpp"
#include "unit/ScopedEnvironment.hpp"

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;
using kp::ReduceOperation;
using kp::TensorRange;

class PrimitiveDeviceTest : public DeviceTest {};

// Vulkan 1.1 without features: no subgroups, no memory model, and 32-bit types alone.
TEST_F(PrimitiveDeviceTest, WorksOnADeviceWithoutFeatures) {
    HostVulkan host(manager, HostVulkan::Kind::eBare);
    const uint64_t step = std::max<uint64_t>(host.offsetAlignment(), 256);
    constexpr uint32_t kCount = 10000;
    const VkBuffer buffer = host.makeBuffer(step + kCount * 4);
    uint32_t* const given = host.contents(buffer) + step / 4;
    std::iota(given, given + kCount, 7u);
    kp::Manager bare(host.description());
    EXPECT_FALSE(traitsOf(bare).subgroups);
    {
        const auto in = bare.wrapBuffer(buffer, kCount, 4, DataTypes::eUnsignedInt, step);
        const auto sum = bare.tensorT<uint32_t>(2);
        const auto running = bare.tensorT<uint32_t>(kCount);
        auto sequence = bare.sequence();
        sequence->record<kp::OpReduce>(in, TensorRange(sum, 0, 1), ReduceOperation::eSum);
        sequence->record<kp::OpScan>(in, running, ReduceOperation::eSum);
        sequence->record<kp::OpReduce>(running, TensorRange(sum, 1, 1), ReduceOperation::eMaximum);
        sequence->eval();
        const uint32_t expected = std::accumulate(given, given + kCount, 0u);
        EXPECT_EQ(sum->vector(), (std::vector<uint32_t>{expected, expected}));
        EXPECT_EQ(running->vector()[kCount / 2],
                  std::accumulate(given, given + kCount / 2 + 1, 0u));

        const VkCommandBuffer commands = host.begin();
        given[0] += 5;
        sequence->recordInto(commands);
        sequence->preEval();
        host.submitAndWait(commands);
        sequence->postEval();
        EXPECT_EQ(sum->vector(), (std::vector<uint32_t>{expected + 5, expected + 5}));
    }
    const auto bytes = bare.tensorT<uint8_t>({1, 2, 3});
    const auto longs = bare.tensorT<int64_t>({-(int64_t{1} << 40), 5});
    const auto word = bare.tensorT<uint32_t>(1);
    const auto total = bare.tensorT<int64_t>(1);
    const auto distinct = bare.tensorT<uint8_t>(3);
    const auto count = bare.tensorT<uint32_t>(1);
    auto sequence = bare.sequence();
    sequence->record<kp::OpSyncDevice>({bytes, longs});
    sequence->record<kp::OpReduce>(bytes, word, ReduceOperation::eSum);
    sequence->record<kp::OpReduce>(longs, total, ReduceOperation::eSum);
    sequence->record<kp::OpUnique>(bytes, distinct, count, UniqueOptions{});
    sequence->eval();
    EXPECT_EQ(word->vector()[0], 6u);
    EXPECT_EQ(total->vector()[0], 5 - (int64_t{1} << 40));
    EXPECT_EQ(count->vector()[0], 3u);
    EXPECT_EQ(distinct->vector(), (std::vector<uint8_t>{1, 2, 3}));
}

// AMD's 64 lanes and Adreno's 128, which drivers that compute on the processor emulate.
TEST_F(PrimitiveDeviceTest, WorksWithSubgroupsOf64And128) {
    constexpr uint32_t kCount = 20000;
    std::vector<uint32_t> numbers(kCount);
    for (uint32_t i = 0; i < kCount; ++i)
        numbers[i] = (i * 2654435761u) >> 20;
    std::vector<uint32_t> sums(kCount);
    std::partial_sum(numbers.begin(), numbers.end(), sums.begin());
    std::vector<uint32_t> sorted = numbers;
    std::ranges::sort(sorted);
    std::vector<uint32_t> distinct = sorted;
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const std::vector<std::pair<const char*, uint32_t>> profiles = {{"amd-rdna3", 64},
                                                                    {"adreno-7xx", 128}};
    for (const auto& [profile, lanes] : casesInTurn(manager, profiles, 2)) {
        SCOPED_TRACE(profile);
        const ScopedEnvironment variable("KOMPUTE_PROFILE", profile);
        kp::Manager wide;
        if (traitsOf(wide).minSubgroupSize != lanes)
            GTEST_SKIP() << "the device computes in subgroups of its own";
        EXPECT_TRUE(traitsOf(wide).subgroups);
        const auto in = wide.tensorT(numbers);
        const auto keys = wide.tensorT(numbers);
        const auto sum = wide.tensorT<uint32_t>(1);
        const auto running = wide.tensorT<uint32_t>(kCount);
        const auto values = wide.tensorT<uint32_t>(kCount);
        const auto count = wide.tensorT<uint32_t>(1);
        wide.sequence()
            ->record<kp::OpSyncDevice>({in, keys})
            ->record<kp::OpReduce>(in, sum, ReduceOperation::eSum)
            ->record<kp::OpScan>(in, running, ReduceOperation::eSum)
            ->record<kp::OpSort>(keys)
            ->record<kp::OpUnique>(keys, values, count, UniqueOptions{})
            ->record<kp::OpSyncLocal>({sum, running, keys, values, count})
            ->eval();
        EXPECT_EQ(sum->vector()[0], sums.back());
        EXPECT_EQ(running->vector(), sums);
        EXPECT_EQ(keys->vector(), sorted);
        ASSERT_EQ(count->vector()[0], distinct.size());
        EXPECT_TRUE(std::equal(distinct.begin(), distinct.end(), values->vector().begin()));
    }
}

TEST_F(PrimitiveDeviceTest, TakesObjectsOfTwoManagersOfOneDevice) {
    kp::Manager other;
    const auto in = manager.tensorT<float>(std::vector<float>(5000, 2));
    const auto out = other.tensorT<float>(1);
    auto sequence = other.sequence();
    sequence->record<kp::OpSyncDevice>({in});
    sequence->record<kp::OpReduce>(in, out, ReduceOperation::eSum)->eval();
    EXPECT_EQ(out->vector().front(), 10000);
}

TEST_F(PrimitiveDeviceTest, SequencesOfTwoThreadsUseScratchMemoryOfTheirOwn) {
    const auto work = [&](uint32_t start) {
        std::vector<uint32_t> values(70000);
        std::iota(values.begin(), values.end(), start);
        const auto in = manager.tensorT<uint32_t>(values, kp::Memory::MemoryTypes::eStorage);
        const auto sum = manager.tensorT<uint32_t>(1);
        const uint32_t expected = std::accumulate(values.begin(), values.end(), 0u);
        for (int i = 0; i < 10; ++i) {
            manager.sequence()->eval<kp::OpReduce>(in, sum, ReduceOperation::eSum);
            EXPECT_EQ(sum->vector().front(), expected);
        }
    };
    std::thread other(work, 1000u);
    work(5);
    other.join();
}

TEST_F(PrimitiveDeviceTest, CountsAsOneOperationInTimestamps) {
    if (!manager.deviceInfo().timestamps)
        GTEST_SKIP() << "the device has no timestamps";
    const auto in =
        manager.tensorT<float>(std::vector<float>(70000, 1), kp::Memory::MemoryTypes::eStorage);
    const auto out = manager.tensorT<float>(70000, kp::Memory::MemoryTypes::eStorage);
    auto sequence = manager.sequence(0, 2);
    sequence->record<kp::OpScan>(in, out, ReduceOperation::eSum);
    sequence->record<kp::OpReduce>(in, TensorRange(out, 0, 1), ReduceOperation::eSum);
    sequence->eval();
    EXPECT_EQ(sequence->getTimestamps().size(), 3u);
}

TEST_F(PrimitiveDeviceTest, RecordsOnlyWhileASequenceDoes) {
    const auto in = manager.tensorT<float>({1, 2});
    const auto out = manager.tensorT<float>(1);
    kp::OpReduce reduce(in, out, ReduceOperation::eSum);
    EXPECT_EQ(reduce.accesses().entries().size(), 0u);
    EXPECT_FALSE(reduce.accesses().isAnything());
}

} // namespace
} // namespace kp::test
