// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/Core.hpp>
#include <kompute/Event.hpp>
#include <kompute/operations/OpBase.hpp>
#include <kompute/operations/OperationAllocator.hpp>

namespace kp {

class OpAlgoDispatch;

namespace detail {

/// The arguments of an OpAlgoDispatch after the algorithm, where they are push constants or none.
template <typename... TArgs>
struct PushConstants {
    static constexpr bool kAre = false;
};
template <>
struct PushConstants<> {
    static constexpr bool kAre = true;
    static const void* data() { return nullptr; }
    static size_t bytes() { return 0; }
};
template <typename T>
struct PushConstants<std::vector<T>> {
    static_assert(std::is_trivially_copyable<T>::value, "push constants are copied byte by byte");
    static constexpr bool kAre = true;
    static const void* data(const std::vector<T>& values) { return values.data(); }
    static size_t bytes(const std::vector<T>& values) { return values.size() * sizeof(T); }
};

} // namespace detail

/// Records operations into a command buffer and submits them, blocking or not. An unchanged
/// sequence is recorded once and submitted as often as wanted.
///
/// Operations run as if one after the other: the sequence places a barrier exactly where one
/// operation needs the result of another, and lets independent ones overlap. Sequences on other
/// queues that touch the same memory are ordered by the time of their submission.
///
/// A sequence is used by one thread at a time; two sequences may be used by two threads. Destroying
/// a running sequence waits for it.
class KOMPUTE_API Sequence : public std::enable_shared_from_this<Sequence> {
public:
    /// For programs that hold a Vulkan device themselves; others call Manager::sequence.
    /// @param queueIndex       the queue's family
    /// @param totalTimestamps  operations that getTimestamps() covers; 0: none
    /// @throws Unsupported where timestamps are asked for and the queue has none
    Sequence(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
             std::shared_ptr<vk::Queue> computeQueue, uint32_t queueIndex,
             uint32_t totalTimestamps = 0);
    /// What a Manager calls.
    Sequence(std::shared_ptr<vulkan::Device> device, vulkan::Queue& queue,
             uint32_t totalTimestamps);
    ~Sequence();
    Sequence(const Sequence&) = delete;
    Sequence(Sequence&&) = delete;
    Sequence& operator=(const Sequence&) = delete;
    Sequence& operator=(Sequence&&) = delete;

    /// Appends an operation. After an evaluation the first record() starts a new recording.
    /// @throws InvalidArgument while running; what the operation's record() throws
    std::shared_ptr<Sequence> record(std::shared_ptr<OpBase> op);

    /// Makes an operation of type T and appends it: record<kp::OpSyncDevice>({a, b}).
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> record(std::vector<std::shared_ptr<Memory>> memObjects,
                                     TArgs&&... params) {
        return record(make<T>(std::move(memObjects), std::forward<TArgs>(params)...));
    }
    template <typename T, typename M, typename... TArgs, typename = detail::EnableForDerived<M>>
    std::shared_ptr<Sequence> record(const std::vector<std::shared_ptr<M>>& memObjects,
                                     TArgs&&... params) {
        return record(make<T>(memObjects, std::forward<TArgs>(params)...));
    }
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> record(const std::shared_ptr<Algorithm>& algorithm,
                                     TArgs&&... params) {
        using Constants = detail::PushConstants<std::decay_t<TArgs>...>;
        if constexpr (std::is_same<T, OpAlgoDispatch>::value && Constants::kAre)
            return recordDispatch(algorithm, Constants::data(params...),
                                  Constants::bytes(params...));
        else
            return record(makeOperation<T>(algorithm, std::forward<TArgs>(params)...));
    }

    /// Submits what is recorded and waits for it.
    /// @throws as evalAsync() and evalAwait()
    std::shared_ptr<Sequence> eval();
    /// Replaces the recording by one operation, submits it and waits for it.
    std::shared_ptr<Sequence> eval(std::shared_ptr<OpBase> op);
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> eval(std::vector<std::shared_ptr<Memory>> memObjects,
                                   TArgs&&... params) {
        return eval(make<T>(std::move(memObjects), std::forward<TArgs>(params)...));
    }
    template <typename T, typename M, typename... TArgs, typename = detail::EnableForDerived<M>>
    std::shared_ptr<Sequence> eval(const std::vector<std::shared_ptr<M>>& memObjects,
                                   TArgs&&... params) {
        return eval(make<T>(memObjects, std::forward<TArgs>(params)...));
    }
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> eval(std::shared_ptr<Algorithm> algorithm, TArgs&&... params) {
        return eval(makeOperation<T>(std::move(algorithm), std::forward<TArgs>(params)...));
    }

    /// Submits what is recorded and returns. With nothing recorded it does nothing but warn.
    /// @throws InvalidArgument while running, after destroy(), and where recorded memory was
    ///         destroyed; DeviceLost
    std::shared_ptr<Sequence> evalAsync();
    /// Same, the work starting only when every event in @p waitFor is done; the host does not wait.
    /// Where one of them waits for the host itself (a UserEvent, a host function, work that is not
    /// submitted yet) or is another device's, the library submits the sequence, in another thread,
    /// once that has happened; preEval() is called there. Until then memory that it shares with
    /// other work orders nothing: pass events. Should one of them fail, the sequence does not run:
    /// evalAwait() throws what the event failed with. Destroying the sequence before calls it off.
    /// @throws what an event in @p waitFor has failed with already
    std::shared_ptr<Sequence> evalAsync(const std::vector<Event>& waitFor);
    std::shared_ptr<Sequence> evalAsync(std::shared_ptr<OpBase> op);
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> evalAsync(std::vector<std::shared_ptr<Memory>> memObjects,
                                        TArgs&&... params) {
        return evalAsync(make<T>(std::move(memObjects), std::forward<TArgs>(params)...));
    }
    template <typename T, typename M, typename... TArgs, typename = detail::EnableForDerived<M>>
    std::shared_ptr<Sequence> evalAsync(const std::vector<std::shared_ptr<M>>& memObjects,
                                        TArgs&&... params) {
        return evalAsync(make<T>(memObjects, std::forward<TArgs>(params)...));
    }
    template <typename T, typename... TArgs>
    std::shared_ptr<Sequence> evalAsync(std::shared_ptr<Algorithm> algorithm, TArgs&&... params) {
        return evalAsync(makeOperation<T>(std::move(algorithm), std::forward<TArgs>(params)...));
    }

    /// Waits for evalAsync(). Not running: warns and returns.
    /// @param waitFor  nanoseconds. When they are over first, isRunning() becomes false, postEval
    /// is
    ///                 not called, and the sequence can be used again at once; the work goes on
    /// @throws DeviceLost; what an event failed with that evalAsync() was to wait for
    std::shared_ptr<Sequence> evalAwait(uint64_t waitFor = UINT64_MAX);

    /// The last submission of this sequence, to wait on from other sequences or the host. Done
    /// already where nothing was submitted.
    Event event() const;

    /// Forgets the operations and ends the recording. What was recorded can still be evaluated; its
    /// preEval and postEval are not called any more.
    void clear();
    /// Records the stored operations again, for instance after an algorithm was rebuilt.
    void rerecord();

    /// Starts a recording; nothing where one is on. record() does it by itself.
    /// @throws InvalidArgument while running
    void begin();
    /// Ends the recording; nothing but a warning where none is on. evalAsync() does it by itself.
    /// @throws InvalidArgument while running
    void end();

    bool isRecording() const;
    bool isRunning() const;
    /// False after destroy().
    bool isInit() const;

    /// Device times of the last evaluation that was waited for: one at its start and one after each
    /// operation. Raw ticks.
    /// @throws InvalidArgument where the sequence was made without timestamps, or has more
    ///         operations than it was made for
    std::vector<uint64_t> getTimestamps();
    /// The same in nanoseconds.
    std::vector<uint64_t> getTimestampsNs();

    /// Waits for a running evaluation, then frees everything; tensors stay. A second call does
    /// nothing.
    void destroy();

    /// Records the stored operations with their barriers into a command buffer of the host
    /// application, which is recording and outside a render pass. The application submits it, calls
    /// preEval() before and postEval() after its completion, keeps the sequence alive until then,
    /// and orders it against other queues. Memory may be of this sequence's device only.
    void recordInto(VkCommandBuffer commandBuffer);
    void preEval();
    void postEval();

    /// The command buffer in use; null before the first record(). It stays the sequence's.
    VkCommandBuffer nativeCommandBuffer() const;

    struct Impl;
    /// For the library's own files.
    Impl& impl() const { return *mImpl; }

private:
    static vulkan::Queue& findQueue(const std::shared_ptr<vk::Device>& device,
                                    const std::shared_ptr<vk::Queue>& queue, uint32_t family);

    /// An OpAlgoDispatch. Where the recording before had one of the same algorithm in this place,
    /// it is that one.
    std::shared_ptr<Sequence> recordDispatch(const std::shared_ptr<Algorithm>& algorithm,
                                             const void* pushConstants, size_t pushConstantBytes);

    template <typename T, typename... TArgs>
    static std::shared_ptr<T> makeOperation(TArgs&&... params) {
        return std::allocate_shared<T>(detail::OperationAllocator<T>(),
                                       std::forward<TArgs>(params)...);
    }

    /// Makes an operation from memory objects, in whichever of the vector types its constructor
    /// takes: of Memory, of Tensor (operations written for Kompute 0.9.0), or the one given.
    template <typename T, typename M, typename... TArgs>
    static std::shared_ptr<OpBase> make(std::vector<std::shared_ptr<M>> memObjects,
                                        TArgs&&... params) {
        if constexpr (std::is_constructible<T, std::vector<std::shared_ptr<M>>&, TArgs...>::value) {
            return makeOperation<T>(memObjects, std::forward<TArgs>(params)...);
        } else if constexpr (std::is_constructible<T, std::vector<std::shared_ptr<Memory>>&,
                                                   TArgs...>::value) {
            std::vector<std::shared_ptr<Memory>> objects(memObjects.begin(), memObjects.end());
            return makeOperation<T>(objects, std::forward<TArgs>(params)...);
        } else {
            std::vector<std::shared_ptr<Tensor>> tensors;
            for (const auto& object : memObjects)
                tensors.push_back(std::dynamic_pointer_cast<Tensor>(object));
            return makeOperation<T>(tensors, std::forward<TArgs>(params)...);
        }
    }

    std::unique_ptr<Impl> mImpl;
};

/// Evaluates several sequences with as few submissions as their order allows: neighbours in the
/// list that use one queue go to it in a single vkQueueSubmit. They run as if evalAsync() were
/// called for one after the other, and are waited for one by one, with evalAwait() or events.
/// Sequences with nothing recorded are passed over with a warning.
/// @throws InvalidArgument where one is null, given twice or running, before anything is submitted;
///         else as Sequence::evalAsync
KOMPUTE_API void evalAllAsync(const std::vector<std::shared_ptr<Sequence>>& sequences);

/// Same, and waits for all of them.
KOMPUTE_API void evalAll(const std::vector<std::shared_ptr<Sequence>>& sequences);

} // namespace kp
