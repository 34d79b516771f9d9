// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <vector>

#include "vulkan/queue/Timeline.hpp"

namespace kp::vulkan {

/// Objects to destroy once the submissions that last used them are done, so that destruction never
/// waits for the device. Thread-safe.
class DeletionQueue {
public:
    ~DeletionQueue() { drain(); }

    /// Calls @p release once all of @p uses are reached: now, or in a later collect().
    /// @p release must not throw and must not hold the last reference to the device.
    void push(std::vector<TimelinePoint> uses, std::function<void()> release);
    /// Same, but leaves it to a later collect() in any case: for callers that hold locks which the
    /// destruction of memory takes.
    void pushLater(std::vector<TimelinePoint> uses, std::function<void()> release);

    /// Releases due resources. Called at each submission; fast if there are none.
    void collect();

    /// Releases everything. The caller has waited for the queues.
    void drain();

    /// Returns true if the device has finished a submission, or is lost. Any other error counts as
    /// not finished.
    static bool reached(const TimelinePoint& use);

    /// Returns when the device has finished a submission, or is lost, even if waiting fails: for
    /// memory that the library does not own. Gives up after kErrorTimeout of errors.
    static void waitDespiteErrors(const TimelinePoint& use) noexcept;
    static constexpr std::chrono::milliseconds kErrorTimeout{10'000};
    /// A shorter timeout, for tests with drivers that never recover.
    static void setErrorTimeout(std::chrono::milliseconds timeout);

private:
    struct Entry {
        std::vector<TimelinePoint> uses;
        std::function<void()> release;
    };

    std::mutex mMutex;
    std::vector<Entry> mEntries;
};

} // namespace kp::vulkan
