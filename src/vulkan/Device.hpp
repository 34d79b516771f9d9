// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vulkan/DevicePlan.hpp"
#include "vulkan/Instance.hpp"
#include "vulkan/Queue.hpp"

namespace kp::vulkan {

class Allocator;
class CommandBufferPool;
class DescriptorAllocator;
class PipelineCache;
class QueryPools;
class Retirement;
class Transfer;

/// A queue of a host application.
struct HostQueue {
    VkQueue handle = VK_NULL_HANDLE;
    uint32_t family = 0;
    uint32_t index = 0;
};

/// A device that a host application made and keeps.
struct HostDevice {
    std::shared_ptr<Instance> instance; ///< Instance::wrap of the host's
    VkPhysicalDevice physicalDevice = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    std::vector<HostQueue> queues; ///< at least one with compute
    std::vector<std::string> enabledExtensions;
    FeatureSet enabledFeatures; ///< what is not known to be on counts as off
    uint32_t apiVersion = VK_API_VERSION_1_1;
    bool allowTimelineSemaphores = true;
    std::function<void(uint32_t family, uint32_t index)> lockQueue;   ///< may be empty
    std::function<void(uint32_t family, uint32_t index)> unlockQueue; ///< may be empty
};

/// Functions of VK_EXT_debug_utils that take a device or command buffer: names and labels. Null
/// where Device::debugUtils() is false. (volk's device table does not have them.)
struct DebugFunctions {
    PFN_vkSetDebugUtilsObjectNameEXT setObjectName = nullptr;
    PFN_vkCmdBeginDebugUtilsLabelEXT beginLabel = nullptr;
    PFN_vkCmdEndDebugUtilsLabelEXT endLabel = nullptr;
};

/// A logical device with everything that is shared by all who use it: function table, queues,
/// memory allocator, recycled command buffers and query pools, descriptor pools, pipelines.
/// Created (and then shared by equal requests) or wrapped (a host's; nothing of the host is
/// destroyed). Thread-safe. Destruction waits for what its queues still run.
class Device : public std::enable_shared_from_this<Device> {
public:
    /// The shared device for this request. Alive as long as someone holds it. Requests with a
    /// feature chain, and those that ask for it, get a device of their own.
    /// @throws InvalidArgument for an index, family or name that does not exist (reasons list
    ///         what does), Unsupported where every device was refused (reasons say why)
    static std::shared_ptr<Device> acquire(const std::shared_ptr<Instance>& instance,
                                           const DeviceRequest& request);
    /// Wraps a host's device. Wrapping the same VkDevice twice gives the same object, with the
    /// queues of the first time. Null queue handles are looked up.
    /// @throws InvalidArgument for null handles, a physical device of another instance, queues that
    ///         cannot compute or that an object of this VkDevice does not have
    static std::shared_ptr<Device> wrap(const HostDevice& host);
    /// A device made or wrapped here that is still alive; null for others.
    static std::shared_ptr<Device> find(VkDevice handle);

    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    VkDevice handle() const { return mHandle; }
    const VolkDeviceTable& vk() const { return mTable; }
    /// The table itself, so that tests can make calls fail or count them.
    VolkDeviceTable& mutableTable() { return mTable; }
    const std::shared_ptr<Instance>& instance() const { return mInstance; }
    const PhysicalDevice& physical() const { return mPhysical; }
    const DevicePlan& plan() const { return mPlan; }
    bool has(Feature feature) const { return mPlan.has(feature); }
    bool wrapped() const { return mWrapped; }
    std::string name() const { return mPhysical.name(); }

    /// All queues: first those of the request or the host, then the copy queues.
    size_t queueCount() const { return mQueues.size(); }
    /// Those that run what users record.
    size_t userQueueCount() const { return mPlan.queues.size(); }
    /// Queues that only copy, for the transfer engine; often none.
    size_t copyQueueCount() const { return mQueues.size() - userQueueCount(); }
    Queue& copyQueue(size_t index) const { return *mQueues[userQueueCount() + index]; }
    /// The families of all queues, each once.
    const std::vector<uint32_t>& families() const { return mFamilies; }
    /// Place of a queue in queue(); empty where the device was made or wrapped without it.
    std::optional<size_t> findQueue(uint32_t family, uint32_t index) const;
    Queue& queue(size_t index) const { return *mQueues[index]; }

    Allocator& allocator() const { return *mAllocator; }
    CommandBufferPool& commandBuffers() const { return *mCommandBuffers; }
    QueryPools& queryPools() const { return *mQueryPools; }
    DescriptorAllocator& descriptors() const { return *mDescriptors; }
    PipelineCache& pipelines() const { return *mPipelines; }
    Retirement& retirement() const { return *mRetirement; }
    Transfer& transfer() const { return *mTransfer; }

    /// Held while a submission looks up, makes and notes down its order against others.
    std::mutex& submissionMutex() const { return mSubmissionMutex; }
    /// Last submission that may have touched any memory at all. Guarded by submissionMutex().
    TimelinePoint& lastUnknownAccess() const { return mLastUnknownAccess; }

    /// How to wait where the caller did not say: hybrid on a GPU, block on a CPU driver, whose
    /// own threads need the cores that spinning would take.
    WaitMode defaultWaitMode() const {
        return mPhysical.isCpu() ? WaitMode::eBlock : WaitMode::eHybrid;
    }

    /// Throws unless @p result is a success; notes a lost device first, so that later calls say so.
    void check(VkResult result, const char* what) const;
    bool lost() const { return mLost.load(std::memory_order_relaxed); }
    /// Throws DeviceLost where the device was lost earlier.
    void requireAlive() const;

    /// Names an object for validation messages and debuggers; no-op without debug utils.
    void setName(VkObjectType type, uint64_t handle, const std::string& name) const;
    bool debugUtils() const { return mDebugUtils; }
    const DebugFunctions& debugFunctions() const { return mDebugFunctions; }

    /// Waits until every queue has finished what it was given; a lost device counts as finished.
    void waitIdle() const;

private:
    Device();
    /// Builds what create and wrap have in common, once handle, table, plan and queues are known.
    void finish(const std::vector<HostQueue>& queues, const HostDevice* host);
    std::vector<std::string> faultReport() const;

    std::shared_ptr<Instance> mInstance;
    PhysicalDevice mPhysical;
    DevicePlan mPlan;
    DevicePlan mRequested; ///< the plan before the driver had its say; equal ones are shared
    VkDevice mHandle = VK_NULL_HANDLE;
    VolkDeviceTable mTable{};
    bool mWrapped = false;
    bool mDebugUtils = false;
    DebugFunctions mDebugFunctions;
    mutable std::atomic<bool> mLost{false};
    mutable std::mutex mSubmissionMutex;
    mutable TimelinePoint mLastUnknownAccess;
    std::vector<std::unique_ptr<Queue>> mQueues;
    std::vector<uint32_t> mFamilies;
    std::unique_ptr<Retirement> mRetirement;
    std::unique_ptr<Allocator> mAllocator;
    std::unique_ptr<CommandBufferPool> mCommandBuffers;
    std::unique_ptr<QueryPools> mQueryPools;
    std::unique_ptr<DescriptorAllocator> mDescriptors;
    std::unique_ptr<PipelineCache> mPipelines;
    std::unique_ptr<Transfer> mTransfer; ///< destroyed first: it holds buffers
};

} // namespace kp::vulkan
