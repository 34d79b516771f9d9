// SPDX-License-Identifier: Apache-2.0
//
// Measures what timestamps cost a chain of small dispatches, by the way in which they are written
// and reset, and what it costs the host to reset and to read them. It justifies the timestamps that
// a recording has (DevicePlan::launchTimestamps, src/core/sequence/Recorder.cpp,
// src/core/queue/Repeater.cpp).
//
//   kompute_benchmark_timestamp_forms [--check]
//
// --check  accepted for uniformity: there is nothing to check
#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "Measure.hpp"
#include "Program.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/DeviceRegistry.hpp"
#include "vulkan/queue/Pools.hpp"
#include "vulkan/queue/Queue.hpp"

namespace {

using kp::vulkan::Device;

constexpr VkPipelineStageFlagBits kTop = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
constexpr VkPipelineStageFlagBits kBottom = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;

enum class Stamps {
    eNone,
    eAtEnds,    ///< after each dispatch, when it is done
    eAtLaunches ///< the end of a dispatch is the launch of the next one; the last at its end
};

enum class Reset { eNone, eByCommand, eByHost };

struct FormOptions {
    std::string name;
    Stamps stamps = Stamps::eNone;
    Reset reset = Reset::eNone;
    VkPipelineStageFlagBits first = kBottom; ///< of the first timestamp
    bool lastAfterBarrier = false;           ///< the last one follows the closing barrier
};

/// A chain of dispatches with timestamps of one form, and its times.
class Form {
public:
    Form(FormOptions options, const std::shared_ptr<Device>& device, kp::Algorithm& algorithm,
         uint32_t dispatches)
        : mOptions(std::move(options)), mDevice(device), mStamps(dispatches + 1),
          mQueries(device->queryPools().acquire(mStamps)),
          mCommandBuffer(device->commandBuffers().acquire(device->queue(0).family())) {
        const VolkDeviceTable& vk = mDevice->vk();
        const VkCommandBuffer commands = mCommandBuffer.handle();
        mCommandBuffer.begin(false);
        if (mOptions.reset == Reset::eByCommand)
            vk.vkCmdResetQueryPool(commands, mQueries.handle(), 0, mStamps);
        if (mOptions.stamps != Stamps::eNone)
            stamp(mOptions.first);
        vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, algorithm.nativePipeline());
        const VkDescriptorSet set = algorithm.nativeDescriptorSet();
        vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                   algorithm.nativePipelineLayout(), 0, 1, &set, 0, nullptr);
        for (uint32_t i = 0; i < dispatches; ++i) {
            if (i > 0)
                barrier();
            vk.vkCmdDispatch(commands, 1, 1, 1);
            if (mOptions.stamps == Stamps::eAtEnds)
                stamp(kBottom);
            else if (mOptions.stamps == Stamps::eAtLaunches && i > 0)
                stamp(kTop);
        }
        if (mOptions.stamps == Stamps::eAtLaunches && !mOptions.lastAfterBarrier)
            stamp(kBottom);
        barrier();
        if (mOptions.stamps == Stamps::eAtLaunches && mOptions.lastAfterBarrier)
            stamp(kTop);
        mCommandBuffer.end();
    }

    void evaluate() {
        if (mOptions.reset == Reset::eByHost)
            mQueries.reset(mStamps);
        const VkCommandBuffer commands = mCommandBuffer.handle();
        kp::vulkan::Queue& queue = mDevice->queue(0);
        mMicroseconds.push_back(1e6 * kp::benchmark::secondsOf([&] {
                                    queue.wait(queue.submit({&commands, 1}, {}), UINT64_MAX,
                                               mDevice->defaultWaitMode());
                                }));
        if (mOptions.stamps == Stamps::eNone)
            return;
        const std::vector<uint64_t> ticks = mQueries.read(mStamps);
        mSpans.push_back(static_cast<double>(ticks.back() - ticks.front()) *
                         mDevice->physical().properties.limits.timestampPeriod * 1e-3);
    }

    void print(const Form& none) const {
        const double plain = kp::benchmark::median(none.mMicroseconds);
        const double time = kp::benchmark::median(mMicroseconds);
        std::printf("  %-60s %9.2f %8.1f %%", mOptions.name.c_str(), time,
                    100 * (time / plain - 1));
        if (!mSpans.empty())
            std::printf(" %9.2f", kp::benchmark::median(mSpans));
        std::printf("\n");
    }

private:
    void stamp(VkPipelineStageFlagBits stage) {
        mDevice->vk().vkCmdWriteTimestamp(mCommandBuffer.handle(), stage, mQueries.handle(),
                                          mWritten++);
    }
    void barrier() {
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
        mDevice->vk().vkCmdPipelineBarrier(
            mCommandBuffer.handle(), VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
    }

    const FormOptions mOptions;
    const std::shared_ptr<Device> mDevice;
    const uint32_t mStamps;
    uint32_t mWritten = 0;
    kp::vulkan::TimestampQueries mQueries;
    kp::vulkan::CommandBuffer mCommandBuffer;
    std::vector<double> mMicroseconds;
    std::vector<double> mSpans; ///< us from the first timestamp to the last
};

void forms(const std::shared_ptr<Device>& device, kp::Algorithm& algorithm, uint32_t dispatches,
           bool software) {
    std::vector<FormOptions> options{
        {"none", Stamps::eNone, Reset::eNone},
        {"only the reset by a command", Stamps::eNone, Reset::eByCommand},
        {"at the end of each dispatch, reset by a command", Stamps::eAtEnds, Reset::eByCommand},
        {"at launches, reset by a command", Stamps::eAtLaunches, Reset::eByCommand}};
    if (device->queryPools().hostReset()) {
        options.push_back({"at launches, reset by the host", Stamps::eAtLaunches, Reset::eByHost});
        options.push_back({"the same, the first one waits for nothing", Stamps::eAtLaunches,
                           Reset::eByHost, kTop});
        options.push_back({"the same, the last one after the closing barrier", Stamps::eAtLaunches,
                           Reset::eByHost, kTop, true});
    }
    std::deque<Form> made;
    for (const FormOptions& each : options)
        made.emplace_back(each, device, algorithm, dispatches);
    for (int round = 0; round < (software ? 20 : 1000); ++round)
        for (Form& form : made)
            form.evaluate();
    std::printf("%u dependent dispatches; us from submission to the end of the wait, more than "
                "without, us between the first timestamp and the last\n",
                dispatches);
    for (const Form& form : made)
        form.print(made.front());
}

void hostCosts(const std::shared_ptr<Device>& device, uint32_t count) {
    const kp::vulkan::TimestampQueries queries = device->queryPools().acquire(count);
    kp::vulkan::CommandBuffer commandBuffer =
        device->commandBuffers().acquire(device->queue(0).family());
    commandBuffer.begin(true);
    device->vk().vkCmdResetQueryPool(commandBuffer.handle(), queries.handle(), 0, count);
    for (uint32_t i = 0; i < count; ++i)
        device->vk().vkCmdWriteTimestamp(commandBuffer.handle(), kTop, queries.handle(), i);
    commandBuffer.end();
    const VkCommandBuffer commands = commandBuffer.handle();
    kp::vulkan::Queue& queue = device->queue(0);
    queue.wait(queue.submit({&commands, 1}, {}), UINT64_MAX, device->defaultWaitMode());
    const double read = kp::benchmark::medianSeconds(200, [&] { queries.read(count); });
    std::printf("%4u timestamps: to read them takes the host %.2f us", count, 1e6 * read);
    if (device->queryPools().hostReset())
        std::printf(", to reset them %.2f us",
                    1e6 * kp::benchmark::medianSeconds(200, [&] { queries.reset(count); }));
    std::printf("\n");
}

void run() {
    kp::Manager manager;
    const auto device = kp::vulkan::findDevice(manager.nativeDevice());
    if (device->queue(0).timestampValidBits() == 0) {
        std::printf("%s has no timestamps\n", manager.deviceInfo().name.c_str());
        return;
    }
    const auto tensor = manager.tensorT<uint32_t>(256, kp::Memory::MemoryTypes::eStorage);
    const auto algorithm = manager.algorithm({tensor}, kp::compile(R"(#version 450
        layout(local_size_x = 64) in;
        layout(set = 0, binding = 0) buffer B { uint v[]; };
        void main() { v[gl_GlobalInvocationID.x] += 1u; })"),
                                             {1, 1, 1});
    const bool software = manager.deviceInfo().type == kp::DeviceType::eCpu;
    const auto warmUp = manager.sequence();
    for (int i = 0; i < 100; ++i)
        warmUp->record<kp::OpAlgoDispatch>(algorithm);
    kp::benchmark::repeatFor(software ? 0.05 : 0.5, [&] { warmUp->eval(); });
    std::printf("%s\n", manager.deviceInfo().name.c_str());
    for (const uint32_t dispatches : {20u, 100u})
        forms(device, *algorithm, dispatches, software);
    for (const uint32_t count : {2u, 21u, 101u})
        hostCosts(device, count);
}

} // namespace

int main(int argc, char** argv) {
    using namespace kp::benchmark;
    return runProgram(argc, argv, "[--check]", [](Arguments& arguments) {
        arguments.flag("--check");
        arguments.finish();
        run();
        return 0;
    });
}
