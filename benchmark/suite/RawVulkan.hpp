// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "vulkan/device/Device.hpp"
#include "vulkan/queue/Queue.hpp"

// Hand-written Vulkan in small pieces. It uses the VkDevice and VkQueue of a Manager, because some
// drivers are slow to switch between two devices, and nothing else of the library. Each object
// waits for the queue to be idle and then frees its resources. Errors throw std::runtime_error.

namespace kp::benchmark {

/// A VkQueue with a timeline semaphore to wait on.
class RawQueue {
public:
    RawQueue(const kp::Manager& manager, vulkan::WaitMode waitMode, uint32_t queueIndex = 0);
    ~RawQueue();
    RawQueue(const RawQueue&) = delete;
    RawQueue& operator=(const RawQueue&) = delete;

    struct Wait {
        VkSemaphore semaphore;
        uint64_t value;
    };
    /// Returns the semaphore value to wait for.
    uint64_t submit(std::span<const VkCommandBuffer> commandBuffers, std::span<const Wait> = {});
    void wait(uint64_t value);
    void run(VkCommandBuffer commandBuffer) { wait(submit({&commandBuffer, 1})); }

    VkSemaphore semaphore() const { return mSemaphore; }
    VkDevice device() const { return mDevice->handle(); }
    const VolkDeviceTable& vk() const { return mVk; }
    const vulkan::PhysicalDevice& physical() const { return mDevice->physical(); }
    uint32_t family() const { return mFamily; }
    void idle() { mVk.vkQueueWaitIdle(mQueue); }

    static void require(VkResult result);

private:
    bool reached(uint64_t value);

    std::shared_ptr<vulkan::Device> mDevice;
    const VolkDeviceTable& mVk;
    VkQueue mQueue;
    uint32_t mFamily;
    vulkan::WaitMode mWaitMode;
    VkSemaphore mSemaphore = VK_NULL_HANDLE;
    uint64_t mValue = 0;
};

enum class RawMemory { eDevice, eHost }; ///< eHost: mapped, and cached if possible

/// Buffers of equal size in one VkDeviceMemory.
class RawBuffers {
public:
    RawBuffers(RawQueue& queue, size_t count, uint64_t bytesEach, RawMemory memory);
    ~RawBuffers();
    RawBuffers(const RawBuffers&) = delete;
    RawBuffers& operator=(const RawBuffers&) = delete;

    VkBuffer operator[](size_t i) const { return mBuffers[i]; }
    size_t count() const { return mBuffers.size(); }
    uint64_t bytesEach() const { return mBytesEach; }
    /// eHost only.
    void* mapped(size_t i) const { return static_cast<char*>(mMapped) + i * mStep; }

    /// Slow copies through a new host buffer, for set-up and verification.
    void write(size_t i, const void* data, uint64_t bytes);
    void read(size_t i, void* data, uint64_t bytes);

    static VkBuffer makeBuffer(const RawQueue& queue, uint64_t bytes);
    static uint32_t memoryType(const RawQueue& queue, uint32_t bits, RawMemory memory);

private:
    RawQueue& mQueue;
    uint64_t mBytesEach;
    uint64_t mStep = 0;
    std::vector<VkBuffer> mBuffers;
    VkDeviceMemory mMemory = VK_NULL_HANDLE;
    void* mMapped = nullptr;
};

/// A pipeline whose bindings are all storage buffers, and its descriptor sets.
class RawKernel {
public:
    RawKernel(RawQueue& queue, const std::vector<uint32_t>& spirv, uint32_t bindings,
              uint32_t pushBytes, uint32_t maxSets);
    ~RawKernel();
    RawKernel(const RawKernel&) = delete;
    RawKernel& operator=(const RawKernel&) = delete;

    /// Writes the buffers to @p set, or to a new descriptor set if it is null.
    VkDescriptorSet bind(const std::vector<VkBuffer>& buffers,
                         VkDescriptorSet set = VK_NULL_HANDLE);

    VkPipeline pipeline() const { return mPipeline; }
    VkPipelineLayout layout() const { return mLayout; }

    /// @param constants  specialization constants 0, 1, ...
    static VkPipeline makePipeline(RawQueue& queue, const std::vector<uint32_t>& spirv,
                                   VkPipelineLayout layout, VkPipelineCache cache,
                                   const std::vector<uint32_t>& constants = {});

private:
    RawQueue& mQueue;
    VkDescriptorSetLayout mSetLayout = VK_NULL_HANDLE;
    VkPipelineLayout mLayout = VK_NULL_HANDLE;
    VkPipeline mPipeline = VK_NULL_HANDLE;
    VkDescriptorPool mPool = VK_NULL_HANDLE;
};

/// A command pool with one command buffer, and the commands that the rows need.
class RawCommands {
public:
    explicit RawCommands(RawQueue& queue);
    ~RawCommands();
    RawCommands(const RawCommands&) = delete;
    RawCommands& operator=(const RawCommands&) = delete;

    /// Resets the command buffer and begins it.
    void begin();
    /// Ends the command buffer with the same barrier as the library: against later submissions to
    /// the queue and, with @p host, against reads by the host.
    void end(bool host = false);
    void endWithoutBarrier();
    /// The same barrier as the library's between dependent dispatches.
    void computeBarrier();
    void bind(const RawKernel& kernel);
    void bindSet(const RawKernel& kernel, VkDescriptorSet set);
    void push(const RawKernel& kernel, const void* data, uint32_t bytes);
    void dispatch(uint32_t groups);
    void copy(VkBuffer source, VkBuffer destination, uint64_t bytes, uint64_t from = 0,
              uint64_t to = 0);
    void fill(VkBuffer buffer, uint64_t bytes, uint32_t pattern);

    VkCommandBuffer handle() const { return mCommandBuffer; }

private:
    void barrier(VkPipelineStageFlags srcStage, VkAccessFlags srcAccess,
                 VkPipelineStageFlags dstStage, VkAccessFlags dstAccess);

    RawQueue& mQueue;
    VkCommandPool mPool = VK_NULL_HANDLE;
    VkCommandBuffer mCommandBuffer = VK_NULL_HANDLE;
    VkPipelineStageFlags mStages = 0; ///< of the recorded commands
};

/// Copies between ordinary host memory and a buffer, with one thread and two alternating staging
/// buffers of 8 MiB.
class RawStaging {
public:
    explicit RawStaging(RawQueue& queue);

    void upload(VkBuffer buffer, const void* data, uint64_t bytes);
    void download(VkBuffer buffer, void* data, uint64_t bytes);

private:
    static constexpr uint64_t kChunk = 8 << 20;

    RawQueue& mQueue;
    RawBuffers mStaging;
    RawCommands mCommands[2];
};

} // namespace kp::benchmark
