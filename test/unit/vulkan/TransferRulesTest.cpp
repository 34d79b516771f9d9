// SPDX-License-Identifier: Apache-2.0
#include "vulkan/transfer/TransferRules.hpp"

#include <gtest/gtest.h>
#include <kompute/Error.hpp>

#include "unit/vulkan/InventedDevice.hpp"
#include "vulkan/device/DevicePlan.hpp"

namespace kp::vulkan::test {
namespace {

constexpr uint64_t kGibi = uint64_t{1} << 30;
constexpr VkMemoryPropertyFlags kDeviceOnly = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kHost =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

PhysicalDevice withHeaps(VkPhysicalDeviceType type, uint64_t deviceHeap, uint64_t mappedHeap) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3, "Invented", type);
    device.memory.memoryHeapCount = 2;
    device.memory.memoryHeaps[0] = {deviceHeap, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    device.memory.memoryHeaps[1] = {mappedHeap, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    device.memory.memoryTypeCount = mappedHeap == 0 ? 1 : 2;
    device.memory.memoryTypes[0] = {kDeviceOnly, 0};
    device.memory.memoryTypes[1] = {kDeviceOnly | kHost, 1};
    return device;
}

TEST(TransferRules, RequireCoherentMappedMemoryOfTheWholeDevice) {
    const auto type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    EXPECT_TRUE(mapsWholeMemory(withHeaps(type, 140 * kGibi, 140 * kGibi)));
    EXPECT_FALSE(mapsWholeMemory(withHeaps(type, 16 * kGibi, kGibi / 4)));
    EXPECT_FALSE(mapsWholeMemory(withHeaps(type, 16 * kGibi, 0)));
    PhysicalDevice incoherent = withHeaps(type, kGibi, kGibi);
    incoherent.memory.memoryTypes[1].propertyFlags =
        kDeviceOnly | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    EXPECT_FALSE(mapsWholeMemory(incoherent));
}

TEST(TransferRules, StageWithThreadsOnDiscreteDevices) {
    const auto type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    const TransferRules rules = defaultTransferRules(withHeaps(type, kGibi, kGibi), 16);
    EXPECT_EQ(rules.threads, 8u);
    EXPECT_GT(rules.mappedBytes, 0u);
    EXPECT_LT(rules.mappedBytes, 16u << 20);
    EXPECT_LT(rules.copyQueueBytes, UINT64_MAX);
    EXPECT_LE(rules.stagingBytes, 256u << 20);
    EXPECT_EQ(defaultTransferRules(withHeaps(type, kGibi, 0), 16).mappedBytes, 0u);
}

TEST(TransferRules, CopyWithAShaderOnlyOnDiscreteNvidiaGpus) {
    constexpr uint32_t kNvidia = 0x10de;
    for (const auto type :
         {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
          VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, VK_PHYSICAL_DEVICE_TYPE_CPU})
        for (const uint32_t vendor : {kNvidia, 0x1002u, 0x8086u, 0x10005u}) {
            PhysicalDevice device = withHeaps(type, kGibi, kGibi);
            device.properties.vendorID = vendor;
            const TransferRules rules = defaultTransferRules(device, 8);
            const bool slow = type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU && vendor == kNvidia;
            EXPECT_EQ(rules.copyKernelBytes, slow ? 1u << 20 : 0u) << type << " of " << vendor;
            EXPECT_EQ(rules.fillKernelBytes, 0u) << type << " of " << vendor;
        }
}

TEST(TransferRules, LeaveHostThreadsFree) {
    const auto device = withHeaps(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, kGibi, kGibi);
    EXPECT_EQ(defaultTransferRules(device, 4).threads, 2u);
    EXPECT_EQ(defaultTransferRules(device, 1).threads, 1u);
    EXPECT_EQ(defaultTransferRules(device, 0).threads, 1u); // hardware_concurrency() may be unknown
    EXPECT_EQ(defaultTransferRules(device, 256).threads, 8u);
}

TEST(TransferRules, WriteSharedMemoryInPlace) {
    for (const auto type : {VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, VK_PHYSICAL_DEVICE_TYPE_CPU}) {
        const TransferRules rules = defaultTransferRules(withHeaps(type, kGibi, kGibi), 8);
        EXPECT_EQ(rules.mappedBytes, UINT64_MAX);
        EXPECT_EQ(rules.copyQueueBytes, UINT64_MAX);
    }
    const auto cpu = withHeaps(VK_PHYSICAL_DEVICE_TYPE_CPU, kGibi, kGibi);
    EXPECT_EQ(defaultTransferRules(cpu, 64).threads, 1u);
}

TEST(TransferRules, ParseAndPrintChanges) {
    const TransferRules rules = changedRules(
        {}, "chunk=1M,inflight=6,threads=3,threaded=512K,stream=1,staging=64m,idle=250,mapped=2G,"
            "copyqueue=12345,piece=16M,queues=2,copykernel=3M,fillkernel=5K");
    TransferRules expected;
    expected.chunkBytes = 1u << 20;
    expected.chunksInFlight = 6;
    expected.threads = 3;
    expected.threadedBytes = 512u << 10;
    expected.streamingStores = true;
    expected.stagingBytes = 64u << 20;
    expected.idleMilliseconds = 250;
    expected.mappedBytes = 2 * kGibi;
    expected.copyQueueBytes = 12345;
    expected.pieceBytes = 16u << 20;
    expected.pieceQueues = 2;
    expected.copyKernelBytes = 3u << 20;
    expected.fillKernelBytes = 5u << 10;
    EXPECT_EQ(rules, expected);
    EXPECT_EQ(changedRules({}, toString(rules)), rules);
    EXPECT_EQ(changedRules(rules, ""), rules);
    EXPECT_EQ(changedRules(rules, ",threads=4,").threads, 4u);
}

TEST(TransferRules, LimitChunksToTheStagingMemory) {
    EXPECT_EQ(changedRules({}, "chunk=64M,staging=64M").chunkBytes, 16u << 20);
    EXPECT_EQ(changedRules({}, "staging=1M").chunkBytes, 256u << 10);
    EXPECT_EQ(changedRules({}, "chunk=5000").chunkBytes, 4096u);
    const TransferRules smallest = changedRules({}, "staging=64K");
    EXPECT_GE(smallest.stagingBytesEach(), 2 * smallest.chunkBytes);
}

TEST(TransferRules, RefuseMalformedChanges) {
    for (const char* text : {"chunk", "chunk=", "chunk=x", "chunk=4Q", "chunk=4MB", "pieces=4",
                             "=4", "threads=0", "threads=65", "stream=2", "inflight=1", "chunk=1",
                             "staging=1", "queues=0", "threads=-1", "chunk=99999999999999999999",
                             "chunk=99999999999999G", "idle=4294967296", "threads=2 chunk=4M"}) {
        try {
            changedRules({}, text);
            ADD_FAILURE() << text << " was accepted";
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find("copyqueue"), std::string::npos)
                << "the message does not list the names: " << error.what();
        }
    }
}

/// Returns a device with these queue families and timeline semaphores.
PhysicalDevice withFamilies(std::vector<VkQueueFamilyProperties> families) {
    PhysicalDevice device = inventDevice(VK_API_VERSION_1_3);
    device.queueFamilies = std::move(families);
    offer(device, Feature::eTimelineSemaphore);
    return device;
}

TEST(CopyQueues, TakeUpToTwoQueuesOfTheTransferOnlyFamily) {
    const auto device = withFamilies(
        {family(kAll, 16), family(VK_QUEUE_TRANSFER_BIT | VK_QUEUE_VIDEO_DECODE_BIT_KHR, 1),
         family(VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT, 5)});
    const DevicePlanResult result = planDevice(device, {});
    ASSERT_TRUE(result.plan);
    EXPECT_EQ(result.plan->copyQueues, (std::vector<QueuePlan>{{2, 0}, {2, 1}}));
    EXPECT_EQ(result.plan->queues.size(), 1U);
    const auto one = withFamilies({family(VK_QUEUE_TRANSFER_BIT, 1), family(kAll, 1)});
    EXPECT_EQ(planDevice(one, {}).plan->copyQueues, (std::vector<QueuePlan>{{0, 0}}));
}

TEST(CopyQueues, NeedATransferOnlyFamilyAndTimelineSemaphores) {
    EXPECT_TRUE(planDevice(withFamilies({family(kAll, 16), family(kCompute, 8)}), {})
                    .plan->copyQueues.empty());
    DeviceRequest fences;
    fences.withheld = {"timelineSemaphore"};
    EXPECT_TRUE(
        planDevice(withFamilies({family(kAll, 1), family(VK_QUEUE_TRANSFER_BIT, 2)}), fences)
            .plan->copyQueues.empty());
}

} // namespace
} // namespace kp::vulkan::test
