// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/Core.hpp>
#include <kompute/operations/OpBase.hpp>
#include <kompute/queue/Event.hpp>

namespace kp {

struct LaunchRules;

class OpAlgoDispatch;

namespace detail {

/// Enabled for a first argument of an operation that is neither memory objects nor an algorithm.
template <typename First>
using EnableForOther =
    std::enable_if_t<!std::is_convertible<First, MemoryObjects>::value &&
                     !std::is_convertible<First, std::shared_ptr<Algorithm>>::value &&
                     !std::is_convertible<First, std::shared_ptr<OpBase>>::value>;

/// The arguments after the algorithm of an OpAlgoDispatch, if they are push constants or none.
template <typename... TArgs>
struct PushConstants {
    static constexpr bool kAre = false;
};
template <>
struct PushConstants<> {
    static constexpr bool kAre = true;
    static constexpr Memory::DataTypes kType = Memory::DataTypes::eCustom;
    static const void* data() { return nullptr; }
    static size_t bytes() { return 0; }
};
template <typename T>
struct PushConstants<std::vector<T>> {
    static_assert(std::is_trivially_copyable<T>::value, "push constants are copied byte by byte");
    static constexpr bool kAre = !std::is_same<T, bool>::value; // which are not stored in a row
    static constexpr Memory::DataTypes kType = Memory::numberType<T>();
    static const void* data(const std::vector<T>& values) { return values.data(); }
    static size_t bytes(const std::vector<T>& values) { return values.size() * sizeof(T); }
};

} // namespace detail

/// Records operations into a command buffer and submits it, blocking or not. An unchanged sequence
/// is recorded once and can be submitted any number of times:
///
///     auto sequence = manager.sequence();
///     sequence->record<kp::OpSyncDevice>({a, b})
///         ->record<kp::OpAlgoDispatch>(algorithm)
///         ->record<kp::OpSyncLocal>({c});
///     sequence->eval(); // submits and waits
///     sequence->eval(); // submits the same recording again
///
/// Operations behave as if they ran one after the other. The sequence records a barrier only if an
/// operation needs the result of an earlier one, so independent operations overlap. Sequences on
/// different queues that touch the same memory run in the order of their submission.
///
/// Manager::sequence creates sequences. Thread safety: one thread at a time per sequence; different
/// sequences may be used by different threads. Destroying a running sequence waits for it. One
/// whose wait timed out is not running, so its destruction returns at once.
class KOMPUTE_API Sequence : public std::enable_shared_from_this<Sequence> {
public:
    /// For programs that hold a Vulkan device themselves. Others call Manager::sequence.
    /// @param physicalDevice   ignored
    /// @param device           the device of an existing Manager
    /// @param computeQueue     a queue of that manager, of the family @p queueIndex
    /// @param totalTimestamps  number of operations that getTimestamps() covers; 0 for none
    /// @throws Unsupported if timestamps are requested but the queue has none; InvalidArgument if
    ///         no manager has the device or the queue
    Sequence(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
             std::shared_ptr<vk::Queue> computeQueue, uint32_t queueIndex,
             uint32_t totalTimestamps = 0);
    ~Sequence();
    Sequence(const Sequence&) = delete;
    Sequence(Sequence&&) = delete;
    Sequence& operator=(const Sequence&) = delete;
    Sequence& operator=(Sequence&&) = delete;

    /// Appends an operation. The first record() after an evaluation starts a new recording.
    /// @throws InvalidArgument if the sequence is running or @p op is null; the operation's
    ///         exceptions in record()
    std::shared_ptr<Sequence> record(std::shared_ptr<OpBase> op);

    /// Creates an operation of type T and appends it: record<kp::OpSyncDevice>({a, b}).
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> record(MemoryObjects memObjects, TArgs&&... params) {
        return record(make<T>(std::move(memObjects), std::forward<TArgs>(params)...));
    }
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> record(const std::shared_ptr<Algorithm>& algorithm,
                                     TArgs&&... params) {
        using Given = detail::PushConstants<std::decay_t<TArgs>...>;
        if constexpr (std::is_same<T, OpAlgoDispatch>::value && Given::kAre)
            return recordDispatch(algorithm, Given::data(params...), Given::bytes(params...),
                                  Given::kType);
        else
            return record(std::make_shared<T>(algorithm, std::forward<TArgs>(params)...));
    }

    /// For operations that take neither: record<kp::OpReduce>(in, out, kp::ReduceOperation::eSum).
    template <typename T, typename First, typename... TArgs,
              typename = detail::EnableForOther<First>>
    std::shared_ptr<Sequence> record(First&& first, TArgs&&... params) {
        return record(
            std::make_shared<T>(std::forward<First>(first), std::forward<TArgs>(params)...));
    }

    /// Submits the recording and waits for it. If the wait fails, the sequence can be used again at
    /// once, and the submitted work continues.
    /// @throws as evalAsync() and evalAwait()
    std::shared_ptr<Sequence> eval();
    /// Replaces the recording with one operation, submits it and waits.
    /// @throws also as record()
    std::shared_ptr<Sequence> eval(std::shared_ptr<OpBase> op);
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> eval(MemoryObjects memObjects, TArgs&&... params) {
        return eval(make<T>(std::move(memObjects), std::forward<TArgs>(params)...));
    }
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> eval(std::shared_ptr<Algorithm> algorithm, TArgs&&... params) {
        return eval(std::make_shared<T>(std::move(algorithm), std::forward<TArgs>(params)...));
    }
    template <typename T, typename First, typename... TArgs,
              typename = detail::EnableForOther<First>>
    std::shared_ptr<Sequence> eval(First&& first, TArgs&&... params) {
        return eval(
            std::make_shared<T>(std::forward<First>(first), std::forward<TArgs>(params)...));
    }

    /// Submits the recording and returns at once. Without a recording it only logs a warning.
    /// @throws InvalidArgument if the sequence is running or destroyed, or if recorded memory was
    ///         destroyed; DeviceLost
    std::shared_ptr<Sequence> evalAsync();
    /// Submits the recording, which starts only when every event in @p waitFor is done.
    ///
    /// If an event depends on the host (a UserEvent, a host function, work that is not submitted
    /// yet) or another device, the library submits the sequence from another thread once the event
    /// is done, and calls preEval() there. Until then, shared memory does not order the sequence
    /// against other work: pass events instead. If an event fails, the sequence does not run and
    /// evalAwait() throws the event's exception. Destroying the sequence cancels the submission;
    /// waits for its event then throw Cancelled.
    /// @throws as above; the exception of an event in @p waitFor that has already failed
    std::shared_ptr<Sequence> evalAsync(const std::vector<Event>& waitFor);
    /// Replaces the recording with one operation and submits it.
    /// @throws also as record()
    std::shared_ptr<Sequence> evalAsync(std::shared_ptr<OpBase> op);
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> evalAsync(MemoryObjects memObjects, TArgs&&... params) {
        return evalAsync(make<T>(std::move(memObjects), std::forward<TArgs>(params)...));
    }
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> evalAsync(std::shared_ptr<Algorithm> algorithm, TArgs&&... params) {
        return evalAsync(std::make_shared<T>(std::move(algorithm), std::forward<TArgs>(params)...));
    }
    template <typename T, typename First, typename... TArgs,
              typename = detail::EnableForOther<First>>
    std::shared_ptr<Sequence> evalAsync(First&& first, TArgs&&... params) {
        return evalAsync(
            std::make_shared<T>(std::forward<First>(first), std::forward<TArgs>(params)...));
    }

    /// Waits for evalAsync(). Logs a warning and returns if the sequence is not running.
    /// @param waitFor  timeout in nanoseconds. After a timeout, isRunning() is false, postEval() is
    ///                 not called, and the sequence can be used again or destroyed at once; the
    ///                 submitted work continues and keeps its resources. See timedOut()
    /// @throws DeviceLost; the exception of a failed event that evalAsync() was given. After other
    ///         errors, such as OutOfMemory, the sequence may still run: call evalAwait() again
    std::shared_ptr<Sequence> evalAwait(uint64_t waitFor = UINT64_MAX);
    /// Takes the timeout as a std::chrono::duration.
    template <typename Duration, typename = typename Duration::period>
    std::shared_ptr<Sequence> evalAwait(const Duration& waitFor) {
        return evalAwait(detail::nanoseconds(waitFor));
    }

    /// Returns true if the wait for the last evaluation timed out.
    bool timedOut() const;

    /// Cancels the last evaluation if it is not submitted yet, because it waits for an event on the
    /// host: it never runs, waits for its event throw Cancelled, and the sequence can be used again
    /// at once. Work that was submitted cannot be cancelled.
    /// @return false if there was nothing to cancel
    bool cancel();

    /// Names the sequence in captures, in messages such as DeviceLost's, and in
    /// Manager::underWay(). An empty name takes it away. Captures have the name from the next
    /// recording on.
    void setName(std::string_view name);

    /// Returns the event of the last submission, for other sequences or the host to wait on. The
    /// event is already done if nothing was submitted.
    Event event() const;

    /// Removes the operations and ends the recording. The recorded commands can still be evaluated,
    /// but preEval() and postEval() of the operations are no longer called.
    void clear();
    /// Records the stored operations again, for example after an algorithm was rebuilt.
    /// @throws InvalidArgument if the sequence is running
    void rerecord();

    /// Start and end a recording, which record() and evalAsync() do as needed. begin() has no
    /// effect during a recording; without one, end() only logs a warning.
    /// @throws InvalidArgument if the sequence is running
    void begin();
    void end();

    bool isRecording() const;
    bool isRunning() const; ///< from evalAsync() until evalAwait(), even if the device has finished
    bool isInit() const;    ///< false after destroy()

    /// Returns the device timestamps of the last evaluation that was waited for, in raw ticks: one
    /// at its start and one after each operation.
    /// @throws InvalidArgument if the sequence was created without timestamps, has more operations
    ///         than it was created for, is running, or was not evaluated yet
    std::vector<uint64_t> getTimestamps();
    std::vector<uint64_t> getTimestampsNs(); ///< the same in nanoseconds

    /// Waits for a running evaluation, then releases everything. Tensors are not affected. Work
    /// whose wait timed out is not waited for. Further calls have no effect.
    void destroy();

    /// Records the stored operations with their barriers into a host application's command buffer,
    /// which must be in the recording state and outside a render pass. The application submits it,
    /// calls preEval() before the submission and postEval() after completion, keeps the sequence
    /// alive until then, and synchronises it with other queues. All memory must belong to this
    /// sequence's device.
    /// @throws InvalidArgument if the sequence is running or @p commandBuffer is null
    void recordInto(VkCommandBuffer commandBuffer);
    /// Calls the hooks of the recorded operations, for a command buffer of recordInto().
    void preEval();
    void postEval();

    /// Returns the current command buffer, which stays the sequence's; null before the first
    /// record(). If the sequence has timestamps, do not submit it: evaluations prepare them.
    VkCommandBuffer nativeCommandBuffer() const;

    struct Impl;

private:
    friend struct Internals;
    Sequence(std::shared_ptr<vulkan::Device> device, vulkan::Queue& queue, const LaunchRules& rules,
             uint32_t totalTimestamps);
    static vulkan::Queue& findQueue(const std::shared_ptr<vk::Device>& device,
                                    const std::shared_ptr<vk::Queue>& queue, uint32_t family);

    /// Appends an OpAlgoDispatch. Reuses the previous recording's operation at this position if it
    /// has the same algorithm.
    std::shared_ptr<Sequence> recordDispatch(const std::shared_ptr<Algorithm>& algorithm,
                                             const void* pushConstants, size_t pushConstantBytes,
                                             Memory::DataTypes type);

    /// Creates an operation. Its constructor accepts MemoryObjects, a vector of Memory, or a vector
    /// of Tensor (operations written for Kompute 0.9.0).
    template <typename T, typename... TArgs>
    static std::shared_ptr<OpBase> make(MemoryObjects memObjects, TArgs&&... params) {
        using Objects = std::vector<std::shared_ptr<Memory>>;
        if constexpr (std::is_constructible<T, Objects, TArgs...>::value) {
            return std::make_shared<T>(std::move(memObjects).get(), std::forward<TArgs>(params)...);
        } else {
            std::vector<std::shared_ptr<Tensor>> tensors;
            for (const auto& object : memObjects.get())
                tensors.push_back(detail::toTensor(object));
            return std::make_shared<T>(tensors, std::forward<TArgs>(params)...);
        }
    }

    std::unique_ptr<Impl> mImpl;
};

/// Evaluates several sequences with as few submissions as their order allows: neighbours in the
/// list that use the same queue share one vkQueueSubmit. The result is the same as calling
/// evalAsync() on each in turn. Wait for each with evalAwait() or its event. Sequences without a
/// recording are skipped with a warning.
/// @throws InvalidArgument before anything is submitted if a sequence is null, repeated or running;
///         otherwise as Sequence::evalAsync
KOMPUTE_API void evalAllAsync(const std::vector<std::shared_ptr<Sequence>>& sequences);

/// Evaluates several sequences as evalAllAsync() does, and waits for all of them. Throws the first
/// error in list order after that.
KOMPUTE_API void evalAll(const std::vector<std::shared_ptr<Sequence>>& sequences);

} // namespace kp
