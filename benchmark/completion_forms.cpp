// SPDX-License-Identifier: Apache-2.0
//
// Measures how soon the host can see the end of one small dispatch: by the value that its queue
// signals, by an event that its command buffer sets, by a word of host memory that its command
// buffer or the dispatch itself writes.
//
//   kompute_benchmark_completion_forms [--check]
//
// --check  accepted for uniformity: there is nothing to check
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "Measure.hpp"
#include "OwnDevice.hpp"
#include "Program.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/DeviceRegistry.hpp"
#include "vulkan/queue/Pools.hpp"
#include "vulkan/queue/Queue.hpp"

namespace {

using kp::benchmark::Clock;
using kp::vulkan::Device;

constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;

/// A command buffer, and how the host notices its end.
struct Form {
    std::string name;
    std::function<void(VkCommandBuffer)> record;
    std::function<void()> reset;
    std::function<bool()> seen; ///< empty: the queue's value
};

void run() {
    kp::Manager manager;
    const auto device = kp::vulkan::findDevice(manager.nativeDevice());
    const VolkDeviceTable& vk = device->vk();
    kp::vulkan::Queue& queue = device->queue(0);
    const auto tensor = manager.tensorT<uint32_t>(256, kp::Memory::MemoryTypes::eStorage);
    const auto flag = manager.tensorT<uint32_t>(64, kp::Memory::MemoryTypes::eHost);
    const auto algorithm =
        manager.algorithm({tensor, flag}, kp::compile(R"(#version 450
        layout(local_size_x = 64) in;
        layout(set = 0, binding = 0) buffer B { uint v[]; };
        layout(set = 0, binding = 1) coherent buffer F { uint flag[]; };
        layout(push_constant) uniform P { uint last; };
        void main() {
            v[gl_GlobalInvocationID.x] += 1u;
            if (last != 0u && gl_GlobalInvocationID.x == 0u) { memoryBarrier(); flag[0] = 1u; }
        })"),
                          {1, 1, 1}, std::vector<uint32_t>{}, std::vector<uint32_t>{0});
    volatile uint32_t* word = flag->data();

    VkEvent event = VK_NULL_HANDLE;
    const VkEventCreateInfo eventInfo{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    vk.vkCreateEvent(device->handle(), &eventInfo, nullptr, &event);

    const auto dispatch = [&](VkCommandBuffer commands, uint32_t last) {
        vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, algorithm->nativePipeline());
        const VkDescriptorSet set = algorithm->nativeDescriptorSet();
        vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                   algorithm->nativePipelineLayout(), 0, 1, &set, 0, nullptr);
        vk.vkCmdPushConstants(commands, algorithm->nativePipelineLayout(),
                              VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &last);
        vk.vkCmdDispatch(commands, 1, 1, 1);
    };
    const auto barrier = [&](VkCommandBuffer commands, VkPipelineStageFlags to,
                             VkAccessFlags access) {
        VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
        memory.dstAccessMask = access;
        vk.vkCmdPipelineBarrier(commands, kCompute, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
    };
    const auto nothing = [] {};
    const auto clearWord = [&] { *word = 0; };
    const auto wordSeen = [&] { return *word != 0; };
    const std::vector<Form> forms = {
        {"the queue's value", [&](VkCommandBuffer c) { dispatch(c, 0); }, nothing, nullptr},
        {"an event set after the dispatch",
         [&](VkCommandBuffer c) {
             dispatch(c, 0);
             vk.vkCmdSetEvent(c, event, kCompute);
         },
         [&] { vk.vkResetEvent(device->handle(), event); },
         [&] { return vk.vkGetEventStatus(device->handle(), event) == VK_EVENT_SET; }},
        {"a word filled after a barrier",
         [&](VkCommandBuffer c) {
             dispatch(c, 0);
             barrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                     VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT);
             vk.vkCmdFillBuffer(c, flag->nativeBuffer(), 0, 4, 1);
         },
         clearWord, wordSeen},
        {"a word written by a second dispatch after a barrier",
         [&](VkCommandBuffer c) {
             dispatch(c, 0);
             barrier(c, kCompute | VK_PIPELINE_STAGE_HOST_BIT,
                     VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_HOST_READ_BIT);
             dispatch(c, 1);
         },
         clearWord, wordSeen},
        {"a word written by the dispatch itself", [&](VkCommandBuffer c) { dispatch(c, 1); },
         clearWord, wordSeen},
    };
    std::vector<kp::vulkan::CommandBuffer> buffers;
    std::vector<std::vector<double>> seconds(forms.size()), submits(forms.size());
    for (const Form& form : forms) {
        buffers.push_back(device->commandBuffers().acquire(queue.family()));
        buffers.back().begin(false);
        form.record(buffers.back().handle());
        buffers.back().end();
    }
    const bool software = manager.deviceInfo().type == kp::DeviceType::eCpu;
    for (int round = 0; round < (software ? 20 : 3000); ++round)
        for (size_t i = 0; i < forms.size(); ++i) {
            forms[i].reset();
            const VkCommandBuffer commands = buffers[i].handle();
            const auto start = Clock::now();
            const uint64_t value = queue.submit({&commands, 1}, {});
            submits[i].push_back(std::chrono::duration<double>(Clock::now() - start).count());
            if (forms[i].seen)
                while (!forms[i].seen()) {
                }
            else
                queue.wait(value, UINT64_MAX, kp::vulkan::WaitMode::eSpin);
            seconds[i].push_back(std::chrono::duration<double>(Clock::now() - start).count());
            queue.wait(value, UINT64_MAX, kp::vulkan::WaitMode::eSpin);
        }
    vk.vkDestroyEvent(device->handle(), event, nullptr);
    std::printf(
        "%s; microseconds from submission until the host sees the end: p10, p50, p90; and the "
        "submission's call alone, p50\n",
        manager.deviceInfo().name.c_str());
    for (size_t i = 0; i < forms.size(); ++i) {
        std::sort(seconds[i].begin(), seconds[i].end());
        std::sort(submits[i].begin(), submits[i].end());
        const auto at = [&](const std::vector<double>& v, double q) {
            return 1e6 * kp::benchmark::quantileOfSorted(v, q);
        };
        std::printf("  %-52s %9.2f %9.2f %9.2f %9.2f\n", forms[i].name.c_str(), at(seconds[i], 0.1),
                    at(seconds[i], 0.5), at(seconds[i], 0.9), at(submits[i], 0.5));
    }
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
