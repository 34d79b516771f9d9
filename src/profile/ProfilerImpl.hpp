// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <kompute/launch/Profiler.hpp>

#include "vulkan/device/Device.hpp"

namespace kp {

/// The data that a profiler has collected. The member functions require the mutex, except
/// threadNumber().
struct Profiler::Impl {
    static constexpr uint32_t kNoParent = UINT32_MAX;
    using DeviceId = std::array<uint8_t, 16>; ///< UUID of a physical device

    /// All spans of one name in one parent scope, or on one queue.
    struct Node {
        uint32_t name = 0; ///< index into names
        uint32_t parent = kNoParent;
        uint32_t queue = kNoParent; ///< index into queues; kNoParent: host
        uint32_t depth = 0;
        uint64_t count = 0;
        uint64_t totalNs = 0;
        uint64_t minNs = UINT64_MAX;
        uint64_t maxNs = 0;
    };
    struct QueueTrack {
        std::string device;
        std::string queue;
    };
    /// A span of the trace.
    struct Span {
        uint32_t node = 0;
        uint32_t thread = 0; ///< of host spans
        uint64_t startNs = 0;
        uint64_t endNs = 0;
        uint64_t submittedNs = 0;
    };
    struct OpenScope {
        uint64_t id;
        uint32_t node;
        uint64_t startNs;
    };

    mutable std::mutex mutex;
    std::string name;
    size_t maxSpans = 0;
    uint64_t dropped = 0;
    uint64_t lastId = 0;
    std::deque<std::string> names;
    std::unordered_map<std::string, uint32_t> nameIndex;
    std::vector<Node> nodes;
    /// Maps (parent, queue, name) to a node.
    std::map<std::array<uint32_t, 3>, uint32_t> nodeIndex;
    std::vector<QueueTrack> queues;
    std::vector<Span> spans;
    std::map<uint32_t, std::vector<OpenScope>> open; ///< by thread
    std::map<uint32_t, std::string> threadNames;
    /// Sorted by device time, by device name.
    std::map<std::string, std::vector<ClockCalibration>> calibrations;
    std::map<DeviceId, std::string> deviceNames; ///< of the devices of launches

    uint32_t intern(const std::string& text);
    /// Returns the node of a name in a parent or on a queue; adds it if it is new.
    uint32_t node(uint32_t parent, uint32_t queue, const std::string& text);
    uint32_t queueTrack(const std::string& device, const std::string& queue);
    uint32_t currentParent() const;
    /// Counts a span and keeps it for the trace.
    void add(const Span& span);
    /// Keeps a span for the trace if there is room.
    void keep(const Span& span);
    void endScope(uint64_t id, uint64_t now);
    /// Returns the name given to calibrate(), else the device's own, numbered if it is taken.
    const std::string& deviceName(const vulkan::Device& device);
    void addCalibrations(const std::string& device, const std::vector<ClockCalibration>& added);
    /// Adds everything but the open scopes of another profiler.
    void merge(const Impl& other);
    /// Implements Profiler::entries().
    std::vector<ProfileEntry> entries() const;
    /// Implements Profiler::trace(): Chrome's trace event format, in which a process is the host or
    /// a device and a thread is a host thread or a queue.
    std::string trace() const;
    /// Returns the number of the calling thread, starting at 1.
    static uint32_t threadNumber();
};

} // namespace kp
