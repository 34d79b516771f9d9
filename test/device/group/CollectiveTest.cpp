// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <utility>

#include "device/group/GroupSupport.hpp"
#include "device/group/HostPeerLink.hpp"
#include "group/DeviceGroupImpl.hpp"
#include "group/Exchange.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/ExternalHandle.hpp"

namespace kp::test {
namespace {

using kp::BufferPlacement;
using kp::ElementType;
using kp::ReduceOperation;
using DataTypes = kp::Memory::DataTypes;
using CollectiveTest = GroupTest;

/// More than one slot of host memory or staging, and not a multiple of its size.
constexpr uint64_t kRows = 2'300'001;

/// True if the GPUs have a link between them (NVIDIA's).
bool hasPeerLink(kp::DeviceGroup& group) {
    const auto last = deviceOf(group[group.size() - 1]);
    return kp::cuda::PeerLink::between(*deviceOf(group[0]), *last) != nullptr;
}

class ExchangePathTest : public ::testing::TestWithParam<kp::ExchangePath> {
protected:
    std::unique_ptr<HostPeerLink::Installed> link;
    std::unique_ptr<kp::DeviceGroup> group;

    /// Skips the test if the devices do not support the path.
    /// @param kernels  copies within a device use the library's kernels if possible
    void makeGroup(size_t devices, bool kernels = false) {
        kp::DeviceGroupOptions options = groupOptions(devices, GetParam());
        if (kernels)
            options.manager.transfer = "copykernel=1";
        group = std::make_unique<kp::DeviceGroup>(options);
        if (GetParam() == kp::ExchangePath::ePeerMemory && !link && !hasPeerLink(*group))
            link = std::make_unique<HostPeerLink::Installed>();
        try {
            group->exchangePath(0, 1);
        } catch (const kp::Unsupported& error) {
            GTEST_SKIP() << error.what();
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Exchange, ExchangePathTest,
                         ::testing::Values(kp::ExchangePath::eSharedMemory,
                                           kp::ExchangePath::ePeerMemory,
                                           kp::ExchangePath::eHostMemory,
                                           kp::ExchangePath::eStaging),
                         [](const auto& info) {
                             switch (info.param) {
                             case kp::ExchangePath::eSharedMemory:
                                 return "SharedMemory";
                             case kp::ExchangePath::ePeerMemory:
                                 return "PeerMemory";
                             case kp::ExchangePath::eHostMemory:
                                 return "HostMemory";
                             default:
                                 return "Staging";
                             }
                         });

TEST_P(ExchangePathTest, CopiesFromDeviceToDevice) {
    for (const bool kernels : {false, true}) {
        makeGroup(2, kernels);
        if (IsSkipped())
            return;
        auto buffer = makeBuffer(*group, {kRows});
        const std::vector<float> data = ascending<float>(kRows);
        buffer->write(std::vector<float>(kRows, 0));
        buffer->write(data, 0);
        buffer->copy(0, 1).wait();
        EXPECT_EQ(buffer->read<float>(1), data);
        EXPECT_EQ(buffer->read<float>(0), data);
        // A range in the other direction.
        buffer->copy(1, 0, 400, 800, 40).wait();
        std::vector<float> expected = data;
        std::copy(data.begin() + 100, data.begin() + 110, expected.begin() + 200);
        EXPECT_EQ(buffer->read<float>(0), expected);
    }
}

TEST_P(ExchangePathTest, AllReducesLargeBuffers) {
    makeGroup(3);
    if (IsSkipped())
        return;
    auto buffer = makeBuffer(*group, {kRows}, DataTypes::eInt);
    std::vector<int32_t> expected(kRows, 0);
    for (uint32_t i = 0; i < 3; ++i) {
        std::vector<int32_t> data(kRows);
        for (size_t k = 0; k < data.size(); ++k) {
            data[k] = static_cast<int32_t>((k * (i + 3)) % 1000);
            expected[k] += data[k];
        }
        buffer->write(data, i);
    }
    kp::Event::waitAll(buffer->allReduce());
    for (uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(buffer->read<int32_t>(i), expected) << "copy " << i;
    // Only a few slots are kept.
    const kp::group::SlotSizes sizes = kp::group::slotSizes(GetParam());
    EXPECT_LE(sharedImplOf(*group)->exchange->slotBytes(), sizes.kept * sizes.bytes);
}

/// Notes the devices that are submitted to, in order, while it exists.
class SubmissionOrder {
public:
    explicit SubmissionOrder(const std::vector<std::shared_ptr<kp::vulkan::Device>>& devices)
        : mDevices(devices) {
        sOrder.clear();
        for (const auto& device : devices) {
            VolkDeviceTable& table = device->mutableTable();
            for (size_t i = 0; i < device->queueCount(); ++i)
                sOriginals[device->queue(i).handle()] = {table.vkQueueSubmit, device.get()};
            table.vkQueueSubmit = submit;
        }
    }
    ~SubmissionOrder() {
        for (const auto& device : mDevices)
            device->mutableTable().vkQueueSubmit = sOriginals[device->queue(0).handle()].first;
        sOriginals.clear();
    }

    static size_t submissions() { return sOrder.size(); }
    /// How often the next submission was to another device.
    static size_t changes() {
        size_t count = 0;
        for (size_t i = 1; i < sOrder.size(); ++i)
            count += sOrder[i] != sOrder[i - 1];
        return count;
    }

private:
    static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count,
                                                 const VkSubmitInfo* infos, VkFence fence) {
        const auto& [original, device] = sOriginals.at(queue);
        sOrder.push_back(device);
        return original(queue, count, infos, fence);
    }

    static inline std::map<VkQueue, std::pair<PFN_vkQueueSubmit, const kp::vulkan::Device*>>
        sOriginals;
    static inline std::vector<const kp::vulkan::Device*> sOrder;

    const std::vector<std::shared_ptr<kp::vulkan::Device>> mDevices;
};

TEST(SharedMemoryExchange, LetsTheDevicesTakeTurns) {
    kp::DeviceGroup group(groupOptions(2, kp::ExchangePath::eSharedMemory));
    try {
        group.exchangePath(0, 1);
    } catch (const kp::Unsupported& error) {
        GTEST_SKIP() << error.what();
    }
    const kp::group::SlotSizes sizes = kp::group::slotSizes(kp::ExchangePath::eSharedMemory);
    // Two turns, with a shorter slot at the end.
    const uint64_t count = (2 * sizes.perLease - 1) * sizes.bytes / sizeof(float) - 3;
    auto buffer = makeBuffer(group, {count});
    std::vector<float> data(count);
    for (size_t i = 0; i < count; ++i)
        data[i] = static_cast<float>(i % 1'000'003);
    buffer->write(std::vector<float>(count, 0), 1);
    buffer->write(data, 0);
    {
        const SubmissionOrder order({deviceOf(group[0]), deviceOf(group[1])});
        buffer->copy(0, 1).wait();
        EXPECT_EQ(order.submissions(), 2 * (2 * sizes.perLease - 1));
        EXPECT_EQ(order.changes(), 3u);
    }
    EXPECT_TRUE(buffer->read<float>(1) == data);
}

TEST(PeerLinkTest, CopiesThroughTheLinkAndFailsWithIt) {
    const HostPeerLink::Installed installed;
    HostPeerLink& link = *installed.link;
    kp::DeviceGroup group(groupOptions(2, kp::ExchangePath::ePeerMemory));
    if (!vulkan::sharesMemory(*deviceOf(group[0])))
        GTEST_SKIP() << "the device exports no memory";
    constexpr uint64_t kCount = 25u << 20; // seven pieces of 16 MiB, the last one shorter
    auto buffer = makeBuffer(group, {kCount});
    std::vector<float> data(kCount);
    for (size_t i = 0; i < kCount; ++i)
        data[i] = static_cast<float>(i % 1'000'003);
    buffer->write(data, 0);
    buffer->copy(0, 1).wait();
    EXPECT_EQ(buffer->read<float>(1), data);
    EXPECT_EQ(link.copies(), 7);

    for (const int broken : {1, 3, 7}) {
        SCOPED_TRACE(broken);
        buffer->write(std::vector<float>(kCount, 0), 1);
        link.failAt(broken);
        EXPECT_ERROR(std::runtime_error, "the link is broken", buffer->copy(0, 1).wait());
        buffer->copy(0, 1).wait();
        EXPECT_EQ(buffer->read<float>(1), data);
    }
}

TEST(PeerLinkTest, IsUnsupportedIfTheLinkHasNoMemory) {
    const HostPeerLink::Installed installed;
    installed.link->failMake();
    const kp::DeviceGroup group(groupOptions(2, kp::ExchangePath::ePeerMemory));
    for (int round = 0; round < 2; ++round)
        EXPECT_ERROR(kp::Unsupported, "a link from GPU to GPU", group.exchangePath(0, 1));
}

TEST(PeerLinkTest, IsUnsupportedWithoutALink) {
    kp::DeviceGroup group(groupOptions(2, kp::ExchangePath::ePeerMemory));
    if (hasPeerLink(group))
        GTEST_SKIP() << "the devices have a link";
    EXPECT_ERROR(kp::Unsupported, "a link from GPU to GPU", group.exchangePath(0, 1));
}

TEST_F(CollectiveTest, ReportsTheExchangePathOfTwoDevices) {
    const auto path = group.exchangePath(0, 1);
    ASSERT_TRUE(path.has_value());
    EXPECT_NE(*path, kp::ExchangePath::eAuto);
    EXPECT_FALSE(group.exchangePath(1, 1).has_value());
    EXPECT_ERROR(kp::InvalidArgument, "device 5", group.exchangePath(0, 5));
}

TEST_F(CollectiveTest, BroadcastsScattersAndGathers) {
    kp::DeviceGroup three(groupOptions(3));
    const std::vector<float> data = ascending<float>(10 * 3);
    auto whole = makeBuffer(three, {10, 3});
    auto other = makeBuffer(three, {10, 3});
    auto shards = makeBuffer(three, {10, 3}, {}, BufferPlacement::eSharded, {2, 0, 8});
    auto even = makeBuffer(three, {10, 3}, {}, BufferPlacement::eSharded);
    const std::vector<float> zero(30, 0);
    whole->write(zero);
    other->write(zero);
    whole->write(data, 1);
    EXPECT_EQ(whole->broadcast(1).size(), 3u);
    for (uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(whole->read<float>(i), data);

    whole->write(zero, 0);
    kp::Event::waitAll(whole->scatter(*shards, 2));
    EXPECT_EQ(shards->read<float>(), data);
    kp::Event::waitAll(shards->gather(*other, 1));
    EXPECT_EQ(other->read<float>(1), data);
    EXPECT_EQ(other->read<float>(0), zero);
    kp::Event::waitAll(shards->copyTo(*even)); // shards of other sizes
    EXPECT_EQ(even->read<float>(), data);
    kp::Event::waitAll(even->allGather(*other));
    for (uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(other->read<float>(i), data);
    // If the copies differ, each device takes its shard from its own copy.
    for (uint32_t i = 0; i < 3; ++i)
        whole->write(std::vector<float>(30, static_cast<float>(i)), i);
    kp::Event::waitAll(whole->copyTo(*even));
    for (uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(even->read<float>(i)[0], static_cast<float>(i));

    EXPECT_ERROR(kp::InvalidArgument, "scatter is to", whole->scatter(*other));
    EXPECT_ERROR(kp::InvalidArgument, "gather is from", whole->gather(*other));
    EXPECT_ERROR(kp::InvalidArgument, "broadcast", shards->broadcast());
    EXPECT_ERROR(kp::InvalidArgument, "same buffer", whole->copyTo(*whole));
    EXPECT_ERROR(kp::InvalidArgument, "differ", whole->copyTo(*makeBuffer(three, {30})));
    EXPECT_ERROR(kp::InvalidArgument, "different device groups",
                 whole->copyTo(*makeBuffer(group, {10, 3})));
}

template <typename T>
T reduced(ReduceOperation operation, T a, T b) {
    switch (operation) {
    case ReduceOperation::eSum:
        return static_cast<T>(a + b);
    case ReduceOperation::eProduct:
        return static_cast<T>(a * b);
    case ReduceOperation::eMinimum:
        return std::min(a, b);
    default:
        return std::max(a, b);
    }
}

template <typename T>
void expectReductions(kp::DeviceGroup& group, DataTypes number) {
    constexpr size_t kCount = 1001; // not a whole number of words for the small types
    std::mt19937 random(static_cast<uint32_t>(number) + 7);
    const auto count = static_cast<uint32_t>(group.size());
    for (const ReduceOperation operation : {ReduceOperation::eSum, ReduceOperation::eProduct,
                                            ReduceOperation::eMinimum, ReduceOperation::eMaximum}) {
        SCOPED_TRACE(kp::Memory::toString(number) + ", operation " +
                     std::to_string(static_cast<int>(operation)));
        auto all = makeBuffer(group, {kCount}, number);
        auto rooted = makeBuffer(group, {kCount}, number);
        auto shards = makeBuffer(group, {kCount}, number, BufferPlacement::eSharded, {501, 7, 493});
        std::vector<std::vector<T>> data(count, std::vector<T>(kCount));
        for (uint32_t i = 0; i < count; ++i) {
            for (T& value : data[i])
                value = static_cast<T>(random() % 5 + 1);
            all->write(data[i], i);
            rooted->write(data[i], i);
        }
        std::vector<T> expected = data[0];
        for (uint32_t i = 1; i < count; ++i)
            for (size_t k = 0; k < kCount; ++k)
                expected[k] = reduced(operation, expected[k], data[i][k]);
        kp::Event::waitAll(all->reduceScatter(*shards, operation));
        EXPECT_EQ(shards->template read<T>(), expected);
        kp::Event::waitAll(rooted->reduce(operation, 1));
        EXPECT_EQ(rooted->template read<T>(1), expected);
        EXPECT_EQ(rooted->template read<T>(0), data[0]);
        kp::Event::waitAll(all->allReduce(operation));
        for (uint32_t i = 0; i < count; ++i)
            EXPECT_EQ(all->template read<T>(i), expected);
    }
}

TEST(Collectives, ReduceEveryNumberType) {
    kp::DeviceGroup group(groupOptions(3));
    expectReductions<float>(group, DataTypes::eFloat);
    expectReductions<int32_t>(group, DataTypes::eInt);
    expectReductions<uint32_t>(group, DataTypes::eUnsignedInt);
    if (hasFeature(group[0], "shaderFloat64"))
        expectReductions<double>(group, DataTypes::eDouble);
    if (hasFeature(group[0], "shaderInt64")) {
        expectReductions<int64_t>(group, DataTypes::eLong);
        expectReductions<uint64_t>(group, DataTypes::eUnsignedLong);
    }
    if (hasFeature(group[0], "storageBuffer16BitAccess")) {
        expectReductions<int16_t>(group, DataTypes::eShort);
        expectReductions<uint16_t>(group, DataTypes::eUnsignedShort);
    }
    if (hasFeature(group[0], "storageBuffer8BitAccess")) {
        expectReductions<int8_t>(group, DataTypes::eChar);
        expectReductions<uint8_t>(group, DataTypes::eUnsignedChar);
    }
}

template <typename T>
void expectSmallFloatSums(kp::DeviceGroup& group, DataTypes number) {
    auto buffer = makeBuffer(group, {9}, number);
    std::vector<T> a(9);
    std::vector<T> b(9);
    for (size_t i = 0; i < 9; ++i) {
        a[i] = T(0.5f * static_cast<float>(i));
        b[i] = T(2.0f - static_cast<float>(i));
    }
    buffer->write(a, 0);
    buffer->write(b, 1);
    kp::Event::waitAll(buffer->allReduce());
    const std::vector<T> sums = buffer->template read<T>(1);
    for (size_t i = 0; i < 9; ++i)
        EXPECT_EQ(static_cast<float>(sums[i]), 2.0f - 0.5f * static_cast<float>(i));
}

TEST_F(CollectiveTest, ReducesSmallFloatsVectorsAndComplexNumbers) {
    if (hasFeature(group[0], "storageBuffer16BitAccess")) {
        expectSmallFloatSums<kp::Half>(group, DataTypes::eHalf);
        expectSmallFloatSums<kp::BFloat16>(group, DataTypes::eBFloat16);
    }
    auto vectors = makeBuffer(group, {2}, ElementType::vectorOf(DataTypes::eFloat, 3));
    vectors->write(std::vector<float>{1, 2, 3, 4, 5, 6});
    kp::Event::waitAll(vectors->allReduce());
    EXPECT_EQ(vectors->read<float>(0), (std::vector<float>{2, 4, 6, 8, 10, 12}));
    auto complex = makeBuffer(group, {2}, ElementType::complexOf(DataTypes::eFloat));
    complex->write(std::vector<float>{1, -1, 2, -2});
    kp::Event::waitAll(complex->reduce());
    EXPECT_EQ(complex->read<float>(0), (std::vector<float>{2, -2, 4, -4}));
    EXPECT_ERROR(kp::InvalidArgument, "sum only", complex->allReduce(ReduceOperation::eMaximum));
    EXPECT_ERROR(kp::InvalidArgument, "cannot be reduced",
                 makeBuffer(group, {2}, ElementType::structOf(8))->allReduce());
    EXPECT_ERROR(kp::InvalidArgument, "cannot be reduced",
                 makeBuffer(group, {2}, DataTypes::eBool)->allReduce());
}

TEST(Collectives, DoNothingOnOneDevice) {
    kp::DeviceGroup group(groupOptions(1));
    auto buffer = makeBuffer(group, {4});
    buffer->write(std::vector<float>{1, 2, 3, 4});
    kp::Event::waitAll(buffer->allReduce());
    kp::Event::waitAll(buffer->broadcast());
    EXPECT_EQ(buffer->read<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(CollectiveTest, CopyRejectsRangesThatDoNotFit) {
    auto buffer = makeBuffer(group, {8});
    EXPECT_ERROR(kp::InvalidArgument, "source", buffer->copy(0, 1, 36, 0, 4));
    EXPECT_ERROR(kp::InvalidArgument, "destination", buffer->copy(0, 1, 0, 30, 4));
    EXPECT_ERROR(kp::InvalidArgument, "overlap", buffer->copy(1, 1, 0, 8, 16));
    buffer->write(ascending<float>(8));
    buffer->copy(1, 1, 0, 16, 16).wait();
    EXPECT_EQ(buffer->read<float>(1), (std::vector<float>{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST_F(CollectiveTest, DoesNotDeadlockInTwoDirections) {
    auto a = makeBuffer(group, {1000});
    auto b = makeBuffer(group, {1000});
    a->write(std::vector<float>(1000, 1));
    b->write(std::vector<float>(1000, 2));
    std::vector<kp::Event> events;
    for (int i = 0; i < 30; ++i) {
        events.push_back(a->copy(0, 1));
        events.push_back(b->copy(1, 0));
        for (kp::Event& event : a->allReduce(ReduceOperation::eMaximum))
            events.push_back(event);
    }
    EXPECT_TRUE(kp::Event::waitAll(events, 60'000'000'000));
    EXPECT_EQ(a->read<float>(1), std::vector<float>(1000, 1));
}

TEST_F(CollectiveTest, FailsWithTheEventsItWaitsFor) {
    auto buffer = makeBuffer(group, {8});
    buffer->write(ascending<float>(8));
    kp::UserEvent gate;
    const auto events = buffer->broadcast(0, {gate});
    gate.fail(std::runtime_error("planted"));
    for (const kp::Event& event : events)
        EXPECT_THROW(event.wait(), std::runtime_error);
    // Later operations succeed.
    kp::Event::waitAll(buffer->broadcast(0));
}

} // namespace
} // namespace kp::test
