// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>
#include <kompute/Primitives.hpp>

#include "device/TestSupport.hpp"
#include "device/check/CheckSupport.hpp"

namespace kp::test {
namespace {

class CheckedPrimitive : public ::testing::Test {
protected:
    static ManagerOptions checkedManager() {
        ManagerOptions options;
        options.check = "1";
        return options;
    }

    template <typename Op, typename... Args>
    std::vector<CheckFault> faultsOfOperation(Args&&... args) {
        return faultsOf(
            [&] { manager.sequence()->eval(std::make_shared<Op>(std::forward<Args>(args)...)); });
    }

    Manager manager{checkedManager()};
    std::shared_ptr<TensorT<int>> in = manager.tensorT<int>({7, 3, 0, 5});
    std::shared_ptr<TensorT<int>> out = manager.tensorT<int>(std::vector<int>(4));
    std::shared_ptr<TensorT<int>> one = manager.tensorT<int>(std::vector<int>(1));
};

TEST_F(CheckedPrimitive, NamesTheOperatorOfAReduction) {
    const auto faults = faultsOfOperation<OpReduce>(in, one, Operator("a +\n  b / (b - b)", "0"));
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].kind, "division");
    EXPECT_TRUE(faults[0].file.starts_with("OpReduce")) << faults[0].file;
    EXPECT_TRUE(faults[0].file.ends_with(", operator")) << faults[0].file;
    EXPECT_EQ(faults[0].line, 2u);
    EXPECT_EQ(faults[0].text, "b / (b - b)");
}

TEST_F(CheckedPrimitive, NamesTheOperatorOfAScan) {
    const auto faults = faultsOfOperation<OpScan>(in, out, Operator("a << (b + 40)", "0"));
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].kind, "shift");
    EXPECT_TRUE(faults[0].file.starts_with("OpScan")) << faults[0].file;
    EXPECT_EQ(faults[0].text, "a << (b + 40)");
}

TEST_F(CheckedPrimitive, NamesThePredicateOfASelection) {
    const auto number = manager.tensorT<uint32_t>({0});
    const auto faults =
        faultsOfOperation<OpSelect>(in, Predicate("int[3](1, 0, 1)[x] == 1"), out, number);
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].kind, "read");
    EXPECT_EQ(faults[0].line, 1u);
    EXPECT_EQ(faults[0].text, "int[3](1, 0, 1)[x] == 1");
    EXPECT_EQ(faults[0].extent, 3u);
}

TEST_F(CheckedPrimitive, ComputesTheSame) {
    EXPECT_TRUE(faultsOfOperation<OpReduce>(in, one, Operator("a + b", "0")).empty());
    manager.sequence()->eval<OpSyncLocal>({one});
    EXPECT_EQ(one->vector()[0], 15);
}

TEST_F(CheckedPrimitive, FollowsTheScopeOfTheThread) {
    const CheckScope unchecked("off"); // KOMPUTE_CHECK may be set
    Manager plain;
    const auto numbers = plain.tensorT<int>({7, 3, 0, 5});
    const auto result = plain.tensorT<int>({0});
    const Operator wrong("a / (b - b)", "1");
    const auto run = [&] {
        plain.sequence()->eval(std::make_shared<OpReduce>(numbers, result, wrong));
    };
    EXPECT_TRUE(faultsOf(run).empty());
    {
        const CheckScope scope;
        EXPECT_FALSE(faultsOf(run).empty());
    }
    EXPECT_TRUE(faultsOf(run).empty());
}

} // namespace
} // namespace kp::test
