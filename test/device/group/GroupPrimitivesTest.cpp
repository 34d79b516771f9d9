// SPDX-License-Identifier: Apache-2.0
//
// Reductions, sorts and products over the shards of buffers, beside one device's.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <kompute/Primitives.hpp>

#include "device/group/GroupSupport.hpp"

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;
using kp::ReduceOperation;
using kp::BufferPlacement::eSharded;

/// One device's results for the elements of a buffer.
template <typename Result, typename T, typename Record>
std::vector<Result> onOneDevice(kp::DeviceGroup& group, const std::vector<T>& values,
                                size_t results, const Record& record) {
    const auto in = group[0].tensorT<T>(values, kp::Memory::MemoryTypes::eStorage);
    const auto out = group[0].tensorT<Result>(results, kp::Memory::MemoryTypes::eStorage);
    auto sequence = group[0].sequence();
    record(*sequence, in, out);
    sequence->eval();
    std::vector<Result> found(results);
    out->download(found.data(), results * sizeof(Result));
    return found;
}

/// Small whole numbers, whose sums and products are exact.
std::vector<float> wholeNumbers(size_t count, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<float> values(count);
    for (float& value : values)
        value = static_cast<float>(static_cast<int>(random() % 9) - 4);
    return values;
}

class GroupReduceTest : public ::testing::Test {
protected:
    kp::DeviceGroup group{groupOptions(3)};

    /// Reduces a sharded buffer, and the same elements on one device.
    template <typename Out, typename In>
    void expectSame(const std::vector<In>& values, const std::vector<uint64_t>& shape,
                    const std::vector<uint64_t>& shards, DataTypes in, DataTypes out,
                    const kp::Operator& combine, std::optional<int> axis) {
        const std::shared_ptr<kp::Buffer> buffer = makeBuffer(group, shape, in, eSharded, shards);
        buffer->write(values);
        std::vector<uint64_t> resultShape;
        if (axis) {
            resultShape = shape;
            resultShape.erase(resultShape.begin() + *axis);
        }
        const bool rows = axis && *axis > 0;
        const std::shared_ptr<kp::Buffer> result =
            rows ? makeBuffer(group, resultShape, out, eSharded, shards)
                 : makeBuffer(group, resultShape, out);
        kp::Event::waitAll(group.reduce(*buffer, *result, combine, axis));
        kp::ReduceOptions options;
        options.shape = shape;
        options.axis = axis;
        const auto wanted = onOneDevice<Out>(
            group, values, result->size(), [&](auto& sequence, const auto& from, const auto& to) {
                sequence.template record<kp::OpReduce>(from, to, combine, options);
            });
        if (rows) {
            EXPECT_EQ(result->read<Out>(), wanted);
            return;
        }
        for (uint32_t copy = 0; copy < 3; ++copy)
            EXPECT_EQ(result->read<Out>(copy), wanted) << "copy " << copy;
    }
};

TEST_F(GroupReduceTest, GivesWhatOneDeviceGives) {
    const std::vector<float> values = wholeNumbers(70 * 5, 1);
    for (const std::optional<int> axis :
         {std::optional<int>(), std::optional<int>(0), std::optional<int>(1)}) {
        const auto same = [&](auto result, DataTypes type, const kp::Operator& combine) {
            // One shard has no rows.
            expectSame<decltype(result)>(values, {70, 5}, {40, 0, 30}, DataTypes::eFloat, type,
                                         combine, axis);
        };
        for (const ReduceOperation combine :
             {ReduceOperation::eSum, ReduceOperation::eMaximum, ReduceOperation::eMean})
            same(0.0f, DataTypes::eFloat, combine);
        same(0.0f, DataTypes::eFloat, kp::Operator("max(abs(a), abs(b))", "0"));
        for (const ReduceOperation combine :
             {ReduceOperation::eArgMinimum, ReduceOperation::eArgMaximum, ReduceOperation::eAny,
              ReduceOperation::eAll, ReduceOperation::eCountNonZero})
            same(int32_t{}, DataTypes::eInt, combine);
    }
}

TEST_F(GroupReduceTest, TakesOtherTypes) {
    std::vector<int32_t> values(1000);
    std::iota(values.begin(), values.end(), -300);
    for (const ReduceOperation combine :
         {ReduceOperation::eSum, ReduceOperation::eProduct, ReduceOperation::eAnd,
          ReduceOperation::eOr, ReduceOperation::eXor})
        expectSame<int32_t>(values, {1000}, {}, DataTypes::eInt, DataTypes::eInt, combine, {});
    const std::vector<double> doubles(999, 0.125);
    expectSame<double>(doubles, {999}, {}, DataTypes::eDouble, DataTypes::eDouble,
                       ReduceOperation::eMean, {});
}

TEST_F(GroupReduceTest, FindsTheFirstNaN) {
    std::vector<float> values = wholeNumbers(60, 3);
    values[45] = values[50] = NAN;
    expectSame<uint32_t>(values, {60}, {}, DataTypes::eFloat, DataTypes::eUnsignedInt,
                         ReduceOperation::eArgMaximum, {});
    expectSame<uint32_t>(values, {60}, {}, DataTypes::eFloat, DataTypes::eUnsignedInt,
                         ReduceOperation::eArgMinimum, {});
}

TEST_F(GroupReduceTest, RejectsUnsuitableBuffers) {
    const auto values = makeBuffer(group, {12, 3}, {}, eSharded);
    const auto one = makeBuffer(group, {});
    EXPECT_ERROR(kp::InvalidArgument, "sharded", group.reduce(*one, *values));
    EXPECT_ERROR(kp::InvalidArgument, "3 elements, but the output",
                 group.reduce(*values, *one, ReduceOperation::eSum, 0));
    EXPECT_ERROR(kp::InvalidArgument, "12 elements, but the output",
                 group.reduce(*values, *one, ReduceOperation::eSum, 1));
    EXPECT_ERROR(kp::InvalidArgument, "axis",
                 group.reduce(*values, *one, ReduceOperation::eSum, 2));
    EXPECT_ERROR(kp::InvalidArgument, "same buffer", group.reduce(*values, *values));
    const auto numbers = makeBuffer(group, {}, DataTypes::eInt);
    EXPECT_THROW(group.reduce(*values, *numbers), kp::InvalidArgument);
    const auto vectors =
        makeBuffer(group, {12}, kp::ElementType::vectorOf(DataTypes::eFloat, 2), eSharded);
    EXPECT_ERROR(kp::InvalidArgument, "numbers", group.reduce(*vectors, *one));
    kp::DeviceGroup other(groupOptions(1));
    const auto theirs = makeBuffer(other, {});
    EXPECT_ERROR(kp::InvalidArgument, "another", group.reduce(*values, *theirs));
}

class GroupSortTest : public GroupReduceTest {
protected:
    /// Sorts keys with their indices, and the same on one device.
    template <typename T>
    void expectSorted(const std::vector<T>& keys, DataTypes type,
                      const std::vector<uint64_t>& shards = {}, bool descending = false) {
        std::vector<uint32_t> order(keys.size());
        std::iota(order.begin(), order.end(), 0u);
        const std::shared_ptr<kp::Buffer> buffer =
            makeBuffer(group, {keys.size()}, type, eSharded, shards);
        const std::shared_ptr<kp::Buffer> values =
            makeBuffer(group, {keys.size()}, DataTypes::eUnsignedInt, eSharded, shards);
        buffer->write(keys);
        values->write(order);
        kp::Event::waitAll(group.sort(*buffer, *values, descending));
        kp::SortOptions options;
        options.descending = descending;
        const auto indices = onOneDevice<uint32_t>(
            group, keys, keys.size(), [&](auto& sequence, const auto& from, const auto& to) {
                sequence.template record<kp::OpArgSort>(from, to, options);
            });
        EXPECT_EQ(values->read<uint32_t>(), indices) << "stable";
        std::vector<T> sorted;
        for (const uint32_t index : indices)
            sorted.push_back(keys[index]);
        EXPECT_EQ(std::memcmp(buffer->read<T>().data(), sorted.data(), keys.size() * sizeof(T)), 0);
    }
};

TEST_F(GroupSortTest, GivesWhatOneDeviceGives) {
    std::mt19937 random(7);
    std::vector<float> keys(6'000);
    for (float& key : keys)
        key = static_cast<float>(random() % 1500) - 700;
    keys[3] = keys[5000] = NAN;
    keys[5] = -0.0f;
    keys[6] = 0.0f;
    keys[7] = -INFINITY;
    expectSorted(keys, DataTypes::eFloat);
    expectSorted(keys, DataTypes::eFloat, {1, 0, 5'999}, true);
    std::vector<uint8_t> bytes(2000); // many equal keys
    for (uint8_t& key : bytes)
        key = static_cast<uint8_t>(random() % 3);
    expectSorted(bytes, DataTypes::eUnsignedChar);
    expectSorted(std::vector<uint8_t>{5, 4}, DataTypes::eUnsignedChar); // a shard has none
}

TEST_F(GroupSortTest, KeepsTheOrderOfTheQueues) {
    const auto keys = makeBuffer(group, {1000}, DataTypes::eInt, eSharded);
    const auto largest = makeBuffer(group, {}, DataTypes::eInt);
    std::vector<int32_t> values(1000);
    std::iota(values.rbegin(), values.rend(), 0);
    kp::UserEvent gate;
    keys->writeAsync(values.data(), values.size() * sizeof(int32_t), {}, 0, {gate});
    group.sort(*keys);
    group.reduce(*keys, *largest, ReduceOperation::eMaximum);
    gate.set();
    EXPECT_EQ(largest->read<int32_t>(1), std::vector<int32_t>{999});
    EXPECT_EQ(keys->read<int32_t>(0)[0], 0);
}

TEST_F(GroupSortTest, RejectsUnsuitableBuffers) {
    const auto keys = makeBuffer(group, {30}, {}, eSharded);
    const auto copies = makeBuffer(group, {30});
    EXPECT_ERROR(kp::InvalidArgument, "sharded", group.sort(*copies));
    EXPECT_ERROR(kp::InvalidArgument, "one dimension",
                 group.sort(*makeBuffer(group, {30, 2}, {}, eSharded)));
    EXPECT_ERROR(kp::InvalidArgument, "shards of the keys", group.sort(*keys, *keys));
    const auto moved = makeBuffer(group, {30}, {}, eSharded, {30, 0, 0});
    EXPECT_ERROR(kp::InvalidArgument, "(30, 0, 0)", group.sort(*keys, *moved));
    const auto shorts = makeBuffer(group, {30}, DataTypes::eShort, eSharded);
    EXPECT_ERROR(kp::InvalidArgument, "4 or 8 bytes", group.sort(*keys, *shorts));
}

class GroupMatMulTest : public GroupReduceTest {};

TEST_F(GroupMatMulTest, GivesWhatOneDeviceGives) {
    constexpr uint64_t kRows = 37, kInner = 20, kColumns = 11;
    const std::vector<float> a = wholeNumbers(kRows * kInner, 1);
    for (const bool sharded : {false, true})
        for (const uint64_t columns : {kColumns, uint64_t{1}}) {
            const std::vector<float> b = wholeNumbers(kInner * columns, 2);
            std::vector<float> wanted(kRows * columns, 0.0f);
            for (uint64_t i = 0; i < kRows; ++i)
                for (uint64_t j = 0; j < columns; ++j)
                    for (uint64_t k = 0; k < kInner; ++k)
                        wanted[i * columns + j] += a[i * kInner + k] * b[k * columns + j];
            const bool isVector = columns == 1;
            const std::vector<uint64_t> shapeB =
                isVector ? std::vector<uint64_t>{kInner} : std::vector<uint64_t>{kInner, columns};
            const std::vector<uint64_t> shapeC =
                isVector ? std::vector<uint64_t>{kRows} : std::vector<uint64_t>{kRows, columns};
            const auto left = makeBuffer(group, {kRows, kInner}, {}, eSharded, {30, 0, 7});
            const auto right =
                sharded ? makeBuffer(group, shapeB, {}, eSharded) : makeBuffer(group, shapeB);
            const auto product = makeBuffer(group, shapeC, {}, eSharded, {30, 0, 7});
            left->write(a);
            right->write(b);
            kp::Event::waitAll(group.matmul(*left, *right, *product));
            EXPECT_EQ(product->read<float>(), wanted);
        }
}

TEST_F(GroupMatMulTest, RejectsUnsuitableBuffers) {
    const auto a = makeBuffer(group, {8, 4}, {}, eSharded);
    const auto b = makeBuffer(group, {4, 3});
    const auto c = makeBuffer(group, {8, 3}, {}, eSharded);
    EXPECT_ERROR(kp::InvalidArgument, "sharded", group.matmul(*b, *b, *c));
    EXPECT_ERROR(kp::InvalidArgument, "sharded", group.matmul(*a, *b, *makeBuffer(group, {8, 3})));
    EXPECT_ERROR(kp::InvalidArgument, "[8, 4]", group.matmul(*a, *a, *c));
    EXPECT_ERROR(kp::InvalidArgument, "rows",
                 group.matmul(*a, *b, *makeBuffer(group, {8, 3}, {}, eSharded, {8, 0, 0})));
    EXPECT_THROW(group.matmul(*a, *makeBuffer(group, {4, 3}, DataTypes::eInt), *c),
                 kp::InvalidArgument);
}

TEST_F(GroupSortTest, RunsTheCodeOfThePage) {
    // clang-format off
kp::BufferOptions sharded;
sharded.placement = kp::BufferPlacement::eSharded;
kp::Buffer keys(group, {6}, kp::Memory::DataTypes::eFloat, sharded);
kp::Buffer largest(group, {});
keys.write(std::vector<float>{5, 3, 8, 1, 9, 2});
group.sort(keys);
group.reduce(keys, largest, kp::ReduceOperation::eMaximum);
keys.read<float>();      // {1, 2, 3, 5, 8, 9}
largest.read<float>(0);  // {9}
    // clang-format on
    EXPECT_EQ(keys.read<float>(), (std::vector<float>{1, 2, 3, 5, 8, 9}));
    EXPECT_EQ(largest.read<float>(0), std::vector<float>{9});
}

} // namespace
} // namespace kp::test
