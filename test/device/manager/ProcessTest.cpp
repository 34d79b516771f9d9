// SPDX-License-Identifier: Apache-2.0
//
// The end of a process, and forked children.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include <kompute/Group.hpp>
#include <kompute/Launch.hpp>

#include "../TestSupport.hpp"
#include "base/Process.hpp"
#include "unit/ScopedEnvironment.hpp"

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace kp::test {
namespace {

/// One object of each kind.
struct Objects {
    std::shared_ptr<kp::Manager> manager;
    std::shared_ptr<kp::Sequence> sequence;
    std::shared_ptr<kp::Tensor> tensor;
    std::shared_ptr<kp::PinnedArray<float>> pinned;
    std::shared_ptr<kp::Queue> queue;
    std::shared_ptr<kp::DeviceGroup> group;
    std::shared_ptr<kp::Buffer> buffer;
    kp::Event event;

    /// Makes all of them, with work that still runs.
    void make() {
        manager = std::make_shared<kp::Manager>();
        tensor = manager->tensorT<uint32_t>({0});
        pinned = manager->pinnedArray<float>(1000);
        queue = manager->queue();
        sequence = manager->sequence();
        group = std::make_shared<kp::DeviceGroup>(std::vector<uint32_t>{0, 0});
        buffer = std::make_shared<kp::Buffer>(*group, std::vector<uint64_t>{16});
        recordSlowWork(*manager, *sequence, tensor);
        sequence->evalAsync();
        event = sequence->event();
    }
};

/// Destroyed after the static objects of drivers and layers, because it was constructed before they
/// were loaded.
Objects gObjects;

/// Switches LeakSanitizer off in child processes. It stops their threads to look for memory, and
/// crashes at times ("Tracer caught signal 11") if one of them is the driver's and still runs.
class WithoutLeakCheck {
    static std::string options() {
        const char* const given = std::getenv("ASAN_OPTIONS");
        return std::string(given ? given : "") + ":detect_leaks=0";
    }
    const ScopedEnvironment mOptions{"ASAN_OPTIONS", options().c_str()};
};

TEST(ProcessDeathTest, EndsWellWithStaticObjectsAndRunningWork) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const WithoutLeakCheck noLeakCheck;
    // Mesa's compiler shall run while the process ends.
    const ScopedEnvironment noCache("MESA_SHADER_CACHE_DISABLE", "true");
    EXPECT_EXIT(
        {
            gObjects.make();
            std::exit(7);
        },
        ::testing::ExitedWithCode(7), "");
}

TEST(ProcessDeathTest, EndsWellIfTheManagerIsStaticAndItsSequenceWaitsForAnEvent) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const WithoutLeakCheck noLeakCheck;
    EXPECT_EXIT(
        {
            static kp::UserEvent never;
            static kp::Manager manager;
            gObjects.sequence = manager.sequence();
            gObjects.sequence->record<kp::OpSyncDevice>({manager.tensor({1})})->evalAsync({never});
            std::exit(7);
        },
        ::testing::ExitedWithCode(7), "");
}

/// Lets the child of a death test log to stderr, and give up waiting for devices soon.
void endSoon() {
    kp::logger::setSink(nullptr);
    setEndLimit(std::chrono::milliseconds(200));
}

/// Starts work that takes far longer than endSoon() allows, and gives up waiting for it. Drivers of
/// GPUs let no process end before its work: theirs takes seconds.
void startEndlessWork(kp::Manager& manager) {
    const auto counter = manager.tensorT<uint32_t>({0});
    const auto sequence = manager.sequence();
    recordSlowWork(manager, *sequence, counter);
    const int count = manager.deviceInfo().type == kp::DeviceType::eCpu ? 200 : 20;
    for (int i = 0; i < count; ++i)
        sequence->evalAsync()->evalAwait(0);
}

double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns true for a driver that crashes if a process ends while it computes. Makes no device: the
/// child has no more time than it needs.
bool endsBadly() {
    return kp::listDevices().at(0).name.find("SwiftShader") != std::string::npos;
}

/// Seconds in which a process ends, far fewer than its work takes.
double mostSeconds() {
    return slowed() ? 40 : 15;
}

TEST(ProcessDeathTest, FinishTellsThatADeviceWorksOn) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const WithoutLeakCheck noLeakCheck;
    EXPECT_EXIT(
        {
            endSoon();
            static kp::Manager manager;
            startEndlessWork(manager);
            std::exit(manager.finish() ? 1 : 7);
        },
        ::testing::ExitedWithCode(7), "still works after 200 ms");
}

TEST(ProcessDeathTest, EndsInTimeThoughADeviceWorksOn) {
    if (endsBadly())
        GTEST_SKIP() << "SwiftShader crashes if a process ends while it computes";
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const WithoutLeakCheck noLeakCheck;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EXIT(
        {
            endSoon();
            static kp::Manager manager;
            startEndlessWork(manager);
            // A thread of the library waits for it, too.
            manager.queue()->hostFunction([] {}, manager.submittedWork());
            std::exit(7);
        },
        ::testing::ExitedWithCode(7), "still works after 200 ms");
    if (kp::Manager().deviceInfo().type == kp::DeviceType::eCpu) { // other drivers wait for kernels
        EXPECT_LT(secondsSince(start), mostSeconds() + 5);
    }
}

TEST(ProcessDeathTest, AManagerEndsInTimeThoughItsDeviceWorksOn) {
    if (endsBadly())
        GTEST_SKIP() << "SwiftShader crashes if a process ends while it computes";
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const WithoutLeakCheck noLeakCheck;
    EXPECT_EXIT(
        {
            endSoon();
            const auto start = std::chrono::steady_clock::now();
            {
                kp::Manager manager;
                startEndlessWork(manager);
            }
            const bool late = secondsSince(start) > mostSeconds();
            kp::Manager another; // on a device of its own, and usable
            const auto t = another.tensorT<uint32_t>({1});
            another.sequence()->eval<kp::OpFill>({t}, 3u);
            std::exit(late || t->vector() != std::vector<uint32_t>{3} ? 8 : 7);
        },
        ::testing::ExitedWithCode(7), "still works after 200 ms");
}

TEST(ProcessDeathTest, WhatHostFunctionsLaunchWhileTheProcessEndsRuns) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const WithoutLeakCheck noLeakCheck;
    const std::string text = shader(buffer(0, "", "uint", "v"), "v[i] += 1u;");
    EXPECT_EXIT(
        {
            auto& manager = *new kp::Manager;
            const auto counter = manager.tensorT<uint32_t>({0});
            const auto launches = manager.queue();
            const auto launcher = std::make_shared<kp::KernelLauncher>(
                "count", kp::Kernel(manager, spirv(text)), kp::Arguments{counter},
                kp::KernelOptions{.globalSize = kp::WorkSize(1)});
            std::atomic<bool> started{false};
            manager.queue(0, false)->hostFunction([&started, counter, launches, launcher] {
                uint32_t launched = 0;
                kp::Event last;
                const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
                while (std::chrono::steady_clock::now() < end) {
                    last = launcher->launch(launches);
                    if (++launched == 50)
                        started = true;
                }
                last.wait();
                if (counter->vector() != std::vector<uint32_t>{launched})
                    _exit(3);
            });
            while (!started)
                std::this_thread::yield();
            std::exit(7);
        },
        ::testing::ExitedWithCode(7), "");
}

// In a forked child the thread sanitizer allows no threads.
#if defined(__unix__) && !defined(__SANITIZE_THREAD__)

/// Runs @p work in a forked child. @return its exit code, -1 if it did not end within 20 s
int inForkedChild(const std::function<int()>& work) {
    const pid_t child = fork();
    if (child == 0)
        _exit(work()); // the exit handlers of some drivers hang in a child
    int status = 0;
    for (int i = 0; i < 4000; ++i) {
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

template <typename Call>
bool isUnsupported(Call call) {
    try {
        call();
    } catch (const kp::Unsupported& error) {
        return std::string(error.what()).find("forked") != std::string::npos;
    }
    return false;
}

TEST(ForkTest, EveryUseInAForkedChildThrows) {
    Objects objects;
    objects.make();
    objects.sequence->evalAwait();
    const std::function<void()> uses[] = {
        [] { kp::Manager manager; },
        [] { kp::listDevices(); },
        [&] { objects.manager->tensor({1}); },
        [&] { objects.manager->sequence(); },
        [&] { objects.manager->waitIdle(); },
        [&] { objects.sequence->eval(); },
        [&] { objects.sequence->evalAsync(); },
        [&] { objects.tensor->vector<uint32_t>(); },
        [&] { objects.tensor->upload(std::vector<uint32_t>{1}); },
        [&] { objects.queue->barrier(); },
        [&] { objects.queue->hostFunction([] {}); },
        [&] { objects.queue->finish(); },
        [&] { kp::DeviceGroup group; },
        [&] { objects.group->waitIdle(); },
    };
    for (size_t i = 0; i < std::size(uses); ++i)
        EXPECT_EQ(inForkedChild([&] { return isUnsupported(uses[i]) ? 7 : 8; }), 7) << "use " << i;
    // The parent's device still works.
    objects.sequence->eval();
    EXPECT_GT(onDevice<uint32_t>(*objects.tensor)[0], 0u);
}

TEST(ForkTest, WaitingInAForkedChildThrowsInsteadOfHanging) {
    Objects objects;
    objects.make();
    EXPECT_EQ(inForkedChild([&] {
                  return isUnsupported([&] { objects.sequence->evalAwait(); }) &&
                                 isUnsupported([&] { objects.event.wait(); })
                             ? 7
                             : 8;
              }),
              7);
    objects.sequence->evalAwait();
}

TEST(ForkTest, ObjectsCanBeDestroyedInAForkedChild) {
    Objects objects;
    objects.make();
    EXPECT_EQ(inForkedChild([&] {
                  objects.sequence->destroy();
                  objects.manager->destroy();
                  objects = Objects();
                  return 7;
              }),
              7);
    objects.sequence->evalAwait();
    EXPECT_GT(onDevice<uint32_t>(*objects.tensor)[0], 0u);
}

#endif

} // namespace
} // namespace kp::test
