// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/PrimitiveSupport.hpp"

namespace kp::test {
namespace {

using kp::ReduceOperation;

/// Primitives over more than 2^31 elements, in tensors larger than a storage buffer's range on most
/// devices. Only on GPUs that have the memory.
class LargeArrayTest : public DeviceTest {
protected:
    static constexpr uint64_t kCount = (uint64_t{1} << 31) + 12'345;
    static constexpr uint64_t kPlaces[] = {0,
                                           1,
                                           (uint64_t{1} << 30) - 1,
                                           uint64_t{1} << 30,
                                           (uint64_t{1} << 31) - 1,
                                           uint64_t{1} << 31,
                                           kCount - 1};

    void SetUp() override {
        const auto info = manager.deviceInfo();
        if (info.type == kp::DeviceType::eCpu || info.memoryBytes < uint64_t{64} << 30)
            GTEST_SKIP() << "needs a GPU with 64 GiB";
    }

    std::shared_ptr<kp::TensorT<uint32_t>> numbers(uint64_t count = kCount) {
        return manager.tensorT<uint32_t>(count, kp::Memory::MemoryTypes::eStorage);
    }
    /// 1, 2, 3, ... kCount, made by a scan of ones.
    std::shared_ptr<kp::TensorT<uint32_t>> counting() {
        const auto ones = manager.tensorT<uint8_t>(kCount, kp::Memory::MemoryTypes::eStorage);
        const auto sums = numbers();
        manager.sequence()
            ->record<kp::OpFill>({ones}, 1)
            ->record<kp::OpScan>(ones, sums, ReduceOperation::eSum)
            ->eval();
        return sums;
    }
    template <typename T>
    static T at(kp::Tensor& tensor, uint64_t place) {
        T element{};
        tensor.download(&element, sizeof(T), place * sizeof(T));
        return element;
    }
};

TEST_F(LargeArrayTest, IsScannedAndReduced) {
    const auto sums = counting();
    for (const uint64_t place : kPlaces)
        EXPECT_EQ(at<uint32_t>(*sums, place), place + 1);

    const auto total = manager.tensorT<uint64_t>(1);
    const auto largest = manager.tensorT<uint32_t>(1);
    const auto where = manager.tensorT<uint64_t>(1);
    manager.sequence()
        ->record<kp::OpReduce>(sums, total, ReduceOperation::eSum)
        ->record<kp::OpReduce>(sums, largest, ReduceOperation::eMaximum)
        ->record<kp::OpReduce>(sums, where, ReduceOperation::eArgMaximum)
        ->eval();
    EXPECT_EQ(total->vector()[0], kCount * (kCount + 1) / 2);
    EXPECT_EQ(largest->vector()[0], kCount);
    EXPECT_EQ(where->vector()[0], kCount - 1);
}

TEST_F(LargeArrayTest, IsSorted) {
    const auto keys = counting();
    kp::SortOptions descending;
    descending.descending = true;
    manager.sequence()->eval<kp::OpSort>(keys, kp::TensorRange{}, descending);
    for (const uint64_t place : kPlaces)
        EXPECT_EQ(at<uint32_t>(*keys, place), kCount - place);
    manager.sequence()->eval<kp::OpSort>(keys);
    for (const uint64_t place : kPlaces)
        EXPECT_EQ(at<uint32_t>(*keys, place), place + 1);
}

TEST_F(LargeArrayTest, IsSelectedFromAndCounted) {
    const auto in = counting();
    const auto chosen = numbers(20'000);
    const auto count = manager.tensorT<uint64_t>(1);
    manager.sequence()->eval<kp::OpSelect>(in, kp::Predicate("x > 0x80000000u"), chosen, count);
    EXPECT_EQ(count->vector()[0], 12'345u);
    EXPECT_EQ(at<uint32_t>(*chosen, 0), 0x80000001u);
    EXPECT_EQ(at<uint32_t>(*chosen, 12'344), kCount);

    const auto kept = numbers();
    manager.sequence()->eval<kp::OpSelect>(in, kp::Predicate("x % 7u != 0u"), kept, count);
    const uint64_t sevenths = kCount / 7;
    EXPECT_EQ(count->vector()[0], kCount - sevenths);
    EXPECT_EQ(at<uint32_t>(*kept, kCount - sevenths - 1), kCount % 7 == 0 ? kCount - 1 : kCount);
    EXPECT_EQ(at<uint32_t>(*kept, 6'000'000), 7'000'001u);

    const auto counts = manager.tensorT<uint64_t>(4);
    manager.sequence()->eval<kp::OpHistogram>(in, counts, kp::Bins::even(0, 4294967296.0));
    EXPECT_EQ(counts->vector(),
              (std::vector<uint64_t>{(uint64_t{1} << 30) - 1, uint64_t{1} << 30, 12'346, 0}));
}

TEST_F(LargeArrayTest, IsMovedAndSearched) {
    const auto in = counting();
    const auto reversed = numbers();
    manager.sequence()->eval<kp::OpReverse>(in, reversed);
    for (const uint64_t place : kPlaces)
        EXPECT_EQ(at<uint32_t>(*reversed, place), kCount - place);

    const auto needles = manager.tensorT<uint32_t>({1, 0x80000000u, 0x80000001u, kCount});
    const auto places = manager.tensorT<uint64_t>(4);
    const auto found = manager.tensorT<uint32_t>(4);
    manager.sequence()
        ->record<kp::OpSearchSorted>(in, needles, places)
        ->record<kp::OpGather>(in, places, found)
        ->eval();
    EXPECT_EQ(places->vector(), (std::vector<uint64_t>{0, 0x7fffffff, 0x80000000, kCount - 1}));
    EXPECT_EQ(found->vector(), needles->vector());
}

} // namespace
} // namespace kp::test
