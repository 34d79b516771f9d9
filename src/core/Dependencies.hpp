// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <vector>

#include <kompute/Event.hpp>

#include "vulkan/Device.hpp"

namespace kp {

/// What one piece of work comes after. Sorts events into points that the device itself waits for
/// and things that must come about on the host first; for the latter it keeps the work back.
///
/// Work that waits for something on the host is submitted only when that has happened, never
/// blocked in a VkQueue: a blocked VkQueue would hold up everything else on it (transfers that a
/// host function makes, for instance, without which it might never end), and could not be taken
/// back when what it waits for fails.
class Dependencies {
public:
    using Points = std::vector<vulkan::TimelinePoint>;
    /// @param failure  of an event in add(); null where none failed
    /// @param points   for the submission to wait for
    using Then = std::function<void(std::exception_ptr failure, Points&& points)>;

    /// @param device  that the work is for
    /// @param queue   that it goes to; null for work of the host, for which all must be done
    Dependencies(const vulkan::Device* device, const vulkan::Queue* queue);

    /// The work comes after the event, and fails where it fails.
    void add(const Event& event) { add(event, true); }
    /// The work comes after the event, however it ends.
    void addOrder(const Event& event) { add(event, false); }

    /// True where nothing is left to come about on the host: submit now.
    bool ready() const { return mPending.empty(); }
    const std::exception_ptr& failure() const { return mFailure; }
    std::span<const vulkan::TimelinePoint> points() const { return mPoints; }

    /// Calls @p then once all that must come about on the host has: in the thread that brings it
    /// about, or in this one. For work of the host, and after waits for a device, in a thread of
    /// HostWorkers. Not with a lock held that @p then takes.
    void then(Then call) &&;

private:
    struct Pending {
        Event event;
        bool passesFailure;
    };
    struct Node;

    void add(const Event& event, bool passesFailure);

    const vulkan::Device* mDevice;
    const vulkan::Queue* mQueue;
    Points mPoints;
    std::vector<Pending> mPending;
    std::exception_ptr mFailure;
};

} // namespace kp
