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

/// Work of a device, as plain data.
struct DeviceSpan {
    std::string name;   ///< of the kernel or copy
    std::string device; ///< which device; spans of one device share a clock
    std::string queue;  ///< which of its queues; each has a track of its own
    uint64_t startNs = 0; ///< of the device's clock, as Sequence::getTimestampsNs() has it
    uint64_t endNs = 0;
    /// When the work was given to the device, by Profiler::hostNow(); 0 where that is not known.
    /// Places the device's times beside the host's where its clock was not calibrated.
    uint64_t submittedNs = 0;
};

/// A device's clock and the host's at one moment.
struct ClockCalibration {
    uint64_t deviceNs = 0;
    uint64_t hostNs = 0;      ///< as Profiler::hostNow()
    uint64_t deviationNs = 0; ///< how far apart the two readings may be
};

/// One line of the table: everything of one name at one place.
struct ProfileEntry {
    std::string name;
    std::string track; ///< "host", or device and queue
    uint32_t depth = 0; ///< scopes around it
    uint64_t count = 0;
    uint64_t totalNs = 0;
    uint64_t minNs = 0;
    uint64_t maxNs = 0;
    double share = 0; ///< of the track's total: host scopes of depth 0, or all spans of the queue

    double meanNs() const {
        return count ? static_cast<double>(totalNs) / static_cast<double>(count) : 0.0;
    }
};

/// Collects where the time goes: nested scopes of host code, and spans of devices. Prints a table,
/// and writes a trace that chrome://tracing and ui.perfetto.dev show.
///
/// Thread-safe: every member function may be called from any thread; each thread has its own
/// nesting and its own track. Cheap enough to stay in: a scope costs two clock readings and two
/// short locks. The table counts everything; the trace keeps the spans up to a bound.
///
/// Launchers and lists that are given a profiler add their profiled launches to it.
class KOMPUTE_API Profiler : public TimingSink {
public:
    /// Ends a scope when it goes. Used by the thread that made it, which ends its scopes in the
    /// reverse order of making. The profiler may go first: the scope is then lost.
    class KOMPUTE_API Scope {
    public:
        Scope() = default;
        Scope(Scope&& other) noexcept;
        Scope& operator=(Scope&& other) noexcept;
        ~Scope();

        /// Ends it now; a second call does nothing.
        void end();

    private:
        friend class Profiler;

        std::weak_ptr<void> mProfiler; ///< its Impl
        uint64_t mId = 0;              ///< 0: ended
    };

    /// @param name      of the process in the trace
    /// @param maxSpans  kept for the trace; further ones are counted, in the table and in a note of
    ///                  the trace. Each takes 40 bytes
    explicit Profiler(std::string name = "kompute", size_t maxSpans = 1'000'000);
    ~Profiler() override;
    Profiler(const Profiler&) = delete;
    Profiler& operator=(const Profiler&) = delete;

    /// Nanoseconds of the host's steady clock, which all host times here are of.
    static uint64_t hostNow();

    /// A scope from now on, inside those of this thread that are open. To be kept in a variable.
    [[nodiscard]] Scope scope(const std::string& name);
    /// The calling thread's track in the trace. Without it: "thread 1", ...
    void nameThread(const std::string& name);

    /// A span of host code that was measured elsewhere, inside the open scopes of this thread.
    /// @throws InvalidArgument where it ends before it starts; likewise below
    void addHostSpan(const std::string& name, uint64_t startNs, uint64_t endNs);
    void addDeviceSpan(const DeviceSpan& span);
    void addDeviceSpans(const std::vector<DeviceSpan>& spans);
    /// A launch, on the track of its queue; called by launchers. The device is called what
    /// calibrate() called it, else by its name, with a number where several have the same. Its
    /// clock is calibrated at the first launch and then at most once a second, where it can be.
    /// Host functions are of the device "host functions", whose clock is the host's.
    void addTiming(const std::string& name, const Event& event, const EventProfile& profile,
                   uint64_t bytes) override;

    /// Relates a device's clock to the host's from now on. One is enough for seconds; those of
    /// later moments follow the drift between the clocks.
    /// @param device  as in DeviceSpan::device
    void addCalibration(const std::string& device, const ClockCalibration& calibration);
    /// Same, reading both clocks now. Launches on the manager's device are put under this name.
    /// @return false where the device has no calibrated timestamps; its spans are then placed by
    ///         their submissions, and the trace says so
    bool calibrate(const std::string& device, const Manager& manager);

    /// Lines of the table: the host's as a tree, each after what is around it; then each queue's by
    /// descending total. Scopes that are still open do not count yet.
    std::vector<ProfileEntry> entries() const;
    /// The entries as text with a head line: name, count, total, mean, min, max, share.
    std::string table() const;

    /// Chrome's trace event format, JSON.
    std::string trace() const;
    /// @throws Error where the file cannot be written
    void writeTrace(const std::string& path) const;

    /// Spans that are kept, and those that were too many for the trace.
    size_t spanCount() const;
    uint64_t droppedSpans() const;

    /// Adds what another profiler of this process has collected. Its open scopes stay its own.
    void merge(const Profiler& other);
    /// Forgets everything but open scopes, names of threads and calibrations.
    void clear();

    struct Impl;

private:
    std::shared_ptr<Impl> mImpl;
};

/// Both clocks now, for Profiler::addCalibration.
/// @param[out] calibration  set where the result is true
/// @return false where the device has no calibrated timestamps
KOMPUTE_API bool calibrateClock(const Manager& manager, ClockCalibration& calibration);

} // namespace kp
