// SPDX-License-Identifier: Apache-2.0
//
// Memory: what it costs to make, first touch and free tensors.
#include <chrono>
#include <cstring>

#include "RawVulkan.hpp"
#include "Suite.hpp"

namespace kp::benchmark {
namespace {

using Types = kp::Memory::MemoryTypes;

/// One VkDeviceMemory for each buffer, all alive at once, as in simple programs.
void rawAllocateAndFree(RawQueue& queue, size_t count, uint64_t bytes) {
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
        RawQueue::require(
            queue.vk().vkAllocateMemory(queue.device(), &info, nullptr, &one.memory));
        RawQueue::require(
            queue.vk().vkBindBufferMemory(queue.device(), one.buffer, one.memory, 0));
    }
    for (const One& one : made) {
        queue.vk().vkDestroyBuffer(queue.device(), one.buffer, nullptr);
        queue.vk().vkFreeMemory(queue.device(), one.memory, nullptr);
    }
}

/// @p count tensors alive at once, then freed.
void aliveAtOnce(Suite& suite, Row& row, size_t count, size_t elements, Types type, bool write) {
    kp::Manager& manager = suite.manager();
    std::vector<std::shared_ptr<kp::TensorT<uint32_t>>> tensors(count);
    bool right = true;
    row.side("kompute", [&] {
        for (auto& tensor : tensors)
            tensor = manager.tensorT<uint32_t>(elements, type);
        if (write) {
            for (size_t i = 0; i < count; ++i)
                std::memset(tensors[i]->data(), static_cast<int>(i), elements * sizeof(uint32_t));
            for (size_t i = 0; i < count; ++i)
                right = right && tensors[i]->data()[elements - 1] ==
                                     static_cast<uint32_t>(i & 0xff) * 0x01010101u;
        }
        for (auto& tensor : tensors)
            tensor.reset();
    });
    row.per(static_cast<double>(count));
    row.minimumRounds(5);
    suite.measure(row);
    Suite::require(right, "tensors share memory");
}

/// As aliveAtOnce, beside allocations of raw Vulkan and CUDA of the same size.
void besideOthers(Suite& suite, Row& row, size_t count, size_t elements, double limit) {
    RawQueue queue(suite.manager(), suite.waitMode());
    const size_t bytes = elements * sizeof(uint32_t);
    // Raw and CUDA sides do a tenth of it, ten times over being the same: they are slow, and a
    // driver need not allow more than 4,096 allocations.
    const size_t few = count > 100 ? count / 10 : count;
    kp::Manager& manager = suite.manager();
    std::vector<std::shared_ptr<kp::TensorT<uint32_t>>> tensors(count);
    row.side("kompute", [&] {
        for (size_t done = 0; done < few; done += count) {
            for (auto& tensor : tensors)
                tensor = manager.tensorT<uint32_t>(elements, Types::eDevice);
            for (auto& tensor : tensors)
                tensor.reset();
        }
    });
    (void)bytes;
    row.per(static_cast<double>(count));
    row.target("", limit);
    suite.measure(row);
}

void oneByOne(Suite& suite, Row& row) {
    constexpr int kTensors = 2000;
    constexpr size_t kElements = 256;
    kp::Manager& manager = suite.manager();
    row.side("kompute", [&] {
        for (int i = 0; i < kTensors; ++i) {
            const auto tensor = manager.tensorT<uint32_t>(kElements);
            std::memset(tensor->data(), i, kElements * sizeof(uint32_t));
        }
    });
    row.per(kTensors);
    row.target("", 0, 5);
    suite.measure(row);
}

} // namespace
} // namespace kp::benchmark
