// SPDX-License-Identifier: Apache-2.0
//
// Measures which queues of a device work in parallel: copies on each queue, copies in both
// directions on two, an upload split over two, and a kernel beside copies. It justifies which
// queues the library requests (src/vulkan/device/DevicePlan.cpp) and which the transfer engine
// uses.
//
//   kompute_benchmark_queues [--check]
//
// --check  fewer and smaller measurements
//
// It uses raw Vulkan on its own VkDevice, with up to two queues of every family that can copy. Data
// are verified after each measurement. The exit status is 1 if they are wrong. Figures are medians
// of the time from the first submission until the host sees the last one complete.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "Measure.hpp"
#include "OwnDevice.hpp"
#include "Program.hpp"
#include "vulkan/device/DeviceRegistry.hpp"

namespace kp::benchmark {
namespace {

using vulkan::check;

/// Applies an affine function to each index many times. It computes in registers and hardly uses
/// memory bandwidth.
constexpr const char* kKernel = R"(#version 450
    layout(local_size_x = 256) in;
    layout(set = 0, binding = 0) writeonly buffer B { uint result[]; };
    layout(push_constant) uniform P { uint steps; };
    void main() {
        uint value = gl_GlobalInvocationID.x;
        for (uint i = 0; i < steps; ++i)
            value = value * 1664525u + 1013904223u;
        result[gl_GlobalInvocationID.x] = value;
    })";
constexpr uint32_t kElements = 1u << 20;
constexpr uint64_t kSmallBytes = 8u << 20; ///< for software drivers

bool isKernelResult(const std::vector<uint32_t>& result, uint32_t steps) {
    uint32_t factor = 1, addend = 0; // of all steps combined
    for (uint32_t i = 0; i < steps; ++i) {
        factor *= 1664525u;
        addend = addend * 1664525u + 1013904223u;
    }
    for (uint32_t i = 0; i < result.size(); ++i)
        if (result[i] != factor * i + addend)
            return false;
    return true;
}

/// A piece of work's output, for the verification.
enum Writes : unsigned { eDevice = 1, eHost = 2, eResult = 4 };

struct Work {
    const Lane* lane;
    VkCommandBuffer commands;
    unsigned writes;
};

class Queues {
public:
    Queues(const OwnDevice& device, bool few)
        : mDevice(device), mVk(device.vk()), mLanes(device.lanes()),
          mSoftware(device.physical().isCpu()), mBytes(mSoftware ? kSmallBytes
                                                       : few     ? 4 * kSmallBytes
                                                                 : 16 * kSmallBytes),
          mRepeat(few || mSoftware ? 3 : 7), mHostSource(device, mBytes, true),
          mHostTarget(device, mBytes, true), mDeviceSource(device, mBytes, false),
          mDeviceTarget(device, mBytes, false),
          mResult(device.manager().tensorT<uint32_t>(kElements, kp::Memory::MemoryTypes::eStorage)),
          mKernel(device.manager().algorithm<float, uint32_t>({mResult}, kp::compile(kKernel),
                                                              {kElements / 256, 1, 1}, {}, {0u})),
          mMain(*std::find_if(mLanes.begin(), mLanes.end(),
                              [](const Lane& lane) { return lane.computes; })) {
        std::mt19937 random(1);
        auto* words = static_cast<uint32_t*>(mHostSource.mapped());
        std::generate(words, words + mBytes / sizeof(uint32_t), std::ref(random));
        once({copy(mMain, mHostSource, mDeviceSource, eDevice)});
        repeatFor(mSoftware ? 0 : 0.5, [&] { once({within(mMain)}); });
    }

    ~Queues() { mVk.vkDeviceWaitIdle(mDevice.handle()); }

    bool run() {
        std::printf("%s; queues are named family.index, and * marks those that compute\n",
                    mDevice.physical().name().c_str());
        std::printf(
            "copies of %u MiB on one queue, GB/s (within the device: bytes read and written)\n"
            "%8s %8s %8s %8s\n",
            static_cast<unsigned>(mBytes >> 20), "", "up", "down", "within");
        for (const Lane& lane : mLanes)
            std::printf("%7s%s %8.1f %8.1f %8.1f\n", lane.name.c_str(), lane.computes ? "*" : " ",
                        rate(1, {up(lane)}), rate(1, {down(lane)}), rate(2, {within(lane)}));
        if (mLanes.size() == 1)
            std::printf("one queue: nothing to compare\n");
        else
            measurePairs();
        if (!mRight)
            std::printf("WRONG DATA\n");
        return mRight;
    }

private:
    using Cell = std::function<double(const Lane& row, const Lane& column)>;

    void measurePairs() {
        matrix("up on the row's queue, down on the column's: GB/s, sum of both", "%8.1f",
               [&](const Lane& row, const Lane& column) {
                   return rate(2, {up(row), down(column)});
               });
        matrix("up, half on the row's queue and half on the column's: GB/s", "%8.1f",
               [&](const Lane& row, const Lane& column) {
                   return rate(1, {up(row, 0, 2), up(column, 1, 2)});
               });
        calibrateKernel();
        std::printf("alone, in ms: kernel %.2f, up %.2f, down %.2f, on queue %s\n",
                    1e3 * seconds({kernel(mMain)}), 1e3 * seconds({up(mMain)}),
                    1e3 * seconds({down(mMain)}), mMain.name.c_str());
        matrix("kernel on the row's queue, up on the column's: ms", "%8.2f",
               [&](const Lane& row, const Lane& column) {
                   return row.computes ? 1e3 * seconds({kernel(row), up(column)}) : 0;
               });
        matrix("kernel on queue " + mMain.name + ", up on the row's, down on the column's: ms",
               "%8.2f", [&](const Lane& row, const Lane& column) {
                   return &row == &mMain || &column == &mMain
                              ? 0
                              : 1e3 * seconds({kernel(mMain), up(row), down(column)});
               });
    }

    /// Prints a figure for each pair of different queues, or "-" if it is 0.
    void matrix(const std::string& title, const char* format, const Cell& cell) {
        std::printf("%s\n%8s", title.c_str(), "");
        for (const Lane& column : mLanes)
            std::printf("%7s%s", column.name.c_str(), column.computes ? "*" : " ");
        for (const Lane& row : mLanes) {
            std::printf("\n%7s%s", row.name.c_str(), row.computes ? "*" : " ");
            for (const Lane& column : mLanes) {
                const double figure = &row == &column ? 0 : cell(row, column);
                if (figure > 0)
                    std::printf(format, figure);
                else
                    std::printf("%8s", "-");
            }
            std::fflush(stdout);
        }
        std::printf("\n");
    }

    Work up(const Lane& lane, uint64_t part = 0, uint64_t parts = 1) {
        return copy(lane, mHostSource, mDeviceTarget, eDevice, part, parts);
    }
    Work down(const Lane& lane) { return copy(lane, mDeviceSource, mHostTarget, eHost); }
    Work within(const Lane& lane) { return copy(lane, mDeviceSource, mDeviceTarget, eDevice); }

    Work copy(const Lane& lane, const Buffer& from, const Buffer& to, unsigned writes,
              uint64_t part = 0, uint64_t parts = 1) {
        const uint64_t bytes = mBytes / parts;
        return record(lane, writes, [&](VkCommandBuffer commands) {
            const VkBufferCopy region{part * bytes, part * bytes, bytes};
            mVk.vkCmdCopyBuffer(commands, from.handle(), to.handle(), 1, &region);
        });
    }

    Work kernel(const Lane& lane) {
        return record(lane, eResult, [&](VkCommandBuffer commands) {
            const VkPipelineLayout layout = mKernel->nativePipelineLayout();
            const VkDescriptorSet set = mKernel->nativeDescriptorSet();
            mVk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                  mKernel->nativePipeline());
            mVk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1,
                                        &set, 0, nullptr);
            mVk.vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(mSteps),
                                   &mSteps);
            mVk.vkCmdDispatch(commands, kElements / 256, 1, 1);
        });
    }

    Work record(const Lane& lane, unsigned writes,
                const std::function<void(VkCommandBuffer)>& body) {
        VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        allocate.commandPool = lane.pool;
        allocate.commandBufferCount = 1;
        VkCommandBuffer commands = VK_NULL_HANDLE;
        check(mVk.vkAllocateCommandBuffers(mDevice.handle(), &allocate, &commands),
              "vkAllocateCommandBuffers");
        const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        check(mVk.vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
        body(commands);
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
        barrier.dstAccessMask =
            VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
        mVk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0,
                                 1, &barrier, 0, nullptr, 0, nullptr);
        check(mVk.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
        return {&lane, commands, writes};
    }

    /// Runs work on different queues at once and returns the seconds.
    double submit(const std::vector<Work>& works) {
        for (const Work& work : works)
            check(mVk.vkResetFences(mDevice.handle(), 1, &work.lane->fence), "vkResetFences");
        const auto start = Clock::now();
        for (const Work& work : works) {
            VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
            info.commandBufferCount = 1;
            info.pCommandBuffers = &work.commands;
            check(mVk.vkQueueSubmit(work.lane->queue, 1, &info, work.lane->fence), "vkQueueSubmit");
        }
        for (const Work& work : works) {
            VkResult result = VK_NOT_READY;
            while (!mSoftware && result == VK_NOT_READY) // a blocking wait returns late
                result = mVk.vkGetFenceStatus(mDevice.handle(), work.lane->fence);
            if (mSoftware)
                result = mVk.vkWaitForFences(mDevice.handle(), 1, &work.lane->fence, VK_TRUE,
                                             UINT64_MAX);
            check(result, "waiting for a queue");
        }
        return secondsSince(start);
    }

    void free(const std::vector<Work>& works) {
        for (const Work& work : works)
            mVk.vkFreeCommandBuffers(mDevice.handle(), work.lane->pool, 1, &work.commands);
    }

    void once(const std::vector<Work>& works) {
        submit(works);
        free(works);
    }

    /// Returns the median seconds of running all works at once, and verifies their results.
    double seconds(const std::vector<Work>& works) {
        clear();
        submit(works);
        std::vector<double> times;
        for (int i = 0; i < mRepeat; ++i)
            times.push_back(submit(works));
        unsigned written = 0;
        for (const Work& work : works)
            written |= work.writes;
        free(works);
        compare(written);
        return median(std::move(times));
    }

    double rate(int times, const std::vector<Work>& works) {
        return times * static_cast<double>(mBytes) / seconds(works) * 1e-9;
    }

    void clear() {
        std::memset(mHostTarget.mapped(), 0, mBytes);
        once({record(mMain, 0, [&](VkCommandBuffer commands) {
            mVk.vkCmdFillBuffer(commands, mDeviceTarget.handle(), 0, VK_WHOLE_SIZE, 0);
            mVk.vkCmdFillBuffer(commands, mResult->nativeBuffer(), 0, VK_WHOLE_SIZE, 0);
        })});
    }

    void compare(unsigned written) {
        const void* target = mHostTarget.mapped();
        const auto expectSource = [&] {
            mRight = mRight && std::memcmp(target, mHostSource.mapped(), mBytes) == 0;
        };
        if (written & eHost)
            expectSource();
        if (written & eDevice) {
            once({copy(mMain, mDeviceTarget, mHostTarget, eHost)});
            expectSource();
        }
        if (written & eResult) {
            std::vector<uint32_t> result(kElements);
            mResult->download(result.data(), result.size() * sizeof(uint32_t));
            mRight = mRight && isKernelResult(result, mSteps);
        }
    }

    /// Makes the kernel take as long as an upload.
    void calibrateKernel() {
        const double maxSteps = mSoftware ? 60000 : 1e9; // some software drivers stop longer loops
        const double wanted = seconds({up(mMain)});
        for (int i = 0; i < 5; ++i)
            mSteps = static_cast<uint32_t>(
                std::clamp(mSteps * wanted / seconds({kernel(mMain)}), 1.0, maxSteps));
    }

    const OwnDevice& mDevice;
    const VolkDeviceTable& mVk;
    const std::vector<Lane>& mLanes;
    bool mSoftware;
    uint64_t mBytes;
    int mRepeat;
    Buffer mHostSource; ///< the data that every copy must produce
    Buffer mHostTarget;
    Buffer mDeviceSource;
    Buffer mDeviceTarget;
    std::shared_ptr<kp::TensorT<uint32_t>> mResult; ///< the output of the kernel
    std::shared_ptr<kp::Algorithm> mKernel;
    const Lane& mMain; ///< the first queue that computes
    uint32_t mSteps = 1000;
    bool mRight = true;
};

bool run(bool few) {
    auto chosen = std::make_unique<kp::Manager>(); // selects the device
    const OwnDevice device(*vulkan::findDevice(chosen->nativeDevice()));
    chosen.reset();
    return Queues(device, few).run();
}

} // namespace
} // namespace kp::benchmark

int main(int argc, char** argv) {
    using namespace kp::benchmark;
    return runProgram(argc, argv, "[--check]", [](Arguments& arguments) {
        const bool few = arguments.flag("--check");
        arguments.finish();
        return run(few) ? 0 : 1;
    });
}
