// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Export.hpp>
#include <kompute/launch/KernelStatistics.hpp>

namespace kp {

class Manager;

/// A span of work on a device. Plain data.
struct DeviceSpan {
    std::string name;     ///< name of the kernel or copy
    std::string device;   ///< name of the device; spans of one device share a clock
    std::string queue;    ///< name of the queue; each has a track of its own
    uint64_t startNs = 0; ///< by the device's clock, as in Sequence::getTimestampsNs()
    uint64_t endNs = 0;
    /// Time of submission by Profiler::hostNow(); 0 if unknown. Aligns the device's times with the
    /// host's if the clocks were not calibrated.
    uint64_t submittedNs = 0;
};

/// Readings of a device's clock and the host's clock at the same moment.
struct ClockCalibration {
    uint64_t deviceNs = 0;
    uint64_t hostNs = 0;      ///< by Profiler::hostNow()
    uint64_t deviationNs = 0; ///< maximum time between the two readings
};

/// One row of the table: all spans of one name in one place.
struct ProfileEntry {
    std::string name;
    std::string track;  ///< "host", or device and queue
    uint32_t depth = 0; ///< number of enclosing scopes
    uint64_t count = 0;
    uint64_t totalNs = 0;
    uint64_t minNs = 0;
    uint64_t maxNs = 0;
    /// Fraction of the track's total: of all host scopes at depth 0, or of all spans of the queue.
    double share = 0;

    double meanNs() const {
        return count ? static_cast<double>(totalNs) / static_cast<double>(count) : 0.0;
    }
};

/// Measures where time is spent, in nested scopes of host code and in spans of devices. Prints a
/// table and writes a trace for chrome://tracing and ui.perfetto.dev.
///
///     auto profiler = std::make_shared<kp::Profiler>();
///     {
///         auto step = profiler->scope("step");
///         simulate();
///     }
///     std::puts(profiler->table().c_str());
///     profiler->writeTrace("trace.json");
///
/// Launchers and lists with a profiler add their profiled launches to it. A scope costs two clock
/// readings and two short locks. The table counts everything; the trace keeps a limited number of
/// spans.
///
/// Thread-safe. Each thread has its own nesting and its own track.
class KOMPUTE_API Profiler : public TimingSink {
public:
    /// A scope that ends with this object. Used by the thread that created it, which ends its
    /// scopes in reverse order. If the profiler is destroyed first, the scope is lost.
    class KOMPUTE_API Scope {
    public:
        Scope() = default;
        Scope(Scope&& other) noexcept;
        Scope& operator=(Scope&& other) noexcept;
        ~Scope();

        /// Ends the scope now. Further calls have no effect.
        void end();

    private:
        friend class Profiler;

        std::weak_ptr<void> mProfiler; ///< the profiler's Impl
        uint64_t mId = 0;              ///< 0: ended
    };

    /// @param name      name of the process in the trace
    /// @param maxSpans  spans kept for the trace, 40 bytes each. Further ones are counted in the
    ///                  table and in a note in the trace
    explicit Profiler(std::string name = "kompute", size_t maxSpans = 1'000'000);
    ~Profiler() override;
    Profiler(const Profiler&) = delete;
    Profiler& operator=(const Profiler&) = delete;

    /// Returns the host's steady clock in nanoseconds. All host times here use it.
    static uint64_t hostNow();

    /// Starts a scope inside the open scopes of this thread. Keep the result in a variable.
    [[nodiscard]] Scope scope(const std::string& name);
    /// Names the calling thread's track in the trace. The default is "thread 1", "thread 2", ...
    void nameThread(const std::string& name);

    /// Adds a span of host code that was measured elsewhere, inside the open scopes of this thread.
    /// @throws InvalidArgument if it ends before it starts; likewise below
    void addHostSpan(const std::string& name, uint64_t startNs, uint64_t endNs);
    void addDeviceSpan(const DeviceSpan& span);
    void addDeviceSpans(const std::vector<DeviceSpan>& spans);
    /// Adds a launch on the track of its queue; called by launchers. The device has the name given
    /// to calibrate(), else its own name, numbered if several devices share it. Its clock is
    /// calibrated, if possible, at the first launch and then at most once per second. Host
    /// functions belong to the device "host functions", whose clock is the host's.
    void addTiming(const std::string& name, const Event& event, const EventProfile& profile,
                   uint64_t bytes) override;

    /// Relates the clock of a device (DeviceSpan::device) to the host's. One calibration is
    /// accurate for seconds; further ones track the drift between the clocks.
    void addCalibration(const std::string& device, const ClockCalibration& calibration);
    /// Reads both clocks now and adds the calibration. Launches on the manager's device get this
    /// name.
    /// @return false if the device has no calibrated timestamps; its spans are then aligned by
    ///         their submissions, and the trace says so
    bool calibrate(const std::string& device, const Manager& manager);

    /// Returns the rows of the table: host scopes as a tree, each after its parent, then the spans
    /// of each queue in descending order of their total. Open scopes are not counted.
    std::vector<ProfileEntry> entries() const;
    /// Returns the entries as text with a heading: name, count, total, mean, min, max, share.
    std::string table() const;

    /// Returns the trace in Chrome's trace event format (JSON).
    std::string trace() const;
    /// @throws InvalidArgument if the file cannot be written
    void writeTrace(const std::string& path) const;

    /// Returns the number of spans kept for the trace, and of those dropped from it.
    size_t spanCount() const;
    uint64_t droppedSpans() const;

    /// Adds the data of another profiler of this process, except its open scopes.
    /// @throws InvalidArgument if @p other is this profiler
    void merge(const Profiler& other);
    /// Clears everything except open scopes, thread names and calibrations.
    void clear();

    struct Impl;

private:
    std::shared_ptr<Impl> mImpl;
};

/// Reads both clocks now, for Profiler::addCalibration. Sets @p calibration if it returns true.
/// @return false if the device has no calibrated timestamps
KOMPUTE_API bool calibrateClock(const Manager& manager, ClockCalibration& calibration);

} // namespace kp
