// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <string>
#include <vector>

#include "primitives/reduce/HistogramEdges.hpp"
#include "primitives/reduce/HistogramPlan.hpp"
#include "unit/primitives/PlanSupport.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;

HistogramProblem evenBins(uint64_t count, uint64_t bins, DataTypes type = DataTypes::eFloat) {
    HistogramProblem problem;
    problem.type = type;
    problem.count = count;
    problem.kind = Bins::Kind::eEven;
    problem.high = 1;
    problem.bins = bins;
    return problem;
}

bool usesSharedCounters(const Plan& plan) {
    return plan.kernels.at(0).source.find("#define COUNTERS") != std::string::npos;
}

TEST(HistogramPlan, CountsFewBinsInSharedMemory) {
    EXPECT_TRUE(usesSharedCounters(planHistogram(evenBins(1 << 20, 4096), largeDevice())));
    EXPECT_FALSE(usesSharedCounters(planHistogram(evenBins(1 << 20, 4097), largeDevice())));
    DeviceTraits small = largeDevice();
    small.sharedBytes = 16 * 1024;
    EXPECT_TRUE(usesSharedCounters(planHistogram(evenBins(1 << 20, 1024), small)));
    EXPECT_FALSE(usesSharedCounters(planHistogram(evenBins(1 << 20, 1025), small)));
}

TEST(HistogramPlan, IsSoundForEverySize) {
    for (const DataTypes type : {DataTypes::eChar, DataTypes::eHalf, DataTypes::eFloat,
                                 DataTypes::eDouble, DataTypes::eLong})
        for (const uint64_t count : {uint64_t{0}, uint64_t{1}, (uint64_t{1} << 32) + 5})
            for (const uint64_t bins : {1, 300, 100000}) {
                HistogramProblem problem = evenBins(count, bins, type);
                problem.high = 100;
                expectSound(planHistogram(problem, largeDevice()), largeDevice());
                problem.weighted = true;
                problem.out = DataTypes::eDouble;
                expectSound(planHistogram(problem, largeDevice()), largeDevice());
                problem.out = DataTypes::eFloat;
                problem.determinism = Determinism::eNone;
                expectSound(planHistogram(problem, largeDevice()), largeDevice());
            }
}

TEST(HistogramPlan, CutsBinsThatNoViewCanHold) {
    HistogramProblem problem;
    problem.type = DataTypes::eUnsignedInt;
    problem.count = 1000;
    problem.bins = (uint64_t{1} << 30) + 1;
    const Plan plan = planHistogram(problem, largeDevice());
    expectSound(plan, largeDevice());
    EXPECT_EQ(dispatchesOf(plan).size(), 3u);
}

TEST(HistogramPlan, SortsWeightsUnlessAnyOrderWillDo) {
    HistogramProblem problem = evenBins(100000, 10);
    problem.weighted = true;
    problem.out = DataTypes::eFloat;
    EXPECT_GT(dispatchesOf(planHistogram(problem, largeDevice())).size(), 3u);
    problem.determinism = Determinism::eNone;
    EXPECT_EQ(dispatchesOf(planHistogram(problem, largeDevice())).size(), 1u);
    problem.out = DataTypes::eDouble;
    EXPECT_GT(dispatchesOf(planHistogram(problem, largeDevice())).size(), 3u);
}

TEST(HistogramEdges, RoundOnceToHalf) {
    // The float nearest to it lies between two halves; the number itself does not.
    const double value = 1 + 0x1p-11 + 0x1p-40;
    EXPECT_EQ(roundedBits(value, DataTypes::eHalf), 0x3c01u);
    EXPECT_EQ(roundedBits(-value, DataTypes::eHalf), 0xbc01u);
    EXPECT_EQ(roundedBits(1 + 0x1p-11, DataTypes::eHalf), 0x3c00u);
    EXPECT_EQ(roundedBits(1 + 0x1p-8 + 0x1p-40, DataTypes::eBFloat16), 0x3f81u);
    EXPECT_EQ(roundedBits(0.1, DataTypes::eFloat), std::bit_cast<uint32_t>(0.1f));
}

std::vector<uint64_t> bitsOf(const EvenEdges& edges) {
    std::vector<uint64_t> bits;
    for (uint64_t i = 0; edges.bins() > 0 && i <= edges.bins(); ++i)
        bits.push_back(edges.bits(i));
    return bits;
}

TEST(HistogramEdges, OfIntegersAreTheNextIntegers) {
    const EvenEdges edges(-3.5, 4.5, 4, DataTypes::eInt);
    std::vector<double> values;
    for (uint64_t i = 0; i <= edges.bins(); ++i)
        values.push_back(edges.value(i));
    EXPECT_EQ(values, (std::vector<double>{-3, -1, 1, 3, 4}));
}

TEST(HistogramEdges, BinsAboveAllIntegersAreLeftOut) {
    EXPECT_EQ(bitsOf({0, 1000, 10, DataTypes::eUnsignedChar}),
              (std::vector<uint64_t>{0, 100, 200, 255}));
    EXPECT_EQ(EvenEdges(-5, -1, 3, DataTypes::eUnsignedChar).bins(), 0u);
    EXPECT_EQ(EvenEdges(300, 400, 3, DataTypes::eUnsignedChar).bins(), 0u);
    EXPECT_EQ(bitsOf({-1e300, 1e300, 2, DataTypes::eLong}),
              (std::vector<uint64_t>{uint64_t{1} << 63, 0, uint64_t{INT64_MAX}}));
}

} // namespace
} // namespace kp::primitives
