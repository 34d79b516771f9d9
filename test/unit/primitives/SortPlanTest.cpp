// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>
#include <kompute/Error.hpp>

#include "primitives/sort/SortPlan.hpp"

namespace kp::primitives {
namespace {

DeviceTraits gpu() {
    DeviceTraits traits;
    traits.maxViewBytes = (uint64_t{1} << 31) - 64;
    traits.maxGroupSize = 1024;
    traits.maxGroupCount = 65535;
    traits.sharedBytes = 48 * 1024;
    traits.minSubgroupSize = 32;
    traits.maxSubgroupSize = 32;
    traits.subgroups = true;
    traits.memoryModel = true;
    return traits;
}

SortProblem problem(uint64_t count, Memory::DataTypes type = Memory::DataTypes::eUnsignedInt) {
    SortProblem made;
    made.keys = type;
    made.count = count;
    made.bits = sortKeyBits(type);
    made.keysInPlace = true;
    return made;
}

SortWay wayOf(uint64_t count, const DeviceTraits& traits) {
    return SortRules::of(problem(count), traits).way;
}

/// No view may be larger than the device allows, or end behind its memory.
void expectViewsFit(const Plan& plan, const DeviceTraits& traits,
                    const std::vector<uint64_t>& argumentBytes) {
    for (const Step& step : plan.steps)
        if (const auto* const dispatch = std::get_if<Dispatch>(&step))
            for (const View& view : dispatch->views) {
                ASSERT_GT(view.bytes, 0u);
                ASSERT_LE(view.bytes, traits.maxViewBytes);
                ASSERT_EQ(view.offset % view.elementBytes, 0u);
                const uint64_t bytes = view.memory < plan.arguments
                                           ? argumentBytes[view.memory]
                                           : plan.scratch[view.memory - plan.arguments];
                ASSERT_LE(view.offset + view.bytes, bytes);
            }
}

size_t dispatchCountOf(const Plan& plan) {
    size_t count = 0;
    for (const Step& step : plan.steps)
        count += std::holds_alternative<Dispatch>(step);
    return count;
}

TEST(SortPlan, TakesOneDispatchForAFewThousandKeys) {
    for (const uint64_t count : {1, 100, 4096}) {
        const Plan plan = planSort(problem(count), gpu());
        EXPECT_EQ(plan.steps.size(), 1u) << count;
        EXPECT_TRUE(plan.scratch.empty());
    }
}

TEST(SortPlan, TakesADispatchPerDigitAndOneForAllCounts) {
    EXPECT_EQ(dispatchCountOf(planSort(problem(1 << 20), gpu())), 5u);
    EXPECT_EQ(dispatchCountOf(planSort(problem(1 << 20, Memory::DataTypes::eDouble), gpu())), 9u);
    SortProblem few = problem(1 << 20);
    few.bits = 12;
    EXPECT_EQ(dispatchCountOf(planSort(few, gpu())), 3u);
}

TEST(SortPlan, SaysWhyItTakesAWay) {
    DeviceTraits traits = gpu();
    EXPECT_EQ(wayOf(4096, traits), SortWay::eOneGroup);
    EXPECT_EQ(wayOf(4097, traits), SortWay::eLookBack);
    EXPECT_EQ(wayOf(uint64_t{1} << 28, traits), SortWay::eLookBack);
    EXPECT_EQ(wayOf(uint64_t{1} << 30, traits), SortWay::eThreeDispatches);
    traits.memoryModel = false;
    EXPECT_EQ(wayOf(1 << 20, traits), SortWay::eThreeDispatches);
    EXPECT_EQ(SortRules::of(problem(1 << 20), traits).reason,
              std::string("look-back needs vulkanMemoryModelDeviceScope"));
    traits = gpu();
    traits.isCpu = true;
    EXPECT_EQ(wayOf(1 << 20, traits), SortWay::eInvocations);
}

TEST(SortPlan, FitsTilesToSharedMemoryInWholeParts) {
    DeviceTraits traits = gpu();
    for (const uint32_t bytes : {8u, 16u, 32u, 64u})
        for (const uint32_t parts : {1u, 2u, 3u}) {
            traits.sharedBytes = bytes * 1024;
            for (const bool sharedMasks : {false, true}) {
                const SortTile tile =
                    SortRules::fitted({512, 24, true, sharedMasks, parts}, traits);
                EXPECT_TRUE(tile.fits(traits)) << bytes << " " << parts;
                EXPECT_EQ(tile.items % tile.parts, 0u) << bytes << " " << parts;
            }
        }
}

TEST(SortPlan, CopiesFirstIfAnOddNumberOfDigitsIsSortedInPlace) {
    SortProblem odd = problem(1 << 20);
    odd.bits = 24;
    const Plan inPlace = planSort(odd, gpu());
    EXPECT_TRUE(std::holds_alternative<Copy>(inPlace.steps.front()));
    odd.keysInPlace = false;
    const Plan plan = planSort(odd, gpu());
    for (const Step& step : plan.steps)
        EXPECT_FALSE(std::holds_alternative<Copy>(step));
}

TEST(SortPlan, CutsWhatIsLargerThanAView) {
    const DeviceTraits traits = gpu();
    for (const uint64_t count : {(uint64_t{1} << 31) + 7, (uint64_t{1} << 33) + 7}) {
        SortProblem large = problem(count);
        large.valueBytes = 8;
        large.indices = true;
        const Plan plan = planSort(large, traits);
        expectViewsFit(plan, traits, {count * 4, count * 8});
        EXPECT_GT(dispatchCountOf(plan), 12u);
    }
}

TEST(SortPlan, CutsAFewKeysThatAreLargerThanAView) {
    DeviceTraits traits = gpu();
    traits.maxViewBytes = 1600;
    EXPECT_EQ(wayOf(3000, traits), SortWay::eThreeDispatches);
    EXPECT_GT(dispatchCountOf(planSort(problem(3000), traits)), 12u);
}

TEST(SortPlan, TilesFitEveryDevice) {
    for (const uint32_t subgroup : {4u, 8u, 16u, 32u, 64u, 128u})
        for (const uint32_t shared : {16u, 32u, 48u, 64u})
            for (const uint32_t group : {128u, 256u, 1024u}) {
                DeviceTraits traits = gpu();
                traits.minSubgroupSize = subgroup;
                traits.maxSubgroupSize = subgroup;
                traits.sharedBytes = shared * 1024;
                traits.maxGroupSize = group;
                traits.isNvidia = subgroup == 32;
                for (const auto type : {Memory::DataTypes::eUnsignedInt, Memory::DataTypes::eLong})
                    for (const uint64_t count : {1 << 20, 1 << 28}) {
                        const SortRules rules = SortRules::of(problem(count, type), traits);
                        EXPECT_TRUE(rules.pass.fits(traits))
                            << subgroup << " " << shared << " " << group;
                        EXPECT_TRUE(rules.small.fits(traits));
                        EXPECT_EQ(rules.pass.groupSize % 32, 0u);
                        EXPECT_EQ(rules.pass.items % rules.pass.parts, 0u);
                    }
            }
}

TEST(SortPlan, TakesSeveralShortSegmentsPerWorkGroup) {
    const auto groupsOf = [](uint64_t count, uint64_t rowLength) {
        SortProblem rows = problem(count);
        rows.rowLength = rowLength;
        return std::get<Dispatch>(planSort(rows, gpu()).steps.front()).groups;
    };
    EXPECT_EQ(groupsOf(1 << 20, 1), 4096u); // the number of a segment is a digit
    EXPECT_EQ(groupsOf(1 << 20, 64), 2048u);
    EXPECT_EQ(groupsOf(1 << 20, 128), 2048u);
    EXPECT_EQ(groupsOf(1 << 20, 256), 4096u);
    SortProblem segmented = problem(1 << 20);
    segmented.segments = Segments{1 << 16, false};
    EXPECT_EQ(std::get<Dispatch>(planSort(segmented, gpu()).steps[1]).groups, 4096u);
}

TEST(SortPlan, ViewsOfSegmentsFit) {
    const DeviceTraits traits = gpu();
    SortProblem segmented = problem(1000000);
    segmented.segments = Segments{5000, true};
    segmented.valueBytes = 4;
    segmented.valuesInPlace = true;
    expectViewsFit(planSort(segmented, traits), traits, {4000000, 4000000, 5001 * 8});
    SortProblem rows = problem(uint64_t{1} << 32);
    rows.rowLength = 1 << 16;
    expectViewsFit(planSort(rows, traits), traits, {uint64_t{1} << 34});
    segmented.count = uint64_t{1} << 32;
    try {
        planSort(segmented, traits);
        ADD_FAILURE() << "segments of more than a view are planned";
    } catch (const Unsupported& error) {
        EXPECT_NE(std::string(error.what()).find("planned without knowing where it could be cut"),
                  std::string::npos)
            << error.what();
    }
}

} // namespace
} // namespace kp::primitives
