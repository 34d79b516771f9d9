// SPDX-License-Identifier: Apache-2.0
//
// Measures the cost of several forms of barrier: before the first dispatch of a command buffer, at
// its end, and between dependent dispatches. It justifies the barriers that a sequence records
// (src/vulkan/queue/Barriers.cpp).
//
//   kompute_benchmark_barrier_forms [--check]
//
// --check  accepted for uniformity: there is nothing to check
#include <algorithm>
#include <cstdio>
#include <functional>
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

struct Scope {
    VkPipelineStageFlags stages;
    VkAccessFlags access;
};

constexpr VkAccessFlags kShader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkAccessFlags kTransfer = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags kCopy = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkPipelineStageFlags kIndirect = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;

/// A command buffer of dispatches with one form of barrier, and its times.
class Form {
public:
    using Barrier = std::function<void(const VolkDeviceTable&, VkCommandBuffer)>;

    Form(std::string name, Device& device, kp::Algorithm& algorithm, int dispatches,
         const Barrier& first, const Barrier& between, const Barrier& last)
        : mName(std::move(name)), mDevice(device),
          mCommandBuffer(device.commandBuffers().acquire(device.queue(0).family())) {
        mCommandBuffer.begin(false);
        const VolkDeviceTable& vk = device.vk();
        const VkCommandBuffer commands = mCommandBuffer.handle();
        if (first)
            first(vk, commands);
        vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, algorithm.nativePipeline());
        const VkDescriptorSet set = algorithm.nativeDescriptorSet();
        vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                   algorithm.nativePipelineLayout(), 0, 1, &set, 0, nullptr);
        for (int i = 0; i < dispatches; ++i) {
            if (i > 0 && between)
                between(vk, commands);
            vk.vkCmdDispatch(commands, 1, 1, 1);
        }
        if (last)
            last(vk, commands);
        mCommandBuffer.end();
    }

    void evaluate(int calls) {
        const VkCommandBuffer commands = mCommandBuffer.handle();
        kp::vulkan::Queue& queue = mDevice.queue(0);
        const double seconds = kp::benchmark::secondsOf([&] {
            for (int i = 0; i < calls; ++i)
                queue.wait(queue.submit({&commands, 1}, {}), UINT64_MAX, mDevice.defaultWaitMode());
        });
        mMicroseconds.push_back(1e6 * seconds / calls);
    }

    void print() {
        std::sort(mMicroseconds.begin(), mMicroseconds.end());
        const auto at = [&](double q) { return kp::benchmark::quantileOfSorted(mMicroseconds, q); };
        std::printf("  %-52s %9.2f %9.2f %9.2f\n", mName.c_str(), at(0.1), at(0.5), at(0.9));
    }

private:
    std::string mName;
    Device& mDevice;
    kp::vulkan::CommandBuffer mCommandBuffer;
    std::vector<double> mMicroseconds;
};

Form::Barrier global(Scope before, Scope after) {
    return [=](const VolkDeviceTable& vk, VkCommandBuffer commands) {
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = before.access;
        barrier.dstAccessMask = after.access;
        vk.vkCmdPipelineBarrier(commands, before.stages, after.stages, 0, 1, &barrier, 0, nullptr,
                                0, nullptr);
    };
}

Form::Barrier executionOnly() {
    return [](const VolkDeviceTable& vk, VkCommandBuffer commands) {
        vk.vkCmdPipelineBarrier(commands, kCompute, kCompute, 0, 0, nullptr, 0, nullptr, 0,
                                nullptr);
    };
}

Form::Barrier onBuffer(VkBuffer buffer) {
    return [=](const VolkDeviceTable& vk, VkCommandBuffer commands) {
        VkBufferMemoryBarrier barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
        barrier.dstAccessMask = kShader;
        barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
        barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
        barrier.buffer = buffer;
        barrier.size = VK_WHOLE_SIZE;
        vk.vkCmdPipelineBarrier(commands, kCompute, kCompute, 0, 0, nullptr, 1, &barrier, 0,
                                nullptr);
    };
}

Form::Barrier synchronization2() {
    return [](const VolkDeviceTable& vk, VkCommandBuffer commands) {
        VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
        barrier.srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
        barrier.srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
        barrier.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
        barrier.dstAccessMask =
            VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
        VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        info.memoryBarrierCount = 1;
        info.pMemoryBarriers = &barrier;
        vk.vkCmdPipelineBarrier2(commands, &info);
    };
}

void run() {
    kp::Manager manager;
    const auto device = kp::vulkan::findDevice(manager.nativeDevice());
    const auto tensor = manager.tensorT<uint32_t>(256, kp::Memory::MemoryTypes::eStorage);
    const auto algorithm = manager.algorithm({tensor}, kp::compile(R"(#version 450
        layout(local_size_x = 64) in;
        layout(set = 0, binding = 0) buffer B { uint v[]; };
        void main() { v[gl_GlobalInvocationID.x] += 1u; })"),
                                             {1, 1, 1});
    const Scope compute{kCompute, kShader};
    const Scope computeWrites{kCompute, VK_ACCESS_SHADER_WRITE_BIT};
    const Scope writes{kCompute | kCopy, VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    const Scope work{kCompute | kCopy, kShader | kTransfer};
    const Scope uniform{kCompute, kShader | VK_ACCESS_UNIFORM_READ_BIT};
    const Scope all{kCompute | kCopy | kIndirect, kShader | kTransfer | VK_ACCESS_UNIFORM_READ_BIT |
                                                      VK_ACCESS_INDIRECT_COMMAND_READ_BIT};
    const Scope everythingWrites{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT};
    const Scope everything{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                           VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    const Scope host{VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT};

    std::vector<Form> first;
    const auto addFirst = [&](const char* name, const Form::Barrier& open,
                              const Form::Barrier& close) {
        first.emplace_back(name, *device, *algorithm, 1, open, nullptr, close);
    };
    addFirst("none", nullptr, nullptr);
    addFirst("opening, compute to compute", global(computeWrites, compute), nullptr);
    addFirst("opening, compute to compute with uniforms", global(computeWrites, uniform), nullptr);
    addFirst("opening, compute and transfer", global(writes, work), nullptr);
    addFirst("opening, compute, transfer and indirect", global(writes, all), nullptr);
    addFirst("opening, everything", global(everythingWrites, everything), nullptr);
    addFirst("closing, compute to compute", nullptr, global(computeWrites, compute));
    addFirst("closing, compute to compute and transfer", nullptr, global(computeWrites, work));
    addFirst("closing, compute and transfer", nullptr, global(writes, work));
    addFirst("closing, compute to compute, transfer and host", nullptr,
             global(computeWrites, {work.stages | host.stages, work.access | host.access}));
    addFirst("closing, to the host", nullptr, global(writes, host));

    std::vector<Form> between;
    const auto addBetween = [&](const char* name, const Form::Barrier& form) {
        between.emplace_back(name, *device, *algorithm, 100, nullptr, form, nullptr);
    };
    addBetween("none (wrong, for comparison)", nullptr);
    addBetween("execution only (wrong, for comparison)", executionOnly());
    addBetween("global", global(computeWrites, compute));
    addBetween("global with uniforms", global(computeWrites, uniform));
    addBetween("of one buffer", onBuffer(tensor->nativeBuffer()));
    if (device->has(kp::vulkan::Feature::eSynchronization2))
        addBetween("global, synchronization2", synchronization2());
    addBetween("global, compute and transfer", global(writes, work));
    addBetween("global, compute, transfer and indirect", global(writes, all));
    addBetween("global, everything", global(everythingWrites, everything));

    const bool software = manager.deviceInfo().type == kp::DeviceType::eCpu;
    kp::benchmark::repeatFor(software ? 0.05 : 0.5, [&] { between[2].evaluate(10); });
    const int blocks = software ? 11 : 101;
    for (int block = 0; block < blocks; ++block) {
        for (Form& form : first)
            form.evaluate(20);
        for (Form& form : between)
            form.evaluate(5);
    }
    std::printf("%s; microseconds from submission to the end of the wait: p10, p50, p90\n",
                manager.deviceInfo().name.c_str());
    std::printf("one dispatch, barrier at the start or the end\n");
    for (Form& form : first)
        form.print();
    std::printf("100 dispatches, barrier between them\n");
    for (Form& form : between)
        form.print();
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
