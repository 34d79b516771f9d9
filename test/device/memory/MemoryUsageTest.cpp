// SPDX-License-Identifier: Apache-2.0
//
// Manager::memory() counts the device memory of tensors, images and arrays.
#include <kompute/Array.hpp>

#include "../FaultyDriver.hpp"
#include "../TestSupport.hpp"
#include "../Threads.hpp"

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/BufferPool.hpp"

namespace kp::test {
namespace {

constexpr uint64_t kBytes = uint64_t{4} << 20;

class MemoryUsageTest : public ::testing::Test {
protected:
    static kp::ManagerOptions alone() {
        kp::ManagerOptions options;
        options.shareDevice = false;
        return options;
    }
    kp::Manager manager{alone()};

    std::shared_ptr<kp::TensorT<float>>
    tensor(uint64_t bytes = kBytes,
           kp::Memory::MemoryTypes type = kp::Memory::MemoryTypes::eStorage) {
        return manager.tensorT<float>(bytes / sizeof(float), type);
    }
};

TEST_F(MemoryUsageTest, AllocatedIsTheBytesOfLivingTensors) {
    EXPECT_EQ(manager.memory().allocated, 0u);
    auto a = tensor();
    EXPECT_EQ(manager.memory().allocated, kBytes);
    auto b = tensor(4);
    EXPECT_EQ(manager.memory().allocated, kBytes + 4);
    EXPECT_GE(manager.memory().reserved, kBytes + 4);
    b->destroy();
    EXPECT_EQ(manager.memory().allocated, kBytes);
    a.reset();
    EXPECT_EQ(manager.memory().allocated, 0u);
}

TEST_F(MemoryUsageTest, ListsTheObjectsThatHaveMemory) {
    const auto small = manager.tensorT<int32_t>(16, Memory::MemoryTypes::eStorage);
    const auto large = manager.tensor(std::vector<float>(4096));
    large->setName("weights");
    const auto image = manager.imageT<float>(8, 4, 1);
    std::vector<MemoryObject> objects = manager.memoryObjects();
    ASSERT_EQ(objects.size(), 3u);
    EXPECT_EQ(objects[0].name, "weights");
    EXPECT_EQ(objects[0].kind, "tensor of 4096 eFloat");
    EXPECT_EQ(objects[0].bytes, 16384u);
    EXPECT_EQ(objects[1].kind, "image of 32 eFloat");
    EXPECT_EQ(objects[2].name, "");
    large->destroy();
    EXPECT_EQ(manager.memoryObjects().size(), 2u);
}

TEST_F(MemoryUsageTest, IsReportedByKind) {
    const auto of = [&](const std::string& kind) {
        for (const MemoryKind& each : manager.memoryKinds())
            if (each.kind == kind)
                return each;
        ADD_FAILURE() << kind << " is missing";
        return MemoryKind{};
    };
    const auto tensor = manager.tensorT<float>(4096, Memory::MemoryTypes::eStorage);
    const auto image = manager.imageT<float>(8, 4, 1);
    auto array = std::make_unique<Array>(kp::ones(Shape{1 << 20}, DType::eFloat32, &manager));
    array->evaluate();
    EXPECT_EQ(of("tensors").count, 1u);
    EXPECT_EQ(of("tensors").bytes, 16384u);
    EXPECT_EQ(of("images").count, 1u);
    EXPECT_EQ(of("arrays").count, 1u);
    EXPECT_EQ(of("arrays").bytes, 4u << 20);
    array.reset();
    EXPECT_EQ(of("arrays").bytes, 0u);
    EXPECT_EQ(of("freed arrays").bytes, 4u << 20);
    uint64_t sum = 0;
    for (const MemoryKind& kind : manager.memoryKinds())
        sum += kind.bytes;
    EXPECT_EQ(sum, manager.memory().reserved);
}

TEST_F(MemoryUsageTest, LosesTheNameOfAnArrayWithTheArray) {
    auto array = std::make_unique<Array>(kp::ones(Shape{1 << 20}, DType::eFloat32, &manager));
    array->tensor()->setName("weights");
    EXPECT_EQ(manager.memoryObjects().at(0).name, "weights");
    EXPECT_EQ(manager.memoryObjects().at(0).kind, "array of 1048576 eFloat");
    array.reset();
    array = std::make_unique<Array>(
        kp::ones(Shape{1 << 20}, DType::eFloat32, &manager)); // in the same memory
    array->evaluate();
    EXPECT_EQ(manager.memoryObjects().at(0).name, "");
}

TEST_F(MemoryUsageTest, IsReportedByHeap) {
    const auto tensor = manager.tensorT<float>(1 << 20, Memory::MemoryTypes::eStorage);
    const std::vector<MemoryHeap> heaps = manager.memoryHeaps();
    ASSERT_FALSE(heaps.empty());
    uint64_t reserved = 0;
    for (const MemoryHeap& heap : heaps) {
        EXPECT_GT(heap.size, 0u);
        EXPECT_LE(heap.budget, heap.size);
        EXPECT_LE(heap.reserved, heap.size);
        reserved += heap.reserved;
    }
    EXPECT_EQ(reserved, manager.allocatedBytes());
}

TEST(MemoryHolders, AreNamedByErrorsOfOutOfMemory) {
    FaultyDriver driver;
    const std::unique_ptr<Manager> owner = driver.manager();
    const auto large = owner->tensor(std::vector<float>(4096));
    large->setName("weights");
    std::vector<std::shared_ptr<Tensor>> others;
    for (int i = 0; i < 7; ++i)
        others.push_back(owner->tensorT<float>(64));
    driver.fail("vkAllocateMemory", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                FaultyDriver::Often::eFromThenOn);
    constexpr uint64_t kMany = uint64_t{64} << 20; // needs a block of its own
    try {
        const auto huge = owner->tensorT<float>(kMany, Memory::MemoryTypes::eStorage);
        ADD_FAILURE() << "there was memory";
    } catch (const OutOfMemory& error) {
        ASSERT_GE(error.reasons().size(), 7u) << error.what();
        EXPECT_EQ(error.reasons()[0], "'weights', tensor of 4096 eFloat has 16384 bytes");
        EXPECT_EQ(error.reasons()[5], "3 more have 768 bytes");
        EXPECT_NE(error.reasons().back().find("of the heap of "), std::string::npos)
            << error.reasons().back();
        EXPECT_NE(error.vkResult(), 0);
    }
    driver.works();
}

TEST_F(MemoryUsageTest, HostMemoryAndWrappedBuffersDoNotCount) {
    const auto host = tensor(kBytes, kp::Memory::MemoryTypes::eHost);
    EXPECT_EQ(manager.memory().allocated, 0u);
    const auto owner = tensor();
    const auto view =
        manager.wrapBuffer(owner->nativeBuffer(), 16, 4, kp::Memory::DataTypes::eFloat);
    EXPECT_EQ(manager.memory().allocated, kBytes);
}

TEST_F(MemoryUsageTest, ARebuiltTensorCountsItsNewSize) {
    auto t = tensor();
    t->rebuild(nullptr, 1000, 4);
    EXPECT_EQ(manager.memory().allocated, 4000u);
    EXPECT_EQ(manager.memory().peak, kBytes + 4000);
}

TEST_F(MemoryUsageTest, ImagesCount) {
    const auto image = manager.image({}, 64, 32, 4, kp::Memory::MemoryTypes::eStorage);
    EXPECT_EQ(manager.memory().allocated, 64u * 32 * 4 * 4);
}

TEST_F(MemoryUsageTest, ThePeakStaysUntilItIsReset) {
    auto a = tensor();
    auto b = tensor();
    b.reset();
    EXPECT_EQ(manager.memory().allocated, kBytes);
    EXPECT_EQ(manager.memory().peak, 2 * kBytes);
    EXPECT_GE(manager.memory().peakReserved, 2 * kBytes);
    manager.resetPeakMemory();
    EXPECT_EQ(manager.memory().peak, kBytes);
    EXPECT_EQ(manager.memory().peakReserved, manager.memory().reserved);
    a.reset();
    EXPECT_EQ(manager.memory().peak, kBytes);
}

TEST_F(MemoryUsageTest, MemoryOfFreedArraysIsCachedUntilClear) {
    {
        const Array x = Array::of(std::vector<float>(kBytes / sizeof(float), 1.0f), &manager);
        x.evaluate();
        EXPECT_EQ(manager.memory().allocated, kBytes);
        EXPECT_LT(manager.memory().cached, kBytes);
    }
    EXPECT_EQ(manager.memory().allocated, 0u);
    EXPECT_GE(manager.memory().cached, kBytes);
    const Array again = Array::of(std::vector<float>(kBytes / sizeof(float), 2.0f), &manager);
    again.evaluate();
    EXPECT_EQ(manager.memory().allocated, kBytes);
    EXPECT_LT(manager.memory().cached, kBytes);
    EXPECT_EQ(manager.memory().peak, kBytes);
}

TEST_F(MemoryUsageTest, ClearFreesWhatIsCached) {
    {
        const Array x = Array::of(std::vector<float>(kBytes / sizeof(float), 1.0f), &manager);
        kp::sort(x).evaluate();
    }
    manager.waitIdle();
    const uint64_t reserved = manager.memory().reserved;
    manager.clear();
    EXPECT_EQ(manager.memory().cached, 0u);
    EXPECT_EQ(manager.memory().allocated, 0u);
    EXPECT_LE(manager.memory().reserved, reserved);
}

TEST_F(MemoryUsageTest, FreedSmallTensorsAreCached) {
    if (validating())
        GTEST_SKIP() << "under validation, freed buffers are destroyed";
    tensor(4096);
    EXPECT_EQ(manager.memory().allocated, 0u);
    EXPECT_EQ(manager.memory().cached, 4096u);
    tensor(4096, kp::Memory::MemoryTypes::eHost);
    EXPECT_EQ(manager.memory().cached, 4096u);
}

TEST_F(MemoryUsageTest, ManagersCountTheirOwn) {
    kp::Manager shared;
    kp::Manager other; // of the same device
    const auto a = tensor();
    const auto b = other.tensorT<float>(100);
    EXPECT_EQ(manager.memory().allocated, kBytes);
    EXPECT_EQ(other.memory().allocated, 400u);
    EXPECT_EQ(shared.memory().allocated, 0u);
    shared.resetPeakMemory();
    EXPECT_EQ(manager.memory().peak, kBytes);
}

TEST_F(MemoryUsageTest, ThreadsMayAllocateAtTheSameTime) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 200; ++k)
                tensor(4096);
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(manager.memory().allocated, 0u);
    EXPECT_GE(manager.memory().peak, 4096u);
    EXPECT_LE(manager.memory().peak, 4u * 4096);
}

TEST_F(MemoryUsageTest, ADestroyedManagerHasNoReport) {
    const auto kept = tensor();
    manager.destroy();
    EXPECT_THROW(static_cast<void>(manager.memory()), kp::InvalidArgument);
    EXPECT_THROW(manager.resetPeakMemory(), kp::InvalidArgument);
}

} // namespace
} // namespace kp::test
