// SPDX-License-Identifier: Apache-2.0
//
// The transfer engine under many rules: exactness, limits, memory that the device accesses
// directly, and failures.
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#if defined(__linux__)
#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "../CallCounter.hpp"
#include "../FaultyDriver.hpp"
#include "../TestSupport.hpp"
#include "Sanitizers.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Allocator.hpp"
#include "vulkan/memory/BufferPool.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp::test {
namespace {

using MemoryTypes = kp::Memory::MemoryTypes;

std::shared_ptr<kp::Tensor> storageTensor(kp::Manager& manager, size_t bytes) {
    return manager.tensor(bytes, 1, kp::Memory::DataTypes::eUnsignedChar, MemoryTypes::eStorage);
}

class TransferEngineTest : NewDevice, public DeviceTest {
protected:
    vulkan::Transfer& engine() { return deviceOf(manager)->transfer(); }

    void expectStagingIsFreed() {
        EXPECT_GT(engine().stagingBytes(), 0u);
        for (int i = 0; i < 1000 && engine().stagingBytes() != 0; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        EXPECT_EQ(engine().stagingBytes(), 0u);
    }
};

class TransferRulesOnDevice : public TransferEngineTest,
                              public ::testing::WithParamInterface<const char*> {
protected:
    TransferRulesOnDevice() { engine().changeRules(GetParam()); }
};

TEST_P(TransferRulesOnDevice, TransfersOddSizesAndOffsetsExactly) {
    constexpr size_t kBytes = (3u << 20) + 4097;
    const auto t = storageTensor(manager, kBytes);
    std::vector<uint8_t> expected = randomBytes(kBytes);
    t->upload(expected);
    EXPECT_TRUE(onDevice<uint8_t>(*t) == expected);

    uint64_t seed = 2;
    for (const size_t bytes : {size_t{1}, size_t{3}, size_t{4095}, size_t{65'537}, size_t{262'144},
                               size_t{262'145}, size_t{1'048'577}, kBytes - 131'073})
        for (const size_t offset : {size_t{0}, size_t{1}, size_t{131'071}}) {
            const std::vector<uint8_t> part = randomBytes(bytes + 3, ++seed);
            t->upload(part.data() + 3, bytes, offset); // the source is not aligned either
            std::copy_n(part.begin() + 3, bytes, expected.begin() + offset);
            std::vector<uint8_t> back(bytes + 2, 0xEE);
            t->download(back.data() + 1, bytes, offset);
            ASSERT_TRUE(std::equal(part.begin() + 3, part.end(), back.begin() + 1))
                << bytes << " bytes at " << offset;
            ASSERT_EQ(back.front(), 0xEE);
            ASSERT_EQ(back.back(), 0xEE);
        }
    EXPECT_TRUE(onDevice<uint8_t>(*t) == expected) << "bytes outside the ranges were changed";
}

TEST_P(TransferRulesOnDevice, TransfersImagesExactly) {
    constexpr uint32_t kWidth = 517;
    constexpr uint32_t kHeight = 301;
    std::vector<float> values(kWidth * kHeight);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(i);
    const auto image = manager.image(kWidth, kHeight, 1, MemoryTypes::eStorage);
    image->upload(values);
    EXPECT_TRUE(onDevice<float>(*image) == values);
}

TEST_P(TransferRulesOnDevice, OrdersTransfersAndEvaluations) {
    // One workgroup each: some devices allow no more than 65,535, and a sanitizer takes long for
    // each.
    const size_t count = slowed() ? 3'003 : 60'003;
    const auto t = manager.tensorT<uint32_t>(count, MemoryTypes::eStorage);
    auto sq = manager.sequence();
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1)));
    for (uint32_t round = 0; round < 10; ++round) {
        t->upload(ascending<uint32_t>(count, round));
        sq->evalAsync();
        EXPECT_TRUE(onDevice<uint32_t>(*t) == ascending<uint32_t>(count, round + 1));
        sq->evalAwait();
    }
}

TEST_P(TransferRulesOnDevice, KeepsStagingWithinItsLimit) {
    const auto t = storageTensor(manager, 5u << 20);
    for (const size_t bytes : {size_t{1000}, size_t{1u << 20}, size_t{5u << 20}}) {
        const auto values = randomBytes(bytes);
        t->upload(values);
        std::vector<uint8_t> back(bytes);
        t->download(back.data(), bytes);
        EXPECT_LE(engine().stagingBytes(), engine().rules().stagingBytes);
    }
    deviceOf(manager)->waitIdle();
    manager.clear();
    EXPECT_EQ(engine().stagingBytes(), 0u);
}

TEST_P(TransferRulesOnDevice, TransfersPinnedArrays) {
    constexpr size_t kCount = 400'001;
    const uint64_t staging = engine().stagingBytes(); // of transfers before
    const auto source = manager.pinnedArray<uint32_t>(kCount);
    const auto target = manager.pinnedArray<uint32_t>(kCount);
    EXPECT_EQ(source->size(), kCount);
    EXPECT_EQ(source->bytes(), kCount * 4);
    for (size_t i = 0; i < kCount; ++i)
        (*source)[i] = static_cast<uint32_t>(i * 13);
    std::fill(target->begin(), target->end(), 1u);
    const auto t = manager.tensorT<uint32_t>(kCount, MemoryTypes::eStorage);
    t->upload(source->data(), source->bytes());
    t->download(target->data() + 1, (kCount - 1) * 4, 4); // a part of it
    EXPECT_EQ(target->data()[0], 1u);
    EXPECT_TRUE(std::equal(source->begin() + 1, source->end(), target->begin() + 1));
    EXPECT_EQ(engine().stagingBytes(), staging);
    t->upload(source->data() + 7, 4, 0);
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 7u * 13);
}

TEST_P(TransferRulesOnDevice, TransfersImportedMemory) {
    std::vector<uint8_t> memory = randomBytes((2u << 20) + 123);
    std::vector<uint8_t> expected = memory;
    const auto t = storageTensor(manager, memory.size());
    // A part in the middle, with unaligned ends.
    const size_t first = 5001;
    const size_t bytes = (1u << 20) + 77;
    const auto import = manager.importHost(memory.data() + first, bytes);
    EXPECT_EQ(import->bytes(), bytes);
    EXPECT_EQ(import->data(), memory.data() + first);
    EXPECT_EQ(import->imported(), import->reason().empty());

    t->upload(memory); // only a part is imported
    EXPECT_TRUE(onDevice<uint8_t>(*t) == expected);
    const auto other = randomBytes(memory.size(), 99);
    t->upload(other);
    t->download(memory.data(), memory.size());
    EXPECT_TRUE(memory == other);
    t->upload(expected);
    t->download(memory.data() + first + 1, bytes - 2, first + 1);
    EXPECT_TRUE(std::equal(memory.begin() + first + 1, memory.begin() + first + bytes - 1,
                           expected.begin() + first + 1));
    EXPECT_EQ(memory[first], other[first]);
    EXPECT_EQ(memory[first + bytes - 1], other[first + bytes - 1]);
}

INSTANTIATE_TEST_SUITE_P(Rules, TransferRulesOnDevice,
                         ::testing::Values("", "mapped=0", "mapped=0,threads=1,chunk=64K",
                                           "mapped=0,threads=4,threaded=1,chunk=128K,inflight=3",
                                           "mapped=0,threads=6,threaded=1,chunk=64K,staging=256K",
                                           "mapped=0,threads=3,staging=64K",
                                           "mapped=0,copyqueue=0,piece=100K,queues=2",
                                           "mapped=0,stream=1,threads=2,chunk=1M,threaded=64K",
                                           "mapped=16G,threads=4,threaded=64K,stream=1"),
                         [](const auto& info) { return "Rules" + std::to_string(info.index); });

TEST_F(TransferEngineTest, TakesTheQueueThatWorkedLast) {
    const auto info = manager.deviceInfo();
    std::vector<uint32_t> families;
    for (uint32_t family = 0; family < info.computeQueues.size(); ++family)
        if (info.computeQueues[family] > 0)
            families.push_back(family);
    kp::Manager several(info.index, families);
    engine().changeRules("mapped=0,copyqueue=1G");
    const auto t = storageTensor(manager, 4096);
    const auto values = randomBytes(4096);
    for (uint32_t i = 0; i < several.queueCount(); ++i) {
        several.sequence(i)->eval<kp::OpFill>({t}, uint8_t{1});
        vulkan::Queue& last = deviceOf(manager)->recentQueue();
        EXPECT_EQ(last.handle(), several.nativeQueue(i));
        const uint64_t before = last.lastValue();
        t->upload(values);
        EXPECT_GT(last.lastValue(), before);
        EXPECT_EQ(onDevice<uint8_t>(*t), values);
        EXPECT_EQ(&deviceOf(manager)->recentQueue(), &last);
    }
}

TEST_F(TransferEngineTest, ReusesTheObjectsOfEarlierTransfers) {
    engine().changeRules("mapped=0,threads=1,chunk=256K,inflight=2");
    const auto t = storageTensor(manager, 3u << 20);
    const auto values = randomBytes(3u << 20);
    std::vector<uint8_t> back(values.size());
    const auto pinned = manager.pinnedArray<uint8_t>(values.size());
    const auto all = [&] {
        t->upload(values);
        t->upload(values.data(), 100);
        t->download(back.data(), back.size());
        t->download(back.data(), 100);
        t->upload(pinned->data(), pinned->bytes());
        t->download(pinned->data(), pinned->bytes());
    };
    for (int round = 0; round < 3; ++round) {
        all();
        deviceOf(manager)->waitIdle();
        deviceOf(manager)->deletionQueue().collect();
    }
    // On a busy machine a later transfer may need one more staging buffer than the first ones did.
    // Their number is bounded, so after a few attempts nothing more can be created.
    std::string created;
    for (int attempt = 0; attempt < 4; ++attempt) {
        CallCounter calls(manager);
        for (int round = 0; round < 5; ++round) {
            all();
            deviceOf(manager)->waitIdle();
        }
        created = calls.objectsCreated() == 0 ? std::string() : calls.list();
        if (created.empty())
            break;
    }
    EXPECT_EQ(created, "");
}

TEST_F(TransferEngineTest, WritesMappedMemoryWithoutASubmission) {
    engine().changeRules("mapped=1M");
    const auto t = storageTensor(manager, 1u << 20);
    const auto large = storageTensor(manager, (1u << 20) + 1);
    const auto values = randomBytes(1u << 20);
    CallCounter calls(manager);
    t->upload(values);
    const bool mapped = vulkan::mapsWholeMemory(deviceOf(manager)->physical());
    EXPECT_EQ(calls.submits() == 0, mapped);
    EXPECT_EQ(engine().stagingBytes() == 0, mapped);
    EXPECT_TRUE(onDevice<uint8_t>(*t) == values);
    calls.reset();
    large->upload(values);
    EXPECT_GT(calls.submits(), 0u) << "larger buffers are not mapped";
}

TEST_F(TransferEngineTest, FreesStagingWhenIdle) {
    engine().changeRules("mapped=0,idle=50,threads=2");
    const auto t = storageTensor(manager, 4u << 20);
    t->upload(randomBytes(4u << 20));
    expectStagingIsFreed();
    const auto values = randomBytes(4u << 20, 8);
    t->upload(values);
    EXPECT_TRUE(onDevice<uint8_t>(*t) == values);
}

TEST_F(TransferEngineTest, FreesStagingOfSmallTransfersWhenIdle) {
    engine().changeRules("mapped=0,idle=50");
    const auto t = storageTensor(manager, 1000);
    t->upload(randomBytes(1000));
    expectStagingIsFreed();
}

TEST_F(TransferEngineTest, FindsNothingOutsideImportedMemory) {
    std::vector<uint8_t> memory(2u << 20);
    uint8_t* const first = memory.data() + 5001;
    const size_t bytes = memory.size() - 10'000;
    const auto import = manager.importHost(first, bytes);
    if (!import->imported())
        GTEST_SKIP() << import->reason();
    const vulkan::HostRanges& ranges = engine().hostRanges();
    EXPECT_FALSE(ranges.find(first - 1, 1).buffer);
    EXPECT_FALSE(ranges.find(first + bytes, 1).buffer);
    EXPECT_TRUE(ranges.find(first, 1).buffer);
    EXPECT_TRUE(ranges.find(first + bytes - 1, 1).buffer);
    EXPECT_EQ(ranges.find(first, memory.size()).bytes, bytes);
    EXPECT_EQ(ranges.find(first - 7, memory.size()).bytes, 7u);
}

TEST_F(TransferEngineTest, TakesItsRulesFromTheManagerOptions) {
    kp::ManagerOptions options;
    options.transfer = "threads=3,chunk=1M";
    options.stagingBytes = 32u << 20;
    const kp::Manager other(options);
    const vulkan::TransferRules rules = deviceOf(other)->transfer().rules();
    EXPECT_EQ(rules.threads, 3u);
    EXPECT_EQ(rules.chunkBytes, 1u << 20);
    EXPECT_EQ(rules.stagingBytes, 32u << 20);
    options.transfer = "speed=11";
    EXPECT_ERROR(kp::InvalidArgument, "speed=11", kp::Manager{options});
}

TEST_F(TransferEngineTest, TransfersLargeTensorsAtLargeOffsets) {
    const bool software = manager.deviceInfo().type == kp::DeviceType::eCpu;
    // Over 4 GiB on GPUs. Some versions of Mesa's software driver have a heap of 2 GiB.
    const uint64_t bytes = software ? (uint64_t{1} << 30) + 12'345 : (uint64_t{5} << 30) + 12'345;
    if (manager.deviceInfo().memoryBytes < bytes + bytes / 4)
        GTEST_SKIP() << "the device has " << manager.deviceInfo().memoryBytes << " bytes";
    engine().changeRules("mapped=0");
    std::shared_ptr<kp::Tensor> t;
    try {
        t = storageTensor(manager, bytes);
    } catch (const kp::Error& error) {
        GTEST_SKIP() << "the device has no room: " << error.what();
    }
    const std::vector<uint8_t> values = randomBytes(bytes);
    t->upload(values);
    std::vector<uint8_t> part((100u << 20) + 17);
    for (uint64_t at = 0; at < bytes; at += part.size()) {
        const uint64_t count = std::min<uint64_t>(part.size(), bytes - at);
        t->download(part.data(), count, at);
        ASSERT_EQ(std::memcmp(part.data(), values.data() + at, count), 0) << "at " << at;
    }
}

TEST_F(TransferEngineTest, KeepsPinnedArraysAfterTheirManagerIsGone) {
    std::shared_ptr<kp::PinnedArray<float>> array;
    {
        kp::Manager other;
        array = other.pinnedArray<float>(1000);
    }
    (*array)[999] = 4.0f;
    EXPECT_EQ(array->begin()[999], 4.0f);
    EXPECT_THROW(manager.pinnedArray<float>(0), kp::InvalidArgument);
    EXPECT_THROW(manager.pinnedArray<double>(SIZE_MAX / 4), kp::Error);
    EXPECT_ERROR(kp::InvalidArgument, "null", manager.importHost(nullptr, 5));
    EXPECT_THROW(manager.importHost(&array, 0), kp::InvalidArgument);
}

TEST_F(TransferEngineTest, StagesMemoryThatCannotBeImported) {
#if defined(__linux__)
    engine().changeRules("mapped=0");
    constexpr size_t kBytes = 2u << 20;
    // The pages are read-only. Some drivers import them, others do not.
    void* const memory = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    {
        const auto import = manager.importHost(memory, kBytes);
        const auto t = storageTensor(manager, kBytes);
        t->upload(randomBytes(kBytes));
        t->upload(memory, kBytes);
        EXPECT_EQ(onDevice<uint8_t>(*t), std::vector<uint8_t>(kBytes, 0));
    }
    munmap(memory, kBytes);
#else
    GTEST_SKIP() << "needs mmap";
#endif
}

using TransferDeathTest = TransferEngineTest;

TEST_F(TransferDeathTest, AllowsExitRightAfterATransfer) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            kp::ManagerOptions options;
            options.transfer = "mapped=0,threads=4,threaded=1,chunk=64K";
            static auto* leaked = new kp::Manager(options);
            const auto values = randomBytes(1u << 20);
            static auto* tensor = new auto(storageTensor(*leaked, values.size()));
            (*tensor)->upload(values);
            std::exit(7);
        },
        ::testing::ExitedWithCode(7), "");
}

// The child exits without exit handlers. Drivers' handlers hang in a child or break the parent's
// device (docs/reports/device-notes.md). CopyThreadsTest tests the library's own without a driver.
#if defined(__linux__) && !defined(KOMPUTE_TEST_SANITIZED)
TEST_F(TransferEngineTest, KeepsWorkingAfterAForkedChildExits) {
    engine().changeRules("mapped=0,threads=4,threaded=1,chunk=64K");
    const auto t = storageTensor(manager, 1u << 20);
    t->upload(randomBytes(1u << 20));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
        _exit(7); // destroys nothing
    int status = 0;
    bool ended = false;
    for (int i = 0; i < 2000 && !ended; ++i) {
        ended = waitpid(child, &status, WNOHANG) == child;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (!ended) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    EXPECT_TRUE(ended && WIFEXITED(status) && WEXITSTATUS(status) == 7) << "status " << status;
    const auto values = randomBytes(1u << 20, 4);
    t->upload(values);
    EXPECT_TRUE(onDevice<uint8_t>(*t) == values);
}
#endif

class TransferFailures : public ::testing::TestWithParam<const char*> {
protected:
    /// Calls @p attempt with a manager that uses the test's rules, see FaultyDriver.
    template <typename Attempt>
    void forEachCall(Attempt attempt) {
        constexpr uint64_t kMaxCalls = 60;
        kp::ManagerOptions options;
        options.transfer = GetParam();
        options.cacheFolder = "off";
        options.waitPolicy = kp::WaitPolicy::eBlock;
        mDriver.forEachCall(
            kMaxCalls, [&] { return mDriver.manager(options); }, attempt);
    }

    /// Uses and checks everything that the engine does.
    static void useEngine(kp::Manager& manager) {
        const auto values = randomBytes((1u << 20) + 4100, 3);
        const auto t = storageTensor(manager, values.size());
        std::vector<uint8_t> back(values.size());
        t->upload(values);
        t->download(back.data(), back.size());
        ASSERT_TRUE(back == values);

        std::vector<uint8_t> memory(values.size(), 0);
        const auto import = manager.importHost(memory.data() + 100, memory.size() - 200);
        t->download(memory.data(), memory.size());
        ASSERT_TRUE(memory == values);

        const auto pinned = manager.pinnedArray<uint8_t>(values.size());
        std::fill(pinned->begin(), pinned->end(), uint8_t{9});
        t->upload(pinned->data(), pinned->bytes());
        t->download(back.data(), 1000, 1000);
        ASSERT_EQ(back[1000], values[1000]);
        ASSERT_EQ(back[0], 9);
    }

    FaultyDriver mDriver;
};

TEST_P(TransferFailures, LeaveNothingBehindAndARetryWorks) {
    for (const char* function :
         {"vkCreateBuffer", "vkAllocateMemory", "vkBindBufferMemory", "vkCreateCommandPool",
          "vkAllocateCommandBuffers", "vkResetCommandPool", "vkBeginCommandBuffer",
          "vkEndCommandBuffer", "vkQueueSubmit", "vkWaitSemaphores"}) {
        SCOPED_TRACE(function);
        // Without a block, the allocator makes small allocations, which best practices warn about.
        if (std::string(function) == "vkAllocateMemory" && validating("core"))
            continue;
        forEachCall([&](kp::Manager& manager, uint64_t number) {
            mDriver.fail(function, number, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                         number % 2 ? FaultyDriver::Often::eOnce
                                    : FaultyDriver::Often::eFromThenOn);
            try {
                useEngine(manager);
            } catch (const kp::OutOfMemory&) {
                EXPECT_TRUE(mDriver.failed());
            }
            mDriver.works();
            useEngine(manager);
            const auto device = deviceOf(manager);
            device->waitIdle();
            device->deletionQueue().collect();
            device->transfer().trim();
            device->bufferPool().clear();
            EXPECT_EQ(device->transfer().stagingBytes(), 0u);
            EXPECT_EQ(device->allocator().usage().allocations, 0u);
            return mDriver.failed();
        });
        EXPECT_EQ(mDriver.misuses(), 0u);
    }
}

TEST_P(TransferFailures, ThrowDeviceLost) {
    for (const char* function : {"vkQueueSubmit", "vkWaitSemaphores"}) {
        SCOPED_TRACE(function);
        forEachCall([&](kp::Manager& manager, uint64_t number) {
            const auto t = storageTensor(manager, 1000);
            std::vector<uint8_t> values(2u << 20);
            const auto import = manager.importHost(values);
            mDriver.fail(function, number, VK_ERROR_DEVICE_LOST, FaultyDriver::Often::eFromThenOn);
            bool lost = false;
            try {
                useEngine(manager);
            } catch (const kp::DeviceLost&) {
                lost = true;
            }
            const bool reached = mDriver.failed();
            EXPECT_EQ(lost, reached);
            if (lost) {
                EXPECT_THROW(t->upload(values.data(), 1000), kp::DeviceLost);
                EXPECT_THROW(t->download(values.data(), 1000), kp::DeviceLost);
                EXPECT_THROW(manager.pinnedArray<int>(4), kp::DeviceLost);
            }
            return reached;
        });
    }
}

INSTANTIATE_TEST_SUITE_P(Rules, TransferFailures,
                         ::testing::Values("mapped=0,threads=1,chunk=256K",
                                           "mapped=0,threads=4,threaded=1,chunk=64K,inflight=5",
                                           "mapped=0,copyqueue=0,piece=64K,queues=2", "mapped=1G"),
                         [](const auto& info) { return "Rules" + std::to_string(info.index); });

} // namespace
} // namespace kp::test
