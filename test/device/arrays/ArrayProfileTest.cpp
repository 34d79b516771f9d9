// SPDX-License-Identifier: Apache-2.0
//
// LaunchProfile names the launches of array code by their functions.
#include "ArraySupport.hpp"

#include <map>
#include <string>

#include <kompute/Launch.hpp>
#include <kompute/Primitives.hpp>

namespace kp::test {
namespace {

class ArrayProfileTest : public ArrayTest {
protected:
    const std::shared_ptr<Profiler> profiler = std::make_shared<Profiler>();
    const Array x = counting({1000});

    void SetUp() override {
        ArrayTest::SetUp();
        if (!manager.deviceInfo().timestamps)
            GTEST_SKIP() << "the device has no timestamps";
        x.evaluate();
    }
    std::map<std::string, uint64_t> counts() const {
        std::map<std::string, uint64_t> found;
        for (const ProfileEntry& entry : profiler->entries())
            found[entry.name] += entry.count;
        return found;
    }
};

TEST_F(ArrayProfileTest, KernelsHaveTheNamesOfTheirFunctions) {
    {
        const LaunchProfile profile(manager.defaultQueue(), profiler);
        sqrt(x * x + 1).evaluate();
        sqrt(x * x + 2).evaluate();
        sum(x * x).evaluate();
        max(x(Slice(0, 100))).evaluate();
        sort(x).evaluate();
    }
    const auto found = counts();
    EXPECT_EQ(found.at("multiply, add, sqrt"), 2u);
    EXPECT_GE(found.at("sum of multiply"), 1u);
    EXPECT_GE(found.at("max"), 1u);
    EXPECT_EQ(found.at("sort"), 1u);
}

TEST_F(ArrayProfileTest, NothingIsTimedOutsideAProfile) {
    LaunchProfile profile(manager.defaultQueue(), profiler);
    EXPECT_TRUE(manager.defaultQueue()->profiling());
    profile.end();
    profile.end();
    sqrt(x).evaluate();
    manager.waitIdle();
    EXPECT_FALSE(manager.defaultQueue()->profiling());
    EXPECT_TRUE(counts().empty());
}

TEST_F(ArrayProfileTest, AQueueHasOneProfileAtATime) {
    const LaunchProfile profile(manager.defaultQueue(), profiler);
    EXPECT_THROW(LaunchProfile(manager.defaultQueue(), profiler), InvalidArgument);
    EXPECT_THROW(LaunchProfile(nullptr, profiler), InvalidArgument);
    const LaunchProfile other(manager.queue(), profiler);
}

TEST_F(ArrayProfileTest, OperationsHaveTheNamesOfTheirClasses) {
    const auto values = manager.tensorT<float>({3, 1, 2});
    const auto largest = manager.tensorT<float>(3);
    {
        const LaunchProfile profile(manager.defaultQueue(), profiler);
        manager.defaultQueue()->launch(std::vector<std::shared_ptr<OpBase>>{
            std::make_shared<OpSort>(values), std::make_shared<OpTopK>(values, 3, largest)});
    }
    const auto found = counts();
    EXPECT_EQ(found.at("sort"), 1u);
    EXPECT_EQ(found.at("topk"), 1u);
}

} // namespace
} // namespace kp::test
