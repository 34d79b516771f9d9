// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <thread>

#include "device/Threads.hpp"
#include "device/group/GroupSupport.hpp"

namespace kp::test {
namespace {

using kp::BufferPlacement;
using kp::ElementType;
using DataTypes = kp::Memory::DataTypes;

using BufferTest = GroupTest;

TEST_F(BufferTest, RoundTripsEveryTypeInUpToThreeDimensions) {
    std::vector<ElementType> types;
    for (const DataTypes number :
         {DataTypes::eInt, DataTypes::eUnsignedInt, DataTypes::eFloat, DataTypes::eDouble,
          DataTypes::eShort, DataTypes::eUnsignedShort, DataTypes::eChar, DataTypes::eUnsignedChar,
          DataTypes::eLong, DataTypes::eUnsignedLong, DataTypes::eHalf, DataTypes::eBFloat16})
        for (const ElementType type : {ElementType(number), ElementType::vectorOf(number, 3),
                                       ElementType::matrixOf(number, 2, 4)})
            types.push_back(type);
    types.push_back(DataTypes::eBool);
    types.push_back(ElementType::complexOf(DataTypes::eFloat));
    types.push_back(ElementType::complexOf(DataTypes::eDouble));
    types.push_back(ElementType::structOf(12));
    uint32_t seed = 0;
    for (const ElementType& type : types)
        for (const std::vector<uint64_t>& shape :
             {std::vector<uint64_t>{}, {7}, {3, 5}, {2, 3, 4}}) {
            auto buffer = makeBuffer(group, shape, type);
            SCOPED_TRACE(type.name() + ", dimensions: " + std::to_string(shape.size()));
            EXPECT_EQ(buffer->memSize(), buffer->size() * type.bytes());
            const std::vector<uint8_t> data = randomBytes(buffer->memSize(), ++seed);
            buffer->write(data, 1);
            EXPECT_EQ(buffer->read<uint8_t>(1), data);
        }
}

TEST_F(BufferTest, StoresElementsWithoutPadding) {
    EXPECT_EQ(ElementType::vectorOf(DataTypes::eFloat, 3).bytes(), 12u);
    EXPECT_EQ(ElementType::matrixOf(DataTypes::eFloat, 3, 3).bytes(), 36u);
    EXPECT_EQ(ElementType::complexOf(DataTypes::eDouble).bytes(), 16u);
    EXPECT_EQ(ElementType::vectorOf(DataTypes::eUnsignedShort, 4).name(), "unsigned short[4]");
    EXPECT_ERROR(kp::InvalidArgument, "2, 3 or 4", ElementType::vectorOf(DataTypes::eFloat, 5));
    EXPECT_ERROR(kp::InvalidArgument, "complex", ElementType::complexOf(DataTypes::eInt));
    EXPECT_ERROR(kp::InvalidArgument, "structOf", ElementType{DataTypes::eCustom});
    EXPECT_ERROR(kp::InvalidArgument, "0 bytes", ElementType::structOf(0));
    // Consecutive floats are vec3s in scalar layout. The tensor's elements are floats.
    auto buffer = makeBuffer(group, {4}, ElementType::vectorOf(DataTypes::eFloat, 3));
    EXPECT_EQ(buffer->tensor(0)->size(), 12u);
    EXPECT_EQ(buffer->tensor(0)->dataType(), DataTypes::eFloat);
}

TEST_F(BufferTest, RejectsShapesOverTheLimits) {
    EXPECT_ERROR(kp::InvalidArgument, "not 4", makeBuffer(group, {1, 2, 3, 4}));
    EXPECT_ERROR(kp::InvalidArgument, "zero-sized", makeBuffer(group, {3, 0}));
    const uint64_t before = group[0].allocatedBytes();
    EXPECT_ERROR(kp::InvalidArgument, "2^30", makeBuffer(group, {(uint64_t{1} << 30) + 1}));
    EXPECT_ERROR(kp::InvalidArgument, "2^30",
                 makeBuffer(group, {uint64_t{1} << 33, uint64_t{1} << 33}));
    EXPECT_EQ(group[0].allocatedBytes(), before);
}

TEST_F(BufferTest, ReadWithoutIndexReturnsAllCopies) {
    auto buffer = makeBuffer(group, {2, 3});
    EXPECT_EQ(buffer->copyCount(), 2u);
    EXPECT_EQ(buffer->readBytes(), 2 * buffer->memSize());
    buffer->write(std::vector<float>{0, 1, 2, 3, 4, 5}, 0);
    buffer->write(std::vector<float>{6, 7, 8, 9, 10, 11}, 1);
    EXPECT_EQ(buffer->read<float>(), ascending<float>(12));
    // The same range of each copy.
    std::vector<float> columns(4);
    buffer->read(columns.data(), 16, std::nullopt, 8);
    EXPECT_EQ(columns, (std::vector<float>{2, 3, 8, 9}));
}

TEST_F(BufferTest, WriteWithAnIndexChangesOneCopy) {
    auto buffer = makeBuffer(group, {4});
    buffer->write(std::vector<float>(4, 1));
    buffer->write(std::vector<float>(4, 2), 1);
    EXPECT_EQ(buffer->read<float>(), (std::vector<float>{1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST_F(BufferTest, WriteWithoutIndexChangesEveryCopy) {
    // Large enough for concurrent transfers to both devices.
    const std::vector<float> data = ascending<float>(400'000);
    auto buffer = makeBuffer(group, {data.size()});
    buffer->write(data);
    EXPECT_EQ(buffer->read<float>(0), data);
    EXPECT_EQ(buffer->read<float>(1), data);
    const std::vector<float> both = buffer->read<float>();
    EXPECT_TRUE(std::equal(data.begin(), data.end(), both.begin()));
    EXPECT_TRUE(std::equal(data.begin(), data.end(), both.begin() + 400'000));
}

TEST_F(BufferTest, RejectsIndicesThatDoNotExist) {
    auto buffer = makeBuffer(group, {4});
    EXPECT_ERROR(kp::InvalidArgument, "index 2 does not exist", buffer->read<float>(2));
    EXPECT_ERROR(kp::InvalidArgument, "2 queues", buffer->write(std::vector<float>(4), 7));
    EXPECT_ERROR(kp::InvalidArgument, "index 9", buffer->tensor(9));
}

TEST_F(BufferTest, RejectsDataThatDoesNotFit) {
    auto buffer = makeBuffer(group, {4});
    EXPECT_ERROR(kp::InvalidArgument, "do not fit", buffer->write(std::vector<float>(5)));
    EXPECT_ERROR(kp::InvalidArgument, "do not fit", buffer->write(std::vector<float>(5), 0));
    buffer->write(std::vector<float>(4, 7));
    buffer->write(std::vector<float>{1, 2}); // a prefix
    EXPECT_EQ(buffer->read<float>(1), (std::vector<float>{1, 2, 7, 7}));
    const float late = 9;
    buffer->write(&late, sizeof late, 0, 12);
    EXPECT_EQ(buffer->read<float>(0), (std::vector<float>{1, 2, 7, 9}));
    EXPECT_ERROR(kp::InvalidArgument, "offset 16", buffer->write(&late, sizeof late, 0, 16));
    std::vector<float> odd(3);
    EXPECT_ERROR(kp::InvalidArgument, "2 copies", buffer->read(odd.data(), 13));
}

TEST_F(BufferTest, RefusesArraysOfAnotherTypeOfNumber) {
    auto buffer = makeBuffer(group, {4});
    buffer->write(std::vector<float>(4, 7));
    EXPECT_ERROR(kp::InvalidArgument, "elements of eInt, but the buffer has float",
                 buffer->write(std::vector<int32_t>(4)));
    EXPECT_THROW(buffer->read<double>(0), kp::InvalidArgument);
    EXPECT_EQ(buffer->read<float>(0), (std::vector<float>(4, 7)));
}

TEST_F(BufferTest, RejectsWritesIfReadOnly) {
    std::vector<std::shared_ptr<kp::Tensor>> tensors;
    for (size_t i = 0; i < 2; ++i)
        tensors.push_back(group[i].tensorT<float>(std::vector<float>{1, 2, 3, 4},
                                                  kp::Memory::MemoryTypes::eStorage));
    auto buffer = std::make_shared<kp::Buffer>(group, std::vector<uint64_t>{4}, ElementType{},
                                               tensors, kp::BufferOptions{}, false);
    EXPECT_FALSE(buffer->writable());
    EXPECT_EQ(buffer->read<float>(1), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_ERROR(kp::InvalidArgument, "read-only", buffer->write(std::vector<float>(4)));
    EXPECT_ERROR(kp::InvalidArgument, "read-only", buffer->broadcast());
    EXPECT_ERROR(kp::InvalidArgument, "read-only",
                 kp::GroupKernel(group, "scale", kGroupScale, {buffer, 1.0f, 1.0f}));
    tensors.pop_back();
    EXPECT_ERROR(kp::InvalidArgument, "needs 2 tensors", kp::Buffer(group, {4}, {}, tensors));
    tensors.push_back(group[1].tensor({1, 2, 3}));
    EXPECT_ERROR(kp::InvalidArgument, "12 bytes, not 16", kp::Buffer(group, {4}, {}, tensors));
    tensors[1] = tensors[0];
    EXPECT_ERROR(kp::InvalidArgument, "tensor 1", kp::Buffer(group, {4}, {}, tensors));
}

TEST_F(BufferTest, ThrowsAfterDestroy) {
    auto buffer = makeBuffer(group, {4});
    auto tensor = buffer->tensor(1);
    buffer->destroy();
    buffer->destroy();
    EXPECT_FALSE(buffer->isInit());
    EXPECT_FALSE(tensor->isInit());
    EXPECT_ERROR(kp::InvalidArgument, "was destroyed", buffer->read<float>());
    EXPECT_ERROR(kp::InvalidArgument, "was destroyed", buffer->write(std::vector<float>(4)));
    EXPECT_ERROR(kp::InvalidArgument, "was destroyed", buffer->tensor(0));
    EXPECT_ERROR(kp::InvalidArgument, "was destroyed", buffer->allReduce());
    EXPECT_ERROR(kp::InvalidArgument, "was destroyed",
                 kp::GroupKernel(group, "scale", kGroupScale, {buffer, 1.0f, 1.0f}));
}

TEST_F(BufferTest, LeavesTheGroupUsableIfAnAllocationFails) {
    auto before = makeBuffer(group, {4});
    before->write(std::vector<float>{1, 2, 3, 4});
    // Each buffer takes 128 GiB on each device. A large device has room for one.
    const ElementType huge = ElementType::matrixOf(DataTypes::eDouble, 4, 4);
    std::vector<std::shared_ptr<kp::Buffer>> buffers;
    EXPECT_THROW(while (buffers.size() < 64)
                     buffers.push_back(makeBuffer(group, {uint64_t{1} << 30}, huge)),
                 kp::Error);
    buffers.clear();
    EXPECT_EQ(before->read<float>(1), (std::vector<float>{1, 2, 3, 4}));
    makeBuffer(group, {4})->write(std::vector<float>{5, 6, 7, 8});
}

TEST(BufferCopies, AreSharedByTheQueuesOfADevice) {
    kp::DeviceGroupOptions options = groupOptions(1);
    options.manager.shareDevice = false;
    options.queueCounts = {4};
    const kp::DeviceGroup group(options);
    constexpr uint64_t kBytes = 64u << 20;
    const uint64_t before = group[0].allocatedBytes();
    auto buffer = makeBuffer(group, {kBytes / 4});
    EXPECT_LT(group[0].allocatedBytes() - before, kBytes + kBytes / 4);
    EXPECT_EQ(buffer->copyCount(), 1u);
    EXPECT_EQ(buffer->tensor(0), buffer->tensor(3));
    const float value = 5;
    buffer->write(&value, sizeof value, 3);
    EXPECT_EQ(buffer->read<float>(0)[0], 5);
    // Staging memory stays within its limit.
    EXPECT_LT(group[0].allocatedBytes() - before, kBytes + kBytes / 4 + (256u << 20));
}

TEST(BufferCopies, AreSeparateIfReplicatedByQueue) {
    kp::DeviceGroupOptions options = groupOptions(2);
    options.queueCounts = {2, 1};
    const kp::DeviceGroup group(options);
    auto buffer = makeBuffer(group, {2}, {}, BufferPlacement::eReplicatedByQueue);
    EXPECT_EQ(buffer->copyCount(), 3u);
    for (uint32_t i = 0; i < 3; ++i)
        buffer->write(std::vector<float>(2, static_cast<float>(i)), i);
    EXPECT_EQ(buffer->read<float>(), (std::vector<float>{0, 0, 1, 1, 2, 2}));
    // A launch uses every queue, since each has a copy.
    kp::GroupKernel scale(group, "scale", kGroupScale, {buffer, 2.0f, 1.0f});
    EXPECT_EQ(scale().size(), 3u);
    EXPECT_EQ(buffer->read<float>(), (std::vector<float>{1, 1, 3, 3, 5, 5}));
    kp::Event::waitAll(buffer->allReduce());
    EXPECT_EQ(buffer->read<float>(), std::vector<float>(6, 9));
    buffer->copy(0, 1).wait(); // within one device
    // With one copy per device, any queue of the device selects it.
    auto shared = makeBuffer(group, {2});
    EXPECT_EQ(shared->copyCount(), 2u);
    shared->write(std::vector<float>{4, 5}, 1);
    EXPECT_EQ(shared->read<float>(0), (std::vector<float>{4, 5}));
}

TEST_F(BufferTest, CanBeUsedFromOneThreadPerDevice) {
    auto buffer = makeBuffer(group, {50'000});
    inThreads(2, [&](int number) {
        const auto device = static_cast<uint32_t>(number);
        for (uint32_t round = 0; round < 20; ++round) {
            const auto data = ascending<float>(50'000, round * 7 + device);
            buffer->write(data, device);
            EXPECT_EQ(buffer->read<float>(device), data);
        }
    });
}

TEST_F(BufferTest, RunsRandomAsynchronousProgramsLikeTheModel) {
    constexpr size_t kCount = 100;
    constexpr size_t kBuffers = 3;
    for (uint32_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
        std::vector<std::shared_ptr<kp::Buffer>> buffers;
        std::vector<std::unique_ptr<kp::GroupKernel>> kernels;
        // model[buffer][device]
        std::vector<std::vector<std::vector<float>>> model(
            kBuffers, std::vector<std::vector<float>>(2, std::vector<float>(kCount, 1)));
        for (size_t b = 0; b < kBuffers; ++b) {
            buffers.push_back(makeBuffer(group, {kCount}));
            buffers[b]->write(std::vector<float>(kCount, 1));
            kernels.push_back(std::make_unique<kp::GroupKernel>(
                group, "scale", kGroupScale, kp::GroupArguments{buffers[b]}, scaleAndAddPerCall()));
        }
        // The asynchronous writes and reads use this memory until the end.
        std::vector<std::vector<float>> written;
        written.reserve(200);
        std::vector<std::pair<std::vector<float>, std::vector<float>>> reads;
        reads.reserve(200);
        std::vector<kp::Event> events;
        for (int step = 0; step < 60; ++step) {
            const uint32_t b = below(kBuffers);
            const uint32_t device = below(2);
            auto& own = model[b][device];
            std::vector<kp::Event> started;
            switch (below(6)) {
            case 0: {
                written.push_back(std::vector<float>(kCount, static_cast<float>(below(100))));
                own = written.back();
                started = buffers[b]->writeAsync(written.back().data(), kCount * 4, device);
                break;
            }
            case 1: {
                const float add = static_cast<float>(below(10));
                for (float& value : own)
                    value = value * 0.5f + add;
                started = (*kernels[b])({}, {{"scale", 0.5f}, {"add", add}},
                                        kp::GroupTarget::queue(device));
                break;
            }
            case 2: {
                for (auto& copy : model[b])
                    for (float& value : copy)
                        value = value + 2;
                started = (*kernels[b])({}, {{"scale", 1.0f}, {"add", 2.0f}});
                break;
            }
            case 3:
                model[b][1 - device] = own;
                started = {buffers[b]->copy(device, 1 - device)};
                break;
            case 4: {
                const uint32_t other = (b + 1) % kBuffers;
                model[other] = model[b];
                started = buffers[b]->copyTo(*buffers[other]);
                break;
            }
            default:
                reads.emplace_back(std::vector<float>(kCount), own);
                started = buffers[b]->readAsync(reads.back().first.data(), kCount * 4, device);
            }
            events.insert(events.end(), started.begin(), started.end());
        }
        kp::Event::waitAll(events);
        for (const auto& [values, expected] : reads)
            ASSERT_EQ(values, expected);
        for (size_t b = 0; b < kBuffers; ++b)
            for (uint32_t device = 0; device < 2; ++device)
                ASSERT_EQ(buffers[b]->read<float>(device), model[b][device])
                    << "buffer " << b << " device " << device;
    }
}

TEST_F(BufferTest, SplitsIntoUnevenShards) {
    for (const std::vector<uint64_t>& rows :
         {std::vector<uint64_t>{}, {5, 2}, {7, 0}, {0, 7}, {1, 6}}) {
        auto buffer = makeBuffer(group, {7, 3}, {}, BufferPlacement::eSharded, rows);
        const std::vector<float> data = ascending<float>(21);
        buffer->write(data);
        EXPECT_EQ(buffer->read<float>(), data);
        std::vector<float> joined;
        for (uint32_t i = 0; i < 2; ++i) {
            const kp::Shard shard = buffer->shard(i);
            EXPECT_EQ(shard.shape[0], rows.empty() ? (i == 0 ? 4u : 3u) : rows[i]);
            const std::vector<float> part = buffer->read<float>(i);
            EXPECT_EQ(part.size(), shard.size());
            joined.insert(joined.end(), part.begin(), part.end());
            if (shard.size() == 0)
                EXPECT_ERROR(kp::InvalidArgument, "no rows", buffer->tensor(i));
        }
        EXPECT_EQ(joined, data);
        // A range across the boundary of the shards.
        const std::vector<float> middle(9, -1);
        buffer->write(middle.data(), 36, std::nullopt, 24);
        std::vector<float> expected = data;
        std::copy(middle.begin(), middle.end(), expected.begin() + 6);
        EXPECT_EQ(buffer->read<float>(), expected);
    }
    EXPECT_ERROR(kp::InvalidArgument, "add up to 6",
                 makeBuffer(group, {7}, {}, BufferPlacement::eSharded, {3, 3}));
    EXPECT_ERROR(kp::InvalidArgument, "more than the 7",
                 makeBuffer(group, {7}, {}, BufferPlacement::eSharded, {3, 5}));
    EXPECT_ERROR(kp::InvalidArgument, "3 entries",
                 makeBuffer(group, {7}, {}, BufferPlacement::eSharded, {3, 3, 1}));
    EXPECT_ERROR(kp::InvalidArgument, "sharded",
                 makeBuffer(group, {7}, {}, BufferPlacement::eReplicated, {3, 4}));
}

TEST_F(BufferTest, RefreshesHostViewsAfterABroadcast) {
    kp::BufferOptions options;
    options.memoryType = kp::Memory::MemoryTypes::eDevice;
    kp::Buffer buffer(group, {4}, {}, options);
    auto tensor = std::static_pointer_cast<kp::Tensor>(buffer.tensor(1));
    EXPECT_EQ(tensor->memoryType(), kp::Memory::MemoryTypes::eDevice);
    tensor->data<float>();
    buffer.write(std::vector<float>{1, 2, 3, 4}, 0);
    kp::Event::waitAll(buffer.broadcast(0));
    EXPECT_EQ(tensor->vector<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(BufferTest, OrdersReadsAndWritesAfterEarlierLaunches) {
    auto values = makeBuffer(group, {64});
    values->write(std::vector<float>(64, 1));
    kp::GroupKernel scale(group, "scale", kGroupScale, {values, 2.0f, 0.0f});
    kp::UserEvent gate;
    const auto launched = scale({gate});
    std::thread setter([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        gate.set();
    });
    EXPECT_EQ(values->read<float>(0), std::vector<float>(64, 2)); // waits for the launch
    values->write(std::vector<float>(64, 5));
    setter.join();
    EXPECT_EQ(values->read<float>(1), std::vector<float>(64, 5));
}

} // namespace
} // namespace kp::test
