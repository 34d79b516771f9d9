// SPDX-License-Identifier: Apache-2.0
#include "vulkan/CopyThreads.hpp"

#include <atomic>
#include <cstdlib>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#if defined(__unix__)
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace kp::vulkan::test {
namespace {

using namespace std::chrono_literals;

class Idler : public CopyThreads::User {
public:
    explicit Idler(CopyThreads& threads) : mThreads(threads) { threads.attach(*this); }
    ~Idler() override { mThreads.detach(*this); }
    bool freeIdle() noexcept override {
        ++asked;
        return more;
    }
    std::atomic<int> asked{0};
    std::atomic<bool> more{false};

private:
    CopyThreads& mThreads;
};

class CopyThreadsTest : public ::testing::Test {
protected:
    CopyThreadsTest() { threads.setIdleTime(20ms); }
    ~CopyThreadsTest() override { threads.setIdleTime(1000ms); }

    template <typename Condition>
    static bool soon(Condition condition) {
        for (int i = 0; i < 500; ++i) {
            if (condition())
                return true;
            std::this_thread::sleep_for(10ms);
        }
        return false;
    }

    CopyThreads& threads = CopyThreads::instance();
};

TEST_F(CopyThreadsTest, TheCallerWorksAlongAndHelpersJoin) {
    const Idler user(threads);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::atomic<int> calls{0};
    threads.run(3, [&] {
        ++calls;
        // Nobody leaves before all are here.
        soon([&] { return calls == 4; });
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(seen.size(), 4u);
    EXPECT_EQ(seen.count(std::this_thread::get_id()), 1u);
}

TEST_F(CopyThreadsTest, NoHelperMeansNoThread) {
    const Idler user(threads);
    int calls = 0;
    threads.run(0, [&] { ++calls; });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(threads.threadCount(), 0u);
}

TEST_F(CopyThreadsTest, ManyCallersAtOnce) {
    const Idler user(threads);
    std::atomic<uint64_t> sum{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
        callers.emplace_back([&] {
            for (int round = 0; round < 200; ++round) {
                std::atomic<int> next{0};
                threads.run(3, [&] {
                    while (next.fetch_add(1) < 10)
                        ++sum;
                });
            }
        });
    for (std::thread& caller : callers)
        caller.join();
    EXPECT_EQ(sum, 4u * 200 * 10);
}

TEST_F(CopyThreadsTest, IdleThreadsEndAndComeBack) {
    const Idler user(threads);
    for (int round = 0; round < 3; ++round) {
        threads.run(2, [] {});
        EXPECT_TRUE(soon([&] { return threads.threadCount() == 0; }));
    }
    EXPECT_GT(user.asked, 0);
}

TEST_F(CopyThreadsTest, OneThreadStaysWhileThereIsSomethingToFree) {
    Idler user(threads);
    user.more = true;
    threads.watch();
    EXPECT_TRUE(soon([&] { return user.asked >= 3; }));
    EXPECT_EQ(threads.threadCount(), 1u);
    user.more = false;
    EXPECT_TRUE(soon([&] { return threads.threadCount() == 0; }));
}

TEST_F(CopyThreadsTest, TheLastUserEndsTheThreads) {
    threads.setIdleTime(60'000ms);
    {
        const Idler first(threads);
        {
            const Idler second(threads);
            threads.run(2, [] {});
        }
        EXPECT_GT(threads.threadCount(), 0u);
    }
    EXPECT_EQ(threads.threadCount(), 0u);
}

TEST_F(CopyThreadsTest, AUserThatIsGoneIsNotAsked) {
    for (int round = 0; round < 20; ++round) {
        const Idler stays(threads);
        auto goes = std::make_unique<Idler>(threads);
        goes->more = true;
        threads.setIdleTime(1ms);
        threads.watch();
        std::this_thread::sleep_for(2ms);
        goes.reset();
    }
}

using CopyThreadsDeathTest = CopyThreadsTest;

TEST_F(CopyThreadsDeathTest, TheProcessEndsWithThreadsAlive) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            new Idler(threads); // never goes
            threads.setIdleTime(60'000ms);
            threads.run(4, [] {});
            std::exit(threads.threadCount() > 0 ? 7 : 8);
        },
        ::testing::ExitedWithCode(7), "");
}

TEST_F(CopyThreadsTest, WatchingWhileItAsksIsNotForgotten) {
    threads.setIdleTime(1ms);
    // Says that there is something to free only after it was asked, as a transfer does that ends
    // while the thread asks.
    class Late : public CopyThreads::User {
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
    EXPECT_TRUE(soon([&] { return user.asked >= 2; }));
    threads.detach(user);
}

TEST_F(CopyThreadsTest, WatchesForLaterUsersToo) {
    for (int round = 0; round < 3; ++round) {
        Idler user(threads);
        threads.watch();
        EXPECT_TRUE(soon([&] { return user.asked > 0; })) << "round " << round;
    }
}

// In a child the thread sanitizer allows no threads, and the address sanitizer calls leaked what
// belongs to threads of the parent.
#if defined(__unix__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST_F(CopyThreadsTest, AForkedChildWorksAndEnds) {
    const Idler user(threads);
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
            CopyThreads& own = CopyThreads::instance();
            std::atomic<int> calls{0};
            own.run(2, [&] { soon([&, number = ++calls] { return number && calls == 3; }); });
            own.watch();
            std::exit(calls == 3 && own.threadCount() > 0 ? 7 : 8);
        }
        int status = 0;
        if (!soon([&] { return waitpid(child, &status, WNOHANG) == child; })) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
        }
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << "status " << status;
    }
    stop = true;
    busy.join();
}
#endif

TEST(CopyMemory, IsExactAtEveryAlignment) {
    constexpr size_t kMost = 5000;
    std::vector<unsigned char> source(kMost + 64);
    for (size_t i = 0; i < source.size(); ++i)
        source[i] = static_cast<unsigned char>(i * 31 + i / 256);
    for (const bool streaming : {false, true})
        for (const size_t bytes : {size_t{0}, size_t{1}, size_t{63}, size_t{1023}, size_t{1024},
                                   size_t{1025}, size_t{4096}, kMost - 1})
            for (size_t from = 0; from < 3; ++from)
                for (size_t to = 0; to < 64; to += 7) {
                    std::vector<unsigned char> target(kMost + 128, 0xEE);
                    copyMemory(target.data() + to, source.data() + from, bytes, streaming);
                    ASSERT_TRUE(std::equal(source.begin() + from, source.begin() + from + bytes,
                                           target.begin() + to));
                    ASSERT_EQ(target[to + bytes], 0xEE);
                    ASSERT_TRUE(to == 0 || target[to - 1] == 0xEE);
                }
}

} // namespace
} // namespace kp::vulkan::test
