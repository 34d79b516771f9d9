// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <kompute/launch/Profiler.hpp>

#include "vulkan/Device.hpp"

namespace kp {

/// Both clocks now; empty where the device has no calibrated timestamps.
std::optional<ClockCalibration> calibrationOf(const vulkan::Device& device);

struct Profiler::Impl {
    static constexpr uint32_t kNoParent = UINT32_MAX;
    using DeviceId = std::array<uint8_t, 16>; ///< UUID of a physical device

    /// Everything of one name inside one parent on the host, or on one queue.
    struct Node {
        uint32_t name = 0; ///< index of names
        uint32_t parent = kNoParent;
        uint32_t queue = kNoParent; ///< index of queues; kNoParent: host
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
    /// One span for the trace.
    struct Span {
        uint32_t node = 0;
        uint32_t thread = 0; ///< host spans
        uint64_t startNs = 0;
        uint64_t endNs = 0;
        uint64_t submittedNs = 0;
    };
    struct Open {
        uint64_t id;
        uint32_t node;
        uint64_t startNs;
    };
    struct DeviceClock {
        std::vector<ClockCalibration> calibrations; ///< by device time
    };

    mutable std::mutex mutex;
    std::string name;
    size_t maxSpans = 0;
    uint64_t dropped = 0;
    uint64_t lastId = 0;
    std::deque<std::string> names;
    std::unordered_map<std::string, uint32_t> nameIndex;
    std::vector<Node> nodes;
    /// (parent, queue, name) to node.
    std::map<std::array<uint32_t, 3>, uint32_t> nodeIndex;
    std::vector<QueueTrack> queues;
    std::vector<Span> spans;
    std::map<uint32_t, std::vector<Open>> open; ///< by thread
    std::map<uint32_t, std::string> threadNames;
    std::map<std::string, DeviceClock> clocks;
    std::map<DeviceId, std::string> deviceNames; ///< of those that launches were on

    // All but threadNumber() are called with the mutex held.
    uint32_t intern(const std::string& text);
    uint32_t node(uint32_t parent, uint32_t queue, const std::string& text);
    uint32_t queueTrack(const std::string& device, const std::string& queue);
    uint32_t currentParent() const;
    void add(const Span& span);
    void endScope(uint64_t id, uint64_t now);
    const std::string& nameOf(const vulkan::Device& device);
    /// Number of the calling thread, from 1 on, for as long as it lives.
    static uint32_t threadNumber();

    /// Host time of a device's time, and how it was found.
    class Placement {
    public:
        Placement(const Impl& impl, const std::string& device);
        /// Signed: what ran before the host's clock began is possible where the clocks are not
        /// related.
        int64_t hostNs(uint64_t deviceNs) const;
        bool calibrated() const { return !mCalibrations.empty(); }
        bool known() const { return calibrated() || mKnown; }
        uint64_t deviationNs() const;

    private:
        std::vector<ClockCalibration> mCalibrations;
        int64_t mOffset = 0; ///< host minus device, without calibrations
        bool mKnown = false;
    };
};

} // namespace kp
