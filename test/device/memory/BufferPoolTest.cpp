// SPDX-License-Identifier: Apache-2.0
//
// Small tensors that are freed leave their buffers to the next ones.
#include <set>

#include "../CallCounter.hpp"
#include "../FaultyDriver.hpp"
#include "../TestSupport.hpp"

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/BufferPool.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/queue/Pools.hpp"
#include "vulkan/queue/Submission.hpp"

namespace kp::test {
namespace {

using Tensors = std::vector<std::shared_ptr<kp::TensorT<uint32_t>>>;
using kp::vulkan::BufferPool;

class BufferPoolTest : public ::testing::Test {
protected:
    kp::Manager manager{[] {
        kp::ManagerOptions options;
        options.shareDevice = false;
        return options;
    }()};
    BufferPool& pool = deviceOf(manager)->bufferPool();

    void SetUp() override {
        if (validating())
            GTEST_SKIP() << "under validation, freed buffers are destroyed";
    }

    Tensors make(size_t count, size_t elements,
                 kp::Memory::MemoryTypes type = kp::Memory::MemoryTypes::eDevice) {
        Tensors tensors;
        for (size_t i = 0; i < count; ++i)
            tensors.push_back(manager.tensorT<uint32_t>(elements, type));
        return tensors;
    }
};

TEST_F(BufferPoolTest, NewTensorsGetTheBuffersOfFreedOnes) {
    make(100, 1024);
    EXPECT_EQ(pool.count(), 100u);
    EXPECT_EQ(pool.bytes(), 100u * 4096);
    const CallCounter calls(manager);
    const Tensors tensors = make(100, 1024);
    EXPECT_EQ(calls.of("vkCreateBuffer"), 0u);
    EXPECT_EQ(pool.count(), 0u);
    std::set<VkBuffer> handles;
    for (uint32_t i = 0; i < tensors.size(); ++i) {
        handles.insert(tensors[i]->nativeBuffer());
        tensors[i]->upload(std::vector<uint32_t>(1024, i));
    }
    EXPECT_EQ(handles.size(), tensors.size());
    for (uint32_t i = 0; i < tensors.size(); ++i)
        EXPECT_EQ(onDevice<uint32_t>(*tensors[i]), std::vector<uint32_t>(1024, i));
    const auto before = calls.of("vkCreateBuffer");
    make(1, 1025);
    EXPECT_EQ(calls.of("vkCreateBuffer"), before + 1) << "another size";
}

TEST_F(BufferPoolTest, OtherKindsOfMemoryGetOtherBuffers) {
    make(1, 64, kp::Memory::MemoryTypes::eStorage);
    const CallCounter calls(manager);
    const Tensors host = make(1, 64, kp::Memory::MemoryTypes::eHost);
    EXPECT_EQ(calls.of("vkCreateBuffer"), 1u);
    host[0]->setData(std::vector<uint32_t>(64, 7));
    const Tensors storage = make(1, 64, kp::Memory::MemoryTypes::eStorage);
    EXPECT_EQ(calls.of("vkCreateBuffer"), 1u);
    manager.sequence()->eval<kp::OpCopy>({host[0], storage[0]});
    EXPECT_EQ(onDevice<uint32_t>(*storage[0]), std::vector<uint32_t>(64, 7));
}

TEST_F(BufferPoolTest, ABufferIsKeptOnlyOnceTheDeviceHasFinishedWithIt) {
    vulkan::Device& device = *deviceOf(manager);
    vulkan::Queue& queue = device.queue(0);
    const auto sequence = manager.sequence();
    recordSlowWork(manager, *sequence, manager.tensorT<uint32_t>(1 << 16));
    sequence->evalAsync();
    const size_t before = pool.count();
    auto memory = vulkan::Buffer::create(device, 4096, vulkan::MemoryPlace::eDevice);
    vulkan::CommandBuffer commands = device.commandBuffers().acquire(queue.family());
    commands.begin(true);
    device.vk().vkCmdFillBuffer(commands.handle(), memory->handle(), 0, VK_WHOLE_SIZE, 1);
    commands.end();
    const VkCommandBuffer handle = commands.handle();
    vulkan::AccessList accesses;
    accesses.add(memory, true);
    const auto done = vulkan::submitOrdered(queue, {&handle, 1}, accesses);
    accesses = {};
    memory.reset();
    device.deletionQueue().collect();
    EXPECT_EQ(pool.count(), before);
    EXPECT_TRUE(queue.wait(done.value, UINT64_MAX, vulkan::WaitMode::eBlock));
    device.deletionQueue().collect();
    EXPECT_EQ(pool.count(), before + 1);
    sequence->evalAwait();
}

TEST_F(BufferPoolTest, KeepsABoundedNumberOfBuffersAndBytes) {
    make(20'000, 1);
    EXPECT_EQ(pool.count(), BufferPool::kSmallTensors.buffers);
    // Buffers of another size make room.
    make(1, BufferPool::kSmallTensors.bytesEach / 4);
    EXPECT_EQ(pool.count(), 1u);
    make(BufferPool::kSmallTensors.bytes / BufferPool::kSmallTensors.bytesEach + 5,
         BufferPool::kSmallTensors.bytesEach / 4);
    EXPECT_EQ(pool.bytes(), BufferPool::kSmallTensors.bytes);
    make(1, BufferPool::kSmallTensors.bytesEach / 4 + 1);
    EXPECT_EQ(pool.bytes(), BufferPool::kSmallTensors.bytes) << "it is large";
}

TEST_F(BufferPoolTest, DoesNotKeepBuffersWithNames) {
    manager.tensorT<uint32_t>(16)->setName("named");
    EXPECT_EQ(pool.count(), 0u);
}

TEST_F(BufferPoolTest, IsEmptiedByTheManagersClear) {
    make(10, 16);
    EXPECT_EQ(pool.count(), 10u);
    manager.clear();
    EXPECT_EQ(pool.count(), 0u);
}

TEST_F(BufferPoolTest, TheManagersClearGivesBackTheMemoryOfDroppedTensors) {
    manager.clear();
    const uint64_t before = manager.allocatedBytes();
    for (int round = 0; round < 2; ++round) {
        for (const auto type : kMemoryTypes) {
            Tensors tensors = make(3000, 64, type);
            manager.sequence()->eval<kp::OpSyncDevice>({tensors[0], tensors[1]});
        }
        EXPECT_GT(manager.allocatedBytes(), before);
        manager.clear();
        EXPECT_EQ(manager.allocatedBytes(), before);
    }
    const auto kept = make(1, 64);
    kept[0]->setData(std::vector<uint32_t>(64, 7)); // makes its mirror
    const uint64_t withOne = manager.allocatedBytes();
    manager.sequence()->eval<kp::OpSyncDevice>({kept[0]});
    manager.clear();
    EXPECT_LE(manager.allocatedBytes(), withOne);
    EXPECT_EQ(onDevice<uint32_t>(*kept[0]), std::vector<uint32_t>(64, 7));
}

TEST(BufferPoolFailure, IsEmptiedIfThereIsNoMemory) {
    if (validating())
        GTEST_SKIP() << "under validation, freed buffers are destroyed";
    FaultyDriver driver;
    {
        const auto manager = driver.manager();
        manager->tensorT<uint32_t>(16);
        BufferPool& pool = deviceOf(*manager)->bufferPool();
        EXPECT_EQ(pool.count(), 1u);
        driver.fail("vkAllocateMemory", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                    FaultyDriver::Often::eFromThenOn);
        EXPECT_THROW(manager->tensorT<uint32_t>(64u << 20), kp::OutOfMemory);
        EXPECT_EQ(pool.count(), 0u);
        driver.works();
        manager->tensorT<uint32_t>(16);
        EXPECT_EQ(pool.count(), 1u);
    }
    EXPECT_TRUE(driver.alive().empty());
    EXPECT_EQ(driver.misuses(), 0u);
}

} // namespace
} // namespace kp::test
