// SPDX-License-Identifier: Apache-2.0
#include "profile/ProfilerTable.hpp"

#include <algorithm>
#include <functional>

#include "base/Text.hpp"

namespace kp::profile {
namespace {

/// Formats a duration in a suitable unit, such as "12.30 us".
std::string durationText(double ns) {
    if (ns < 1e3)
        return formatted("{:.0f} ns", ns);
    if (ns < 1e6)
        return formatted("{:.2f} us", ns / 1e3);
    if (ns < 1e9)
        return formatted("{:.2f} ms", ns / 1e6);
    return formatted("{:.3f} s", ns / 1e9);
}

/// Counts the characters of UTF-8 text: all bytes but continuation bytes.
size_t columnsOf(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char letter) {
        return (static_cast<unsigned char>(letter) & 0xc0) != 0x80;
    }));
}

} // namespace

std::vector<ProfileEntry> entriesOf(const Profiler::Impl& impl) {
    // An open scope has no count yet, but its finished children need it as a parent.
    std::vector<bool> shown(impl.nodes.size());
    for (size_t i = impl.nodes.size(); i-- > 0;) {
        if (impl.nodes[i].count > 0)
            shown[i] = true;
        if (shown[i] && impl.nodes[i].parent != Profiler::Impl::kNoParent)
            shown[impl.nodes[i].parent] = true;
    }
    std::vector<ProfileEntry> result;
    const auto add = [&](const Profiler::Impl::Node& node, const std::string& track, uint64_t all) {
        ProfileEntry entry;
        entry.name = impl.names[node.name];
        entry.track = track;
        entry.depth = node.depth;
        entry.count = node.count;
        entry.totalNs = node.totalNs;
        entry.minNs = node.count ? node.minNs : 0;
        entry.maxNs = node.maxNs;
        entry.share = all ? static_cast<double>(node.totalNs) / static_cast<double>(all) : 0.0;
        result.push_back(std::move(entry));
    };

    uint64_t hostTotal = 0;
    std::vector<std::vector<uint32_t>> children(impl.nodes.size() + 1);
    for (uint32_t i = 0; i < impl.nodes.size(); ++i) {
        const Profiler::Impl::Node& node = impl.nodes[i];
        if (node.queue != Profiler::Impl::kNoParent || !shown[i])
            continue;
        const bool top = node.parent == Profiler::Impl::kNoParent;
        children[top ? impl.nodes.size() : node.parent].push_back(i);
        hostTotal += top ? node.totalNs : 0;
    }
    const std::function<void(size_t)> walk = [&](size_t parent) {
        for (const uint32_t child : children[parent]) {
            add(impl.nodes[child], "host", hostTotal);
            walk(child);
        }
    };
    walk(impl.nodes.size());

    for (uint32_t queue = 0; queue < impl.queues.size(); ++queue) {
        std::vector<const Profiler::Impl::Node*> ofQueue;
        uint64_t total = 0;
        for (const Profiler::Impl::Node& node : impl.nodes) {
            if (node.queue == queue && node.count > 0) {
                ofQueue.push_back(&node);
                total += node.totalNs;
            }
        }
        std::ranges::stable_sort(ofQueue, std::greater(), &Profiler::Impl::Node::totalNs);
        const std::string track =
            formatted("{}, {}", impl.queues[queue].device, impl.queues[queue].queue);
        for (const Profiler::Impl::Node* node : ofQueue)
            add(*node, track, total);
    }
    return result;
}

std::string tableOf(const std::vector<ProfileEntry>& entries) {
    size_t width = 4;
    for (const ProfileEntry& entry : entries) {
        width =
            std::max({width, columnsOf(entry.name) + 2 * entry.depth + 2, columnsOf(entry.track)});
    }
    const auto line = [&](const std::string& name, const std::string& count,
                          const std::string& total, const std::string& mean, const std::string& min,
                          const std::string& max, const std::string& share) {
        return formatted("{:<{}}  {:>9}  {:>10}  {:>10}  {:>10}  {:>10}  {:>7}\n", name, width,
                         count, total, mean, min, max, share);
    };
    std::string text = line("name", "count", "total", "mean", "min", "max", "share");
    std::string track;
    for (const ProfileEntry& entry : entries) {
        if (entry.track != track)
            text += formatted("{}\n", track = entry.track);
        const std::string name = formatted("{:{}}{}", "", 2 + 2 * entry.depth, entry.name);
        if (entry.count == 0) {
            text += line(name, "open", "", "", "", "", "");
        } else {
            text +=
                line(name, formatted("{}", entry.count),
                     durationText(static_cast<double>(entry.totalNs)), durationText(entry.meanNs()),
                     durationText(static_cast<double>(entry.minNs)),
                     durationText(static_cast<double>(entry.maxNs)),
                     formatted("{:.1f} %", entry.share * 100));
        }
    }
    return text;
}

} // namespace kp::profile
