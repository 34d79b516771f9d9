// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <vector>

#include "vulkan/Timeline.hpp"

namespace kp::vulkan {

class Device;

/// Puts off the freeing of objects until the submissions that last used them are done, so that
/// freeing never waits for the device. Thread-safe.
class Retirement {
public:
    explicit Retirement(Device& device);
    ~Retirement();
    Retirement(const Retirement&) = delete;
    Retirement& operator=(const Retirement&) = delete;

    /// Calls @p release once all of @p uses are reached: at once where they are already.
    /// @p release must not throw and must not hold the last reference to the device.
    void retire(std::vector<TimelinePoint> uses, std::function<void()> release);

    /// True where the device is done with a submission, or is lost and runs nothing any more. An
    /// error counts as "not known to be".
    static bool reached(const TimelinePoint& use);

    /// Returns when the device is done with a submission, or lost, although waiting for it may
    /// fail: for memory that is not the library's to keep. Gives up after kPatience of errors.
    static void waitDespiteErrors(const TimelinePoint& use) noexcept;
    static constexpr std::chrono::milliseconds kPatience{10'000};
    /// Less of it, for tests with drivers that never work again.
    static void setPatience(std::chrono::milliseconds most);

    /// Frees everything, whatever its uses. The caller has waited for the queues before.
    void drain();

    /// Frees what is due. Called at each submission; cheap when nothing is.
    void collect();

private:
    struct Entry {
        std::vector<TimelinePoint> uses;
        std::function<void()> release;
    };

    std::mutex mMutex;
    std::vector<Entry> mEntries;
};

} // namespace kp::vulkan
