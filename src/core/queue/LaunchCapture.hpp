// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/operations/OpBase.hpp>
#include <kompute/queue/Queue.hpp>

namespace kp {

/// Collects the operations that this thread launches on a queue, instead of launching them, so that
/// they can be launched many times. Anything else that the thread launches or reads meanwhile is
/// refused. Captures may be nested; the innermost one is active. Used by one thread.
class LaunchCapture {
public:
    using Operations = std::vector<std::shared_ptr<OpBase>>;

    LaunchCapture(const LaunchCapture&) = delete;
    LaunchCapture& operator=(const LaunchCapture&) = delete;

    /// Returns the active capture of this thread; null if there is none.
    static LaunchCapture* current() { return sCurrent; }
    /// Adds operations to the active capture; of dispatches, copies with algorithms of their own,
    /// which can be bound to other memory.
    /// @return false if there is none
    /// @throws InvalidArgument if it captures another queue
    static bool take(const Queue::Impl& queue, const Operations& operations);
    /// @param instead  what to do instead; may be empty
    /// @throws InvalidArgument that says what cannot be captured, if there is an active capture
    static void refuse(std::string_view what, std::string_view instead = {}) {
        if (sCurrent) [[unlikely]]
            fail(what, instead);
    }
    /// Same, for random numbers.
    static void refuseRandom() { refuse("random numbers, of which each call has its own,"); }

    /// Returns the active capture or one around it, whose id() is given; null for 0. An id of a
    /// capture that has ended stands for the active one.
    static LaunchCapture* find(uint64_t id) {
        if (id == 0)
            return nullptr;
        LaunchCapture* const found = enclosing(id);
        return found ? found : sCurrent;
    }

    /// Makes launches of this thread launches again, or gives them to a capture around the active
    /// one, for the length of a scope.
    class Pause {
    public:
        explicit Pause(LaunchCapture* active = nullptr)
            : mPaused(std::exchange(sCurrent, active)) {}
        ~Pause() { sCurrent = mPaused; }
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;

    private:
        LaunchCapture* const mPaused;
    };

    const Operations& operations() const { return mOperations; }
    /// Returns the algorithms of the dispatches among them, which nothing else uses.
    const std::vector<std::shared_ptr<Algorithm>>& algorithms() const { return mAlgorithms; }
    /// Returns what refuse() threw last; empty if nothing was refused.
    const std::string& refusal() const { return mRefusal; }
    /// Returns a number that no other capture of the process has, and that is not 0.
    uint64_t id() const { return mId; }

protected:
    /// Becomes the active capture.
    explicit LaunchCapture(const Queue::Impl& queue)
        : mQueue(queue), mOuter(sCurrent), mId(++sLast) {
        sCurrent = this;
    }
    ~LaunchCapture() { end(); }
    /// Adds a dispatch of an algorithm that nothing else uses.
    void add(std::shared_ptr<OpBase> operation, std::shared_ptr<Algorithm> algorithm) {
        mOperations.push_back(std::move(operation));
        mAlgorithms.push_back(std::move(algorithm));
    }
    /// Adds the algorithms of a capture whose operations are a part of this one's.
    void addAlgorithmsOf(const LaunchCapture& part) {
        mAlgorithms.insert(mAlgorithms.end(), part.mAlgorithms.begin(), part.mAlgorithms.end());
    }
    /// Returns the active capture or one around it, whose id() is given; null if there is none.
    static LaunchCapture* enclosing(uint64_t id) {
        LaunchCapture* found = sCurrent;
        while (found && found->mId != id)
            found = found->mOuter;
        return found;
    }
    LaunchCapture* outer() const { return mOuter; }
    /// Ends the capture: launches are launches again.
    void end() {
        if (sCurrent != this)
            return;
        sCurrent = mOuter;
        if (mOuter && !mRefusal.empty())
            mOuter->mRefusal = mRefusal;
    }

private:
    [[noreturn]] static void fail(std::string_view what, std::string_view instead = {});

    inline static thread_local LaunchCapture* sCurrent = nullptr;

    inline static std::atomic<uint64_t> sLast{0};

    const Queue::Impl& mQueue;
    LaunchCapture* const mOuter;
    const uint64_t mId;
    Operations mOperations;
    std::vector<std::shared_ptr<Algorithm>> mAlgorithms;
    std::string mRefusal;
};

} // namespace kp
