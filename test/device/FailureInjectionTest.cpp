// SPDX-License-Identifier: Apache-2.0
//
// Makes every Vulkan call that can fail do so, one after the other, while a program that uses all
// of the library runs.
#include <cstring>
#include <optional>
#include <ostream>

#include "FaultyDriver.hpp"
#include "TestSupport.hpp"

#include "vulkan/Allocator.hpp"
#include "vulkan/Device.hpp"
#include "vulkan/Retirement.hpp"
#include "vulkan/Transfer.hpp"

namespace kp::test {
namespace {

using Often = FaultyDriver::Often;
using MemoryTypes = kp::Memory::MemoryTypes;

constexpr uint32_t kCount = 64;
/// More than one chunk of the transfer engine, so that it has two in flight.
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

/// What a program has that ran before the failure, and wants to go on with.
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

/// Uses everything that makes Vulkan objects or submits, and checks what comes out.
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
    const std::vector<uint32_t> up = ascending<uint32_t>(kLargeCount);
    std::vector<uint32_t> down(kLargeCount);
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
                << "refused a block, the allocator asks for the bytes of one buffer alone, "
                   "which best practices find small";
        if (function.find("Semaphore") != std::string::npos &&
            !deviceOf(*makeManager())->plan().timelineSemaphores)
            GTEST_SKIP() << "the device counts with fences";
    }

    std::unique_ptr<kp::Manager> makeManager() {
        kp::ManagerOptions options;
        options.timelineSemaphores = GetParam().timelineSemaphores;
        options.waitPolicy = kp::WaitPolicy::eBlock;
        options.cacheFolder = "off";
        // Through staging, with a thread of the engine's own and the copying shaders on every
        // device.
        options.transfer = "mapped=0,chunk=1M,threads=2,copykernel=1,fillkernel=1";
        return mDriver.manager(options);
    }

    void fail(uint64_t number) {
        mDriver.fail(GetParam().function, number, GetParam().result, GetParam().often);
    }

    /// Runs the program with one call failing. Empty where the error reached nobody.
    std::optional<kp::ErrorCode> run(kp::Manager& manager) {
        try {
            useEverything(manager);
        } catch (const kp::Error& error) {
            EXPECT_GT(std::strlen(error.what()), 10u);
            EXPECT_TRUE(mDriver.failed()) << "a failure without cause: " << error.what();
            return error.code();
        }
        return std::nullopt;
    }

    /// What is left when the program's objects are gone. Pools and blocks of memory are kept for
    /// later and left out.
    std::map<std::string, int64_t> kept(kp::Manager& manager) {
        // Frees what was only put off.
        deviceOf(manager)->waitIdle();
        deviceOf(manager)->retirement().collect();
        // How many staging buffers there are depends on how threads took turns.
        deviceOf(manager)->transfer().trim();
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

    // Far more than there are; polls of a queue's progress alone can be many.
    static constexpr uint64_t kMostCalls = 48;

    FaultyDriver mDriver;
};

class OutOfMemoryInjection : public FailureInjection {};
class DeviceLostInjection : public FailureInjection {};

TEST_P(OutOfMemoryInjection, EverythingElseGoesOnAndARetrySucceeds) {
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
    bool reached = true;
    uint64_t after = 1;
    for (uint64_t number = 1; reached && number <= kMostCalls; number = after) {
        SCOPED_TRACE("call " + std::to_string(number));
        {
            const auto manager = makeManager();
            after = FaultyDriver::next(*manager, number);
            Bystander bystander(*manager);
            bystander.expectWorks();

            fail(number);
            const auto error = run(*manager);
            reached = mDriver.failed();
            mDriver.works();
            if (error) {
                ++errors;
                EXPECT_EQ(*error, kp::ErrorCode::eOutOfMemory);
            }
            bystander.expectWorks();
            useEverything(*manager);
            EXPECT_EQ(kept(*manager), keptAfterSuccess);
        }
        expectNothingLeft();
        if (HasFailure())
            return;
    }
    // The blocks of memory that the bystander needs have room for the rest.
    if (std::string(GetParam().function) != "vkAllocateMemory") {
        EXPECT_GT(errors, 0u) << "this call never fails the program";
    }
}

TEST_P(OutOfMemoryInjection, AFreshDeviceSurvivesToo) {
    uint64_t errors = 0;
    bool reached = true;
    for (uint64_t number = 1; reached && number <= 3; ++number) {
        SCOPED_TRACE("call " + std::to_string(number));
        {
            const auto manager = makeManager();
            fail(number);
            const auto error = run(*manager);
            reached = mDriver.failed();
            mDriver.works();
            if (error) {
                ++errors;
                EXPECT_EQ(*error, kp::ErrorCode::eOutOfMemory);
            }
            useEverything(*manager);
        }
        expectNothingLeft();
        if (HasFailure())
            return;
    }
    // Memory is asked for in several ways, and progress again and again, so that one refusal is
    // made up for.
    const std::string function = GetParam().function;
    const bool madeUpFor = function == "vkAllocateMemory" || function == "vkGetFenceStatus" ||
                           function == "vkGetSemaphoreCounterValue";
    if (!madeUpFor || GetParam().often == Often::eFromThenOn) {
        EXPECT_GT(errors, 0u) << "this call never fails the program";
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

/// Everything that reaches the device says that it is gone.
void expectAllCallsSaySo(kp::Manager& manager, Bystander& bystander) {
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

TEST_P(DeviceLostInjection, LaterCallsSaySoAndDestructionSucceeds) {
    uint64_t errors = 0;
    bool reached = true;
    uint64_t after = 1;
    for (uint64_t number = 1; reached && number <= kMostCalls; number = after) {
        SCOPED_TRACE("call " + std::to_string(number));
        {
            const auto manager = makeManager();
            after = FaultyDriver::next(*manager, number);
            Bystander bystander(*manager);
            bystander.expectWorks();
            const auto running = manager->sequence();
            const auto tensor = manager->tensorT<uint32_t>(kCount);

            fail(number);
            const auto error = run(*manager);
            reached = mDriver.failed();
            // Real devices stay lost, and are destroyed as such.
            if (GetParam().often == Often::eOnce)
                mDriver.works();
            if (reached) {
                ++errors;
                ASSERT_TRUE(error) << "the loss went unnoticed";
                EXPECT_EQ(*error, kp::ErrorCode::eDeviceLost);
                expectAllCallsSaySo(*manager, bystander);
                EXPECT_THROW(running->eval<kp::OpSyncDevice>({tensor}), kp::DeviceLost);
            }
            if (number % 2 == 0)
                manager->destroy();
        }
        mDriver.works();
        expectNothingLeft();
        EXPECT_EQ(logText().find("\nE "), std::string::npos) << logText();
        if (HasFailure())
            return;
    }
    EXPECT_GT(errors, 0u);
    // A new manager has a device that works.
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

TEST_F(FaultyDriverTest, FirstPipelineAndFirstDescriptorPoolMayFail) {
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

TEST_F(FaultyDriverTest, ADeviceThatCannotBeMadeLeavesNothingBehind) {
    std::vector<std::string> functions{"vkCreateDevice"};
    if (deviceOf(*mDriver.manager())->plan().timelineSemaphores)
        functions.emplace_back("vkCreateSemaphore");
    // Every candidate fails, on machines with several devices too.
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

TEST_F(FaultyDriverTest, APipelineThatTheDriverRefusesIsAShaderError) {
    const auto manager = mDriver.manager();
    const auto tensor = manager->tensorT<uint32_t>(kCount);
    mDriver.fail("vkCreateComputePipelines", 1, VK_ERROR_INITIALIZATION_FAILED, Often::eOnce);
    EXPECT_THROW(manager->algorithm({tensor}, addShader(1)), kp::ShaderError);
    EXPECT_NO_THROW(manager->algorithm({tensor}, addShader(1)));
}

// The driver in between is worth nothing if it does not see.
TEST_F(FaultyDriverTest, SeesWhatIsAliveAndWhatIsDestroyedTwice) {
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
