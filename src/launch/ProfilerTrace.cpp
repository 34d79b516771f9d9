// SPDX-License-Identifier: Apache-2.0
//
// The trace, in the format that Chrome defined and Perfetto reads: processes with threads, here the
// host with its threads and each device with its queues; complete events ("X") with start and
// duration in microseconds.
#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "launch/Json.hpp"
#include "launch/ProfilerImpl.hpp"

namespace kp {
namespace {

using launch::Json;

/// An event on a track, host time.
struct Placed {
    int64_t start;
    int64_t end;
    const std::string* name;
};

/// Tracks show spans that lie inside each other, but not those that overlap in part: these go to a
/// further lane. @return lane of each span, in the order of @p spans, which are sorted
std::vector<size_t> lanesOf(const std::vector<Placed>& spans) {
    std::vector<std::vector<int64_t>> lanes; ///< ends of what is open in each, outermost first
    std::vector<size_t> result;
    for (const Placed& span : spans) {
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

class Writer {
public:
    explicit Writer(int64_t zero) : mZero(zero) {}

    void process(int64_t pid, const std::string& name, const std::string& label) {
        metadata(pid, 0, "process_name", {{"name", name}});
        metadata(pid, 0, "process_sort_index", {{"sort_index", pid}});
        if (!label.empty())
            metadata(pid, 0, "process_labels", {{"labels", label}});
    }
    void thread(int64_t pid, int64_t tid, const std::string& name) {
        metadata(pid, tid, "thread_name", {{"name", name}});
        metadata(pid, tid, "thread_sort_index", {{"sort_index", tid}});
    }
    void span(int64_t pid, int64_t tid, const char* category, const Placed& span) {
        begin();
        mText += "{\"ph\":\"X\",\"pid\":";
        mText += fmt::format("{},\"tid\":{},\"cat\":\"{}\",\"ts\":{},\"dur\":{},\"name\":", pid,
                             tid, category, micros(span.start - mZero),
                             micros(span.end - span.start));
        Json(*span.name).write(mText);
        mText += '}';
    }
    std::string finish(const Json::Object& notes) {
        return "{\"displayTimeUnit\":\"ns\",\"otherData\":" + Json(notes).write() +
               ",\"traceEvents\":[" + mText + "\n]}\n";
    }

private:
    void begin() { mText += mText.empty() ? "\n" : ",\n"; }
    void metadata(int64_t pid, int64_t tid, const char* kind, Json::Object arguments) {
        begin();
        Json(Json::Object{{"ph", "M"},
                          {"pid", pid},
                          {"tid", tid},
                          {"name", kind},
                          {"args", std::move(arguments)}})
            .write(mText);
    }
    /// Nanoseconds as microseconds, exact; never negative.
    static std::string micros(int64_t ns) {
        return fmt::format("{}.{:03}", std::max<int64_t>(ns, 0) / 1000,
                           std::max<int64_t>(ns, 0) % 1000);
    }

    int64_t mZero;
    std::string mText;
};

} // namespace

Profiler::Impl::Placement::Placement(const Impl& impl, const std::string& device) {
    const auto clock = impl.clocks.find(device);
    if (clock != impl.clocks.end())
        mCalibrations = clock->second.calibrations;
    if (calibrated())
        return;
    // No work starts before it is submitted: the smallest shift for which that holds.
    for (const Span& span : impl.spans) {
        const uint32_t queue = impl.nodes[span.node].queue;
        if (queue == kNoParent || impl.queues[queue].device != device || span.submittedNs == 0)
            continue;
        const int64_t offset = static_cast<int64_t>(span.submittedNs - span.startNs);
        mOffset = mKnown ? std::max(mOffset, offset) : offset;
        mKnown = true;
    }
}

int64_t Profiler::Impl::Placement::hostNs(uint64_t deviceNs) const {
    if (!calibrated())
        return static_cast<int64_t>(deviceNs) + mOffset;
    const auto offsetOf = [](const ClockCalibration& at) {
        return static_cast<int64_t>(at.hostNs - at.deviceNs);
    };
    const auto after = std::upper_bound(
        mCalibrations.begin(), mCalibrations.end(), deviceNs,
        [](uint64_t time, const ClockCalibration& at) { return time < at.deviceNs; });
    if (after == mCalibrations.begin())
        return static_cast<int64_t>(deviceNs) + offsetOf(*after);
    const ClockCalibration& before = *(after - 1);
    if (after == mCalibrations.end() || after->deviceNs == before.deviceNs)
        return static_cast<int64_t>(deviceNs) + offsetOf(before);
    const double part = static_cast<double>(deviceNs - before.deviceNs) /
                        static_cast<double>(after->deviceNs - before.deviceNs);
    const auto drift = static_cast<double>(offsetOf(*after) - offsetOf(before));
    return static_cast<int64_t>(deviceNs) + offsetOf(before) + static_cast<int64_t>(part * drift);
}

uint64_t Profiler::Impl::Placement::deviationNs() const {
    uint64_t worst = 0;
    for (const ClockCalibration& calibration : mCalibrations)
        worst = std::max(worst, calibration.deviationNs);
    return worst;
}

std::string Profiler::trace() const {
    const std::lock_guard lock(mImpl->mutex);
    const Impl& impl = *mImpl;

    std::vector<std::string> devices;
    std::map<std::string, Impl::Placement> placements;
    for (const Impl::QueueTrack& track : impl.queues)
        if (placements.try_emplace(track.device, impl, track.device).second)
            devices.push_back(track.device);

    std::map<uint32_t, std::vector<Placed>> threads;
    std::vector<std::vector<Placed>> queues(impl.queues.size());
    int64_t hostZero = std::numeric_limits<int64_t>::max();
    std::map<std::string, int64_t> deviceZero; ///< of those whose place in time is not known
    for (const Impl::Span& span : impl.spans) {
        const Impl::Node& node = impl.nodes[span.node];
        const std::string* name = &impl.names[node.name];
        if (node.queue == Impl::kNoParent) {
            threads[span.thread].push_back({static_cast<int64_t>(span.startNs),
                                            static_cast<int64_t>(span.endNs), name});
            hostZero = std::min(hostZero, static_cast<int64_t>(span.startNs));
            continue;
        }
        const std::string& device = impl.queues[node.queue].device;
        const Impl::Placement& placement = placements.at(device);
        const int64_t start = placement.hostNs(span.startNs);
        // From the duration, so that drift between start and end does not change it.
        const int64_t end = start + static_cast<int64_t>(span.endNs - span.startNs);
        queues[node.queue].push_back({start, end, name});
        if (placement.known())
            hostZero = std::min(hostZero, start);
        else
            deviceZero[device] = deviceZero.count(device) ? std::min(deviceZero[device], start)
                                                          : start;
    }
    if (hostZero == std::numeric_limits<int64_t>::max())
        hostZero = 0;

    Json::Array clocks;
    Writer writer(hostZero);
    writer.process(1, impl.name, "host");
    for (auto& [thread, spans] : threads) {
        const auto named = impl.threadNames.find(thread);
        writer.thread(1, thread,
                      named == impl.threadNames.end() ? "thread " + std::to_string(thread)
                                                      : named->second);
        for (const Placed& span : spans)
            writer.span(1, thread, "host", span);
    }
    for (size_t i = 0; i < devices.size(); ++i) {
        const int64_t pid = static_cast<int64_t>(i) + 2;
        const Impl::Placement& placement = placements.at(devices[i]);
        const char* how = placement.calibrated() ? "calibrated timestamps"
                          : placement.known()    ? "aligned by submission times, not calibrated"
                                                 : "not related to the host's clock";
        Json::Object clock{{"device", devices[i]}, {"clock", how}};
        if (placement.calibrated())
            clock.emplace_back("deviationNs", placement.deviationNs());
        clocks.push_back(Json(std::move(clock)));
        writer.process(pid, devices[i], how);
        int64_t tid = 0;
        for (size_t queue = 0; queue < queues.size(); ++queue) {
            if (impl.queues[queue].device != devices[i])
                continue;
            std::vector<Placed>& spans = queues[queue];
            if (!placement.known())
                for (Placed& span : spans) {
                    span.start += hostZero - deviceZero[devices[i]];
                    span.end += hostZero - deviceZero[devices[i]];
                }
            std::stable_sort(spans.begin(), spans.end(), [](const Placed& a, const Placed& b) {
                return a.start != b.start ? a.start < b.start : a.end > b.end;
            });
            const std::vector<size_t> lanes = lanesOf(spans);
            const size_t count =
                lanes.empty() ? 1 : *std::max_element(lanes.begin(), lanes.end()) + 1;
            for (size_t lane = 0; lane < count; ++lane)
                writer.thread(pid, tid + static_cast<int64_t>(lane) + 1,
                              impl.queues[queue].queue +
                                  (lane ? " (overlapping " + std::to_string(lane) + ")" : ""));
            for (size_t span = 0; span < spans.size(); ++span)
                writer.span(pid, tid + static_cast<int64_t>(lanes[span]) + 1, "device",
                            spans[span]);
            tid += static_cast<int64_t>(count);
        }
    }
    return writer.finish({{"name", impl.name},
                          {"clocks", std::move(clocks)},
                          {"droppedSpans", impl.dropped}});
}

} // namespace kp
