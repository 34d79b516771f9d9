// SPDX-License-Identifier: Apache-2.0
//
// Lets every Vulkan call that can fail do so, one at a time, in a program that uses the whole
// library.
#include <cstring>
#include <optional>
#include <ostream>

#include "../FaultyDriver.hpp"
#include "../TestSupport.hpp"

#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Allocator.hpp"
#include "vulkan/memory/BufferPool.hpp"
#include "vulkan/queue/DeletionQueue.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp::test {
namespace {

using Often = FaultyDriver::Often;
using MemoryTypes = kp::Memory::MemoryTypes;

constexpr uint32_t kCount = 64;
/// More than one chunk, so that the transfer engine has two in flight.
constexpr uint32_t kLargeCount = (9u << 20) / sizeof(uint32_t);

std::vector<uint32_t> twoBufferShader() {
    return spirv(shader(buffer(0, "readonly", "uint", "a") + buffer(1, "writeonly", "uint", "b") +
                            "layout(constant_id = 0) const uint factor = 1u;"
                            "layout(push_constant) uniform P { uint offset; };",
                        "b[i] = a[i] * factor + offset;"));
}

std::vector<uint32_t> imageShader() {
    return spirv(shader("layout(set = 0, binding = 0, r32f) uniform image2D picture;",
                        "ivec2 at = ivec2(int(i), 0);"
                        "imageStore(picture, at, imageLoad(picture, at) * 2.0);"));
}

/// Objects that exist before a failure and must work after it.
class Bystander {
public:
    explicit Bystander(kp::Manager& manager)
        : mTensor(manager.tensorT<uint32_t>(std::vector<uint32_t>(kCount, 5))),
          mSequence(manager.sequence()) {
        mSequence->record<kp::OpSyncDevice>({mTensor})
            ->record<kp::OpAlgoDispatch>(manager.algorithm({mTensor}, addShader(3)))
            ->record<kp::OpSyncLocal>({mTensor});
    }

    void expectWorks() {
        const uint32_t before = mTensor->data()[0];
        mSequence->eval();
        EXPECT_EQ(mTensor->vector(), std::vector<uint32_t>(kCount, before + 3));
    }

    kp::Sequence& sequence() { return *mSequence; }
    kp::TensorT<uint32_t>& tensor() { return *mTensor; }

private:
    std::shared_ptr<kp::TensorT<uint32_t>> mTensor;
    std::shared_ptr<kp::Sequence> mSequence;
};

/// Uses everything that creates Vulkan objects or submits work, and checks the results.
void useEverything(kp::Manager& manager) {
    const auto input = manager.tensorT<uint32_t>(ascending<uint32_t>(kCount));
    const auto output = manager.tensorT<uint32_t>(kCount);
    const auto onHost =
        manager.tensorT<uint32_t>(std::vector<uint32_t>(kCount, 1), MemoryTypes::eHost);
    const auto storage =
        manager.tensorT<uint32_t>(std::vector<uint32_t>(kCount, 2), MemoryTypes::eStorage);
    const auto shared =
        manager.tensorT<uint32_t>(std::vector<uint32_t>(kCount, 7), MemoryTypes::eDeviceAndHost);
    const auto picture = manager.image(std::vector<float>(kCount, 1.5f), kCount, 1, 1);
    const auto pixels = manager.tensor(std::vector<float>(kCount, 0.0f));

    const auto algorithm = manager.algorithm<uint32_t, uint32_t>({input, output}, twoBufferShader(),
                                                                 {kCount, 1, 1}, {3}, {10});
    const auto doubling = manager.algorithm({picture}, imageShader(), {kCount, 1, 1});

    const uint32_t timestamps = manager.deviceInfo().timestamps ? 4 : 0;
    const auto sequence = manager.sequence(0, timestamps);
    sequence->record<kp::OpSyncDevice>({input, picture})
        ->record<kp::OpAlgoDispatch>(algorithm)
        ->record<kp::OpAlgoDispatch>(doubling)
        ->record<kp::OpSyncLocal>({output, picture})
        ->eval();
    std::vector<uint32_t> expected(kCount);
    for (uint32_t i = 0; i < kCount; ++i)
        expected[i] = 3 * i + 10;
    EXPECT_EQ(output->vector(), expected);
    EXPECT_EQ(picture->vector(), std::vector<float>(kCount, 3.0f));
    if (timestamps != 0) {
        EXPECT_EQ(sequence->getTimestamps().size(), 5u);
    }

    const auto copies = manager.sequence();
    copies->record<kp::OpCopy>({storage, onHost})->record<kp::OpCopy>({picture, pixels});
    copies->evalAsync();
    sequence->evalAsync();
    copies->evalAwait();
    sequence->evalAwait();
    EXPECT_EQ(onHost->vector(), std::vector<uint32_t>(kCount, 2));
    EXPECT_EQ(pixels->vector(), std::vector<float>(kCount, 3.0f));

    manager.sequence()
        ->record<kp::OpSyncDevice>({shared})
        ->record<kp::OpAlgoDispatch>(manager.algorithm({shared}, addShader(1), {kCount, 1, 1}))
        ->record<kp::OpSyncLocal>({shared})
        ->eval();
    EXPECT_EQ(shared->vector(), std::vector<uint32_t>(kCount, 8));

    const auto large = manager.tensorT<uint32_t>(kLargeCount, MemoryTypes::eStorage);
    // Copies, since to fill memory takes longer than its transfer. They end with a failure: a
    // sanitizer sees what accesses them later.
    static const std::vector<uint32_t> numbers = ascending<uint32_t>(kLargeCount);
    static const std::vector<uint32_t> zeros(kLargeCount);
    const std::vector<uint32_t> up = numbers;
    std::vector<uint32_t> down = zeros;
    large->upload(up);
    large->download(down.data(), down.size() * sizeof(uint32_t));
    EXPECT_EQ(up, down);
}

struct Case {
    const char* function;
    int32_t result;
    Often often;
    bool timelineSemaphores = true;
};

void PrintTo(const Case& which, std::ostream* out) {
    *out << which.function << (which.often == Often::eOnce ? " once" : " from then on");
}

std::string nameOf(const ::testing::TestParamInfo<Case>& info) {
    std::string name = info.param.function + 2;
    if (!info.param.timelineSemaphores)
        name += "WithFences";
    return name + (info.param.often == Often::eOnce ? "Once" : "FromThenOn");
}

class FailureInjection : public ::testing::TestWithParam<Case> {
protected:
    void SetUp() override {
        const std::string function = GetParam().function;
        if (function == "vkAllocateMemory" && validating("core"))
            GTEST_SKIP()
                << "without a block, the allocator makes small allocations, which best practices "
                   "warn about";
        if (function.find("Semaphore") != std::string::npos &&
            !deviceOf(*makeManager())->plan().timelineSemaphores)
            GTEST_SKIP() << "the device has no timeline semaphores";
    }

    std::unique_ptr<kp::Manager> makeManager() {
        kp::ManagerOptions options;
        options.timelineSemaphores = GetParam().timelineSemaphores;
        options.waitPolicy = kp::WaitPolicy::eBlock;
        options.cacheFolder = "off";
        // On every device, transfers use staging and a thread of the engine, and copies use
        // shaders.
        options.transfer = "mapped=0,chunk=1M,threads=2,copykernel=1,fillkernel=1";
        return mDriver.manager(options);
    }

    void fail(uint64_t number) {
        mDriver.fail(GetParam().function, number, GetParam().result, GetParam().often);
    }

    /// Runs the program with a failing call. Empty if the program did not see an error.
    std::optional<kp::ErrorCode> run(kp::Manager& manager) {
        try {
            useEverything(manager);
        } catch (const kp::Error& error) {
            EXPECT_GT(std::strlen(error.what()), 10u);
            EXPECT_TRUE(mDriver.failed()) << "no call failed, but: " << error.what();
            return error.code();
        }
        return std::nullopt;
    }

    /// The Vulkan objects that are left after the program's objects are destroyed. Excludes pools
    /// and blocks of memory, which the library keeps for later.
    std::map<std::string, int64_t> kept(kp::Manager& manager) {
        deviceOf(manager)->waitIdle();
        deviceOf(manager)->deletionQueue().collect();
        // The number of staging buffers depends on the scheduling of threads.
        deviceOf(manager)->transfer().trim();
        deviceOf(manager)->bufferPool().clear();
        std::map<std::string, int64_t> objects = mDriver.alive();
        for (const char* pooled : {"Memory", "CommandPool", "QueryPool", "DescriptorPool", "Fence"})
            objects.erase(pooled);
        objects["allocations"] = deviceOf(manager)->allocator().usage().allocations;
        return objects;
    }

    void expectNothingLeft() {
        EXPECT_EQ(mDriver.alive(), (std::map<std::string, int64_t>{}));
        EXPECT_EQ(mDriver.misuses(), 0u);
    }

    /// Calls @p attempt with a manager of makeManager(), see FaultyDriver.
    template <typename Attempt>
    void forEachCall(uint64_t maxCalls, Attempt attempt) {
        mDriver.forEachCall(
            maxCalls, [this] { return makeManager(); }, attempt);
        expectNothingLeft();
    }

    /// True if a failure of the call may have no effect: the library retries allocations in other
    /// ways, and polls progress repeatedly.
    static bool mayBeRetried() {
        const std::string function = GetParam().function;
        return GetParam().often == Often::eOnce &&
               (function == "vkAllocateMemory" || function == "vkGetFenceStatus" ||
                function == "vkGetSemaphoreCounterValue");
    }

    // More calls than most functions have. A queue's progress may be polled any number of times.
    static constexpr uint64_t kMaxCalls = 48;

    FaultyDriver mDriver;
};

class OutOfMemoryInjection : public FailureInjection {};
class DeviceLostInjection : public FailureInjection {};

TEST_P(OutOfMemoryInjection, LeavesOtherObjectsUsableAndAllowsARetry) {
    std::map<std::string, int64_t> keptAfterSuccess;
    {
        const auto manager = makeManager();
        Bystander bystander(*manager);
        bystander.expectWorks();
        useEverything(*manager);
        keptAfterSuccess = kept(*manager);
    }
    expectNothingLeft();

    uint64_t errors = 0;
    forEachCall(kMaxCalls, [&](kp::Manager& manager, uint64_t number) {
        Bystander bystander(manager);
        bystander.expectWorks();

        fail(number);
        const auto error = run(manager);
        mDriver.works();
        if (error) {
            ++errors;
            EXPECT_EQ(*error, kp::ErrorCode::eOutOfMemory);
        }
        bystander.expectWorks();
        useEverything(manager);
        EXPECT_EQ(kept(manager), keptAfterSuccess);
        return mDriver.failed();
    });
    if (HasFailure())
        return;
    // The bystander's blocks of memory have room for everything else.
    if (std::string(GetParam().function) != "vkAllocateMemory" && !mayBeRetried()) {
        EXPECT_GT(errors, 0u) << "the program never saw this call fail";
    }
}

TEST_P(OutOfMemoryInjection, LeavesAFreshDeviceUsable) {
    uint64_t errors = 0;
    forEachCall(3, [&](kp::Manager& manager, uint64_t number) {
        fail(number);
        const auto error = run(manager);
        mDriver.works();
        if (error) {
            ++errors;
            EXPECT_EQ(*error, kp::ErrorCode::eOutOfMemory);
        }
        useEverything(manager);
        return mDriver.failed();
    });
    if (HasFailure())
        return;
    if (!mayBeRetried()) {
        EXPECT_GT(errors, 0u) << "the program never saw this call fail";
    }
}

template <typename... Functions>
std::vector<Case> cases(int32_t result, bool timelineSemaphores, Functions... functions) {
    std::vector<Case> all;
    for (const char* function : {functions...})
        for (const Often often : {Often::eOnce, Often::eFromThenOn})
            all.push_back({function, result, often, timelineSemaphores});
    return all;
}

INSTANTIATE_TEST_SUITE_P(
    Device, OutOfMemoryInjection,
    ::testing::ValuesIn(cases(VK_ERROR_OUT_OF_DEVICE_MEMORY, true, "vkAllocateMemory",
                              "vkCreateBuffer", "vkCreateImage", "vkCreateImageView",
                              "vkCreateDescriptorSetLayout", "vkCreatePipelineLayout",
                              "vkCreateShaderModule", "vkCreateComputePipelines",
                              "vkCreateCommandPool", "vkAllocateCommandBuffers",
                              "vkBeginCommandBuffer", "vkEndCommandBuffer", "vkResetCommandPool",
                              "vkCreateQueryPool", "vkAllocateDescriptorSets", "vkQueueSubmit",
                              "vkWaitSemaphores", "vkGetSemaphoreCounterValue")),
    nameOf);
INSTANTIATE_TEST_SUITE_P(
    Fences, OutOfMemoryInjection,
    ::testing::ValuesIn(cases(VK_ERROR_OUT_OF_HOST_MEMORY, false, "vkCreateFence", "vkResetFences",
                              "vkGetFenceStatus", "vkWaitForFences", "vkQueueSubmit")),
    nameOf);

/// Expects DeviceLost from every call that uses the device.
void expectAllCallsThrowDeviceLost(kp::Manager& manager, Bystander& bystander) {
    std::vector<uint32_t> values(kCount);
    const auto bytes = values.size() * sizeof(uint32_t);
    EXPECT_THROW(manager.tensorT<uint32_t>(kCount), kp::DeviceLost);
    EXPECT_THROW(manager.image(4, 4, 1), kp::DeviceLost);
    EXPECT_THROW(
        manager.algorithm(std::vector<std::shared_ptr<kp::Memory>>{}, spirv(shader("", ""))),
        kp::DeviceLost);
    EXPECT_THROW(bystander.sequence().eval(), kp::DeviceLost);
    EXPECT_THROW(bystander.sequence().evalAsync(), kp::DeviceLost);
    EXPECT_THROW(bystander.tensor().upload(values), kp::DeviceLost);
    EXPECT_THROW(bystander.tensor().download(values.data(), bytes), kp::DeviceLost);
}

TEST_P(DeviceLostInjection, MakesLaterCallsThrowAndAllowsDestruction) {
    uint64_t errors = 0;
    forEachCall(kMaxCalls, [&](kp::Manager& manager, uint64_t number) {
        Bystander bystander(manager);
        bystander.expectWorks();
        const auto sequence = manager.sequence();
        const auto tensor = manager.tensorT<uint32_t>(kCount);

        fail(number);
        const auto error = run(manager);
        const bool reached = mDriver.failed();
        // Real devices stay lost until they are destroyed.
        if (GetParam().often == Often::eOnce)
            mDriver.works();
        if (reached) {
            ++errors;
            EXPECT_EQ(error, kp::ErrorCode::eDeviceLost);
            expectAllCallsThrowDeviceLost(manager, bystander);
            EXPECT_THROW(sequence->eval<kp::OpSyncDevice>({tensor}), kp::DeviceLost);
        }
        if (number % 2 == 0)
            manager.destroy();
        return reached;
    });
    EXPECT_EQ(logText().find("\nE "), std::string::npos) << logText();
    if (HasFailure())
        return;
    EXPECT_GT(errors, 0u);
    // A new manager has a working device.
    const auto manager = makeManager();
    useEverything(*manager);
}

INSTANTIATE_TEST_SUITE_P(Device, DeviceLostInjection,
                         ::testing::ValuesIn(cases(VK_ERROR_DEVICE_LOST, true, "vkQueueSubmit",
                                                   "vkWaitSemaphores", "vkGetSemaphoreCounterValue",
                                                   "vkGetQueryPoolResults")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Fences, DeviceLostInjection,
                         ::testing::ValuesIn(cases(VK_ERROR_DEVICE_LOST, false, "vkQueueSubmit",
                                                   "vkWaitForFences", "vkGetFenceStatus")),
                         nameOf);

class FaultyDriverTest : public ::testing::Test {
protected:
    FaultyDriver mDriver;
};

TEST_F(FaultyDriverTest, RecoversIfTheFirstPipelineCacheOrDescriptorPoolFails) {
    for (const char* function : {"vkCreatePipelineCache", "vkCreateDescriptorPool"}) {
        SCOPED_TRACE(function);
        {
            const auto manager = mDriver.manager();
            const auto tensor = manager->tensorT<uint32_t>(kCount);
            mDriver.fail(function, 1, VK_ERROR_OUT_OF_HOST_MEMORY, Often::eFromThenOn);
            EXPECT_THROW(manager->algorithm({tensor}, addShader(1)), kp::OutOfMemory);
            EXPECT_TRUE(mDriver.failed());
            mDriver.works();
            useEverything(*manager);
        }
        EXPECT_TRUE(mDriver.alive().empty());
    }
}

TEST_F(FaultyDriverTest, LeavesNothingBehindIfDeviceCreationFails) {
    std::vector<std::string> functions{"vkCreateDevice"};
    if (deviceOf(*mDriver.manager())->plan().timelineSemaphores)
        functions.emplace_back("vkCreateSemaphore");
    // On machines with several devices, every candidate fails.
    for (const std::string& function : functions) {
        SCOPED_TRACE(function);
        mDriver.fail(function, 1, VK_ERROR_OUT_OF_HOST_MEMORY, Often::eFromThenOn);
        EXPECT_THROW(mDriver.manager(), kp::OutOfMemory);
        EXPECT_TRUE(mDriver.failed());
        mDriver.works();
        EXPECT_TRUE(mDriver.alive().empty());
    }
    mDriver.fail("vkCreateDevice", 1, VK_ERROR_FEATURE_NOT_PRESENT, Often::eFromThenOn);
    EXPECT_THROW(mDriver.manager(), kp::Unsupported);
    mDriver.fail("vkCreateDevice", 1, VK_ERROR_DEVICE_LOST, Often::eFromThenOn);
    EXPECT_THROW(mDriver.manager(), kp::DeviceLost);
    mDriver.works();
    const auto manager = mDriver.manager();
    useEverything(*manager);
}

TEST_F(FaultyDriverTest, TakesADeviceWithoutTheBufferAddressesThatItOffersAndRefuses) {
    constexpr auto kAddresses = vulkan::Feature::eBufferDeviceAddress;
    if (!deviceOf(*mDriver.manager())->has(kAddresses))
        GTEST_SKIP() << "the device has no buffer addresses";
    mDriver.fail("vkCreateDevice", 1, VK_ERROR_FEATURE_NOT_PRESENT, Often::eOnce);
    const auto manager = mDriver.manager();
    EXPECT_TRUE(mDriver.failed());
    EXPECT_FALSE(deviceOf(*manager)->has(kAddresses));
    useEverything(*manager);
}

TEST_F(FaultyDriverTest, SharesADeviceThatRefusedBufferAddresses) {
    kp::ManagerOptions options;
    options.breadcrumbs = true; // no other manager of the tests shares its device
    mDriver.fail("vkCreateDevice", 1, VK_ERROR_FEATURE_NOT_PRESENT, Often::eOnce);
    const auto manager = mDriver.manager(options, true);
    if (!mDriver.failed())
        GTEST_SKIP() << "such a device exists already";
    // RenderDoc refuses a second device.
    mDriver.fail("vkCreateDevice", 1, VK_ERROR_INITIALIZATION_FAILED, Often::eFromThenOn);
    const auto other = mDriver.manager(options, true);
    EXPECT_EQ(deviceOf(*other), deviceOf(*manager));
    mDriver.works();
}

TEST_F(FaultyDriverTest, ThrowsShaderErrorIfTheDriverRejectsAPipeline) {
    const auto manager = mDriver.manager();
    const auto tensor = manager->tensorT<uint32_t>(kCount);
    mDriver.fail("vkCreateComputePipelines", 1, VK_ERROR_INITIALIZATION_FAILED, Often::eOnce);
    EXPECT_THROW(manager->algorithm({tensor}, addShader(1)), kp::ShaderError);
    EXPECT_NO_THROW(manager->algorithm({tensor}, addShader(1)));
}

// A test of the FaultyDriver itself.
TEST_F(FaultyDriverTest, CountsLiveObjects) {
    const CheckScope unchecked("off"); // a report has a descriptor set, too
    {
        const auto manager = mDriver.manager();
        const auto device = deviceOf(*manager);
        const vulkan::Device& own = *device;
        VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        VkFence fence = VK_NULL_HANDLE;
        ASSERT_EQ(own.vk().vkCreateFence(own.handle(), &info, nullptr, &fence), VK_SUCCESS);
        EXPECT_EQ(mDriver.alive()["Fence"], 1);
        EXPECT_EQ(mDriver.alive()["Device"], 1);
        own.vk().vkDestroyFence(own.handle(), fence, nullptr);
        EXPECT_EQ(mDriver.alive().count("Fence"), 0u);
        EXPECT_EQ(mDriver.misuses(), 0u);

        const auto tensor = manager->tensorT<uint32_t>(kCount);
        EXPECT_GE(mDriver.alive()["Buffer"], 1);
        EXPECT_GE(mDriver.alive()["Memory"], 1);
        const auto algorithm = manager->algorithm({tensor}, addShader(1));
        EXPECT_EQ(mDriver.alive()["DescriptorSet"], 1);
        EXPECT_EQ(mDriver.alive()["Pipeline"], 1);
    }
    EXPECT_TRUE(mDriver.alive().empty());
}

} // namespace
} // namespace kp::test
