// SPDX-License-Identifier: Apache-2.0
#include "profile/ProfilerImpl.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/Text.hpp"

namespace kp {
namespace {

using TraceJson = nlohmann::ordered_json;

constexpr int64_t kUnset = std::numeric_limits<int64_t>::max();

/// Invalid UTF-8 becomes U+FFFD.
std::string traceText(const TraceJson& json) {
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
                        microseconds(span.end - span.start), traceText(*span.name)));
    }
    std::string finish(const TraceJson& notes) const {
        return formatted("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":[{}\n]}}\n",
                         traceText(notes), mEvents);
    }

private:
    void event(const std::string& text) {
        mEvents += mEvents.empty() ? "\n" : ",\n";
        mEvents += text;
    }
    void metadata(int64_t pid, int64_t tid, const char* kind, TraceJson arguments) {
        event(traceText({{"ph", "M"},
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

    explicit Timeline(const Profiler::Impl& impl) : queues(impl.queues.size()) {
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
};

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

uint32_t Profiler::Impl::intern(const std::string& text) {
    const auto [place, isNew] = nameIndex.try_emplace(text, static_cast<uint32_t>(names.size()));
    if (isNew)
        names.push_back(text);
    return place->second;
}

uint32_t Profiler::Impl::node(uint32_t parent, uint32_t queue, const std::string& text) {
    const uint32_t label = intern(text);
    const auto [place, isNew] =
        nodeIndex.try_emplace({parent, queue, label}, static_cast<uint32_t>(nodes.size()));
    if (isNew) {
        Node made;
        made.name = label;
        made.parent = parent;
        made.queue = queue;
        made.depth = parent == kNoParent ? 0 : nodes[parent].depth + 1;
        nodes.push_back(made);
    }
    return place->second;
}

uint32_t Profiler::Impl::queueTrack(const std::string& device, const std::string& queue) {
    for (size_t i = 0; i < queues.size(); ++i) {
        if (queues[i].device == device && queues[i].queue == queue)
            return static_cast<uint32_t>(i);
    }
    queues.push_back({device, queue});
    return static_cast<uint32_t>(queues.size() - 1);
}

uint32_t Profiler::Impl::currentParent() const {
    const auto mine = open.find(threadNumber());
    return mine == open.end() || mine->second.empty() ? kNoParent : mine->second.back().node;
}

void Profiler::Impl::add(const Span& span) {
    Node& at = nodes[span.node];
    const uint64_t duration = span.endNs - span.startNs;
    ++at.count;
    at.totalNs += duration;
    at.minNs = std::min(at.minNs, duration);
    at.maxNs = std::max(at.maxNs, duration);
    keep(span);
}

void Profiler::Impl::keep(const Span& span) {
    if (spans.size() < maxSpans)
        spans.push_back(span);
    else
        ++dropped;
}

void Profiler::Impl::endScope(uint64_t id, uint64_t now) {
    const auto endIn = [&](uint32_t thread, std::vector<OpenScope>& scopes) {
        // Almost always the last one.
        for (size_t i = scopes.size(); i-- > 0;) {
            if (scopes[i].id != id)
                continue;
            const OpenScope ended = scopes[i];
            scopes.erase(scopes.begin() + static_cast<std::ptrdiff_t>(i));
            add({ended.node, thread, ended.startNs, std::max(now, ended.startNs), 0});
            return true;
        }
        return false;
    };
    const uint32_t mine = threadNumber();
    if (endIn(mine, open[mine]))
        return;
    // The scope object was moved to another thread.
    for (auto& [thread, scopes] : open) {
        if (endIn(thread, scopes))
            return;
    }
}

const std::string& Profiler::Impl::deviceName(const vulkan::Device& device) {
    const auto [place, isNew] = deviceNames.try_emplace(device.physical().deviceUuid);
    if (!isNew)
        return place->second;
    const std::string model = device.physical().name();
    std::string chosen = model;
    const auto isTaken = [&] {
        return std::any_of(deviceNames.begin(), deviceNames.end(),
                           [&](const auto& known) { return known.second == chosen; });
    };
    for (int number = 2; isTaken(); ++number)
        chosen = formatted("{} ({})", model, number);
    return place->second = chosen;
}

void Profiler::Impl::addCalibrations(const std::string& device,
                                     const std::vector<ClockCalibration>& added) {
    std::vector<ClockCalibration>& all = calibrations[device];
    all.insert(all.end(), added.begin(), added.end());
    std::ranges::stable_sort(all, {}, &ClockCalibration::deviceNs);
}

void Profiler::Impl::merge(const Impl& other) {
    std::vector<uint32_t> merged; ///< nodes here, by node there; parents precede their children
    for (const Node& from : other.nodes) {
        uint32_t queue = kNoParent;
        if (from.queue != kNoParent)
            queue = queueTrack(other.queues[from.queue].device, other.queues[from.queue].queue);
        const uint32_t parent = from.parent == kNoParent ? kNoParent : merged[from.parent];
        merged.push_back(node(parent, queue, other.names[from.name]));
        Node& into = nodes[merged.back()];
        into.count += from.count;
        into.totalNs += from.totalNs;
        into.minNs = std::min(into.minNs, from.minNs);
        into.maxNs = std::max(into.maxNs, from.maxNs);
    }
    dropped += other.dropped;
    for (Span span : other.spans) {
        span.node = merged[span.node];
        keep(span);
    }
    for (const auto& [thread, threadName] : other.threadNames)
        threadNames.try_emplace(thread, threadName);
    for (const auto& [device, added] : other.calibrations)
        addCalibrations(device, added);
}

std::vector<ProfileEntry> Profiler::Impl::entries() const {
    // An open scope has no count yet, but its finished children need it as a parent.
    std::vector<bool> shown(nodes.size());
    for (size_t i = nodes.size(); i-- > 0;) {
        if (nodes[i].count > 0)
            shown[i] = true;
        if (shown[i] && nodes[i].parent != kNoParent)
            shown[nodes[i].parent] = true;
    }
    std::vector<ProfileEntry> result;
    const auto add = [&](const Node& node, const std::string& track, uint64_t all) {
        result.push_back(
            {.name = names[node.name],
             .track = track,
             .depth = node.depth,
             .count = node.count,
             .totalNs = node.totalNs,
             .minNs = node.count ? node.minNs : 0,
             .maxNs = node.maxNs,
             .share = all ? static_cast<double>(node.totalNs) / static_cast<double>(all) : 0.0});
    };

    uint64_t hostTotal = 0;
    std::vector<std::vector<uint32_t>> children(nodes.size() + 1);
    for (uint32_t i = 0; i < nodes.size(); ++i) {
        const Node& node = nodes[i];
        if (node.queue != kNoParent || !shown[i])
            continue;
        const bool top = node.parent == kNoParent;
        children[top ? nodes.size() : node.parent].push_back(i);
        hostTotal += top ? node.totalNs : 0;
    }
    const std::function<void(size_t)> walk = [&](size_t parent) {
        for (const uint32_t child : children[parent]) {
            add(nodes[child], "host", hostTotal);
            walk(child);
        }
    };
    walk(nodes.size());

    for (uint32_t queue = 0; queue < queues.size(); ++queue) {
        std::vector<const Node*> ofQueue;
        uint64_t total = 0;
        for (const Node& node : nodes) {
            if (node.queue == queue && node.count > 0) {
                ofQueue.push_back(&node);
                total += node.totalNs;
            }
        }
        std::ranges::stable_sort(ofQueue, std::greater(), &Node::totalNs);
        const std::string track = formatted("{}, {}", queues[queue].device, queues[queue].queue);
        for (const Node* node : ofQueue)
            add(*node, track, total);
    }
    return result;
}

std::string Profiler::Impl::trace() const {
    constexpr int64_t kHostPid = 1;
    const Timeline timeline(*this);
    TraceWriter writer(timeline.zero);
    writer.process(kHostPid, name, "host");
    for (const auto& [thread, spans] : timeline.threads) {
        const auto named = threadNames.find(thread);
        writer.thread(kHostPid, thread,
                      named == threadNames.end() ? formatted("thread {}", thread) : named->second);
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
            if (queues[queue].device == device)
                tid += writeQueue(writer, pid, tid, queues[queue].queue, timeline.queues[queue]);
        }
    }
    return writer.finish(
        {{"name", name}, {"clocks", std::move(clocks)}, {"droppedSpans", dropped}});
}

uint32_t Profiler::Impl::threadNumber() {
    static std::atomic<uint32_t> count{0};
    thread_local const uint32_t number = ++count;
    return number;
}

} // namespace kp
