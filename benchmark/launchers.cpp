// SPDX-License-Identifier: Apache-2.0
//
// A list of 20 kernels that depend on each other, called over and over: the processor time that the
// calling thread spends on a call, the time until the call is back and until its result is there,
// beside the same by hand, with and without changed parameters and profiling.
//
//   kompute_benchmark_launchers [--check]
//
// --check  exits with 1 where, three times in a row, a call of an unchanged list takes over 1.5
//          times the processor time of recording and submitting by hand, or one of a changed list
//          over three times; and on a GPU where a call and its wait take over 1.1 times those of
//          raw Vulkan, or with profiling over 1.05 times those of timestamps by hand
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <kompute/Launch.hpp>

#include "ThreadTime.hpp"
#include "suite/RawVulkan.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kKernels = 20;
constexpr int kCalls = 400;
constexpr int kRounds = 9;
constexpr float kItems = 64;

const char* const kShader = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer V { float v[]; };
layout(push_constant) uniform P { float scale; float offset; };
void main() { v[gl_GlobalInvocationID.x] = v[gl_GlobalInvocationID.x] * scale + offset; }
)";

struct Times {
    double spent = 0; ///< us of processor time: the call
    double call = 0;  ///< us: until the call is back
    double all = 0;   ///< us: until its work is done
};

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

/// One way to run the kernels. Ways take turns, so that what else the machine does hits all.
class Way {
public:
    Way(std::string name, std::function<void(int)> call, std::function<void()> wait)
        : mName(std::move(name)), mCall(std::move(call)), mWait(std::move(wait)) {}

    void round(int calls) {
        std::vector<double> spent;
        std::vector<double> call;
        std::vector<double> all;
        for (int i = 0; i < calls; ++i) {
            const double before = kp::benchmark::threadSeconds();
            const auto start = Clock::now();
            mCall(i);
            const auto back = Clock::now();
            spent.push_back(1e6 * (kp::benchmark::threadSeconds() - before));
            mWait();
            const auto done = Clock::now();
            call.push_back(std::chrono::duration<double, std::micro>(back - start).count());
            all.push_back(std::chrono::duration<double, std::micro>(done - start).count());
        }
        mSpentTimes.push_back(median(std::move(spent)));
        mCallTimes.push_back(median(std::move(call)));
        mAllTimes.push_back(median(std::move(all)));
    }
    Times print() const {
        const Times times{median(mSpentTimes), median(mCallTimes), median(mAllTimes)};
        std::printf("  %-48s %10.2f %10.2f %10.2f\n", mName.c_str(), times.spent, times.call,
                    times.all);
        return times;
    }

private:
    std::string mName;
    std::function<void(int)> mCall;
    std::function<void()> mWait;
    std::vector<double> mSpentTimes;
    std::vector<double> mCallTimes;
    std::vector<double> mAllTimes;
};

int run(bool check) {
    using namespace kp::benchmark;
    kp::Manager manager;
    const kp::DeviceInfo info = manager.deviceInfo();
    const bool gpu = info.type != kp::DeviceType::eCpu;
    std::printf("%s\n", info.name.c_str());

    // By hand.
    RawQueue rawQueue(manager, gpu ? kp::vulkan::WaitMode::eHybrid : kp::vulkan::WaitMode::eBlock);
    RawBuffers buffers(rawQueue, 1, sizeof(float) * static_cast<uint64_t>(kItems),
                       RawMemory::eDevice);
    const std::vector<uint32_t> spirv = manager.compile(kShader);
    RawKernel rawKernel(rawQueue, spirv, 1, 8, 1);
    const VkDescriptorSet set = rawKernel.bind({buffers[0]});
    RawCommands commands(rawQueue);
    const auto recordRaw = [&](float scale) {
        const float push[2] = {scale, 0.5f};
        commands.begin();
        commands.bind(rawKernel);
        commands.bindSet(rawKernel, set);
        for (int i = 0; i < kKernels; ++i) {
            if (i > 0)
                commands.computeBarrier();
            commands.push(rawKernel, push, sizeof push);
            commands.dispatch(1);
        }
        commands.end();
    };
    // The same with the timestamps that a profiled list has.
    RawCommands timed(rawQueue);
    const VkQueryPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                         nullptr,
                                         0,
                                         VK_QUERY_TYPE_TIMESTAMP,
                                         kKernels + 1,
                                         0};
    VkQueryPool pool = VK_NULL_HANDLE;
    const VolkDeviceTable& vk = rawQueue.vk();
    RawQueue::require(vk.vkCreateQueryPool(rawQueue.device(), &poolInfo, nullptr, &pool));
    const auto stamp = [&](int i) {
        vk.vkCmdWriteTimestamp(timed.handle(), VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool,
                               static_cast<uint32_t>(i));
    };
    const float push[2] = {0.5f, 0.5f};
    timed.begin();
    vk.vkCmdResetQueryPool(timed.handle(), pool, 0, kKernels + 1);
    stamp(0);
    timed.bind(rawKernel);
    timed.bindSet(rawKernel, set);
    for (int i = 0; i < kKernels; ++i) {
        if (i > 0)
            timed.computeBarrier();
        timed.push(rawKernel, push, sizeof push);
        timed.dispatch(1);
        stamp(i + 1);
    }
    timed.end();
    const auto readStamps = [&] {
        uint64_t ticks[kKernels + 1];
        vk.vkGetQueryPoolResults(rawQueue.device(), pool, 0, kKernels + 1, sizeof ticks, ticks,
                                 sizeof *ticks, VK_QUERY_RESULT_64_BIT);
    };
    uint64_t value = 0;
    const auto submitRaw = [&] {
        const VkCommandBuffer handle = commands.handle();
        value = rawQueue.submit({&handle, 1});
    };

    // With a list.
    kp::Kernel kernel(manager, spirv);
    auto tensor =
        manager.tensorT<float>(static_cast<size_t>(kItems), kp::Memory::MemoryTypes::eStorage);
    kp::KernelOptions options;
    options.globalSize = kp::WorkSize(static_cast<uint64_t>(kItems));
    kp::KernelListLauncher list("list");
    for (int i = 0; i < kKernels; ++i)
        list += std::make_shared<kp::ParametrizedKernelLauncher>(
            "kernel " + std::to_string(i), kernel, kp::ParametersMap{{"scale", 1}},
            kp::Arguments{{0, tensor}, {2, 0.5f}}, options);
    const auto plain = manager.queue();
    const auto profiled = manager.queue(0, true, true);
    kp::Event event;
    kp::Parameters parameters{{"scale", 0.5f}};
    const auto callList = [&](const std::shared_ptr<kp::Queue>& queue, float scale) {
        parameters[0].value = kp::ArgumentValue(scale);
        event = list(queue, {}, parameters);
    };
    const auto waitList = [&] { event.wait(); };
    // What a time loop does now and then.
    const auto waitAndFetch = [&] {
        event.wait();
        static int calls = 0;
        if (++calls % 50 == 0)
            list.statistics();
    };
    const auto changing = [](int i) { return 0.5f + static_cast<float>(i % 1000) * 1e-4f; };

    std::vector<Way> ways;
    ways.emplace_back(
        "raw Vulkan, recorded once", [&](int) { submitRaw(); }, [&] { rawQueue.wait(value); });
    ways.emplace_back(
        "raw Vulkan, recorded with each call",
        [&](int i) {
            recordRaw(changing(i));
            submitRaw();
        },
        [&] { rawQueue.wait(value); });
    ways.emplace_back(
        "list, nothing changed", [&](int) { callList(plain, 0.5f); }, waitList);
    ways.emplace_back(
        "list, parameter changed in all 20", [&](int i) { callList(plain, changing(i)); },
        waitList);
    ways.emplace_back(
        "list, nothing changed, profiled", [&](int) { callList(profiled, 0.5f); }, waitAndFetch);
    ways.emplace_back(
        "list, parameter changed, profiled", [&](int i) { callList(profiled, changing(i)); },
        waitAndFetch);
    ways.emplace_back(
        "raw Vulkan, recorded once, 21 timestamps read",
        [&](int) {
            const VkCommandBuffer handle = timed.handle();
            value = rawQueue.submit({&handle, 1});
        },
        [&] {
            rawQueue.wait(value);
            readStamps();
        });
    // A software driver takes milliseconds for what a call of microseconds asks of it.
    const int calls = gpu || !check ? kCalls : kCalls / 8;
    for (int round = 0; round < kRounds; ++round)
        for (size_t i = 0; i < ways.size(); ++i) {
            if (i == 0)
                recordRaw(0.5f);
            ways[i].round(round == 0 ? calls / 4 : calls);
        }
    rawQueue.idle();
    vk.vkDestroyQueryPool(rawQueue.device(), pool, nullptr);

    std::printf("a list of %d kernels, us (median)%29s %10s %10s\n", kKernels, "processor", "call",
                "with wait");
    std::vector<Times> times;
    for (const Way& way : ways)
        times.push_back(way.print());
    const double ofRaw = times[2].all / times[0].all;
    const double ofRecorded = times[3].all / times[1].all;
    const double profiling = times[4].all / times[2].all - 1;
    std::printf("of raw, with wait: nothing changed %.3f, parameter changed %.3f\n", ofRaw,
                ofRecorded);
    std::printf("cost of profiling: %.1f %%, of timestamps by hand: %.1f %%\n", 100 * profiling,
                100 * (times[6].all / times[0].all - 1));
    if (!check)
        return 0;
    bool good = true;
    const auto demand = [&](bool holds, const char* what) {
        if (!holds)
            std::printf("MISSED: %s\n", what);
        good = good && holds;
    };
    // Not of a submission alone: between two calls a software driver's threads use the processor,
    // and what a call then finds cold weighs more than what it does.
    demand(times[2].spent <= 1.5 * times[1].spent, "unchanged, at most 1.5 recordings by hand");
    demand(times[3].spent <= 3 * times[1].spent, "changed, at most 3 recordings by hand");
    if (gpu) {
        demand(ofRaw <= 1.1 && ofRecorded <= 1.1, "at most 1.1 of raw Vulkan");
        demand(times[4].all <= 1.05 * times[6].all, "at most 1.05 of timestamps by hand");
    }
    return good ? 0 : 1;
}

} // namespace

int main(int count, char** arguments) {
    try {
        const bool check = count > 1 && std::strcmp(arguments[1], "--check") == 0;
        int missed = run(check);
        for (int again = 0; missed != 0 && again < 2; ++again)
            missed = run(check);
        return missed;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
