// SPDX-License-Identifier: Apache-2.0
#include "primitives/reduce/ReducePlan.hpp"
#include "unit/primitives/PlanSupport.hpp"

namespace kp::primitives {
namespace {

ReduceProblem sumOf(uint64_t outer, uint64_t length, uint64_t inner = 1) {
    ReduceProblem problem;
    problem.outer = outer;
    problem.length = length;
    problem.inner = inner;
    return problem;
}

TEST(ReducePlan, FewElementsTakeOneDispatch) {
    for (const uint64_t length : {1, 100, 4096}) {
        const Plan plan = planReduce(sumOf(1, length), largeDevice());
        expectSound(plan, largeDevice());
        EXPECT_EQ(plan.steps.size(), 1u);
        EXPECT_TRUE(plan.scratch.empty());
    }
}

TEST(ReducePlan, ManyElementsTakeADispatchOfEnoughGroupsAndOneMore) {
    const Plan plan = planReduce(sumOf(1, uint64_t{1} << 28), largeDevice());
    expectSound(plan, largeDevice());
    const std::vector<Dispatch> dispatches = dispatchesOf(plan);
    ASSERT_EQ(dispatches.size(), 2u);
    EXPECT_GE(dispatches[0].groups, 1024u);
    EXPECT_EQ(dispatches[1].groups, 1u);
    expectCoversOnce(plan, 0, uint64_t{4} << 28);
}

TEST(ReducePlan, NoResultsTakeNoDispatch) {
    EXPECT_TRUE(planReduce(sumOf(0, 5), largeDevice()).steps.empty());
    ReduceProblem none = sumOf(1, 5);
    none.segments = Segments{0, false};
    EXPECT_TRUE(planReduce(none, largeDevice()).steps.empty());
}

TEST(ReducePlan, ResultsOfNothingAreWrittenAllTheSame) {
    const Plan plan = planReduce(sumOf(10, 0), largeDevice());
    expectSound(plan, largeDevice());
    expectCoversOnce(plan, 1, 40);
}

TEST(ReducePlan, CutsInputsOverTheLimitOfAView) {
    for (const ReduceProblem& problem :
         {sumOf(1, uint64_t{5} << 30), sumOf(3, uint64_t{1} << 30), sumOf(uint64_t{1} << 33, 4),
          sumOf(100000, 50000), sumOf(1, uint64_t{1} << 34)}) {
        const Plan plan = planReduce(problem, largeDevice());
        expectSound(plan, largeDevice());
        expectCoversOnce(plan, 0, problem.outer * problem.length * 4);
        expectCoversOnce(plan, 1, problem.outer * 4);
    }
}

TEST(ReducePlan, CutsColumnsOverTheLimitOfAView) {
    for (const ReduceProblem& problem :
         {sumOf(1, 2, uint64_t{1} << 31), sumOf(1, uint64_t{1} << 31, 2), sumOf(5, 3, 1 << 30),
          sumOf(1 << 20, 1 << 10, 1 << 3), sumOf(1 << 10, 1 << 4, 1 << 20)}) {
        const Plan plan = planReduce(problem, largeDevice());
        expectSound(plan, largeDevice());
        expectCoversOnce(plan, 1, problem.results() * 4);
    }
}

TEST(ReducePlan, CutsSegmentsOverTheLimitOfAView) {
    ReduceProblem problem = sumOf(1, uint64_t{3} << 30);
    problem.segments = Segments{uint64_t{1} << 29, true};
    const Plan plan = planReduce(problem, largeDevice());
    expectSound(plan, largeDevice());
    expectCoversOnce(plan, 1, uint64_t{4} << 29);
}

TEST(ReducePlan, OneSegmentTakesTheWholeDevice) {
    ReduceProblem problem = sumOf(1, uint64_t{1} << 24);
    problem.segments = Segments{1, false};
    const Plan plan = planReduce(problem, largeDevice());
    expectSound(plan, largeDevice());
    expectCoversOnce(plan, 1, 4);
    EXPECT_GE(dispatchesOf(plan)[0].groups, 1000u);
}

TEST(ReducePlan, ChoosesTheTypeToComputeIn) {
    using DataTypes = Memory::DataTypes;
    const auto computed = [](DataTypes in, DataTypes out, const Operator& combine) {
        ReduceProblem problem = sumOf(1, 5);
        problem.in = in;
        problem.out = out;
        problem.combine = combine;
        return reduceType(problem);
    };
    EXPECT_EQ(computed(DataTypes::eChar, DataTypes::eChar, ReduceOperation::eSum), DataTypes::eInt);
    EXPECT_EQ(computed(DataTypes::eChar, DataTypes::eLong, ReduceOperation::eSum),
              DataTypes::eLong);
    EXPECT_EQ(computed(DataTypes::eHalf, DataTypes::eHalf, ReduceOperation::eMean),
              DataTypes::eFloat);
    EXPECT_EQ(computed(DataTypes::eInt, DataTypes::eDouble, ReduceOperation::eMean),
              DataTypes::eDouble);
    EXPECT_EQ(computed(DataTypes::eDouble, DataTypes::eInt, ReduceOperation::eArgMinimum),
              DataTypes::eDouble);
    EXPECT_EQ(computed(DataTypes::eFloat, DataTypes::eBool, ReduceOperation::eAny),
              DataTypes::eUnsignedInt);
    EXPECT_THROW(computed(DataTypes::eFloat, DataTypes::eInt, ReduceOperation::eSum),
                 InvalidArgument);
    EXPECT_THROW(computed(DataTypes::eFloat, DataTypes::eFloat, ReduceOperation::eOr),
                 InvalidArgument);
}

TEST(ReducePlan, IndicesOfManyElementsNeedWideResults) {
    ReduceProblem problem = sumOf(1, uint64_t{1} << 33);
    problem.combine = ReduceOperation::eArgMaximum;
    problem.out = Memory::DataTypes::eUnsignedInt;
    EXPECT_THROW(reduceType(problem), InvalidArgument);
    problem.out = Memory::DataTypes::eLong;
    expectSound(planReduce(problem, largeDevice()), largeDevice());
}

} // namespace
} // namespace kp::primitives
