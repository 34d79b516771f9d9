// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills by a compute shader. Rules choose between it and the driver's commands.
#include <algorithm>
#include <numeric>

#include "../CallCounter.hpp"
#include "../FaultyDriver.hpp"
#include "../HostVulkan.hpp"
#include "../TestSupport.hpp"
#include "../VulkanHpp.hpp"

#include "vulkan/device/Device.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp::test {
namespace {

using DataTypes = kp::Memory::DataTypes;
using MemoryTypes = kp::Memory::MemoryTypes;

constexpr size_t kTile = 16384; ///< bytes that one workgroup copies
constexpr const char* kAlways = "copykernel=1,fillkernel=1";

/// Sizes around every boundary of the shaders.
std::vector<size_t> sizes() {
    std::vector<size_t> all(300);
    std::iota(all.begin(), all.end(), size_t{1});
    for (const size_t edge : {size_t{4096}, size_t{12288}, kTile, 2 * kTile, 5 * kTile})
        for (const size_t off : {1, 3, 4, 15, 16, 17, 4096})
            all.insert(all.end(), {edge - off, edge, edge + off});
    all.erase(std::remove(all.begin(), all.end(), 0u), all.end());
    return all;
}

class BufferKernel : public DeviceTest {
protected:
    void SetUp() override {
        if (manager.deviceInfo().maxWorkgroupInvocations < 256)
            GTEST_SKIP() << "the device's work groups are too small for the kernels";
        changeRules(manager, kAlways);
    }

    static void changeRules(const kp::Manager& which, const char* rules) {
        deviceOf(which)->transfer().changeRules(rules);
    }

    template <typename T>
    void expectCopies(const std::vector<T>& values) {
        const auto from = manager.tensorT<T>(values, MemoryTypes::eStorage);
        const auto to = manager.tensorT<T>(values.size(), MemoryTypes::eStorage);
        manager.sequence()->eval<kp::OpCopy>({from, to});
        EXPECT_TRUE(onDevice<T>(*to) == values);
    }
};

TEST_F(BufferKernel, CopiesEverySizeToTheByte) {
    auto sq = manager.sequence();
    for (const size_t bytes : sizes()) {
        const auto values = randomBytes(bytes);
        const auto before = manager.tensorT<uint8_t>(std::vector<uint8_t>(bytes, 0xEE));
        const auto from = manager.tensorT<uint8_t>(values, MemoryTypes::eStorage);
        const auto to = manager.tensorT<uint8_t>(bytes, MemoryTypes::eStorage);
        const auto after = manager.tensorT<uint8_t>(std::vector<uint8_t>(bytes, 0xEE));
        sq->eval<kp::OpSyncDevice>({before, after});
        sq->eval<kp::OpCopy>({from, to});
        ASSERT_TRUE(onDevice<uint8_t>(*to) == values) << bytes << " bytes";
        ASSERT_TRUE(onDevice<uint8_t>(*from) == values) << bytes << " bytes";
        for (const auto& neighbour : {before, after})
            ASSERT_TRUE(onDevice<uint8_t>(*neighbour) == std::vector<uint8_t>(bytes, 0xEE))
                << bytes << " bytes";
    }
}

TEST_F(BufferKernel, FillsEverySizeToTheByte) {
    auto sq = manager.sequence();
    for (const size_t bytes : sizes()) {
        const auto to = manager.tensorT<uint8_t>(bytes, MemoryTypes::eStorage);
        sq->eval<kp::OpFill>({to}, uint8_t{0xA7});
        ASSERT_TRUE(onDevice<uint8_t>(*to) == std::vector<uint8_t>(bytes, 0xA7)) << bytes;
    }
    for (const size_t count : {1u, 2u, 3u, 4u, 5u, 2047u, 2048u, 2049u, 6145u}) {
        const auto to = manager.tensorT<uint64_t>(count, MemoryTypes::eStorage);
        sq->eval<kp::OpFill>({to}, uint64_t{0x0123456789abcdef});
        ASSERT_EQ(onDevice<uint64_t>(*to), std::vector<uint64_t>(count, 0x0123456789abcdef));
    }
}

/// The ranges are parts of one buffer, so that the bytes around them are known.
TEST_F(BufferKernel, WritesNothingOutsideAWrappedRange) {
    HostVulkan host(manager);
    kp::Manager wrapped(host.description());
    changeRules(wrapped, kAlways);
    const uint64_t step = std::max<uint64_t>(host.offsetAlignment(), 256);
    const uint64_t room = (3 * kTile + step - 1) / step * step;
    const VkBuffer buffer = host.makeBuffer(room + 2 * step);
    auto* contents = reinterpret_cast<uint8_t*>(host.contents(buffer));
    for (const size_t bytes : sizes()) {
        if (bytes > room)
            continue;
        const auto values = randomBytes(bytes);
        const auto from = wrapped.tensorT<uint8_t>(values, MemoryTypes::eStorage);
        const auto to = wrapped.wrapBuffer(buffer, bytes, 1, DataTypes::eUnsignedChar, step);
        std::fill_n(contents, room + 2 * step, uint8_t{0xEE});
        CallCounter calls(wrapped);
        wrapped.sequence()->eval<kp::OpCopy>({from, to});
        // A shader cannot write part of a word.
        ASSERT_EQ(calls.of("vkCmdDispatch"), bytes % 4 == 0 ? 1u : 0u) << bytes;
        ASSERT_TRUE(std::equal(values.begin(), values.end(), contents + step)) << bytes;
        ASSERT_TRUE(std::all_of(contents, contents + step, [](uint8_t b) { return b == 0xEE; }));
        ASSERT_TRUE(std::all_of(contents + step + bytes, contents + room + 2 * step,
                                [](uint8_t b) { return b == 0xEE; }))
            << bytes << " bytes";
        if (bytes % 4 != 0)
            continue;
        wrapped.sequence()->eval<kp::OpFill>({to}, uint8_t{0x11});
        ASSERT_EQ(std::count(contents + step, contents + step + bytes, 0x11), long(bytes));
        ASSERT_EQ(contents[step - 1], 0xEE);
        ASSERT_EQ(contents[step + bytes], 0xEE);
        wrapped.sequence()->eval<kp::OpCopy>({to, from});
        ASSERT_TRUE(onDevice<uint8_t>(*from) == std::vector<uint8_t>(bytes, 0x11));
    }
}

TEST_F(BufferKernel, SplitsBuffersLargerThanOneDescriptor) {
    const uint64_t range = deviceOf(manager)->physical().properties.limits.maxStorageBufferRange;
    const uint64_t bytes = range + 3 * kTile + 7;
    if (bytes > (uint64_t{512} << 20))
        GTEST_SKIP() << "a descriptor of this device covers " << range << " bytes";
    const auto values = randomBytes(bytes);
    const auto from = manager.tensorT<uint8_t>(bytes, MemoryTypes::eStorage);
    const auto to = manager.tensorT<uint8_t>(bytes, MemoryTypes::eStorage);
    from->upload(values);
    CallCounter calls(manager);
    manager.sequence()->eval<kp::OpCopy>({from, to});
    EXPECT_EQ(calls.of("vkCmdDispatch"), 2u);
    EXPECT_TRUE(onDevice<uint8_t>(*to) == values);
    manager.sequence()->eval<kp::OpFill>({to}, uint8_t{3});
    EXPECT_TRUE(onDevice<uint8_t>(*to) == std::vector<uint8_t>(bytes, 3));
}

TEST_F(BufferKernel, CopiesEveryElementType) {
    struct Particle {
        float position[3];
        uint8_t kind;
    };
    const auto bytes = randomBytes(sizeof(Particle) * 77);
    const auto from = manager.tensor(77, sizeof(Particle), DataTypes::eCustom);
    const auto to = manager.tensor(77, sizeof(Particle), DataTypes::eCustom);
    from->upload(bytes.data(), bytes.size());
    manager.sequence()->eval<kp::OpCopy>({from, to});
    std::vector<uint8_t> back(bytes.size());
    to->download(back.data(), back.size());
    EXPECT_EQ(back, bytes);

    expectCopies<uint8_t>(randomBytes(1001));
    expectCopies<uint16_t>(ascending<uint16_t>(1003));
    expectCopies<float>(ascending<float>(999));
    expectCopies<double>(ascending<double>(777));
    expectCopies<uint64_t>(ascending<uint64_t>(4097));
    const auto yes = manager.tensorT<bool>(std::vector<bool>{true, false, true});
    const auto copy = manager.tensorT<bool>(std::vector<bool>(3));
    manager.sequence()->record<kp::OpSyncDevice>({yes})->record<kp::OpCopy>({yes, copy})->eval();
    EXPECT_EQ(copy->vector(), (std::vector<bool>{true, false, true}));
}

TEST_F(BufferKernel, IsChosenBySizeAndMemoryType) {
    const auto tensor = [&](size_t count, MemoryTypes type = MemoryTypes::eDevice) {
        return manager.tensorT<uint32_t>(std::vector<uint32_t>(count, 7), type);
    };
    const auto dispatches = [&](const std::vector<std::shared_ptr<kp::Memory>>& objects) {
        CallCounter calls(manager);
        manager.sequence()->eval<kp::OpCopy>(objects);
        return calls.of("vkCmdDispatch");
    };
    const auto a = tensor(256);
    EXPECT_EQ(dispatches({a, tensor(256)}), 1u);
    EXPECT_EQ(dispatches({a, tensor(256), tensor(256)}), 2u);
    EXPECT_EQ(dispatches({a, tensor(256, MemoryTypes::eStorage)}), 1u);
    EXPECT_EQ(dispatches({a, tensor(256, MemoryTypes::eHost)}), 0u);
    EXPECT_EQ(dispatches({a, manager.imageT<uint32_t>(16, 16, 1)}), 0u);
    EXPECT_EQ(dispatches({a, tensor(256), manager.imageT<uint32_t>(16, 16, 1)}), 0u);
    changeRules(manager, "copykernel=1025,fillkernel=1025");
    EXPECT_EQ(dispatches({a, tensor(256)}), 0u);
    EXPECT_EQ(dispatches({tensor(257), tensor(257)}), 1u);
    {
        CallCounter calls(manager);
        manager.sequence()->eval<kp::OpFill>({a}, 1u);
        EXPECT_EQ(calls.of("vkCmdFillBuffer"), 1u);
        manager.sequence()->eval<kp::OpFill>({tensor(257)}, 1u);
        EXPECT_EQ(calls.of("vkCmdFillBuffer"), 1u);
        EXPECT_EQ(calls.of("vkCmdDispatch"), 1u);
    }
    changeRules(manager, "copykernel=0,fillkernel=0");
    EXPECT_EQ(dispatches({a, tensor(256)}), 0u);
}

TEST_F(BufferKernel, IsOrderedAgainstEverything) {
    const auto first = ascending<uint32_t>(5001);
    const auto a = manager.tensorT<uint32_t>(first);
    const auto b = manager.tensorT<uint32_t>(5001);
    const auto c = manager.tensorT<uint32_t>(5001);
    const auto code =
        spirv("#version 450\nlayout(local_size_x = 64) in;\n" + buffer(0, "", "uint", "v") +
              "void main() { uint i = gl_GlobalInvocationID.x;"
              " if (i < v.length()) v[i] += 3u; }");
    const auto add = [&](const std::shared_ptr<kp::Memory>& tensor) {
        auto algorithm = manager.algorithm({tensor}, code);
        algorithm->setThreadCount(5001);
        return algorithm;
    };
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({a, b, c});
    sq->record<kp::OpFill>({b, c}, 9u);     // after the transfer
    sq->record<kp::OpAlgoDispatch>(add(a)); // a + 3
    sq->record<kp::OpCopy>({a, b, c});      // read after write, write after write
    sq->record<kp::OpAlgoDispatch>(add(a)); // write after read: a + 6
    sq->record<kp::OpAlgoDispatch>(add(b)); // b = a + 6
    sq->record<kp::OpCopy>({b, c});         // c = a + 6
    sq->record<kp::OpFill>({b}, 1u);        // write after read
    sq->record<kp::OpSyncLocal>({a, b, c}); // a command of the driver
    for (int round = 0; round < 3; ++round) {
        if (round == 2)
            sq->rerecord();
        sq->eval();
        for (size_t i = 0; i < 5001; ++i) {
            ASSERT_EQ(a->data()[i], first[i] + 6) << i;
            ASSERT_EQ(b->data()[i], 1u) << i;
            ASSERT_EQ(c->data()[i], first[i] + 6) << i;
        }
        a->setData(first);
    }
}

TEST_F(BufferKernel, PlacesNoBarrierBetweenIndependentCopies) {
    auto sq = manager.sequence();
    CallCounter calls(manager);
    for (int i = 0; i < 20; ++i)
        sq->record<kp::OpCopy>({manager.tensorT<uint32_t>(100), manager.tensorT<uint32_t>(100)});
    sq->eval();
    EXPECT_EQ(calls.of("vkCmdDispatch"), 20u);
    EXPECT_LE(calls.barriers(), 2u) << "at the start and for the host at the end";
}

TEST_F(BufferKernel, IsVisibleInTheHostView) {
    const auto a = manager.tensorT<uint32_t>({1, 2, 3});
    const auto b = manager.tensorT<uint32_t>({0, 0, 0});
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({a});
    sq->eval<kp::OpCopy>({a, b});
    EXPECT_EQ(b->vector(), (std::vector<uint32_t>{1, 2, 3}));
    sq->eval<kp::OpFill>({b}, 4u);
    EXPECT_EQ(b->vector(), (std::vector<uint32_t>{4, 4, 4}));
}

TEST_F(BufferKernel, UsesARebuiltTensorFromTheNextRecordingOn) {
    const auto a = manager.tensorT<uint32_t>({1, 2, 3});
    const auto b = manager.tensorT<uint32_t>({0, 0, 0});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({a})->record<kp::OpCopy>({a, b})->eval();
    std::vector<uint32_t> longer = ascending<uint32_t>(70'001);
    a->rebuild(longer.data(), longer.size(), 4);
    b->rebuild(longer.data(), longer.size(), 4);
    b->setData(std::vector<uint32_t>(longer.size(), 0));
    sq->rerecord();
    sq->eval();
    EXPECT_TRUE(onDevice<uint32_t>(*b) == longer);
    b->destroy();
    EXPECT_THROW(sq->rerecord(), kp::InvalidArgument);
}

/// An operation that declares transfers and calls OpCopy::record(). The barriers for its accesses
/// would not cover a shader.
class CustomCopy : public kp::OpBase {
public:
    CustomCopy(std::shared_ptr<kp::Memory> from, std::shared_ptr<kp::Memory> to)
        : mFrom(std::move(from)), mTo(std::move(to)),
          mCopy(std::vector<std::shared_ptr<kp::Memory>>{mFrom, mTo}) {}
    kp::Accesses accesses() override {
        return kp::Accesses()
            .read(mFrom, kp::Accesses::By::eTransfer)
            .write(mTo, kp::Accesses::By::eTransfer);
    }
    void record(const vk::CommandBuffer& commands) override { mCopy.record(commands); }
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    std::shared_ptr<kp::Memory> mFrom, mTo;
    kp::OpCopy mCopy;
};

TEST_F(BufferKernel, IsNotUsedInsideCustomOperations) {
    const auto a = manager.tensorT<uint32_t>({1, 2, 3}, MemoryTypes::eStorage);
    const auto b = manager.tensorT<uint32_t>({0, 0, 0}, MemoryTypes::eStorage);
    CallCounter calls(manager);
    auto sq = manager.sequence();
    sq->record(std::make_shared<CustomCopy>(a, b));
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({b}, addShader(1)))->eval();
    EXPECT_EQ(calls.of("vkCmdCopyBuffer"), 1u);
    EXPECT_EQ(onDevice<uint32_t>(*b), (std::vector<uint32_t>{2, 3, 4}));
}

TEST_F(BufferKernel, IsNotUsedInTheHostsCommandBuffers) {
    HostVulkan host(manager);
    kp::Manager wrapped(host.description());
    changeRules(wrapped, kAlways);
    const auto a = wrapped.tensorT<uint32_t>({1, 2, 3}, MemoryTypes::eStorage);
    const auto b = wrapped.tensorT<uint32_t>(3, MemoryTypes::eStorage);
    auto sq = wrapped.sequence();
    sq->record<kp::OpCopy>({a, b});
    CallCounter calls(wrapped);
    const VkCommandBuffer commands = host.begin();
    sq->recordInto(commands);
    host.submitAndWait(commands);
    EXPECT_EQ(calls.of("vkCmdCopyBuffer"), 1u);
    EXPECT_EQ(calls.of("vkCmdDispatch"), 0u);
    EXPECT_EQ(onDevice<uint32_t>(*b), (std::vector<uint32_t>{1, 2, 3}));
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*b), (std::vector<uint32_t>{1, 2, 3}));
}

TEST_F(BufferKernel, IsOrderedAcrossSubmissions) {
    const auto a =
        manager.tensorT<uint32_t>(std::vector<uint32_t>(100'000, 1), MemoryTypes::eStorage);
    const auto b = manager.tensorT<uint32_t>(100'000, MemoryTypes::eStorage);
    auto fill = manager.sequence();
    auto copy = manager.sequence();
    copy->record<kp::OpCopy>({a, b});
    for (uint32_t round = 0; round < 10; ++round) {
        fill->clear();
        fill->record<kp::OpFill>({a}, round)->evalAsync();
        copy->evalAsync();
        EXPECT_TRUE(onDevice<uint32_t>(*b) == std::vector<uint32_t>(100'000, round));
        copy->evalAwait();
        fill->evalAwait();
    }
}

TEST(BufferKernelFailure, LeavesTheSequenceUsable) {
    FaultyDriver driver;
    for (const char* function :
         {"vkCreateShaderModule", "vkCreateDescriptorSetLayout", "vkCreatePipelineLayout",
          "vkCreateComputePipelines", "vkCreateDescriptorPool", "vkAllocateDescriptorSets"}) {
        SCOPED_TRACE(function);
        kp::ManagerOptions options;
        options.cacheFolder = "off";
        options.transfer = kAlways;
        const auto manager = driver.manager(options);
        const auto a = manager->tensorT<uint32_t>({1, 2, 3}, MemoryTypes::eStorage);
        const auto b = manager->tensorT<uint32_t>({0, 0, 0}, MemoryTypes::eStorage);
        const auto sq = manager->sequence();
        driver.fail(function, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY, FaultyDriver::Often::eOnce);
        EXPECT_THROW(sq->record<kp::OpCopy>({a, b}), kp::OutOfMemory);
        EXPECT_TRUE(driver.failed());
        sq->record<kp::OpCopy>({a, b})->record<kp::OpFill>({a}, 5u)->eval();
        EXPECT_EQ(onDevice<uint32_t>(*b), (std::vector<uint32_t>{1, 2, 3}));
        EXPECT_EQ(onDevice<uint32_t>(*a), (std::vector<uint32_t>{5, 5, 5}));
    }
    EXPECT_TRUE(driver.alive().empty());
    EXPECT_EQ(driver.misuses(), 0u);
}

} // namespace
} // namespace kp::test
