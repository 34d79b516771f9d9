// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <kompute/operations/OpBase.hpp>

#include "core/algorithm/BoundState.hpp"
#include "core/algorithm/DispatchCommands.hpp"
#include "core/sequence/Recording.hpp"
#include "vulkan/memory/Image.hpp"
#include "vulkan/memory/SharedScratch.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp {

class OpAlgoDispatch;

/// Returns any queue on which dispatches may be recorded. @throws Unsupported if there is none
const vulkan::Queue& computeQueue(const vulkan::Device& device);

/// Records operations into one command buffer, with the barriers they need. Used by one thread.
class Recorder {
public:
    enum class Order {
        eAsGiven,
        eByNeed ///< dispatches between two other operations are recorded by LevelOrder
    };

    Recorder(vulkan::Device& device, Recording& recording, VkCommandBuffer commandBuffer,
             Order order = Order::eAsGiven);
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// Writes the first timestamp.
    /// @param timestamps  number of operations to time; may be 0
    /// @param name        of the sequence, for tools; may be empty
    void begin(uint32_t timestamps, const std::string& name = {});
    /// Records an operation. @throws the operation's exceptions; it then counts as not recorded
    void record(OpBase& op);
    /// Records a dispatch that accessesBindingOnly(). The caller keeps its binding.
    void record(const DispatchCommands& commands);
    void recordPart(OpBase& op); ///< inside the operation that is being recorded
    /// Inside the operation that is being recorded: records operations so that the device can
    /// switch off their dispatches. Operations have memory of their own for intermediate results.
    /// @throws InvalidArgument if an operation has other commands than dispatches
    void recordStep(std::span<const std::shared_ptr<OpBase>> operations, Predication& predication);
    /// Does so in a command buffer that is never submitted, to find what operations throw.
    static void rehearseStep(vulkan::Device& device,
                             std::span<const std::shared_ptr<OpBase>> operations,
                             Predication& predication);
    void end(); ///< records the barrier against later submissions and the host

    /// Lends operations memory for intermediate results, which they have until the recording is
    /// submitted. Without it, each has its own.
    void lend(vulkan::SharedScratch::Loan& scratch) { mScratch = &scratch; }
    /// Returns the memory that the active recorder of a command buffer lends; null if none.
    static vulkan::SharedScratch::Loan* scratch(VkCommandBuffer commandBuffer) {
        const Recorder* const recorder = active(commandBuffer);
        return recorder ? recorder->mScratch : nullptr;
    }

    /// Returns the memory that operations write.
    /// @throws their own errors when they are recorded
    static std::vector<const vulkan::Resource*>
    writtenBy(vulkan::Device& device, std::span<const std::shared_ptr<OpBase>> operations);

    /// Returns false if the operation recorded last needs no preEval() and postEval().
    bool hooks() const { return mLast == Last::eOperation; }

    /// Returns the recorder that is calling an operation with this command buffer in this thread;
    /// null if the program calls an operation's record() itself.
    static Recorder* active(VkCommandBuffer commandBuffer);

    /// Returns true while a recorder calls accesses() or record() of an operation in this thread
    /// and records into a command buffer of the library. In a host application's command buffer,
    /// operations must record copies as transfers, because the application's barriers expect that.
    static bool choosesCommands();

    // For operations, while their record() runs.

    /// Keeps an object alive as long as the command buffer may run.
    template <typename T>
    void keep(const std::shared_ptr<T>& object) {
        mRecording.keep(object);
    }
    /// Returns true while a recorder of this thread records operations that the device can switch
    /// off (recordStep()). They record dispatches alone.
    static bool predicates();
    /// Keeps a dispatch's bindings, and its reports of mistakes.
    void keepBinding(const std::shared_ptr<const MemoryBinding>& binding);
    /// Notes where a dispatch reports mistakes.
    void noteReport(const std::shared_ptr<CheckReport>& report);
    /// Calls @p function with the bound state of a command buffer and its active recorder; with a
    /// fresh state and null if it has none.
    template <typename Function>
    static void withBoundState(const vulkan::Device& device, VkCommandBuffer commandBuffer,
                               Function&& function) {
        if (Recorder* const recorder = active(commandBuffer)) {
            function(recorder->mBound, recorder);
        } else {
            BoundState fresh(device, commandBuffer);
            function(fresh, nullptr);
        }
    }
    /// Returns true while this recorder calls record() of @p op, and no other operation does.
    bool records(const OpBase& op) const { return &op == mCurrent.op; }
    /// States that @p op binds only through withBoundState(), so that the bound state is known to
    /// the next operation. Has no effect if another operation calls record() of @p op.
    static void keepBindings(const OpBase& op, VkCommandBuffer commandBuffer) {
        if (Recorder* const recorder = active(commandBuffer))
            recorder->mCurrent.keepsBindings |= recorder->records(op);
    }
    /// Returns true while an operation records into this command buffer that declares all its
    /// accesses. Otherwise the memory that it takes handles of is exposed (Memory::Impl::expose()).
    static bool knowsAccesses(VkCommandBuffer commandBuffer) {
        const Recorder* const recorder = active(commandBuffer);
        return recorder && recorder->mCurrent.declaresAccesses;
    }
    /// Notes an image that may have to return to its layout after the operation.
    void noteLayout(const std::shared_ptr<vulkan::Image>& image) {
        mChangedLayouts.push_back(image);
    }

private:
    enum class Labels {
        eNone,
        eOperations,
        eSequence ///< also an open one with the name of the sequence
    };
    /// The earlier work, of other command buffers, that waits are recorded for.
    enum class Opening {
        eNothing,
        eClosedKinds, ///< against what vulkan::recordClosingBarrier() orders
        eIndirect     ///< and against indirect reads
    };
    /// The work recorded, for the barrier at the end.
    struct Closing {
        vulkan::WorkKinds kinds = 0;
        bool hostMayRead = false;
    };
    /// The operation whose record() is being called.
    struct Current {
        const OpBase* op = nullptr;
        bool declaresAccesses = false;
        bool keepsBindings = false; ///< it leaves mBound correct
    };
    /// The operation recorded last.
    enum class Last {
        eOperation,
        eDispatch,       ///< a plain OpAlgoDispatch
        eUntimedDispatch ///< the same, whose timestamp is left to its successor
    };
    enum class Dispatches {
        eRecorded, ///< at once
        eDeferred, ///< to mRecording.deferred
        eLost      ///< memory ran out while deferred ones were recorded
    };

    void recordCommands(OpBase& op);
    void recordDispatch(const OpAlgoDispatch& op); ///< not of a derived class
    void note(const MemoryBinding& binding);
    void notePredication(bool indirect);
    // If `anything`, the dispatch may access any memory.
    void recordOrDefer(const DispatchCommands& commands, bool anything);
    void requireComplete() const; ///< @throws OutOfMemory if dispatches were lost
    void recordDeferred();
    void recordDispatch(const DispatchCommands& commands,
                        std::span<const vulkan::HazardAccess> accesses, bool anything);
    void copy(const DispatchCommands& commands);
    void dropCopies();
    void recordOther(OpBase& op);
    void note(const Accesses::Entry& entry);
    void noteMirrors(const Accesses& accesses);
    void notePadded(const std::shared_ptr<Memory>& memory);
    /// Notes for messages that the commands of an operation follow.
    void leaveCrumb(std::string operation);
    void recordOpening(bool anything);
    /// Records the barrier that an operation needs.
    /// @param anything  the operation may access any memory
    /// @return true if the operation waits for earlier dispatches
    bool recordBarrier(std::span<const vulkan::HazardAccess> accesses, bool anything);
    /// @param launch  the time at which the last dispatch started, instead of the time at which all
    ///                earlier work ended
    void writeTimestamp(bool launch = false);
    void writeOwedTimestamp(); ///< that the previous dispatch left to its successor
    void restoreLayouts();

    vulkan::Device& mDevice;
    Recording& mRecording;
    VkCommandBuffer mCommandBuffer;
    std::vector<vulkan::HazardAccess> mOperationAccesses; ///< kept for its capacity
    std::vector<std::shared_ptr<vulkan::Image>> mChangedLayouts;
    Labels mLabels;
    Opening mOpening = Opening::eNothing;
    Closing mClosing;
    vulkan::SharedScratch::Loan* mScratch = nullptr;
    Current mCurrent;
    const OpBase* mOuter = nullptr; ///< that a part is being recorded of; else null
    uint32_t mParts = 0;            ///< with breadcrumbs: parts of it so far
    uint32_t mTimed = 0;            ///< operations that get a timestamp
    Last mLast = Last::eOperation;
    BoundState mBound;
    Dispatches mDispatches;
    bool mCopies; ///< all operations so far are in mRecording.copies
};

} // namespace kp
