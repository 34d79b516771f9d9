// SPDX-License-Identifier: Apache-2.0
//
// Memory, threads and ends: what arrays keep and give back, and what outlives what.
#include "ArraySupport.hpp"

#include <chrono>
#include <cstdlib>
#include <future>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <kompute/primitives/scan/OpScan.hpp>
#include <kompute/queue/Queue.hpp>

#include "../Threads.hpp"

namespace kp::test {
namespace {

class ArrayLifetimeTest : public ArrayTest {};

TEST_F(ArrayLifetimeTest, FreedMemoryIsUsedAgain) {
    const auto memory = [](const Array& x) { return arrays::memoryOf(x.evaluate()).get(); };
    const Array x = counting({1000});
    const Tensor* const first = memory(x + 1);
    EXPECT_EQ(memory(x + 2), first);
    const Array kept = x + 3;
    EXPECT_EQ(memory(kept), first);
    EXPECT_NE(memory(x + 4), first);
    const std::shared_ptr<Tensor> tensor = (x + 5).tensor();
    EXPECT_NE(memory(x + 6), tensor.get()); // the program has it
}

TEST_F(ArrayLifetimeTest, PrimitivesThatComeAgainReadWhatTheMemoryHasNow) {
    const Array x = counting({1000}).copy();
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(max(sort(-x)).item<float>(), static_cast<float>(-i));
        EXPECT_EQ(cumsum(x)(1).item<float>(), static_cast<float>(1 + 2 * i));
        x.assign(x + 1);
    }
}

TEST_F(ArrayLifetimeTest, MemoryOfPrimitivesThatComeAgainIsUsedAgain) {
    const Array x = counting({1000}).copy();
    std::set<const Tensor*> results;
    for (int i = 0; i < 20; ++i)
        results.insert(arrays::memoryOf(cumsum(x)).get());
    EXPECT_LE(results.size(), 2u);
    const Array kept = cumsum(x);
    const Array other = cumsum(x * 2);
    EXPECT_EQ(kept(2).item<float>(), 3.0F);
    EXPECT_EQ(other(2).item<float>(), 6.0F);
}

TEST_F(ArrayLifetimeTest, UploadsDoNotWaitForMemoryThatLaunchesUse) {
    const Array x = counting({1000}).copy();
    const std::vector<float> ones(1000, 1);
    const uint64_t before = manager.activity().waits;
    Array total = of(ones);
    for (int i = 0; i < 10; ++i) {
        total = total * of(ones) + x;
        total.evaluate(); // the memory of the ones is free, but the device reads it
    }
    if (!slowed()) {
        EXPECT_EQ(manager.activity().waits, before);
    }
    EXPECT_EQ(total(999).item<float>(), 9991.0F);
}

TEST_F(ArrayLifetimeTest, PrimitivesFollowATensorThatGetsOtherMemory) {
    const auto storage = [&] {
        return manager.tensor(4, 4, Memory::DataTypes::eFloat, Memory::MemoryTypes::eStorage);
    };
    const std::shared_ptr<Tensor> from = storage();
    const std::shared_ptr<Tensor> to = storage();
    const std::vector<float> ones(4, 1);
    for (int i = 0; i < 6; ++i) {
        if (i == 3)
            from->rebuild(nullptr, 4, 4);
        from->upload(ones);
        arrays::launch(manager, {std::make_shared<OpScan>(from, to, ReduceOperation::eSum)});
        std::vector<float> sums(4);
        to->download(sums);
        EXPECT_EQ(sums, (std::vector<float>{1, 2, 3, 4})) << i;
    }
}

TEST_F(ArrayLifetimeTest, NothingGrowsOverManyExpressions) {
    const Array x = counting({1000});
    const auto work = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const Array y = x * i + 1;
            y(Slice(0, 500)).assign(y(Slice(500, end)));
            (y + x).evaluate();
            if (i % 100 == 0) {
                EXPECT_EQ(max(y).item<float>(), static_cast<float>(i) * 999 + 1);
            }
        }
    };
    work(500);
    const uint64_t device = manager.allocatedBytes();
    const uint64_t host = residentBytes();
    work(slowed() ? 1000 : 10000);
    EXPECT_LE(manager.allocatedBytes(), device + (1 << 20));
    if (!slowed()) {
        EXPECT_LE(residentBytes(), host + (8 << 20));
    }
}

TEST_F(ArrayLifetimeTest, ReadsFollowLaunchesThatWaitForAHostFunction) {
    const Array x = counting({1000});
    x.evaluate();
    std::promise<void> go;
    manager.defaultQueue()->hostFunction([opened = go.get_future().share()] { opened.wait(); });
    const Array y = x * 2;
    y.evaluate();
    std::thread opener([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        go.set_value();
    });
    EXPECT_EQ(nonzero(y > 1000)[0].size(), 499);
    EXPECT_EQ(y(999).item<float>(), 1998.0F);
    opener.join();
}

TEST_F(ArrayLifetimeTest, AnExpressionIsOneLaunch) {
    const Array x = counting({1000});
    x.evaluate();
    auto launches = [&, last = manager.activity()]() mutable {
        const Activity before = std::exchange(last, manager.activity());
        EXPECT_EQ(last.waits, before.waits);
        return last.launches - before.launches;
    };
    const Array y = where(sqrt(x) * 2 + x > 3, -x, x * x) + 1;
    const Array columns = x.reshape({10, 100}).transpose();
    EXPECT_EQ(launches(), 0u);
    y.evaluate();
    EXPECT_EQ(launches(), 1u);
    y.evaluate();
    y(Slice(begin, end, -1))(3);
    EXPECT_EQ(launches(), 0u);
    const Array total = sum(square(y - 1) * x);
    EXPECT_LE(launches(), 2u); // the second adds up what work groups have
    x.assign(y + 1);
    EXPECT_EQ(launches(), 1u);
    if (has(DType::eInt64)) {
        sort(x);
        cumsum(x);
        matmul(columns, columns.transpose());
        EXPECT_EQ(launches(), 3u);
    }
}

TEST_F(ArrayLifetimeTest, ALoopMayAddForever) {
    const Array one = counting({8}) * 0 + 1;
    Array total = zeros({8}, DType::eFloat32, &manager);
    const int count = slowed() ? 10000 : 100000;
    for (int i = 0; i < count; ++i)
        total = total + one;
    EXPECT_EQ(total(0).item<float>(), static_cast<float>(count));
    Array nested = one;
    for (int i = 0; i < 100; ++i)
        nested = nested + nested; // each node twice: 2^100 paths
    EXPECT_EQ(nested(7).item<float>(), std::ldexp(1.0f, 100));
}

TEST_F(ArrayLifetimeTest, ThreadsEvaluateAtOnce) {
    const Array x = counting({1000});
    const Array shared = sqrt(x * x) + 1; // computed by whichever thread comes first
    inThreads(8, [&](int number) {
        for (int i = 0; i < 50; ++i) {
            const Array own = shared * number + i;
            const auto expected = static_cast<float>(1000 * number + i);
            EXPECT_EQ(own(999).item<float>(), expected);
            if (has(DType::eInt64)) {
                EXPECT_EQ(sort(-own)(0).item<float>(), -expected);
            }
        }
    });
}

TEST_F(ArrayLifetimeTest, ThreadsEvaluateOneExpression) {
    for (int round = 0; round < 20; ++round) {
        const Array y = counting({100}) + round;
        inThreads(4,
                  [&](int) { EXPECT_EQ(y.vector<float>()[99], static_cast<float>(99 + round)); });
    }
}

TEST_F(ArrayLifetimeTest, ArraysOutliveADestroyedManager) {
    std::optional<Manager> other(std::in_place);
    const Array x = Array::of(std::vector<float>{1, 2}, &*other);
    const Array pending = x + 1;
    other->destroy();
    EXPECT_EQ(toString(pending.shape()), "(2,)");
    EXPECT_ERROR(InvalidArgument, "destroyed", pending.evaluate());
    EXPECT_ERROR(InvalidArgument, "destroyed", x.vector<float>());
    EXPECT_ERROR(InvalidArgument, "destroyed", zeros({2}, DType::eFloat32, &*other));
    other.reset();
    EXPECT_ERROR(InvalidArgument, "destroyed", (x * 2).evaluate());
}

TEST_F(ArrayLifetimeTest, ArraysOfDifferentManagersDoNotMix) {
    Manager other;
    const Array y = Array::of(std::vector<float>{1}, &other);
    EXPECT_ERROR(InvalidArgument, "manager", of<float>({1}) + y);
}

TEST_F(ArrayLifetimeTest, DevicesWithoutATypeSaySo) {
    arrays::pretendLack(manager, DType::eFloat64, "there is none here");
    EXPECT_ERROR(Unsupported, "there is none here", zeros({2}, DType::eFloat64, &manager));
    EXPECT_ERROR(Unsupported, "there is none here", of<double>({1}));
}

TEST_F(ArrayLifetimeTest, ElementsMayBeMoreThanAKernelBinds) {
    arrays::pretendRange(manager, 4096);
    const Array x = counting({5000});
    const Array y = x * 2 + x(Slice(begin, end, -1));
    EXPECT_EQ(y(0).item<float>(), 4999.0f);
    EXPECT_EQ(y(4999).item<float>(), 9998.0f);
    EXPECT_EQ(max(y).item<float>(), 9998.0f);
    expectArray<float>(x.reshape({50, 100}).transpose()(3, Slice(48, end)), {2}, {4803, 4903});
}

TEST(ArrayProcessDeathTest, EndsWellWithArraysAlive) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            static Array pending;
            static Array evaluated;
            evaluated = linspace(0, 1, 1000, DType::eFloat32);
            pending = evaluated * 2;
            evaluated.evaluate();
            std::exit(pending(999).item<float>() == 2.0f ? 7 : 8);
        },
        ::testing::ExitedWithCode(7), "");
}

} // namespace
} // namespace kp::test
