// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/sort/SortSupport.hpp"

namespace kp::test {
namespace {

using primitives::DeviceTraits;
using primitives::SortRules;
using primitives::SortWay;
using DataTypes = kp::Memory::DataTypes;

TEST_F(SortTest, SortsAnyNumberOfKeys) {
    for (const size_t count : kSizes)
        expectSorted(keysOf<uint32_t>(count, count));
}

TEST_F(SortTest, SortsKeysOfEveryType) {
    expectOrdered(keysOf<int8_t>(1000, 1));
    expectOrdered(keysOf<uint8_t>(1000, 2));
    expectOrdered(keysOf<int16_t>(1000, 3));
    expectOrdered(keysOf<uint16_t>(5003, 4));
    expectOrdered(keysOf<int32_t>(5003, 5));
    expectOrdered(keysOf<int64_t>(1000, 6));
    expectOrdered(keysOf<uint64_t>(1000, 7));
    expectOrdered(keysOf<kp::Half>(1000, 8));
    expectOrdered(keysOf<kp::BFloat16>(1000, 9));
    expectOrdered(keysOf<float>(1000, 10));
    expectOrdered(keysOf<double>(5003, 11));
}

TEST_F(SortTest, DescendingOrderIsStable) {
    SortOptions options;
    options.descending = true;
    for (const size_t count : {900, 5003}) {
        expectOrdered(keysOf<int8_t>(count, 1), options);
        expectOrdered(keysOf<uint64_t>(count, 2), options);
        expectOrdered(keysOf<double>(count, 4), options);
    }
}

template <typename T>
std::vector<T> withoutNegativeZeros(std::vector<T> keys) {
    for (T& key : keys)
        if (static_cast<double>(static_cast<float>(key)) == 0 && order<T>({key, T(0)})[0] == 0)
            key = T(0);
    return keys;
}

TEST_F(SortTest, EqualZerosKeepTheirOrder) {
    const auto expectEqual = [&]<typename T>(const std::vector<T>& keys, bool descending) {
        SortOptions options;
        options.equalZeros = true;
        options.descending = descending;
        const auto sorted = stored(std::vector<T>(keys.size()));
        const auto found = stored(std::vector<uint32_t>(keys.size()));
        options.sortedKeys = sorted;
        manager.sequence()->eval<kp::OpArgSort>(stored(keys), found, options);
        const auto expected = order(withoutNegativeZeros(keys), descending);
        EXPECT_NE(expected, order(keys, descending)) << "a test without both zeros";
        EXPECT_EQ(onDevice<uint32_t>(*found), expected) << keys.size() << " keys";
        EXPECT_TRUE(hasSameBits(onDevice<T>(*sorted), gathered(keys, expected)));
    };
    expectEqual(keysOf<float>(1000, 1), false);
    expectEqual(keysOf<float>(5003, 2), true);
    expectEqual(keysOf<double>(5003, 3), false);
    expectEqual(keysOf<kp::Half>(1000, 4), false);
}

TEST_F(SortTest, KeepsTheBitsOfNaNs) {
    std::vector<float> keys = {1, 0, 0, -1, 0, 0};
    const uint32_t bits[] = {0x7fc00001, 0xffc00002, 0x7f800003, 0xffffffff};
    std::memcpy(&keys[1], &bits[0], 8);
    std::memcpy(&keys[4], &bits[2], 8);
    const auto tensor = stored(keys);
    manager.sequence()->eval<kp::OpSort>(tensor);
    const std::vector<float> sorted = onDevice<float>(*tensor);
    EXPECT_EQ(sorted[0], -1);
    EXPECT_EQ(sorted[1], 1);
    EXPECT_EQ(std::memcmp(&sorted[2], bits, sizeof bits), 0);
}

TEST_F(SortTest, ComparesTheBitsAskedForAlone) {
    for (const auto& [first, end] : {std::pair(0u, 1u), {3u, 8u}, {0u, 24u}, {7u, 20u}, {24u, 32u}})
        for (const size_t count : {100, 5003}) {
            const auto keys = randomValues<uint32_t>(count);
            std::vector<uint32_t> parts = keys;
            for (uint32_t& part : parts)
                part = part >> first & ((uint64_t{1} << (end - first)) - 1);
            SortOptions options;
            options.firstBit = first;
            options.endBit = end;
            const auto tensor = stored(keys);
            const auto values = stored(keys);
            manager.sequence()->eval<kp::OpSort>(tensor, values, options);
            const auto expected = gathered(keys, order(parts));
            EXPECT_EQ(onDevice<uint32_t>(*tensor), expected) << first << " " << end;
            EXPECT_EQ(onDevice<uint32_t>(*values), expected) << first << " " << end;
        }
    const auto keys = randomValues<uint64_t>(5003);
    std::vector<uint64_t> parts = keys;
    for (uint64_t& part : parts)
        part = part >> 27 & 0x3ffff;
    SortOptions options;
    options.firstBit = 27;
    options.endBit = 45;
    const auto tensor = stored(keys);
    manager.sequence()->eval<kp::OpSort>(tensor, TensorRange{}, options);
    EXPECT_EQ(onDevice<uint64_t>(*tensor), gathered(keys, order(parts)));
}

TEST_F(SortTest, SortsByLookBack) {
    const DeviceTraits traits = traitsOf(manager);
    if (!traits.memoryModel)
        GTEST_SKIP() << "the device has no memory model with device scope";
    SortRules rules = rulesFor(SortWay::eLookBack, traits, 256, 4);
    for (const size_t count : {1, 1023, 1024, 1025, 20011})
        expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
    // As on NVIDIA's GPUs.
    rules.window = 8;
    rules.pass = SortRules::fitted({128, 4, true, true}, traits);
    for (const size_t count : {513, 20011})
        expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
    for (const uint32_t parts : casesInTurn(manager, std::vector{2u, 3u}, 2)) {
        SCOPED_TRACE(parts);
        rules.pass = SortRules::fitted({128, 6, true, true, parts}, traits);
        for (const size_t count : {767, 768, 20011})
            expectPlanned(keysOf<uint32_t>(count, count), traits, rules, 0);
        expectPlanned(keysOf<int32_t>(9001, 1), traits, rules, 4);
        expectPlanned(keysOf<double>(9001, 4), traits, rules, 8);
    }
    rules = rulesFor(SortWay::eLookBack, traits, 256, 4);
    expectPlanned(keysOf<uint8_t>(9001, 1), traits, rules);
    expectPlanned(keysOf<float>(9001, 2), traits, rules, 0);
    expectPlanned(keysOf<double>(9001, 4), traits, rulesFor(SortWay::eLookBack, traits, 128, 4));
    expectPlanned(std::vector<uint32_t>(9001, 5), traits, rules);
}

// A work group whose neighbours make no progress.
TEST_F(SortTest, SortsByLookBackIfHalfOfTheTilesPublishNothing) {
    for (const bool subgroups : {true, false}) {
        DeviceTraits traits = traitsOf(manager);
        if (!traits.memoryModel)
            GTEST_SKIP() << "the device has no memory model with device scope";
        traits.subgroups = traits.subgroups && subgroups;
        SortRules rules = rulesFor(SortWay::eLookBack, traits, subgroups ? 128 : 256, 4);
        rules.withhold = true;
        for (const size_t count : {1025, 9011})
            expectPlanned(keysOf<int32_t>(count, count), traits, rules);
        expectPlanned(keysOf<double>(3001, 4), traits, rules);
    }
}

TEST_F(SortTest, SortsByThreeDispatchesPerDigit) {
    const DeviceTraits traits = traitsOf(manager);
    SortRules rules = rulesFor(SortWay::eThreeDispatches, traits, 64, 4);
    for (const uint64_t blocks : {1, 7, 1000}) {
        rules.blocks = blocks;
        for (const size_t count : {1, 257, 20011})
            expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
    }
    expectPlanned(keysOf<uint16_t>(9001, 2), traits, rules, 0);
    expectPlanned(keysOf<int64_t>(9001, 3), traits, rules);
}

TEST_F(SortTest, SortsWithoutSubgroupOperations) {
    DeviceTraits traits = traitsOf(manager);
    traits.subgroups = false;
    for (const SortWay way : {SortWay::eThreeDispatches, SortWay::eLookBack}) {
        if (way == SortWay::eLookBack && !traits.memoryModel)
            continue;
        const SortRules rules = rulesFor(way, traits, 256, 4);
        for (const size_t count : {1, 1025, 20011})
            expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
    }
    SortRules rules = rulesFor(SortWay::eOneGroup, traits, 256, 4);
    rules.small = SortRules::fitted({128, 4, true, false}, traits);
    for (const size_t count : {1, 33, 511, 512})
        expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
}

// What drivers that compute on the processor take, on any device.
TEST_F(SortTest, SortsByOneInvocationPerStripOrRow) {
    const DeviceTraits traits = traitsOf(manager);
    SortRules rules = rulesFor(SortWay::eInvocations, traits, 64, 4);
    for (const uint64_t least : {1, 300}) {
        rules.minWhole = least;
        rules.minStrip = least;
        for (const size_t count : {1, 2, 3, 4, 5, 8, 9, 255, 1025, 20011})
            expectPlanned(keysOf<uint32_t>(count, count), traits, rules);
        expectPlanned(keysOf<uint8_t>(9001, 2), traits, rules, 0);
        expectPlanned(keysOf<double>(9001, 3), traits, rules);
    }
}

TEST_F(SortTest, SortsWhatNoViewCanHold) {
    DeviceTraits traits = traitsOf(manager);
    traits.maxViewBytes = 4096;
    SortRules rules = rulesFor(SortWay::eThreeDispatches, traits, 64, 4);
    rules.blocks = 1;
    expectPlanned(keysOf<uint32_t>(3000, 1), traits, rules);
    traits.maxViewBytes = 16384;
    rules.blocks = 8;
    expectPlanned(keysOf<uint16_t>(20000, 2), traits, rules);
    expectPlanned(keysOf<int64_t>(5000, 3), traits, rules);
}

TEST_F(SortTest, LeavesTheInputIfOutputsAreGiven) {
    for (const size_t count : {10, 5003})
        for (const uint32_t endBit : {8u, 16u, 24u, 32u}) {
            const auto keys = randomValues<uint32_t>(count);
            const auto values = randomValues<uint32_t>(count, 2);
            std::vector<uint32_t> parts = keys;
            for (uint32_t& part : parts)
                part &= static_cast<uint32_t>((uint64_t{1} << endBit) - 1);
            const auto indices = order(parts);
            const auto in = stored(keys);
            const auto valuesIn = stored(values);
            SortOptions options;
            options.endBit = endBit;
            const auto out = stored(std::vector<uint32_t>(count));
            const auto valuesOut = stored(std::vector<uint32_t>(count));
            options.sortedKeys = out;
            options.sortedValues = valuesOut;
            manager.sequence()->eval<kp::OpSort>(in, valuesIn, options);
            EXPECT_EQ(onDevice<uint32_t>(*in), keys);
            EXPECT_EQ(onDevice<uint32_t>(*valuesIn), values);
            EXPECT_EQ(onDevice<uint32_t>(*out), gathered(keys, indices));
            EXPECT_EQ(onDevice<uint32_t>(*valuesOut), gathered(values, indices));

            options.sortedValues = {};
            const auto found = stored(std::vector<int64_t>(count));
            const auto again = stored(std::vector<uint32_t>(count));
            options.sortedKeys = again;
            manager.sequence()->eval<kp::OpArgSort>(in, found, options);
            EXPECT_EQ(onDevice<uint32_t>(*again), gathered(keys, indices));
            EXPECT_EQ(onDevice<int64_t>(*found),
                      std::vector<int64_t>(indices.begin(), indices.end()));
        }
}

TEST_F(SortTest, SortsPartsOfTensors) {
    for (const size_t first : {1, 3, 17})
        for (const size_t count : {0, 1, 15, 4001}) {
            const auto keys = keysOf<uint8_t>(first + count + 5, count);
            const auto values = randomValues<float>(count + 2);
            const auto tensor = stored(keys);
            const auto valueTensor = stored(values);
            manager.sequence()->eval<kp::OpSort>(TensorRange(tensor, first, count),
                                                 TensorRange(valueTensor, 1, count));
            const auto indices = order(keys, first, count);
            std::vector<uint8_t> sorted = keys;
            std::vector<float> moved = values;
            for (size_t i = 0; i < count; ++i) {
                sorted[first + i] = keys[first + indices[i]];
                moved[1 + i] = values[1 + indices[i]];
            }
            EXPECT_EQ(onDevice<uint8_t>(*tensor), sorted) << first << " " << count;
            EXPECT_EQ(onDevice<float>(*valueTensor), moved) << first << " " << count;
        }
}

TEST_F(SortTest, MovesValuesOfAnyTypeOfFourOrEightBytes) {
    struct Particle {
        float x;
        uint32_t id;
    };
    const auto keys = keysOf<uint32_t>(3000, 1);
    std::vector<Particle> particles(keys.size());
    for (uint32_t i = 0; i < particles.size(); ++i)
        particles[i] = {static_cast<float>(i), i};
    const auto values = manager.tensor(particles.data(), particles.size(),
                                       uint32_t{sizeof(Particle)}, DataTypes::eCustom);
    manager.sequence()
        ->record<kp::OpSyncDevice>({values})
        ->record<kp::OpSort>(stored(keys), values)
        ->eval();
    const auto indices = order(keys);
    const auto* const moved = values->data<Particle>();
    for (size_t i = 0; i < particles.size(); ++i)
        ASSERT_EQ(moved[i].id, indices[i]) << i;
}

TEST_F(SortTest, RunsAgainAmongOtherWorkOnTheSameMemory) {
    const auto keys = manager.tensorT<uint32_t>(std::vector<uint32_t>(5000));
    const auto indices = manager.tensorT<uint32_t>(5000);
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({keys});
    sequence->record<kp::OpArgSort>(keys, indices);
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({keys}, addShader(1)));
    sequence->record<kp::OpSort>(keys);
    for (uint64_t round = 1; round < 4; ++round) {
        auto values = randomValues<uint32_t>(5000, round);
        std::ranges::copy(values, keys->data());
        sequence->eval();
        EXPECT_EQ(indices->vector(), order(values));
        for (uint32_t& value : values)
            ++value;
        std::ranges::sort(values);
        EXPECT_EQ(keys->vector(), values);
    }
}

TEST_F(SortTest, RefusesArgumentsThatDoNotMatch) {
    const auto keys = manager.tensorT<float>({1, 2, 3, 4, 5, 6});
    const auto values = manager.tensorT<uint32_t>(6);
    const auto expect = [&](const char* message, const TensorRange& sorted,
                            const TensorRange& moved, const SortOptions& options = {}) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpSort(sorted, moved, options));
    };
    expect("the tensor of keys is null", {}, values);
    expect("there are 6 keys, but 5 values", keys, TensorRange(values, 0, 5));
    expect("values have 4 or 8 bytes, but these have 2", keys, manager.tensorT<uint16_t>(6));
    expect("the tensor of values overlap", TensorRange(keys, 0, 4), TensorRange(keys, 2, 4));
    SortOptions options;
    options.firstBit = 8;
    options.endBit = 8;
    expect("firstBit is 8 and endBit 8, but firstBit must be smaller", keys, {}, options);
    options.endBit = 33;
    expect("have the bits 0 to 31", keys, {}, options);
    options = {};
    options.rowLength = 4;
    expect("6 keys are not rows of 4", keys, {}, options);
    options.segments = values;
    expect("either rowLength or segments", keys, {}, options);
    options.rowLength = 0;
    options.segments = keys;
    expect("the offsets must be of eUnsignedInt", keys, {}, options);
    options = {};
    options.sortedKeys = values;
    expect("keys of eFloat cannot go to a tensor of eUnsignedInt", keys, {}, options);
    options.sortedKeys = manager.tensorT<float>(5);
    expect("there are 6 keys, but 5 places for sorted keys", keys, {}, options);
    options.sortedKeys = TensorRange(keys, 1, 3);
    expect("overlap", TensorRange(keys, 0, 3), {}, options);
    options = {};
    options.sortedValues = values;
    expect("sortedValues is given, but there are no values", keys, {}, options);
    options.sortedValues = manager.tensorT<uint64_t>(6);
    expect("values of 4 bytes cannot go to elements of 8 bytes", keys, values, options);
    const auto custom = manager.tensor(uint64_t{6}, uint64_t{4}, DataTypes::eCustom);
    expect("elements of eCustom cannot be sorted", custom, {});
    EXPECT_ERROR(kp::InvalidArgument, "the indices must be of eUnsignedInt",
                 kp::OpArgSort(keys, keys));
    EXPECT_ERROR(kp::InvalidArgument, "the tensor of indices is null",
                 kp::OpArgSort(keys, TensorRange{}));
}

} // namespace
} // namespace kp::test
