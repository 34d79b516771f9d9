// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/computing/primitives.md. Each block of that page is a part of this file, apart
// from whitespace.
#include <algorithm>

#include <kompute/Primitives.hpp>

#include "device/DocsSupport.hpp"
#include "device/TestSupport.hpp"

namespace kp::test {
namespace {

using PrimitiveDocsTest = DeviceTest;

TEST_F(PrimitiveDocsTest, RunsTheCodeOfThePage) {
    // clang-format off
auto values = manager.tensorT<float>({3, 1, 4, 1, 5, 9});
auto sum = manager.tensorT<float>(1);
auto running = manager.tensorT<float>(6);
manager.sequence()
    ->record<kp::OpSyncDevice>({values})
    ->record<kp::OpReduce>(values, sum, kp::ReduceOperation::eSum)
    ->record<kp::OpScan>(values, running, kp::ReduceOperation::eMaximum)
    ->eval();
sum->vector();      // {23}
running->vector();  // {3, 3, 4, 4, 5, 9}
    // clang-format on
    EXPECT_EQ(sum->vector(), std::vector<float>{23});
    EXPECT_EQ(running->vector(), (std::vector<float>{3, 3, 4, 4, 5, 9}));
    // clang-format off
auto table = manager.tensorT<int32_t>({1, 2, 3, 4, 5, 6}, kp::Memory::MemoryTypes::eStorage);
auto columns = manager.tensorT<int64_t>(3);
kp::ReduceOptions rows;
rows.shape = {2, 3};
rows.axis = 0;
manager.sequence()->eval<kp::OpReduce>(table, columns, kp::ReduceOperation::eSum, rows);
columns->vector();  // {5, 7, 9}

auto offsets = manager.tensorT<uint32_t>({0, 4, 4, 6}, kp::Memory::MemoryTypes::eStorage);
auto largest = manager.tensorT<int32_t>(3);
kp::ReduceOptions segments;
segments.segments = offsets;
manager.sequence()->eval<kp::OpReduce>(table, largest, kp::ReduceOperation::eMaximum, segments);
largest->vector();  // {4, -2147483648, 6}: an empty segment gives the identity
    // clang-format on
    EXPECT_EQ(columns->vector(), (std::vector<int64_t>{5, 7, 9}));
    EXPECT_EQ(largest->vector(), (std::vector<int32_t>{4, INT32_MIN, 6}));
    // clang-format off
auto counts = manager.tensorT<uint32_t>({2, 0, 3, 1}, kp::Memory::MemoryTypes::eStorage);
auto places = manager.tensorT<uint32_t>(4);
kp::ScanOptions exclusive;
exclusive.exclusive = true;
manager.sequence()->eval<kp::OpScan>(counts, places, kp::ReduceOperation::eSum, exclusive);
places->vector();  // {0, 2, 2, 5}
    // clang-format on
    EXPECT_EQ(places->vector(), (std::vector<uint32_t>{0, 2, 2, 5}));
    // clang-format off
auto keys = manager.tensorT<uint32_t>({5, 2, 9, 2});
auto order = manager.tensorT<uint32_t>({0, 1, 2, 3});
auto large = manager.tensorT<uint32_t>(4);
auto number = manager.tensorT<uint32_t>(1);
manager.sequence()
    ->record<kp::OpSyncDevice>({keys, order})
    ->record<kp::OpSort>(keys, order)
    ->record<kp::OpSelect>(keys, kp::Predicate("x > 2"), large, number)
    ->eval();
keys->vector();    // {2, 2, 5, 9}
order->vector();   // {1, 3, 0, 2}
number->vector();  // {2}: large begins with {5, 9}
    // clang-format on
    EXPECT_EQ(keys->vector(), (std::vector<uint32_t>{2, 2, 5, 9}));
    EXPECT_EQ(order->vector(), (std::vector<uint32_t>{1, 3, 0, 2}));
    EXPECT_EQ(number->vector(), std::vector<uint32_t>{2});
    EXPECT_EQ(large->vector()[0], 5u);
    EXPECT_EQ(large->vector()[1], 9u);
    // clang-format off
auto scores = manager.tensorT<float>({0.5f, 4, -1, 4, 2}, kp::Memory::MemoryTypes::eStorage);
auto best = manager.tensorT<float>(3);
auto bestAt = manager.tensorT<uint32_t>(3);
manager.sequence()->eval<kp::OpTopK>(scores, 3, best, bestAt);
best->vector();    // {4, 4, 2}
bestAt->vector();  // {1, 3, 4}
    // clang-format on
    EXPECT_EQ(best->vector(), (std::vector<float>{4, 4, 2}));
    EXPECT_EQ(bestAt->vector(), (std::vector<uint32_t>{1, 3, 4}));
    // clang-format off
auto steps = manager.tensorT<float>({0, 10, 20, 30}, kp::Memory::MemoryTypes::eStorage);
auto found = manager.tensorT<float>({10, 25, 99}, kp::Memory::MemoryTypes::eStorage);
auto before = manager.tensorT<uint32_t>(3);
auto perBin = manager.tensorT<uint32_t>(3);
manager.sequence()
    ->record<kp::OpSearchSorted>(steps, found, before)
    ->record<kp::OpHistogram>(found, perBin, kp::Bins::between(steps))
    ->eval();
before->vector();  // {1, 3, 4}
perBin->vector();  // {0, 1, 1}: 99 is in no bin
    // clang-format on
    EXPECT_EQ(before->vector(), (std::vector<uint32_t>{1, 3, 4}));
    EXPECT_EQ(perBin->vector(), (std::vector<uint32_t>{0, 1, 1}));
    // clang-format off
auto deck = manager.tensorT<uint32_t>({10, 11, 12, 13}, kp::Memory::MemoryTypes::eStorage);
auto drawn = manager.tensorT<uint32_t>(4);
auto shuffled = manager.tensorT<uint32_t>(4);
manager.sequence()
    ->record<kp::OpPermutation>(drawn, kp::RandomState{42})
    ->record<kp::OpGather>(deck, drawn, shuffled)
    ->eval();
    // clang-format on
    std::vector<uint32_t> all = shuffled->vector();
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, (std::vector<uint32_t>{10, 11, 12, 13}));
    // clang-format off
auto readings = manager.tensorT<float>({7, -2, 5, -1, 6}, kp::Memory::MemoryTypes::eStorage);
auto positive = manager.tensorT<float>(5);
auto fromZero = manager.tensorT<uint32_t>({0, 0}, kp::Memory::MemoryTypes::eStorage);
kp::SortOptions counted;
counted.segments = fromZero;
manager.sequence()
    ->record<kp::OpSelect>(readings, kp::Predicate("x > 0"), positive, kp::TensorRange(fromZero, 1, 1))
    ->record<kp::OpSort>(positive, kp::TensorRange{}, counted)
    ->eval();
positive->vector();  // begins with {5, 6, 7}
    // clang-format on
    EXPECT_EQ(std::vector<float>(positive->data(), positive->data() + 3),
              (std::vector<float>{5, 6, 7}));
    // clang-format off
kp::Operator largestMagnitude{"max(abs(a), abs(b))", "0"};
auto signs = manager.tensorT<float>({1, -7, 3}, kp::Memory::MemoryTypes::eStorage);
auto magnitude = manager.tensorT<float>(1);
manager.sequence()->eval<kp::OpReduce>(signs, magnitude, largestMagnitude);
magnitude->vector();  // {7}
    // clang-format on
    EXPECT_EQ(magnitude->vector(), std::vector<float>{7});
    // clang-format off
manager.sequence()->eval<kp::OpReduce>(kp::TensorRange(signs, 1, 2), kp::TensorRange(magnitude, 0, 1),
                                       kp::ReduceOperation::eMinimum);
magnitude->vector();  // {-7}
    // clang-format on
    EXPECT_EQ(magnitude->vector(), std::vector<float>{-7});
}

TEST_F(PrimitiveDocsTest, MatchesTheCodeOfThePage) {
    expectCodeOfPage("docs/computing/primitives.md", "test/device/primitives/PrimitiveDocsTest.cpp",
                     10);
}

} // namespace
} // namespace kp::test
