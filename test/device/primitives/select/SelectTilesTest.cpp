// SPDX-License-Identifier: Apache-2.0
#include "device/primitives/select/SelectSupport.hpp"

namespace kp::test {
namespace {

TEST_F(SelectTest, WorksWithoutSubgroupOperationsAndWithSmallViews) {
    const auto values = distinctValues<uint32_t>(30011);
    auto flags = randomValues<uint32_t>(30011, 9);
    for (uint32_t& flag : flags)
        flag &= 4;
    std::vector<uint32_t> expected;
    for (const bool wanted : {true, false})
        for (size_t i = 0; i < values.size(); ++i)
            if ((flags[i] != 0) == wanted)
                expected.push_back(values[i]);
    kp::primitives::SelectProblem problem;
    problem.flagType = kp::Memory::DataTypes::eUnsignedInt;
    problem.count = problem.outCount = values.size();
    problem.arguments = 4;
    problem.flags = 1;
    problem.out = 2;
    problem.number = 3;
    problem.partition = true;
    for (const uint64_t bytes : {uint64_t{1} << 27, uint64_t{60000}, uint64_t{20000}}) {
        kp::primitives::DeviceTraits traits = traitsOf(manager);
        traits.subgroups = false;
        traits.isCpu = bytes > 100000;
        traits.maxViewBytes = bytes;
        const auto out = manager.tensorT<uint32_t>(values.size());
        const auto count = manager.tensorT<uint32_t>(1);
        const auto plan = kp::primitives::planSelect(problem, traits);
        EXPECT_EQ(plan.steps.size() > 4, bytes < 100000);
        manager.sequence()->eval(
            plannedOperation(plan, {deviceTensor(values), deviceTensor(flags), out, count}));
        EXPECT_EQ(out->vector(), expected) << bytes;
    }
}

// What GPUs do: one pass, in which work groups wait for each other, or help those that say nothing.
TEST_F(SelectTest, SelectsByLookBack) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    if (!traits.memoryModel || !traits.subgroups)
        GTEST_SKIP() << "the device has no memory model with device scope, or no subgroups";
    traits.isCpu = false;
    kp::primitives::SelectProblem problem;
    problem.type = kp::Memory::DataTypes::eUnsignedInt;
    problem.arguments = 5;
    problem.flags = 1;
    problem.flagType = kp::Memory::DataTypes::eUnsignedChar;
    problem.out = 2;
    problem.number = 3;
    problem.dispatch = 4;
    problem.groupSize = 1000;
    for (const bool byPredicate : {false, true}) {
        if (byPredicate) {
            problem.choice = kp::primitives::SelectProblem::Choice::ePredicate;
            problem.predicate = "x % 3u == 0u";
        }
        for (const uint32_t silent : {0u, 1u}) { // drivers take long to compile each
            if (byPredicate && silent != 0)
                continue;
            for (const size_t count : {1, 255, 256, 257, 30011}) {
                const auto values = distinctValues<uint32_t>(count);
                auto flags = randomValues<uint8_t>(count, 9);
                for (size_t i = 0; i < count; ++i)
                    flags[i] = byPredicate ? values[i] % 3 == 0 : flags[i] & 4;
                std::vector<uint32_t> chosen;
                for (size_t i = 0; i < count; ++i)
                    if (flags[i] != 0)
                        chosen.push_back(values[i]);
                problem.count = count;
                problem.outCount = count;
                auto rules = kp::primitives::SelectRules::of(problem, traits);
                EXPECT_EQ(rules.way, kp::primitives::SelectWay::eLookBack) << rules.reason;
                rules.tile = {64, 4, 4};
                rules.silentGroups = silent;
                rules.spins = 8;
                rules.ahead = byPredicate || silent != 0;
                const auto out = manager.tensorT<uint32_t>(count);
                const auto number = manager.tensorT<uint32_t>(1);
                const auto groups = manager.tensorT<uint32_t>(3);
                manager.sequence()->eval(plannedOperation(
                    kp::primitives::planSelect(problem, traits, rules),
                    {deviceTensor(values), deviceTensor(flags), out, number, groups}));
                ASSERT_EQ(number->vector().front(), chosen.size()) << count << " " << silent;
                auto given = out->vector();
                given.resize(chosen.size());
                EXPECT_EQ(given, chosen) << count << " " << silent;
                const auto wanted = static_cast<uint32_t>((chosen.size() + 999) / 1000);
                EXPECT_EQ(groups->vector(), (std::vector<uint32_t>{wanted, 1, 1}));
            }
        }
    }
}

// What devices without look-back do, with a tile per work group or per invocation, in one piece and
// in several.
TEST_F(SelectTest, FindsRunsByThreeDispatchesInAnyTiles) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.isCpu = false;
    traits.memoryModel = false;
    kp::primitives::SelectProblem problem;
    problem.choice = kp::primitives::SelectProblem::Choice::eHeads;
    problem.type = kp::Memory::DataTypes::eUnsignedInt;
    problem.arguments = 5;
    problem.out = 1;
    problem.lengths = 2;
    problem.inverse = 3;
    problem.number = 4;
    for (const uint64_t viewBytes : {traits.maxViewBytes, uint64_t{8192}})
        for (const uint64_t strip : {0, 32, 1024})
            for (const size_t count : {1, 31, 33, 1024, 5003}) {
                traits.maxViewBytes = viewBytes;
                auto values = randomValues<uint32_t>(count, 3);
                std::vector<uint32_t> heads, lengths, inverse;
                for (uint32_t& value : values) {
                    value = value % 5 / 3; // long runs, and short ones
                    if (heads.empty() || heads.back() != value) {
                        heads.push_back(value);
                        lengths.push_back(0);
                    }
                    ++lengths.back();
                    inverse.push_back(static_cast<uint32_t>(heads.size() - 1));
                }
                problem.count = problem.outCount = problem.lengthCount = count;
                auto rules = kp::primitives::SelectRules::of(problem, traits);
                EXPECT_EQ(rules.way, kp::primitives::SelectWay::eThreeDispatches);
                rules.strip = strip;
                const auto out = manager.tensorT<uint32_t>(count);
                const auto sizes = manager.tensorT<uint32_t>(count);
                const auto places = manager.tensorT<uint32_t>(count);
                const auto number = manager.tensorT<uint32_t>(1);
                manager.sequence()->eval(
                    plannedOperation(kp::primitives::planSelect(problem, traits, rules),
                                     {deviceTensor(values), out, sizes, places, number}));
                ASSERT_EQ(number->vector().front(), heads.size()) << count << " " << strip;
                const auto first = [&](const std::vector<uint32_t>& all) {
                    return std::vector<uint32_t>(all.begin(), all.begin() + heads.size());
                };
                EXPECT_EQ(first(out->vector()), heads) << count << " " << strip;
                EXPECT_EQ(first(sizes->vector()), lengths) << count << " " << strip;
                EXPECT_EQ(places->vector(), inverse) << count << " " << strip;
            }
}

// What drivers of processors do with few elements.
TEST_F(SelectTest, FindsFewRunsByOneInvocation) {
    const auto& device = deviceOf(manager)->physical();
    if (device.properties.limits.maxPerStageDescriptorStorageBuffers < 7)
        GTEST_SKIP() << "the kernel binds seven buffers";
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.isCpu = true;
    kp::primitives::SelectProblem problem;
    problem.choice = kp::primitives::SelectProblem::Choice::eHeads;
    problem.type = kp::Memory::DataTypes::eUnsignedInt;
    problem.arguments = 6;
    problem.out = 1;
    problem.lengths = 2;
    problem.inverse = 3;
    problem.number = 4;
    problem.dispatch = 5;
    problem.groupSize = 10;
    for (const bool wide : {false, true})
        for (const size_t count : {1, 31, 33, 1024}) {
            std::vector<uint32_t> values(count), heads, lengths, inverse;
            for (size_t i = 0; i < count; ++i) {
                values[i] = static_cast<uint32_t>(i * i / 50);
                if (heads.empty() || heads.back() != values[i]) {
                    heads.push_back(values[i]);
                    lengths.push_back(0);
                }
                ++lengths.back();
                inverse.push_back(static_cast<uint32_t>(heads.size() - 1));
            }
            problem.count = count;
            problem.outCount = problem.lengthCount =
                heads.size() - heads.size() / 4; // the rest is dropped
            problem.wideNumber = problem.wideLengths = problem.wideInverse = wide;
            ASSERT_EQ(kp::primitives::SelectRules::of(problem, traits).way,
                      kp::primitives::SelectWay::eAlone);
            const auto out = manager.tensorT<uint32_t>(problem.outCount);
            const uint32_t words = wide ? 2 : 1;
            const auto sizes = manager.tensorT<uint32_t>(problem.lengthCount * words);
            const auto places = manager.tensorT<uint32_t>(count * words);
            const auto number = manager.tensorT<uint32_t>(words);
            const auto groups = manager.tensorT<uint32_t>(3);
            manager.sequence()->eval(
                plannedOperation(kp::primitives::planSelect(problem, traits),
                                 {deviceTensor(values), out, sizes, places, number, groups}));
            const auto low = [&](const std::vector<uint32_t>& all) {
                std::vector<uint32_t> kept;
                for (size_t i = 0; i < all.size(); i += words)
                    kept.push_back(all[i]);
                return kept;
            };
            EXPECT_EQ(number->vector()[0], heads.size()) << count;
            heads.resize(problem.outCount);
            lengths.resize(problem.lengthCount);
            EXPECT_EQ(groups->vector()[0], (low(number->vector())[0] + 9) / 10);
            EXPECT_EQ(out->vector(), heads) << count;
            EXPECT_EQ(low(sizes->vector()), lengths) << count;
            EXPECT_EQ(low(places->vector()), inverse) << count;
        }
}

// Small tiles for few elements, and large ones. The first element does not start a block.
TEST_F(SelectTest, SelectsByLookBackAsOnAGpu) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    if (!traits.memoryModel || !traits.subgroups)
        GTEST_SKIP() << "the device has no memory model with device scope, or no subgroups";
    traits.isCpu = false;
    const auto expectSelected = [&](auto first, size_t count, bool asOfMany = false) {
        using T = decltype(first);
        const auto values = randomValues<T>(count + 1);
        std::vector<T> chosen;
        for (size_t i = 1; i <= count; ++i)
            if (values[i] > T(0.25))
                chosen.push_back(values[i]);
        const auto in = deviceTensor(values);
        const auto out = manager.tensorT<T>(count);
        const auto number = manager.tensorT<uint32_t>(1);
        kp::primitives::SelectProblem problem;
        problem.choice = kp::primitives::SelectProblem::Choice::ePredicate;
        problem.predicate = "x > T(0.25)";
        problem.type = in->dataType();
        problem.elementBytes = sizeof(T);
        problem.count = problem.outCount = count;
        problem.arguments = 3;
        problem.out = 1;
        problem.number = 2;
        auto rules = kp::primitives::SelectRules::of(problem, traits);
        if (asOfMany) {
            rules.tile = kp::primitives::SelectRules{}.tile;
            rules.ahead = sizeof(T) == 4;
        }
        manager.sequence()->eval(
            plannedOperation(kp::primitives::planSelect(problem, traits, rules),
                             {kp::TensorRange(in, 1, count), out, number}));
        ASSERT_EQ(number->vector().front(), chosen.size()) << count;
        auto given = out->vector();
        given.resize(chosen.size());
        EXPECT_TRUE(given == chosen) << count << " " << sizeof(T);
    };
    for (const size_t count : {3, 4096, 60011})
        expectSelected(float{}, count);
    for (const size_t count : {12288, 300007})
        expectSelected(float{}, count, true);
    expectSelected(uint8_t{}, 60011);
    expectSelected(uint16_t{}, 60011);
    expectSelected(double{}, 300007, true);
}

} // namespace
} // namespace kp::test
