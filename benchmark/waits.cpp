// SPDX-License-Identifier: Apache-2.0
//
// How late ways to wait for the device end, and how much of a processor they take meanwhile: for
// work of 50 microseconds to 60 ms, and for eight threads that wait for parts of a row of
// submissions. The constants of a hybrid wait (src/vulkan/Queue.cpp) should follow from it.
//
//   kompute_benchmark_waits [--check]
//
// --check  short work only, and few repeats; a software driver always gets short work
//
// The exit status is 1 where a wait ended before the work did.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <kompute/Kompute.hpp>

#include "ThreadTime.hpp"
#include "vulkan/Device.hpp"
#include "vulkan/Queue.hpp"

namespace kp::benchmark {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using vulkan::Queue;
using vulkan::WaitMode;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Way {
    const char* name;
    std::function<void(Queue&, uint64_t)> wait;
};

Way ofQueue(const char* name, WaitMode mode) {
    return {name, [=](Queue& queue, uint64_t value) { queue.wait(value, UINT64_MAX, mode); }};
}

/// True once the value is reached, false when the time is over.
bool poll(Queue& queue, uint64_t value, Clock::time_point end) {
    do {
        for (int i = 0; i < 16; ++i)
            if (queue.reached(value))
                return true;
    } while (Clock::now() < end);
    return false;
}

constexpr microseconds kPollFirst{100};
constexpr microseconds kShortestNap{20};

/// Polls for a while, then asks the driver to wait.
Way pollThenBlock(const char* name) {
    return {name, [](Queue& queue, uint64_t value) {
                if (!poll(queue, value, Clock::now() + kPollFirst))
                    queue.wait(value, UINT64_MAX, WaitMode::eBlock);
            }};
}

/// Polls for a while, then with naps between. @param share  1/share of the wait so far is how long
/// a nap is, but for the shortest; 0: all are the shortest
Way naps(const char* name, int share) {
    return {name, [=](Queue& queue, uint64_t value) {
                const auto start = Clock::now();
                if (poll(queue, value, start + kPollFirst))
                    return;
                do {
                    Clock::duration nap = kShortestNap;
                    if (share > 0)
                        nap = std::max(nap, (Clock::now() - start) / share);
                    std::this_thread::sleep_for(nap);
                } while (!queue.reached(value));
            }};
}

double quantile(std::vector<double> values, double part) {
    std::sort(values.begin(), values.end());
    return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
}

/// A column: work of one duration, and what each way did with it.
struct Duration {
    double seconds;
    uint32_t rounds; ///< of the kernel
    struct Measured {
        std::vector<double> seconds; ///< from submission to the end of the wait
        double waited = 0;           ///< seconds in the wait, summed
        double processor = 0;        ///< seconds of it with the processor
    };
    std::vector<Measured> ways;
};

class Waits {
public:
    explicit Waits(bool few)
        : mQueue(vulkan::Device::find(mManager.nativeDevice())->queue(0)),
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
        table(
            "median from submission to the end of the wait, us",
            [](const Duration& d, size_t way) { return 1e6 * quantile(d.ways[way].seconds, 0.5); });
        table("later than the median of spinning, median, us", [](const Duration& d, size_t way) {
            return 1e6 * (quantile(d.ways[way].seconds, 0.5) - quantile(d.ways[0].seconds, 0.5));
        });
        table("later than the median of spinning, p90, us", [](const Duration& d, size_t way) {
            return 1e6 * (quantile(d.ways[way].seconds, 0.9) - quantile(d.ways[0].seconds, 0.5));
        });
        table("processor time of the wait, percent", [](const Duration& d, size_t way) {
            return 100 * d.ways[way].processor / d.ways[way].waited;
        });
        threads();
        if (mEarly > 0)
            std::printf("WRONG: %d waits ended before the work\n", mEarly.load());
        return mEarly == 0;
    }

private:
    /// One dispatch of one group, whose time grows with @p rounds.
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

    /// @return processor seconds of the wait
    double wait(const Way& way, uint64_t value) {
        const double before = threadSeconds();
        way.wait(mQueue, value);
        const double after = threadSeconds();
        if (!mQueue.reached(value))
            ++mEarly;
        return after - before;
    }

    /// Finds out what a round takes, and so how many make each duration.
    void calibrate() {
        const auto median = [&](uint32_t rounds) {
            const auto work = record(rounds);
            std::vector<double> times;
            for (int i = 0; i < 9; ++i) {
                const auto start = Clock::now();
                wait(mWays[mSoftware ? 1 : 0], submit(*work));
                times.push_back(secondsSince(start));
            }
            return quantile(times, 0.5);
        };
        constexpr uint32_t kFew = 100, kMany = 1100;
        const auto warmUntil = Clock::now() + std::chrono::milliseconds(mSoftware ? 50 : 500);
        while (Clock::now() < warmUntil)
            median(kMany);
        const double one = median(kFew);
        const double perRound = std::max(1e-9, (median(kMany) - one) / (kMany - kFew));
        const double fixed = one - perRound * kFew;
        const double most = mSoftware ? 65000 : 1e9; // some software drivers end longer loops
        for (Duration& duration : mDurations)
            duration.rounds =
                static_cast<uint32_t>(std::clamp((duration.seconds - fixed) / perRound, 1.0, most));
    }

    void measure(Duration& duration) {
        const double budget = mFew || mSoftware ? 0.02 : 0.3; // seconds for each way
        const int repeat = std::clamp(static_cast<int>(budget / duration.seconds), 5, 100);
        const auto work = record(duration.rounds);
        duration.ways.resize(mWays.size());
        for (int i = 0; i < repeat; ++i) // in turns, so that a change of clocks meets all
            for (size_t way = 0; way < mWays.size(); ++way) {
                Duration::Measured& measured = duration.ways[way];
                const auto start = Clock::now();
                const uint64_t value = submit(*work);
                const auto submitted = Clock::now();
                measured.processor += wait(mWays[way], value);
                measured.waited += secondsSince(submitted);
                measured.seconds.push_back(secondsSince(start));
            }
    }

    void table(const char* title,
               const std::function<double(const Duration& duration, size_t way)>& figure) const {
        std::printf("%s\n%-28s", title, "");
        for (const Duration& duration : mDurations)
            std::printf(" %6.0f us", duration.seconds * 1e6);
        for (size_t way = 0; way < mWays.size(); ++way) {
            std::printf("\n%-28s", mWays[way].name);
            for (const Duration& duration : mDurations)
                std::printf(" %9.1f", figure(duration, way));
        }
        std::printf("\n");
    }

    /// Threads that each wait for every eighth of a row of submissions.
    void threads() {
        constexpr size_t kThreads = 8, kSubmissions = 32;
        const Duration& each = mDurations[1];
        std::vector<std::shared_ptr<kp::Sequence>> row;
        for (size_t i = 0; i < kSubmissions; ++i)
            row.push_back(record(each.rounds));
        std::printf("%zu threads wait for parts of %zu submissions of %.0f us: until all are done\n"
                    "%-28s %9s %9s %16s\n",
                    kThreads, kSubmissions, each.seconds * 1e6, "", "p50 us", "p90 us",
                    "processors busy");
        for (const Way& way : mWays) {
            std::vector<double> times;
            double all = 0, processor = 0;
            for (int i = 0; i < (mFew || mSoftware ? 3 : 21); ++i) {
                const auto start = Clock::now();
                std::vector<uint64_t> values;
                for (const auto& work : row)
                    values.push_back(submit(*work));
                std::vector<double> busy(kThreads);
                std::vector<std::thread> threads;
                for (size_t first = 0; first < kThreads; ++first)
                    threads.emplace_back([&, first] {
                        for (size_t j = first; j < kSubmissions; j += kThreads)
                            busy[first] += wait(way, values[j]);
                    });
                for (std::thread& thread : threads)
                    thread.join();
                times.push_back(secondsSince(start));
                all += times.back();
                processor += std::accumulate(busy.begin(), busy.end(), 0.0);
            }
            std::printf("%-28s %9.0f %9.0f %16.2f\n", way.name, 1e6 * quantile(times, 0.5),
                        1e6 * quantile(times, 0.9), processor / all);
        }
    }

    kp::Manager mManager;
    Queue& mQueue;
    bool mSoftware;
    bool mFew;
    std::shared_ptr<kp::TensorT<uint32_t>> mTensor;
    // The inner loop keeps the outer one short: some software drivers end every loop after 65,535
    // rounds.
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
    std::vector<Way> mWays = {
        ofQueue("spin", WaitMode::eSpin),
        ofQueue("the driver's wait", WaitMode::eBlock),
        ofQueue("the library's hybrid wait", WaitMode::eHybrid),
        pollThenBlock("poll 100 us, driver's wait"),
        naps("poll 100 us, naps 20 us", 0),
        naps("poll 100 us, naps 1/32", 32),
        naps("poll 100 us, naps 1/256", 256),
    };
    std::vector<Duration> mDurations;
    std::atomic<int> mEarly{0};
};

} // namespace
} // namespace kp::benchmark

int main(int argc, char** argv) {
    try {
        const bool few = argc == 2 && std::string(argv[1]) == "--check";
        if (argc > 1 && !few)
            throw std::runtime_error("usage: " + std::string(argv[0]) + " [--check]");
        return kp::benchmark::Waits(few).run() ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
