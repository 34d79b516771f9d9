// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/embedding.md. Each block of that page is a part of this file, apart from
// whitespace. Vulkan's functions are variables here, because the tests do not link the loader.
#include <algorithm>
#include <mutex>

#include "../DocsSupport.hpp"
#include "../HostVulkan.hpp"
#include "../TestSupport.hpp"

#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

class EmbeddingDocsTest : public DeviceTest {
protected:
    const VolkDeviceTable& vk() const { return deviceOf(wrapped)->vk(); }

    HostVulkan application{manager};
    kp::Manager wrapped{application.description()};
    VkDevice device = application.device();
    VkQueue queue = application.queue();
};

TEST_F(EmbeddingDocsTest, RunsTheCodeOnTheDevice) {
    if (manager.deviceInfo().apiVersion < VK_API_VERSION_1_2)
        GTEST_SKIP() << "the device has no Vulkan 1.2";
    const VkInstance instance = application.instance();
    const VkPhysicalDevice physicalDevice = application.physicalDevice();
    const uint32_t family = application.family();
    const auto& features2 =
        *static_cast<const VkPhysicalDeviceFeatures2*>(application.description().enabledFeatures);
    const std::vector<std::string> enabledExtensions;
    // clang-format off
kp::HostDevice host;
host.instance = instance;
host.physicalDevice = physicalDevice;
host.apiVersion = VK_API_VERSION_1_2; // as in your VkApplicationInfo

std::vector<std::string> must = kp::requiredDeviceExtensions(host);
std::vector<std::string> should = kp::recommendedDeviceExtensions(host);
std::vector<std::string> features = kp::recommendedDeviceFeatures(host); // "timelineSemaphore", ...
    // clang-format on
    if (hasFeature(manager, "timelineSemaphore")) {
        EXPECT_EQ(std::count(features.begin(), features.end(), "timelineSemaphore"), 1);
    }
    // clang-format off
host.device = device;
host.queues = {{queue, family, 0}};         // manager.sequence(i) uses entry i
host.deviceExtensions = enabledExtensions;
host.enabledFeatures = &features2;          // the pNext chain that the device was created with
kp::Manager manager(host);
    // clang-format on
    EXPECT_EQ(manager.nativeDevice(), device);

    const uint64_t offset = application.offsetAlignment();
    const size_t count = 4;
    const VkBuffer buffer = application.makeBuffer(offset + count * sizeof(float));
    // clang-format off
auto tensor = manager.wrapBuffer(buffer, count, sizeof(float), kp::Memory::DataTypes::eFloat, offset);
    // clang-format on
    tensor->upload(std::vector<float>{1, 2, 3, 4});
    manager.sequence()->eval<kp::OpAlgoDispatch>(manager.algorithm({tensor}, incrementFloats()));
    const auto* own =
        reinterpret_cast<const float*>(application.contents(buffer)) + offset / sizeof(float);
    EXPECT_EQ(std::vector<float>(own, own + count), (std::vector<float>{2, 3, 4, 5}));
}

TEST_F(EmbeddingDocsTest, RunsTheCodeOnLocks) {
    struct Queues {
        void lock() {
            mutex.lock();
            ++locked;
        }
        void unlock() {
            ++unlocked;
            mutex.unlock();
        }
        std::mutex mutex;
        int locked = 0;
        int unlocked = 0;
    };
    Queues queues;
    HostVulkan other(manager); // of which no manager without locks is alive
    kp::HostDevice host = other.description();
    // clang-format off
host.lockQueue = [](void* context, uint32_t, uint32_t) { static_cast<Queues*>(context)->lock(); };
host.unlockQueue = [](void* context, uint32_t, uint32_t) { static_cast<Queues*>(context)->unlock(); };
host.lockContext = &queues;
    // clang-format on
    {
        kp::Manager wrapped(host);
        auto t = wrapped.tensorT<uint32_t>({1});
        wrapped.sequence()->eval<kp::OpAlgoDispatch>(wrapped.algorithm({t}, addShader(1)));
        EXPECT_EQ(t->vector()[0], 2u);
    }
    EXPECT_GT(queues.locked, 0);
    EXPECT_EQ(queues.locked, queues.unlocked);
}

TEST_F(EmbeddingDocsTest, RunsTheCodeOnYourOwnSubmissions) {
    const auto vkBeginCommandBuffer = vk().vkBeginCommandBuffer;
    const auto vkEndCommandBuffer = vk().vkEndCommandBuffer;
    const auto submitAndWait = [&](VkCommandBuffer commands) {
        VkSubmitInfo submission{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submission.commandBufferCount = 1;
        submission.pCommandBuffers = &commands;
        EXPECT_EQ(vk().vkQueueSubmit(queue, 1, &submission, VK_NULL_HANDLE), VK_SUCCESS);
        EXPECT_EQ(vk().vkQueueWaitIdle(queue), VK_SUCCESS);
    };
    VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.queueFamilyIndex = application.family();
    VkCommandPool pool = VK_NULL_HANDLE;
    ASSERT_EQ(vk().vkCreateCommandPool(device, &poolInfo, nullptr, &pool), VK_SUCCESS);
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    VkCommandBuffer commandBuffer = VK_NULL_HANDLE;
    ASSERT_EQ(vk().vkAllocateCommandBuffers(device, &allocate, &commandBuffer), VK_SUCCESS);
    const VkCommandBufferBeginInfo beginInfo{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                             VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, nullptr};

    kp::Manager& manager = wrapped;
    auto t = manager.tensorT<uint32_t>({1});
    manager.sequence()->eval<kp::OpSyncDevice>({t});
    auto algorithm = manager.algorithm({t}, addShader(1));
    // clang-format off
auto sequence = manager.sequence()->record<kp::OpAlgoDispatch>(algorithm);

vkBeginCommandBuffer(commandBuffer, &beginInfo);
// ... your commands
sequence->recordInto(commandBuffer);
// ... your commands
vkEndCommandBuffer(commandBuffer);

sequence->preEval();
submitAndWait(commandBuffer); // a function of your program
sequence->postEval();
    // clang-format on
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 2u);
    vk().vkDestroyCommandPool(device, pool, nullptr);
}

TEST_F(EmbeddingDocsTest, RunsTheCodeOnSemaphores) {
    kp::Manager& manager = wrapped;
    if (!deviceOf(manager)->plan().timelineSemaphores)
        GTEST_SKIP() << "no timeline semaphores";
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    ASSERT_EQ(vk().vkCreateSemaphore(device, &info, nullptr, &semaphore), VK_SUCCESS);
    {
        auto t = manager.tensorT<uint32_t>({1});
        auto sequence =
            manager.sequence()->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1)));
        const uint64_t filled = 3;
        // clang-format off
// semaphore: a VkSemaphore of type VK_SEMAPHORE_TYPE_TIMELINE; filled: the value that your work gives it
auto frames = manager.wrapSemaphore(semaphore);

sequence->evalAsync({frames->at(filled)});            // starts when the semaphore has this value
frames->signalAfter(sequence->event(), filled + 1);   // your next submission waits for this one
        // clang-format on
        EXPECT_FALSE(sequence->event().done());
        VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
        signal.semaphore = semaphore;
        signal.value = filled;
        EXPECT_EQ(vk().vkSignalSemaphore(device, &signal), VK_SUCCESS);
        sequence->evalAwait();
        EXPECT_EQ(t->vector()[0], 2u);
        frames->at(filled + 1).wait();
        EXPECT_EQ(frames->value(), filled + 1);
    }
    vk().vkDeviceWaitIdle(device);
    vk().vkDestroySemaphore(device, semaphore, nullptr);
}

TEST_F(EmbeddingDocsTest, RunsTheCodeOnFences) {
    const auto vkQueueSubmit = vk().vkQueueSubmit;
    kp::Manager& manager = wrapped;
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    ASSERT_EQ(vk().vkCreateFence(device, &info, nullptr, &fence), VK_SUCCESS);
    const VkBuffer buffer = application.makeBuffer(64);
    const VkCommandBuffer commands = application.begin();
    application.recordFill(commands, buffer, 41);
    ASSERT_EQ(vk().vkEndCommandBuffer(commands), VK_SUCCESS);
    VkSubmitInfo submission{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submission.commandBufferCount = 1;
    submission.pCommandBuffers = &commands;
    {
        auto t = manager.wrapBuffer(buffer, 16, 4, kp::Memory::DataTypes::eUnsignedInt, 0,
                                    kp::Memory::MemoryTypes::eStorage);
        auto sequence =
            manager.sequence()->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1)));
        // clang-format off
vkQueueSubmit(queue, 1, &submission, fence);
sequence->evalAsync({manager.wrapFence(fence)}); // starts when the fence is signalled
        // clang-format on
        sequence->evalAwait();
        EXPECT_EQ(onDevice<uint32_t>(*t), std::vector<uint32_t>(16, 42));
    }
    vk().vkDestroyFence(device, fence, nullptr);
}

TEST_F(EmbeddingDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/embedding.md", "test/device/docs/EmbeddingDocsTest.cpp", 7);
}

} // namespace
} // namespace kp::test
