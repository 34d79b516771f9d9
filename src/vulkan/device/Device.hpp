// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only Device.cpp includes the headers of all that a Device owns. Leaf pools (queue/Pools,
// queue/Timeline, pipeline/) take a DeviceHandle and never include this header. Headers include
// their own folder and earlier ones: device, pipeline, memory, queue, transfer. Two exceptions:
// queue/Timeline.hpp counts as a part of device, and this header includes queue/Queue.hpp.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <typeindex>
#include <vector>

#include "vulkan/device/DeviceHandle.hpp"
#include "vulkan/device/DevicePlan.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp::vulkan {

class Allocator;
class Breadcrumbs;
class BufferCache;
class BufferPool;
class CommandBufferPool;
class DeletionQueue;
class DescriptorAllocator;
class Instance;
class PipelineCache;
class QueryPools;
class SharedScratch;
class Transfer;

/// An object that a layer above attaches to a Device.
class DeviceCompanion {
public:
    virtual ~DeviceCompanion() = default;
    /// Frees the memory and pipelines that it keeps for later use. Called when memory runs out, and
    /// before the device is destroyed. @return false if there were none
    virtual bool freeMemory() noexcept { return false; }
};

/// Device memory that is kept for reuse.
struct CachedBytes {
    uint64_t smallTensors = 0;
    uint64_t intermediates = 0; ///< of operations' results
    uint64_t constants = 0;
    uint64_t all() const { return smallTensors + intermediates + constants; }
};

/// What a device did since it was created. See Manager::activity().
struct DeviceActivity {
    std::atomic<uint64_t> launches{0};
    std::atomic<uint64_t> submissions{0};
    std::atomic<uint64_t> waits{0};

    static void count(std::atomic<uint64_t>& what) { what.fetch_add(1, std::memory_order_relaxed); }
};

/// A logical device and everything that its users share: functions, queues, memory allocator,
/// recycled command buffers and query pools, descriptor pools, pipelines. Either created here, or a
/// host application's, of which nothing is destroyed. DeviceRegistry.hpp returns shared ones.
/// Thread-safe. Destruction waits until its queues are idle; if they are not after endLimit(), the
/// device and its resources stay until the process ends.
class Device : public DeviceHandle {
public:
    static std::shared_ptr<Device> create(const std::shared_ptr<Instance>& instance,
                                          const PhysicalDevice& physical, const DevicePlan& plan,
                                          const void* featureChain);
    /// Wraps a host application's VkDevice; the caller has checked @p host.
    static std::shared_ptr<Device> wrap(const HostDevice& host, const PhysicalDevice& physical);
    ~Device();

    const std::shared_ptr<Instance>& instance() const { return mInstance; }
    const PhysicalDevice& physical() const { return mPhysical; }
    const DevicePlan& plan() const { return mPlan; }
    /// The plan that it was created for, with the features that the driver then refused.
    const DevicePlan& requestedPlan() const { return mRequestedPlan; }
    bool has(Feature feature) const { return mPlan.has(feature); }
    bool wrapped() const { return mWrapped; }

    /// Returns true if a tool shows names and labels of commands.
    bool labels() const { return mLabels; }
    /// Returns true if anything shows what work is called.
    bool namesWork() const { return mLabels || mBreadcrumbs; }

    /// All queues: first those that run users' work, then the copy queues.
    size_t queueCount() const { return mQueues.size(); }
    Queue& queue(size_t index) const { return *mQueues[index]; }
    /// The queues that run users' work.
    size_t userQueueCount() const { return mPlan.queues.size(); }
    /// Queues that only copy, for the transfer engine; often none.
    size_t copyQueueCount() const { return mQueues.size() - userQueueCount(); }
    Queue& copyQueue(size_t index) const { return *mQueues[userQueueCount() + index]; }
    /// Returns the queue of this family and index and, unless it is null, handle; null if the
    /// device has no such queue.
    Queue* findQueue(const HostQueue& wanted) const;
    /// The families of all queues, each once.
    const std::vector<uint32_t>& families() const { return mFamilies; }
    /// The families of queues that run users' work.
    const std::vector<uint32_t>& userFamilies() const { return mUserFamilies; }

    Allocator& allocator() const { return *mAllocator; }
    BufferPool& bufferPool() const { return *mBufferPool; }
    BufferPool& scratchPool() const { return *mScratchPool; }
    SharedScratch& sharedScratch() const { return *mSharedScratch; }
    BufferCache& constants() const { return *mConstants; }
    /// Returns the device memory that the four keep.
    CachedBytes cachedBytes() const;
    /// Frees what the pools, the caches and the companions keep. @return false if that is nothing
    bool clearBufferPools() const;
    DeviceActivity& activity() const { return mActivity; }
    CommandBufferPool& commandBuffers() const { return *mCommandBuffers; }
    QueryPools& queryPools() const { return *mQueryPools; }
    DescriptorAllocator& descriptors() const { return *mDescriptors; }
    PipelineCache& pipelines() const { return *mPipelines; }
    DeletionQueue& deletionQueue() const { return *mDeletionQueue; }
    Transfer& transfer() const { return *mTransfer; }
    Breadcrumbs* breadcrumbs() const { return mBreadcrumbs.get(); } ///< null: the plan has none

    /// Held while a submission finds its order against others, is made, and is recorded.
    std::mutex& submissionMutex() const { return mSubmissionMutex; }
    /// The user queue with the last submission; at first queue(0). Transfers without a copy queue
    /// follow it, because GPUs may take long to change between queues (H200: 165 us).
    Queue& recentQueue() const { return *mRecentQueue.load(std::memory_order_relaxed); }
    void noteSubmission(Queue& queue) const {
        if (queue.computes())
            mRecentQueue.store(&queue, std::memory_order_relaxed);
    }
    /// The last submission that may have accessed any memory. Guarded by submissionMutex().
    const TimelinePoint& lastUnknownAccess() const { return mLastUnknownAccess; }
    void noteUnknownAccess(const TimelinePoint& point) const {
        mLastUnknownAccess = point;
        mUnknownAccesses.fetch_add(1, std::memory_order_release);
    }
    /// Returns the number of such submissions. Needs no mutex.
    const std::atomic<uint64_t>& unknownAccesses() const { return mUnknownAccesses; }

    /// Returns the object of a class that a layer above has attached to the device, made by @p make
    /// at the first call. It is destroyed after all memory, before the queues.
    template <typename T, typename Make>
    T& companion(Make&& make) {
        const std::lock_guard lock(mCompanionMutex);
        std::shared_ptr<DeviceCompanion>& slot = mCompanions[std::type_index(typeid(T))];
        if (!slot)
            slot = make();
        return static_cast<T&>(*slot);
    }

    /// The wait mode unless the caller chose one: hybrid on a GPU, block on a CPU driver, whose own
    /// threads need the cores that spinning would take.
    WaitMode defaultWaitMode() const {
        return mPhysical.isCpu() ? WaitMode::eBlock : WaitMode::eHybrid;
    }

    /// Waits until every queue is idle and writes the pipeline cache, without throwing. Waits for
    /// endLimit() once, and logs a warning if work goes on after that.
    void finish() noexcept;
    /// Waits until every queue is idle. The queues of a lost device are.
    /// @param timeout  nanoseconds
    /// @return false if it timed out
    bool waitIdle(uint64_t timeout = UINT64_MAX) const;
    /// Waits until they are idle; for endLimit(), once, unless the device is a host application's,
    /// which may destroy it next. Logs a warning if work goes on after that.
    /// @return false after the limit
    bool settle() noexcept;

private:
    Device() = default;
    /// Returns an object that is never destroyed once driverGone(), or while its work does not end.
    static std::shared_ptr<Device> allocate();
    /// @param host  null for create()
    void init(VkDevice handle, const std::vector<HostQueue>& queues, const HostDevice* host);
    bool freeCompanions() const; ///< @return false if they kept nothing
    /// Ends their threads and calls settle().
    bool closeQueues() noexcept;

    std::shared_ptr<Instance> mInstance;
    PhysicalDevice mPhysical;
    DevicePlan mPlan;
    DevicePlan mRequestedPlan;
    bool mWrapped = false;
    bool mLabels = false;
    std::atomic<bool> mUnfinished{false}; ///< settle() has given up, and logged a warning
    mutable std::mutex mSubmissionMutex;
    mutable TimelinePoint mLastUnknownAccess;
    mutable std::atomic<uint64_t> mUnknownAccesses{0};
    std::vector<std::unique_ptr<Queue>> mQueues;
    mutable std::atomic<Queue*> mRecentQueue{nullptr};
    std::vector<uint32_t> mFamilies;
    std::vector<uint32_t> mUserFamilies;
    std::unique_ptr<DeletionQueue> mDeletionQueue;
    std::unique_ptr<Allocator> mAllocator;
    std::unique_ptr<BufferPool> mBufferPool;
    std::unique_ptr<BufferPool> mScratchPool;
    std::unique_ptr<BufferCache> mConstants;       ///< destroyed early, as mTransfer
    std::unique_ptr<SharedScratch> mSharedScratch; ///< destroyed early, as mTransfer
    std::unique_ptr<CommandBufferPool> mCommandBuffers;
    std::unique_ptr<QueryPools> mQueryPools;
    std::unique_ptr<DescriptorAllocator> mDescriptors;
    std::unique_ptr<PipelineCache> mPipelines;
    std::unique_ptr<Transfer> mTransfer;       ///< destroyed early: it holds buffers
    std::unique_ptr<Breadcrumbs> mBreadcrumbs; ///< destroyed last: recordings refer to it
    /// Recursive: what makes a companion may run out of memory.
    mutable std::recursive_mutex mCompanionMutex;
    std::map<std::type_index, std::shared_ptr<DeviceCompanion>> mCompanions;
    mutable DeviceActivity mActivity;
};

} // namespace kp::vulkan
