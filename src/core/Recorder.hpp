// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/operations/OpBase.hpp>

#include "vulkan/CommandBufferPool.hpp"
#include "vulkan/Commands.hpp"
#include "vulkan/DescriptorAllocator.hpp"
#include "vulkan/HazardTracker.hpp"
#include "vulkan/QueryPools.hpp"
#include "vulkan/Submission.hpp"

namespace kp {

class OpAlgoDispatch;

/// A recorded command buffer and everything that must live until the device is done with it.
struct Recording {
    // Declared before the command buffer, so that what it names is let go of after it.
    vulkan::AccessList accesses;
    vulkan::HazardTracker hazards; ///< of the recording under way; here for its capacity
    /// Pipelines, descriptor sets. Behind the first keptCount are those of the recording before,
    /// while a recording is under way: most often it keeps the same, and then has them already.
    std::vector<std::shared_ptr<const void>> kept;
    size_t keptCount = 0;
    std::vector<std::shared_ptr<Memory>> padded; ///< images whose rows the host view copies
    vulkan::TimestampQueries queries;
    vulkan::CommandBuffer commandBuffer; ///< empty for a host's command buffer
    bool timedOverflow = false;          ///< more operations than timestamps
    uint32_t timestamps = 0;             ///< written so far
    vulkan::TimelinePoint submitted;     ///< last submission

    /// Keeps an object alive as long as the command buffer may run.
    template <typename T>
    void keep(const std::shared_ptr<T>& object) {
        if (keptCount > 0 && kept[keptCount - 1].get() == object.get())
            return;
        if (keptCount == kept.size())
            kept.push_back(object);
        else if (kept[keptCount].get() != object.get())
            kept[keptCount] = object;
        ++keptCount;
    }
    /// For the next recording.
    void reset();
    /// What the recording before kept and this one does not is let go of.
    void dropOld() { kept.resize(keptCount); }
};

/// Records operations into one command buffer, with the barriers they need. Used by one thread.
class Recorder {
public:
    Recorder(vulkan::Device& device, Recording& recording, VkCommandBuffer commandBuffer);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// The first timestamp.
    /// @param timestamps  operations to time; 0: none
    void begin(uint32_t timestamps);
    /// @throws what the operation throws; nothing of it counts as recorded then
    void record(OpBase& op);
    /// An operation inside of the one that is being recorded.
    void recordPart(OpBase& op);
    /// The barrier towards later submissions and the host.
    void end();

    /// False where the operation recorded last needs no preEval() and postEval().
    bool hooks() const { return mHooks; }

    /// The recorder that is calling an operation with this command buffer in this thread; null
    /// where an operation's record() is called by hand.
    static Recorder* active(VkCommandBuffer commandBuffer);

    /// True while a recorder whose command buffer is the library's own asks an operation in this
    /// thread for its accesses or lets it record. A host's command buffer may go on with barriers
    /// of the host, which know copies as transfers.
    static bool choosesCommands();

    // For operations, while their record() runs.

    /// Keeps an object alive as long as the command buffer may run.
    template <typename T>
    void keep(const std::shared_ptr<T>& object) {
        mRecording.keep(object);
    }
    /// Records the binding of pipeline and set unless they are bound already.
    void bind(const vulkan::Pipeline& pipeline, VkDescriptorSet set);
    /// Records push constants unless they are in place already.
    void push(const vulkan::Pipeline& pipeline, const void* data, uint32_t bytes);
    /// True while record() of @p op is called by this recorder, and not by another operation's.
    bool records(const OpBase& op) const { return &op == mCurrent; }
    /// Says that @p op binds nothing but through this class, so that the next one may rely on what
    /// is bound. Means nothing where another operation calls its record() by hand.
    void keepBindings(const OpBase& op) { mBindingsKnown |= records(op); }
    /// Says that the preEval() and postEval() of @p op do nothing. As keepBindings().
    void withoutHooks(const OpBase& op) { mHooks &= !records(op); }
    /// An image that may have to go back to its layout after the operation.
    void noteLayout(const std::shared_ptr<vulkan::Image>& image);

private:
    void recordCommands(OpBase& op);
    /// What most operations are, without asking them. @return false for those it is not for
    bool recordDispatch(const OpAlgoDispatch& op);
    void order(OpBase& op);
    void note(const Accesses::Entry& entry);
    void notePadded(const std::shared_ptr<Memory>& memory);
    void recordOpening(bool anything);
    void recordBarrier(bool anything);
    /// The same for the accesses of a plain dispatch.
    /// @return true where dispatches before are waited for
    bool recordDispatchBarrier();
    /// @param launch  of the dispatch recorded last, instead of the end of everything before
    void writeTimestamp(bool launch = false);
    /// The timestamp that the dispatch before left to what comes after it.
    void writeOwedTimestamp();
    void forgetBindings();
    void restoreLayouts();

    vulkan::Device& mDevice;
    Recording& mRecording;
    VkCommandBuffer mCommandBuffer;
    std::vector<vulkan::HazardAccess> mOperationAccesses; ///< kept for its capacity
    std::vector<std::shared_ptr<vulkan::Image>> mChangedLayouts;
    bool mLabels = false;
    bool mOpened = false;             ///< what comes before this command buffer is ordered
    bool mIndirectOpened = false;     ///< also against indirect reads
    vulkan::WorkKinds mUsedKinds = 0; ///< of work recorded
    bool mHostMayRead = false;
    const OpBase* mCurrent = nullptr; ///< whose record() is being called
    bool mHooks = true;
    uint32_t mTimed = 0;         ///< operations that get a timestamp
    bool mDispatched = false;    ///< the last operation was a plain dispatch
    bool mOwesTimestamp = false; ///< it has none yet

    bool mBindingsKnown = false;
    VkPipeline mBoundPipeline = VK_NULL_HANDLE;
    VkPipelineLayout mBoundLayout = VK_NULL_HANDLE;
    VkDescriptorSet mBoundSet = VK_NULL_HANDLE;
    std::vector<unsigned char> mPushed;
};

} // namespace kp
