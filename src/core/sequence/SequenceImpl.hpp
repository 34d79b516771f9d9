// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kompute/Sequence.hpp>

#include "core/CallGate.hpp"
#include "core/Internals.hpp"
#include "core/queue/QueueImpl.hpp"
#include "core/sequence/Recorder.hpp"
#include "core/sequence/Recording.hpp"

namespace kp {

/// A sequence uses the launch path of launchers: it launches one recording on its own queue.
struct Sequence::Impl {
    enum class State {
        eEmpty,     ///< nothing to evaluate
        eRecording, ///< operations go into the command buffer
        eRecorded,  ///< can be evaluated
        eRunning,   ///< launched; evalAwait() has not returned yet
        eFinished   ///< can be evaluated; the last evaluation was waited for, its times can be read
    };

    std::shared_ptr<Queue::Impl> queue; ///< null after destroy()
    std::shared_ptr<CallGate> gate;     ///< of the manager that made it; null without one
    std::weak_ptr<Queue> managerQueue;  ///< the default queue of that manager
    std::string name;                   ///< in tools and messages; empty without one
    uint32_t totalTimestamps = 0;
    State state = State::eEmpty;
    bool timedOut = false; ///< the last evalAwait() did not see the end of the evaluation
    std::vector<std::shared_ptr<OpBase>> operations;
    std::vector<std::shared_ptr<OpBase>> hooked; ///< those with preEval() and postEval()
    /// While recording: the dispatches of the previous recording by position, for reuse.
    std::vector<std::shared_ptr<OpBase>> earlier;
    std::shared_ptr<Recording> recording; ///< null before the first record()
    std::unique_ptr<Recorder> recorder;   ///< while recording
    Event event;                          ///< last launch
    /// The recording that was launched last. Only compared, because it may be destroyed.
    const Recording* launched = nullptr;
    std::shared_ptr<Recording> recordedInto; ///< the objects that recordInto()'s commands use

    /// Exists while operations are called back. Their sequence refuses changes meanwhile, because
    /// its objects are in use.
    class Calling {
    public:
        explicit Calling(Impl& impl) : mImpl(impl) {
            sHere.push_back(&impl);
            ++mImpl.calling;
        }
        ~Calling() {
            --mImpl.calling;
            std::swap(*std::find(sHere.rbegin(), sHere.rend(), &mImpl), sHere.back());
            sHere.pop_back();
        }
        Calling(const Calling&) = delete;
        Calling& operator=(const Calling&) = delete;

        /// Returns true if operations of a sequence of this manager are called back in this thread.
        static bool here(const std::shared_ptr<CallGate>& gate) {
            return std::ranges::any_of(sHere, [&](const Impl* impl) { return impl->gate == gate; });
        }

        /// Returns true if operations of this sequence are called back in this thread.
        static bool here(const Impl& impl) {
            return std::ranges::find(sHere, &impl) != sHere.end();
        }

    private:
        Impl& mImpl;
        static inline thread_local std::vector<const Impl*> sHere;
    };
    uint32_t calling = 0; ///< number of Calling

    vulkan::Device& device() const { return *queue->device; }
    /// Returns "sequence 'frame'" or, without a name, "a sequence".
    std::string describe() const { return name.empty() ? "a sequence" : "sequence '" + name + "'"; }
    /// @throws InvalidArgument in a callback of an operation of this sequence, and while one runs
    ///         in another thread
    void requireNoCallback(const char* what) const;
    /// @param what  the function that cannot be called while the sequence runs
    /// @throws InvalidArgument while it runs, in a callback of its operations, and after destroy()
    void requireIdle(const char* what) const;
    /// Returns true until the device has finished the last launch of the current recording.
    bool pending() const;
    /// Another thread may be about to submit the current recording.
    bool heldBack() const;
    void releaseRecording(); ///< the device may still run it

    void begin();
    /// Begins a recording, unless there is one. @throws InvalidArgument as requireIdle() does
    void prepareToRecord(const char* what);
    void end();
    void append(std::shared_ptr<OpBase> op); ///< while recording
    void recordAll();
    void forgetOperations();
    /// Forgets the operations, except dispatches that the next recording may reuse.
    void setOperationsAside();
    /// Returns the next operation, reused from the previous recording; null if none fits.
    std::shared_ptr<OpBase> reuseDispatch(const std::shared_ptr<Algorithm>& algorithm,
                                          const void* pushConstants, size_t pushConstantBytes,
                                          Memory::DataTypes type);

    /// Ends the recording. @return false if there is nothing to evaluate
    bool complete();
    /// Makes sure that the recording is not pending, so that it can be submitted.
    void makeSubmittable();
    /// Returns the default queue, if launches wait there that the recording follows, or null.
    std::shared_ptr<Queue> queueToFollow() const;
    void preEval() { preEval(hooked, *recording); }
    static void preEval(const std::vector<std::shared_ptr<OpBase>>& hooked, Recording& recording);
    void noteLaunched(Event launch);
    /// Returns true if the last launch runs no more, or never ran. Asks the device, but never
    /// throws.
    bool over() const;
    /// After a wait that failed: the sequence can be used again, as after a timeout.
    void letGo();
    /// Cancels the last launch if it is not submitted yet.
    /// @param why  ends "its sequence was ..." in the error of those who wait for it
    /// @return false if there is none, or another thread is submitting it
    bool cancel(const char* why);
    /// Does so for destroy(). @return false if another thread is submitting it
    bool tryCancel();
    /// See Sequence::destroy().
    void destroy();
};

/// Throws the InvalidArgument for a call by an operation that its sequence calls back.
[[noreturn]] void failInCallback(const char* what);

} // namespace kp
