// SPDX-License-Identifier: Apache-2.0
//
// Compares ways to wait for the device: how late they return, and how much processor time they
// take. It measures work of 50 us to 60 ms, and eight threads that each wait for some of many
// submissions. It justifies the constants of a hybrid wait (src/vulkan/queue/Queue.cpp).
//
//   kompute_benchmark_waits [--check]
//
// --check  short work and few repetitions (on a software driver the work is always short)
//
// The exit status is 1 if a wait returned before the work was done.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include <kompute/Kompute.hpp>

#include "Measure.hpp"
#include "Program.hpp"
#include "ThreadTime.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/DeviceRegistry.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp::benchmark {
namespace {

using std::chrono::microseconds;
using vulkan::Queue;
using vulkan::WaitMode;

struct WaitStrategy {
    const char* name;
    std::function<void(Queue&, uint64_t)> wait;
};

WaitStrategy ofQueue(const char* name, WaitMode mode) {
    return {name, [=](Queue& queue, uint64_t value) { queue.wait(value, UINT64_MAX, mode); }};
}

/// Returns true once the value is reached, or false at @p end.
bool poll(Queue& queue, uint64_t value, Clock::time_point end) {
    do {
        for (int i = 0; i < 16; ++i)
            if (queue.reached(value))
                return true;
    } while (Clock::now() < end);
    return false;
}

constexpr microseconds kPollTime{100};
constexpr microseconds kMinSleep{20};

/// Polls for a while, then calls the driver's wait.
WaitStrategy pollThenBlock(const char* name) {
    return {name, [](Queue& queue, uint64_t value) {
                if (!poll(queue, value, Clock::now() + kPollTime))
                    queue.wait(value, UINT64_MAX, WaitMode::eBlock);
            }};
}

/// Polls for a while, then sleeps between polls.
/// @param share  each sleep takes 1/share of the wait so far, but at least kMinSleep; 0: kMinSleep
WaitStrategy pollThenSleep(const char* name, int share) {
    return {name, [=](Queue& queue, uint64_t value) {
                const auto start = Clock::now();
                if (poll(queue, value, start + kPollTime))
                    return;
                do {
                    Clock::duration sleep = kMinSleep;
                    if (share > 0)
                        sleep = std::max(sleep, (Clock::now() - start) / share);
                    std::this_thread::sleep_for(sleep);
                } while (!queue.reached(value));
            }};
}

/// A column of the tables: work of one duration, and the figures of each strategy.
struct Duration {
    double seconds;
    uint32_t rounds; ///< iterations of the kernel
    struct Measured {
        std::vector<double> seconds; ///< from submission to the end of the wait
        double waited = 0;           ///< total seconds in the wait
        double processor = 0;        ///< total processor seconds of the wait
    };
    std::vector<Measured> strategies;
};

class Waits {
public:
    explicit Waits(bool few)
        : mQueue(vulkan::findDevice(mManager.nativeDevice())->queue(0)),
          mSoftware(mManager.deviceInfo().type == kp::DeviceType::eCpu), mFew(few),
          mTensor(mManager.tensorT<uint32_t>(64, kp::Memory::MemoryTypes::eStorage)) {
        for (const double seconds : {50e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 20e-3, 60e-3})
            if (seconds <= (mSoftware || few ? 1e-3 : 1))
                mDurations.push_back({seconds, 0, {}});
    }

    bool run() {
        calibrate();
        for (Duration& duration : mDurations)
            measure(duration);
        std::printf("%s\n", mManager.deviceInfo().name.c_str());
        table("median from submission to the end of the wait, us",
              [](const Duration& d, size_t i) { return 1e6 * median(d.strategies[i].seconds); });
        table("median of the delay after the median of spinning, us",
              [](const Duration& d, size_t i) {
                  return 1e6 * (median(d.strategies[i].seconds) - median(d.strategies[0].seconds));
              });
        table("p90 of the delay after the median of spinning, us", [](const Duration& d, size_t i) {
            return 1e6 * (quantile(d.strategies[i].seconds, 0.9) - median(d.strategies[0].seconds));
        });
        table("processor time of the wait, percent", [](const Duration& d, size_t i) {
            return 100 * d.strategies[i].processor / d.strategies[i].waited;
        });
        threads();
        if (mEarly > 0)
            std::printf("WRONG: %d waits returned before the work was done\n", mEarly.load());
        return mEarly == 0;
    }

private:
    using Figure = std::function<double(const Duration& duration, size_t strategy)>;

    /// Records one dispatch of one workgroup, whose time grows with @p rounds.
    std::shared_ptr<kp::Sequence> record(uint32_t rounds) {
        const auto algorithm =
            mManager.algorithm<float, uint32_t>({mTensor}, mSpirv, {1, 1, 1}, {}, {rounds});
        auto sequence = mManager.sequence();
        sequence->record<kp::OpAlgoDispatch>(algorithm);
        sequence->end();
        return sequence;
    }

    uint64_t submit(const kp::Sequence& sequence) {
        const VkCommandBuffer commands = sequence.nativeCommandBuffer();
        return mQueue.submit({&commands, 1}, {});
    }

    /// Returns the processor seconds of the wait.
    double wait(const WaitStrategy& strategy, uint64_t value) {
        const double before = threadSeconds();
        strategy.wait(mQueue, value);
        const double after = threadSeconds();
        if (!mQueue.reached(value))
            ++mEarly;
        return after - before;
    }

    /// Chooses the rounds of each duration by the time that a round takes.
    void calibrate() {
        const auto secondsFor = [&](uint32_t rounds) {
            const auto work = record(rounds);
            std::vector<double> times;
            for (int i = 0; i < 9; ++i)
                times.push_back(
                    secondsOf([&] { wait(mStrategies[mSoftware ? 1 : 0], submit(*work)); }));
            return median(std::move(times));
        };
        constexpr uint32_t kFew = 100, kMany = 1100;
        repeatFor(mSoftware ? 0.05 : 0.5, [&] { secondsFor(kMany); });
        const double few = secondsFor(kFew);
        const double perRound = std::max(1e-9, (secondsFor(kMany) - few) / (kMany - kFew));
        const double fixed = few - perRound * kFew;
        const double maxRounds = mSoftware ? 65000 : 1e9; // some software drivers stop longer loops
        for (Duration& duration : mDurations)
            duration.rounds = static_cast<uint32_t>(
                std::clamp((duration.seconds - fixed) / perRound, 1.0, maxRounds));
    }

    void measure(Duration& duration) {
        const double budget = mFew || mSoftware ? 0.02 : 0.3; // seconds for each strategy
        const int repeat = std::clamp(static_cast<int>(budget / duration.seconds), 5, 100);
        const auto work = record(duration.rounds);
        duration.strategies.resize(mStrategies.size());
        for (int i = 0; i < repeat; ++i) // in turns, so that a change of clock rates affects all
            for (size_t j = 0; j < mStrategies.size(); ++j) {
                Duration::Measured& measured = duration.strategies[j];
                const auto start = Clock::now();
                const uint64_t value = submit(*work);
                const auto submitted = Clock::now();
                measured.processor += wait(mStrategies[j], value);
                measured.waited += secondsSince(submitted);
                measured.seconds.push_back(secondsSince(start));
            }
    }

    void table(const char* title, const Figure& figure) const {
        std::printf("%s\n%-28s", title, "");
        for (const Duration& duration : mDurations)
            std::printf(" %6.0f us", duration.seconds * 1e6);
        for (size_t i = 0; i < mStrategies.size(); ++i) {
            std::printf("\n%-28s", mStrategies[i].name);
            for (const Duration& duration : mDurations)
                std::printf(" %9.1f", figure(duration, i));
        }
        std::printf("\n");
    }

    /// Eight threads, each of which waits for every eighth submission.
    void threads() {
        constexpr size_t kThreads = 8, kSubmissions = 32;
        const Duration& each = mDurations[1];
        std::vector<std::shared_ptr<kp::Sequence>> works;
        for (size_t i = 0; i < kSubmissions; ++i)
            works.push_back(record(each.rounds));
        std::printf("%zu threads wait for %zu submissions of %.0f us in total: time for all\n"
                    "%-28s %9s %9s %16s\n",
                    kThreads, kSubmissions, each.seconds * 1e6, "", "p50 us", "p90 us",
                    "processors busy");
        for (const WaitStrategy& strategy : mStrategies) {
            std::vector<double> times;
            double all = 0, processor = 0;
            for (int i = 0; i < (mFew || mSoftware ? 3 : 21); ++i) {
                const auto start = Clock::now();
                std::vector<uint64_t> values;
                for (const auto& work : works)
                    values.push_back(submit(*work));
                std::vector<double> busy(kThreads);
                std::vector<std::thread> threads;
                for (size_t first = 0; first < kThreads; ++first)
                    threads.emplace_back([&, first] {
                        for (size_t j = first; j < kSubmissions; j += kThreads)
                            busy[first] += wait(strategy, values[j]);
                    });
                for (std::thread& thread : threads)
                    thread.join();
                times.push_back(secondsSince(start));
                all += times.back();
                processor += std::accumulate(busy.begin(), busy.end(), 0.0);
            }
            std::printf("%-28s %9.0f %9.0f %16.2f\n", strategy.name, 1e6 * median(times),
                        1e6 * quantile(times, 0.9), processor / all);
        }
    }

    kp::Manager mManager;
    Queue& mQueue;
    bool mSoftware;
    bool mFew;
    std::shared_ptr<kp::TensorT<uint32_t>> mTensor;
    // The inner loop keeps the outer one short: some software drivers stop every loop after 65,535
    // iterations.
    std::vector<uint32_t> mSpirv = kp::compile(R"(#version 450
        layout(local_size_x = 64) in;
        layout(set = 0, binding = 0) buffer B { uint values[]; };
        layout(push_constant) uniform P { uint rounds; };
        void main() {
            uint value = values[gl_GlobalInvocationID.x] | 1u;
            for (uint i = 0; i < rounds; ++i)
                for (uint j = 0; j < 64; ++j) {
                    value ^= value << 13;
                    value ^= value >> 17;
                    value ^= value << 5;
                }
            values[gl_GlobalInvocationID.x] = value;
        })");
    std::vector<WaitStrategy> mStrategies = {
        ofQueue("spin", WaitMode::eSpin),
        ofQueue("the driver's wait", WaitMode::eBlock),
        ofQueue("the library's hybrid wait", WaitMode::eHybrid),
        pollThenBlock("poll 100 us, driver's wait"),
        pollThenSleep("poll 100 us, sleep 20 us", 0),
        pollThenSleep("poll 100 us, sleep 1/32", 32),
        pollThenSleep("poll 100 us, sleep 1/256", 256),
    };
    std::vector<Duration> mDurations;
    std::atomic<int> mEarly{0};
};

} // namespace
} // namespace kp::benchmark

int main(int argc, char** argv) {
    using namespace kp::benchmark;
    return runProgram(argc, argv, "[--check]", [](Arguments& arguments) {
        const bool few = arguments.flag("--check");
        arguments.finish();
        return Waits(few).run() ? 0 : 1;
    });
}
