// SPDX-License-Identifier: Apache-2.0
#include "profile/ProfilerTrace.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/Text.hpp"

namespace kp::profile {
namespace {

using TraceJson = nlohmann::ordered_json;

constexpr int64_t kUnset = std::numeric_limits<int64_t>::max();

/// Invalid UTF-8 becomes U+FFFD.
std::string textOf(const TraceJson& json) {
    return json.dump(-1, ' ', false, TraceJson::error_handler_t::replace);
}

/// A span on a track, in host time.
struct PlacedSpan {
    int64_t start;
    int64_t end;
    const std::string* name;
};

/// Assigns spans to lanes: a lane may nest spans, but a span that overlaps another partially goes
/// to another lane.
/// @param spans  sorted by start, longer ones first
/// @return the lane of each span
std::vector<size_t> lanesOf(const std::vector<PlacedSpan>& spans) {
    std::vector<std::vector<int64_t>> lanes; ///< ends of the open spans of each, outermost first
    std::vector<size_t> result;
    for (const PlacedSpan& span : spans) {
        size_t lane = 0;
        for (;; ++lane) {
            if (lane == lanes.size())
                lanes.emplace_back();
            std::vector<int64_t>& ends = lanes[lane];
            while (!ends.empty() && ends.back() <= span.start)
                ends.pop_back();
            if (ends.empty() || ends.back() >= span.end)
                break;
        }
        lanes[lane].push_back(span.end);
        result.push_back(lane);
    }
    return result;
}

/// Writes the events one by one: a trace may have millions.
class TraceWriter {
public:
    explicit TraceWriter(int64_t zero) : mZero(zero) {}

    void process(int64_t pid, const std::string& name, const std::string& label) {
        metadata(pid, 0, "process_name", {{"name", name}});
        metadata(pid, 0, "process_sort_index", {{"sort_index", pid}});
        metadata(pid, 0, "process_labels", {{"labels", label}});
    }
    void thread(int64_t pid, int64_t tid, const std::string& name) {
        metadata(pid, tid, "thread_name", {{"name", name}});
        metadata(pid, tid, "thread_sort_index", {{"sort_index", tid}});
    }
    void span(int64_t pid, int64_t tid, const char* category, const PlacedSpan& span) {
        event(formatted(R"({{"ph":"X","pid":{},"tid":{},"cat":"{}","ts":{},"dur":{},"name":{}}})",
                        pid, tid, category, microseconds(span.start - mZero),
                        microseconds(span.end - span.start), textOf(*span.name)));
    }
    std::string finish(const TraceJson& notes) const {
        return formatted("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":[{}\n]}}\n",
                         textOf(notes), mEvents);
    }

private:
    void event(const std::string& text) {
        mEvents += mEvents.empty() ? "\n" : ",\n";
        mEvents += text;
    }
    void metadata(int64_t pid, int64_t tid, const char* kind, TraceJson arguments) {
        event(textOf({{"ph", "M"},
                      {"pid", pid},
                      {"tid", tid},
                      {"name", kind},
                      {"args", std::move(arguments)}}));
    }
    /// Converts nanoseconds exactly. Negative times become 0.
    static std::string microseconds(int64_t ns) {
        const int64_t clamped = std::max<int64_t>(ns, 0);
        return formatted("{}.{:03}", clamped / 1000, clamped % 1000);
    }

    int64_t mZero;
    std::string mEvents;
};

/// Converts the times of a device's clock to host time: by calibrations, interpolated between them;
/// else by the submission times of the device's spans; else not at all.
class ClockPlacement {
public:
    ClockPlacement(const Profiler::Impl& impl, const std::string& device) {
        if (const auto found = impl.calibrations.find(device); found != impl.calibrations.end())
            calibrations = found->second;
        if (!calibrations.empty())
            return;
        // The smallest offset for which no span starts before its submission.
        for (const Profiler::Impl::Span& span : impl.spans) {
            const uint32_t queue = impl.nodes[span.node].queue;
            if (queue == Profiler::Impl::kNoParent || impl.queues[queue].device != device ||
                span.submittedNs == 0)
                continue;
            const auto offset = static_cast<int64_t>(span.submittedNs - span.startNs);
            mOffset = std::max(mOffset.value_or(offset), offset);
        }
    }

    /// Returns host time in nanoseconds; device time if the two are unrelated. Negative for times
    /// before the start of the host's clock.
    int64_t hostNs(uint64_t deviceNs) const {
        const auto time = static_cast<int64_t>(deviceNs);
        if (calibrations.empty())
            return time + mOffset.value_or(0);
        const auto offsetOf = [](const ClockCalibration& at) {
            return static_cast<int64_t>(at.hostNs - at.deviceNs);
        };
        const auto after =
            std::ranges::upper_bound(calibrations, deviceNs, {}, &ClockCalibration::deviceNs);
        if (after == calibrations.begin())
            return time + offsetOf(*after);
        const ClockCalibration& before = *(after - 1);
        if (after == calibrations.end() || after->deviceNs == before.deviceNs)
            return time + offsetOf(before);
        const double part = static_cast<double>(deviceNs - before.deviceNs) /
                            static_cast<double>(after->deviceNs - before.deviceNs);
        const auto drift = static_cast<double>(offsetOf(*after) - offsetOf(before));
        return time + offsetOf(before) + static_cast<int64_t>(part * drift);
    }

    /// Returns true if host times are known, exactly or from submission times.
    bool known() const { return !calibrations.empty() || mOffset; }

    /// Describes the conversion for readers of the trace.
    const char* description() const {
        if (!calibrations.empty())
            return "calibrated timestamps";
        return mOffset ? "aligned by submission times, not calibrated"
                       : "not related to the host's clock";
    }

    std::vector<ClockCalibration> calibrations; ///< sorted by device time

private:
    std::optional<int64_t> mOffset; ///< host minus device time, without calibrations
};

/// All spans of a profiler in host time.
struct Timeline {
    std::vector<std::string> devices; ///< in the order of their first queue
    std::map<std::string, ClockPlacement> placements;
    std::map<uint32_t, std::vector<PlacedSpan>> threads;
    std::vector<std::vector<PlacedSpan>> queues;
    int64_t zero = kUnset; ///< earliest host time

    explicit Timeline(const Profiler::Impl& impl);
};

Timeline::Timeline(const Profiler::Impl& impl) : queues(impl.queues.size()) {
    for (const Profiler::Impl::QueueTrack& track : impl.queues) {
        if (placements.try_emplace(track.device, impl, track.device).second)
            devices.push_back(track.device);
    }
    std::map<std::string, int64_t> unrelatedStart; ///< of devices without host times
    for (const Profiler::Impl::Span& span : impl.spans) {
        const Profiler::Impl::Node& node = impl.nodes[span.node];
        const std::string* name = &impl.names[node.name];
        if (node.queue == Profiler::Impl::kNoParent) {
            threads[span.thread].push_back(
                {static_cast<int64_t>(span.startNs), static_cast<int64_t>(span.endNs), name});
            zero = std::min(zero, static_cast<int64_t>(span.startNs));
            continue;
        }
        const std::string& device = impl.queues[node.queue].device;
        const ClockPlacement& placement = placements.at(device);
        const int64_t start = placement.hostNs(span.startNs);
        // Clock drift between start and end must not change the duration.
        const int64_t end = start + static_cast<int64_t>(span.endNs - span.startNs);
        queues[node.queue].push_back({start, end, name});
        int64_t& first =
            placement.known() ? zero : unrelatedStart.try_emplace(device, kUnset).first->second;
        first = std::min(first, start);
    }
    if (zero == kUnset)
        zero = 0;
    for (size_t queue = 0; queue < queues.size(); ++queue) {
        const auto unrelated = unrelatedStart.find(impl.queues[queue].device);
        for (PlacedSpan& span : queues[queue]) {
            if (unrelated == unrelatedStart.end())
                break;
            span.start += zero - unrelated->second;
            span.end += zero - unrelated->second;
        }
        std::ranges::stable_sort(queues[queue], [](const PlacedSpan& a, const PlacedSpan& b) {
            return a.start != b.start ? a.start < b.start : a.end > b.end;
        });
    }
}

/// @return the number of tracks used
int64_t writeQueue(TraceWriter& writer, int64_t pid, int64_t firstTid, const std::string& name,
                   const std::vector<PlacedSpan>& spans) {
    const std::vector<size_t> lanes = lanesOf(spans);
    const size_t count = lanes.empty() ? 1 : *std::ranges::max_element(lanes) + 1;
    writer.thread(pid, firstTid, name);
    for (size_t lane = 1; lane < count; ++lane) {
        writer.thread(pid, firstTid + static_cast<int64_t>(lane),
                      formatted("{} (overlapping {})", name, lane));
    }
    for (size_t i = 0; i < spans.size(); ++i)
        writer.span(pid, firstTid + static_cast<int64_t>(lanes[i]), "device", spans[i]);
    return static_cast<int64_t>(count);
}

} // namespace

std::string traceOf(const Profiler::Impl& impl) {
    constexpr int64_t kHostPid = 1;
    const Timeline timeline(impl);
    TraceWriter writer(timeline.zero);
    writer.process(kHostPid, impl.name, "host");
    for (const auto& [thread, spans] : timeline.threads) {
        const auto named = impl.threadNames.find(thread);
        writer.thread(kHostPid, thread,
                      named == impl.threadNames.end() ? formatted("thread {}", thread)
                                                      : named->second);
        for (const PlacedSpan& span : spans)
            writer.span(kHostPid, thread, "host", span);
    }
    TraceJson clocks = TraceJson::array();
    int64_t pid = kHostPid;
    for (const std::string& device : timeline.devices) {
        const ClockPlacement& placement = timeline.placements.at(device);
        TraceJson& clock =
            clocks.emplace_back(TraceJson{{"device", device}, {"clock", placement.description()}});
        if (!placement.calibrations.empty()) {
            clock["deviationNs"] =
                std::ranges::max(placement.calibrations, {}, &ClockCalibration::deviationNs)
                    .deviationNs;
        }
        writer.process(++pid, device, placement.description());
        int64_t tid = 1;
        for (size_t queue = 0; queue < timeline.queues.size(); ++queue) {
            if (impl.queues[queue].device == device) {
                tid +=
                    writeQueue(writer, pid, tid, impl.queues[queue].queue, timeline.queues[queue]);
            }
        }
    }
    return writer.finish(
        {{"name", impl.name}, {"clocks", std::move(clocks)}, {"droppedSpans", impl.dropped}});
}

} // namespace kp::profile
