// SPDX-License-Identifier: Apache-2.0
//
// Rows about memory: creating, first writing and freeing tensors.
#include <algorithm>
#include <cstring>

#include "RawVulkan.hpp"
#include "Suite.hpp"

namespace kp::benchmark {
namespace {

using Types = kp::Memory::MemoryTypes;
using Tensors = std::vector<std::shared_ptr<kp::TensorT<uint32_t>>>;

/// One VkDeviceMemory per buffer, all alive at once, as in simple programs.
void allocateAndFree(RawQueue& queue, size_t count, uint64_t bytes) {
    struct One {
        VkBuffer buffer;
        VkDeviceMemory memory;
    };
    std::vector<One> made(count);
    for (One& one : made) {
        one.buffer = RawBuffers::makeBuffer(queue, bytes);
        VkMemoryRequirements needed{};
        queue.vk().vkGetBufferMemoryRequirements(queue.device(), one.buffer, &needed);
        VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
        info.allocationSize = needed.size;
        info.memoryTypeIndex =
            RawBuffers::memoryType(queue, needed.memoryTypeBits, RawMemory::eDevice);
        RawQueue::require(queue.vk().vkAllocateMemory(queue.device(), &info, nullptr, &one.memory));
        RawQueue::require(queue.vk().vkBindBufferMemory(queue.device(), one.buffer, one.memory, 0));
    }
    for (const One& one : made) {
        queue.vk().vkDestroyBuffer(queue.device(), one.buffer, nullptr);
        queue.vk().vkFreeMemory(queue.device(), one.memory, nullptr);
    }
}

/// Creates tensors that are alive at once, and frees them. Raw Vulkan and CUDA allocate each
/// separately, and at most 1,000: they are slow, and a driver may limit allocations to 4,096.
void madeAndFreed(Suite& suite, Row& row, size_t count, uint64_t bytes, double limit) {
    kp::Manager& manager = suite.manager();
    RawQueue queue(manager, suite.waitMode());
    Tensors tensors(count);
    row.side(
        "kompute",
        [&] {
            for (auto& tensor : tensors)
                tensor = manager.tensorT<uint32_t>(bytes / sizeof(uint32_t));
            for (auto& tensor : tensors)
                tensor.reset();
        },
        static_cast<double>(count));
    const size_t few = std::min<size_t>(count, 1000);
    row.side(
        "raw", [&] { allocateAndFree(queue, few, bytes); }, static_cast<double>(few));
    if (suite.cuda())
        row.side(
            "cuda", [&] { suite.cuda()->allocateAndFree(few, bytes); }, static_cast<double>(few));
    row.target("", limit);
    row.note("raw: vkCreateBuffer and vkAllocateMemory for each; CUDA: cudaMalloc, cudaFree");
    suite.measure(row);
}

/// Creates tensors that are alive at once, without memory of freed ones to take.
void madeFirst(Suite& suite, Row& row, size_t count, uint64_t bytes, double limit) {
    kp::Manager& manager = suite.manager();
    Tensors tensors(count);
    row.side(
        "kompute",
        [&] {
            for (auto& tensor : tensors)
                tensor = manager.tensorT<uint32_t>(bytes / sizeof(uint32_t));
        },
        static_cast<double>(count),
        [&] {
            for (auto& tensor : tensors)
                tensor.reset();
            manager.clear();
        });
    row.target("", limit);
    suite.measure(row);
}

void oneByOne(Suite& suite, Row& row) {
    constexpr int kTensors = 20000;
    constexpr size_t kElements = 256;
    kp::Manager& manager = suite.manager();
    row.side(
        "kompute",
        [&] {
            for (int i = 0; i < kTensors; ++i) {
                const auto tensor = manager.tensorT<uint32_t>(kElements);
                std::memset(tensor->data(), i, kElements * sizeof(uint32_t));
            }
        },
        kTensors);
    row.target("", 0, 5);
    row.minRounds(5);
    suite.measure(row);
}

/// 20,000 tensors of 1 KiB, written through their host mirrors while all are alive.
void aliveAtOnce(Suite& suite, Row& row) {
    constexpr size_t kTensors = 20000;
    constexpr size_t kElements = 256;
    kp::Manager& manager = suite.manager();
    Tensors tensors(kTensors);
    bool right = true;
    row.side(
        "kompute",
        [&] {
            for (auto& tensor : tensors)
                tensor = manager.tensorT<uint32_t>(kElements);
            for (size_t i = 0; i < kTensors; ++i)
                tensors[i]->data()[kElements - 1] = static_cast<uint32_t>(i);
            for (size_t i = 0; i < kTensors; ++i)
                right = right && tensors[i]->data()[kElements - 1] == i;
            for (auto& tensor : tensors)
                tensor.reset();
        },
        kTensors);
    row.target("", 0, 5);
    row.minRounds(5);
    suite.measure(row);
    Suite::require(right, "tensors share memory");
}

} // namespace

void addMemory(Suite& suite) {
    suite.add("memory/small", "10,000 tensors of 4 KiB made, freed; each",
              [](Suite& s, Row& row) { madeAndFreed(s, row, 10000, 4096, 1.5); });
    suite.add("memory/first", "10,000 tensors of 4 KiB made, without freed ones; each",
              [](Suite& s, Row& row) { madeFirst(s, row, 10000, 4096, 1.5); });
    suite.add("memory/large", "a tensor of 64 MiB made, freed",
              [](Suite& s, Row& row) { madeAndFreed(s, row, 1, 64 << 20, 0); });
    suite.add("memory/one_by_one", "a tensor of 1 KiB made, written, freed", oneByOne);
    suite.add("memory/alive", "20,000 tensors of 1 KiB at once; each", aliveAtOnce);
}

} // namespace kp::benchmark
