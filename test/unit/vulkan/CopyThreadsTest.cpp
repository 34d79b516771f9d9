// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/CopyThreads.hpp"

#include <atomic>
#include <cstdlib>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "Sanitizers.hpp"
#include "unit/TestThreads.hpp"

#if defined(__unix__)
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace kp::vulkan::test {
namespace {

using namespace std::chrono_literals;

class FakeUser : public CopyThreads::User {
public:
    explicit FakeUser(CopyThreads& threads) : mThreads(threads) { threads.attach(*this); }
    ~FakeUser() override { mThreads.detach(*this); }
    bool freeIdle() noexcept override {
        ++asked;
        return moreToFree;
    }
    std::atomic<int> asked{0};
    std::atomic<bool> moreToFree{false};

private:
    CopyThreads& mThreads;
};

class CopyThreadsTest : public ::testing::Test {
protected:
    CopyThreadsTest() { threads.setIdleTime(20ms); }
    ~CopyThreadsTest() override { threads.setIdleTime(1000ms); }

    template <typename Condition>
    static bool eventually(Condition condition) {
        for (int i = 0; i < 500; ++i) {
            if (condition())
                return true;
            std::this_thread::sleep_for(10ms);
        }
        return false;
    }

    CopyThreads& threads = CopyThreads::instance();
};

TEST_F(CopyThreadsTest, RunsTheTaskOnTheCallerAndOnEveryHelper) {
    const FakeUser user(threads);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::atomic<int> calls{0};
    threads.run(3, [&] {
        ++calls;
        // Each thread waits for the others, so that none does the work of two.
        eventually([&] { return calls == 4; });
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(seen.size(), 4u);
    EXPECT_EQ(seen.count(std::this_thread::get_id()), 1u);
}

TEST_F(CopyThreadsTest, StartsNoThreadWithoutHelpers) {
    const FakeUser user(threads);
    int calls = 0;
    threads.run(0, [&] { ++calls; });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(threads.threadCount(), 0u);
}

TEST_F(CopyThreadsTest, ServesManyCallersAtOnce) {
    const FakeUser user(threads);
    std::atomic<uint64_t> sum{0};
    kp::test::runInThreads(4, [&](int) {
        for (int round = 0; round < 200; ++round) {
            std::atomic<int> next{0};
            threads.run(3, [&] {
                while (next.fetch_add(1) < 10)
                    ++sum;
            });
        }
    });
    EXPECT_EQ(sum, 4u * 200 * 10);
}

TEST_F(CopyThreadsTest, EndsIdleThreadsAndStartsThemAgain) {
    const FakeUser user(threads);
    for (int round = 0; round < 3; ++round) {
        threads.run(2, [] {});
        EXPECT_TRUE(eventually([&] { return threads.threadCount() == 0; }));
    }
    EXPECT_GT(user.asked, 0);
}

TEST_F(CopyThreadsTest, KeepsOneThreadWhileAUserHasMemoryToFree) {
    FakeUser user(threads);
    user.moreToFree = true;
    threads.watch();
    EXPECT_TRUE(eventually([&] { return user.asked >= 3; }));
    EXPECT_EQ(threads.threadCount(), 1u);
    user.moreToFree = false;
    EXPECT_TRUE(eventually([&] { return threads.threadCount() == 0; }));
}

TEST_F(CopyThreadsTest, EndsTheThreadsWithTheLastUser) {
    threads.setIdleTime(60'000ms);
    {
        const FakeUser first(threads);
        {
            const FakeUser second(threads);
            threads.run(2, [] {});
        }
        EXPECT_GT(threads.threadCount(), 0u);
    }
    EXPECT_EQ(threads.threadCount(), 0u);
}

TEST_F(CopyThreadsTest, DoesNotAskADetachedUser) {
    for (int round = 0; round < 20; ++round) {
        const FakeUser attached(threads);
        auto detached = std::make_unique<FakeUser>(threads);
        detached->moreToFree = true;
        threads.setIdleTime(1ms);
        threads.watch();
        std::this_thread::sleep_for(2ms);
        detached.reset();
    }
}

using CopyThreadsDeathTest = CopyThreadsTest;

TEST_F(CopyThreadsDeathTest, TheProcessExitsWhileThreadsAreAlive) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            new FakeUser(threads); // never detached
            threads.setIdleTime(60'000ms);
            threads.run(4, [] {});
            std::exit(threads.threadCount() > 0 ? 7 : 8);
        },
        ::testing::ExitedWithCode(7), "");
}

TEST_F(CopyThreadsTest, AsksAgainIfWatchIsCalledWhileItAsks) {
    threads.setIdleTime(1ms);
    // Calls watch() while the thread asks, as a transfer does that ends at that moment.
    class WatchingUser : public CopyThreads::User {
    public:
        bool freeIdle() noexcept override {
            if (++asked == 1)
                CopyThreads::instance().watch();
            return false;
        }
        std::atomic<int> asked{0};
    } user;
    threads.attach(user);
    threads.watch();
    EXPECT_TRUE(eventually([&] { return user.asked >= 2; }));
    threads.detach(user);
}

TEST_F(CopyThreadsTest, WatchesForLaterUsers) {
    for (int round = 0; round < 3; ++round) {
        FakeUser user(threads);
        threads.watch();
        EXPECT_TRUE(eventually([&] { return user.asked > 0; })) << "round " << round;
    }
}

// The address sanitizer reports the memory of the parent's threads as leaked in a forked child.
#if defined(__unix__) && !defined(KOMPUTE_TEST_SANITIZED)
TEST_F(CopyThreadsTest, AForkedChildDetachesAndExitsWithoutTheThreads) {
    FakeUser user(threads);
    threads.setIdleTime(60'000ms);
    std::atomic<bool> stop{false};
    std::thread busy([&] { // so that some forks happen while the lock is held
        while (!stop)
            threads.run(2, [] {});
    });
    for (int round = 0; round < 20; ++round) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            CopyThreads::instance().detach(user);
            std::exit(7);
        }
        int status = 0;
        if (!eventually([&] { return waitpid(child, &status, WNOHANG) == child; })) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
        }
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << "status " << status;
    }
    stop = true;
    busy.join();
}
#endif

TEST(CopyMemory, CopiesExactlyAtEveryAlignment) {
    constexpr size_t kMaxBytes = 5000;
    std::vector<unsigned char> source(kMaxBytes + 64);
    for (size_t i = 0; i < source.size(); ++i)
        source[i] = static_cast<unsigned char>(i * 31 + i / 256);
    for (const bool streaming : {false, true})
        for (const size_t bytes : {size_t{0}, size_t{1}, size_t{63}, size_t{1023}, size_t{1024},
                                   size_t{1025}, size_t{4096}, kMaxBytes - 1})
            for (size_t from = 0; from < 3; ++from)
                for (size_t to = 0; to < 64; to += 7) {
                    std::vector<unsigned char> target(kMaxBytes + 128, 0xEE);
                    copyMemory(target.data() + to, source.data() + from, bytes, streaming);
                    ASSERT_TRUE(std::equal(source.begin() + from, source.begin() + from + bytes,
                                           target.begin() + to));
                    ASSERT_EQ(target[to + bytes], 0xEE);
                    ASSERT_TRUE(to == 0 || target[to - 1] == 0xEE);
                }
}

} // namespace
} // namespace kp::vulkan::test
