// SPDX-License-Identifier: Apache-2.0
//
// Rows about algorithms: with a known shader, with other memory, and with a new pipeline.
// benchmark/cold_start measures the time from the start of a process to its first result.
#include <algorithm>
#include <atomic>

#include "Increments.hpp"
#include "Workers.hpp"

namespace kp::benchmark {
namespace {

constexpr int kCount = 32;

void known(Suite& suite, Row& row) {
    kp::Manager& manager = suite.manager();
    const auto tensor = manager.tensorT<uint32_t>(kElements, kp::Memory::MemoryTypes::eStorage);
    const std::vector<std::shared_ptr<kp::Memory>> memory{tensor};
    const std::vector<uint32_t>& spirv = suite.increment();
    const auto first = manager.algorithm(memory, spirv, {1, 1, 1});
    RawQueue queue(manager, suite.waitMode());
    RawBuffers buffer(queue, 1, kElements * sizeof(uint32_t), RawMemory::eDevice);
    RawKernel kernel(queue, spirv, 1, 0, 1);
    VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache = VK_NULL_HANDLE;
    RawQueue::require(queue.vk().vkCreatePipelineCache(queue.device(), &info, nullptr, &cache));
    const VkDescriptorSet set = kernel.bind({buffer[0]});
    row.side(
        "kompute",
        [&] {
            std::shared_ptr<kp::Algorithm> made[kCount];
            for (auto& algorithm : made)
                algorithm = manager.algorithm(memory, spirv, {1, 1, 1});
        },
        kCount);
    row.side(
        "raw",
        [&] {
            VkPipeline made[kCount];
            for (VkPipeline& pipeline : made) {
                pipeline = RawKernel::makePipeline(queue, spirv, kernel.layout(), cache);
                kernel.bind({buffer[0]}, set);
            }
            for (const VkPipeline pipeline : made)
                queue.vk().vkDestroyPipeline(queue.device(), pipeline, nullptr);
        },
        kCount);
    row.target("", 5);
    row.note("made and freed; raw: vkCreateComputePipelines with a VkPipelineCache that holds it, "
             "and a descriptor set written");
    suite.measure(row);
    queue.vk().vkDestroyPipelineCache(queue.device(), cache, nullptr);
}

void rebind(Suite& suite, Row& row) {
    kp::Manager& manager = suite.manager();
    const auto initial = randomWords(kElements);
    std::vector<std::shared_ptr<kp::Memory>> memory[2];
    for (auto& each : memory)
        each.push_back(manager.tensorT<uint32_t>(initial, kp::Memory::MemoryTypes::eStorage));
    const auto algorithm = manager.algorithm(memory[0], suite.increment(), {1, 1, 1});
    RawQueue queue(manager, suite.waitMode());
    RawBuffers buffers(queue, 2, kElements * sizeof(uint32_t), RawMemory::eDevice);
    RawKernel kernel(queue, suite.increment(), 1, 0, 1);
    const VkDescriptorSet set = kernel.bind({buffers[0]});
    row.side(
        "kompute",
        [&] {
            for (int i = 0; i < kCount; ++i)
                algorithm->setMemObjects(memory[i % 2]);
        },
        kCount);
    row.side(
        "raw",
        [&] {
            for (size_t i = 0; i < kCount; ++i)
                kernel.bind({buffers[i % 2]}, set);
        },
        kCount);
    row.note("raw: vkUpdateDescriptorSets of a set that no submission uses");
    suite.measure(row);
    manager.sequence()->record<kp::OpAlgoDispatch>(algorithm)->eval();
    std::vector<uint32_t> now(kElements);
    memory[1][0]->download(now.data(), kElements * sizeof(uint32_t));
    requireIncrements(initial, now, 1, "kompute");
}

/// A specialization constant with a value that no run has used bypasses every pipeline cache.
std::vector<uint32_t> specialized() {
    return kp::compile("#version 450\n"
                       "layout(local_size_x = 64) in;\n"
                       "layout(constant_id = 0) const uint kSeed = 1u;\n"
                       "layout(std430, set = 0, binding = 0) buffer B { uint v[]; };\n"
                       "void main() { v[gl_GlobalInvocationID.x] += kSeed; }\n");
}

void unknown(Suite& suite, Row& row) {
    kp::Manager& manager = suite.manager();
    const std::vector<uint32_t> spirv = specialized();
    const auto tensor = manager.tensorT<uint32_t>(kElements, kp::Memory::MemoryTypes::eStorage);
    RawQueue queue(manager, suite.waitMode());
    RawKernel kernel(queue, spirv, 1, 0, 1);
    uint32_t seed = randomWords(1)[0];
    row.side("kompute", [&] {
        manager.algorithm<uint32_t, float>({tensor}, spirv, {1, 1, 1}, {++seed}, {});
    });
    row.side("raw", [&] {
        const VkPipeline made =
            RawKernel::makePipeline(queue, spirv, kernel.layout(), VK_NULL_HANDLE, {++seed});
        queue.vk().vkDestroyPipeline(queue.device(), made, nullptr);
    });
    row.note("a known shader with a new specialization constant");
    suite.measure(row);
}

/// Several threads create new pipelines.
void parallel(Suite& suite, Row& row) {
    constexpr unsigned kThreads = 4;
    constexpr int kEach = 4;
    if (suite.software() || std::thread::hardware_concurrency() < kThreads)
        throw Skip{"there are fewer processors than threads"};
    kp::Manager& manager = suite.manager();
    const std::vector<uint32_t> spirv = specialized();
    std::atomic<uint32_t> seed{randomWords(1)[0]};
    const auto make = [&](const std::shared_ptr<kp::Memory>& tensor) {
        for (int i = 0; i < kEach; ++i)
            manager.algorithm<uint32_t, float>({tensor}, spirv, {1, 1, 1}, {++seed}, {});
    };
    std::vector<std::shared_ptr<kp::Memory>> tensors;
    std::vector<std::function<void()>> tasks;
    for (unsigned i = 0; i < kThreads; ++i) {
        tensors.push_back(manager.tensorT<uint32_t>(kElements, kp::Memory::MemoryTypes::eStorage));
        tasks.push_back([&make, tensor = tensors.back()] { make(tensor); });
    }
    Workers workers(std::move(tasks));
    row.side(
        "kompute", [&] { workers.run(); }, kThreads * kEach);
    row.side(
        "one thread", [&] { make(tensors[0]); }, kEach);
    row.note("a known shader with new specialization constants, by 4 threads");
    suite.measure(row);
}

} // namespace

void addPipelines(Suite& suite) {
    suite.add("pipeline/known", "algorithm of a known shader", known);
    suite.add("pipeline/rebind", "other memory for an algorithm", rebind);
    suite.add("pipeline/new", "algorithm that needs a new pipeline", unknown);
    suite.add("pipeline/parallel", "new pipelines made by four threads, each", parallel);
}

} // namespace kp::benchmark
