// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "launch/ProfilerImpl.hpp"
#include "launch/Utf8.hpp"

namespace kp {
namespace {

/// "12.3 us": three or more digits that mean something.
std::string duration(double ns) {
    if (ns < 1e3)
        return fmt::format("{:.0f} ns", ns);
    if (ns < 1e6)
        return fmt::format("{:.2f} us", ns / 1e3);
    if (ns < 1e9)
        return fmt::format("{:.2f} ms", ns / 1e6);
    return fmt::format("{:.3f} s", ns / 1e9);
}

size_t columns(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char letter) {
        return (static_cast<unsigned char>(letter) & 0xc0) != 0x80;
    }));
}

std::string padded(std::string text, size_t width) {
    text.append(width - std::min(width, columns(text)), ' ');
    return text;
}

} // namespace

std::vector<ProfileEntry> Profiler::entries() const {
    const std::lock_guard lock(mImpl->mutex);
    const Impl& impl = *mImpl;
    // Scopes that are open count when they end, but what is inside them needs a place already.
    std::vector<bool> shown(impl.nodes.size());
    for (size_t i = impl.nodes.size(); i-- > 0;) {
        if (impl.nodes[i].count > 0)
            shown[i] = true;
        if (shown[i] && impl.nodes[i].parent != Impl::kNoParent)
            shown[impl.nodes[i].parent] = true;
    }
    std::vector<ProfileEntry> result;
    const auto add = [&](const Impl::Node& node, const std::string& track, uint64_t all) {
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
        const Impl::Node& node = impl.nodes[i];
        if (node.queue != Impl::kNoParent || !shown[i])
            continue;
        const bool top = node.parent == Impl::kNoParent;
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
        std::vector<const Impl::Node*> mine;
        uint64_t total = 0;
        for (const Impl::Node& node : impl.nodes)
            if (node.queue == queue && node.count > 0) {
                mine.push_back(&node);
                total += node.totalNs;
            }
        std::stable_sort(mine.begin(), mine.end(), [](const Impl::Node* a, const Impl::Node* b) {
            return a->totalNs > b->totalNs;
        });
        for (const Impl::Node* node : mine)
            add(*node, impl.queues[queue].device + ", " + impl.queues[queue].queue, total);
    }
    return result;
}

std::string Profiler::table() const {
    const std::vector<ProfileEntry> all = entries();
    size_t width = 4;
    for (const ProfileEntry& entry : all)
        width = std::max({width, columns(entry.name) + 2 * entry.depth + 2, columns(entry.track)});
    const auto line = [&](const std::string& name, const std::string& count,
                          const std::string& total, const std::string& mean,
                          const std::string& min, const std::string& max,
                          const std::string& share) {
        return padded(name, width) + fmt::format("  {:>9}  {:>10}  {:>10}  {:>10}  {:>10}  {:>7}\n",
                                                 count, total, mean, min, max, share);
    };
    std::string text = line("name", "count", "total", "mean", "min", "max", "share");
    std::string track;
    for (const ProfileEntry& entry : all) {
        if (entry.track != track)
            text += (track = entry.track) + "\n";
        const std::string name = std::string(2 + 2 * entry.depth, ' ') + entry.name;
        if (entry.count == 0)
            text += line(name, "open", "", "", "", "", "");
        else
            text += line(name, std::to_string(entry.count),
                         duration(static_cast<double>(entry.totalNs)), duration(entry.meanNs()),
                         duration(static_cast<double>(entry.minNs)),
                         duration(static_cast<double>(entry.maxNs)),
                         fmt::format("{:.1f} %", entry.share * 100));
    }
    return text;
}

} // namespace kp
