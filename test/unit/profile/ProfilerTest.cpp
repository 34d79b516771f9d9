// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>
#include <kompute/Error.hpp>
#include <kompute/launch/Profiler.hpp>
#include <nlohmann/json.hpp>

#include "unit/TestFiles.hpp"

namespace kp {
namespace {

const ProfileEntry* find(const std::vector<ProfileEntry>& entries, const std::string& name,
                         uint32_t depth) {
    for (const ProfileEntry& entry : entries)
        if (entry.name == name && entry.depth == depth)
            return &entry;
    return nullptr;
}

struct TraceSpan {
    std::string process;
    std::string track;
    double start = 0; ///< microseconds
    double duration = 0;
};

/// A trace, parsed as a viewer parses it.
struct Trace {
    nlohmann::json json;
    std::map<std::string, std::string> labels; ///< by process
    std::multimap<std::string, TraceSpan> spans;

    explicit Trace(const std::string& text) : json(nlohmann::json::parse(text)) {
        std::map<int64_t, std::string> processes;
        std::map<std::pair<int64_t, int64_t>, std::string> threads;
        for (const nlohmann::json& event : json.at("traceEvents")) {
            const int64_t pid = event.at("pid");
            const int64_t tid = event.at("tid");
            const std::string name = event.at("name");
            if (event.at("ph") == "M") {
                const nlohmann::json& arguments = event.at("args");
                if (name == "process_name")
                    processes[pid] = arguments.at("name");
                else if (name == "thread_name")
                    threads[{pid, tid}] = arguments.at("name");
                else if (name == "process_labels")
                    labels[processes.at(pid)] = arguments.at("labels");
                continue;
            }
            EXPECT_EQ(event.at("ph"), "X");
            spans.emplace(name, TraceSpan{processes.at(pid), threads.at({pid, tid}), event.at("ts"),
                                          event.at("dur")});
        }
    }
    const TraceSpan& only(const std::string& name) const {
        EXPECT_EQ(spans.count(name), 1u) << name;
        static const TraceSpan none;
        return spans.count(name) ? spans.find(name)->second : none;
    }
};

TEST(Profiler, ScopesNestByThread) {
    Profiler profiler;
    for (int i = 0; i < 3; ++i) {
        const auto step = profiler.scope("step");
        {
            const auto inner = profiler.scope("advect");
            const auto innermost = profiler.scope("limit");
        }
        // Each thread nests its own scopes.
        std::thread([&] { const auto other = profiler.scope("advect"); }).join();
    }
    const auto entries = profiler.entries();
    ASSERT_EQ(entries.size(), 4u) << profiler.table();
    EXPECT_EQ(entries[0].name, "step");
    EXPECT_EQ(entries[1].name, "advect");
    EXPECT_EQ(entries[2].name, "limit");
    EXPECT_EQ(entries[2].depth, 2u);
    EXPECT_EQ(entries[3].name, "advect");
    EXPECT_EQ(entries[3].depth, 0u);
    for (const ProfileEntry& entry : entries) {
        EXPECT_EQ(entry.count, 3u) << entry.name;
        EXPECT_EQ(entry.track, "host");
        EXPECT_LE(entry.minNs, entry.maxNs);
        EXPECT_LE(entry.minNs * 3, entry.totalNs);
    }
    EXPECT_GE(entries[0].totalNs, entries[1].totalNs);
    EXPECT_GE(entries[1].totalNs, entries[2].totalNs);
}

TEST(Profiler, ScopesMoveAndEndOnce) {
    Profiler profiler;
    auto first = profiler.scope("a");
    auto second = std::move(first);
    first.end(); // moved from
    second.end();
    second.end();
    {
        auto replaced = profiler.scope("b");
        replaced = profiler.scope("c");
    }
    Profiler::Scope none;
    none.end();
    EXPECT_EQ(profiler.spanCount(), 3u);
    ASSERT_NE(find(profiler.entries(), "c", 1), nullptr) << "c began while b was open";
}

TEST(Profiler, AScopeMayOutliveTheProfiler) {
    Profiler::Scope scope;
    {
        Profiler profiler;
        scope = profiler.scope("late");
    }
    scope.end();
}

TEST(Profiler, NestsHostSpansInOpenScopes) {
    Profiler profiler;
    profiler.addHostSpan("read", 100, 400);
    {
        const auto step = profiler.scope("step");
        profiler.addHostSpan("read", 1000, 1500);
    }
    const auto entries = profiler.entries();
    ASSERT_NE(find(entries, "read", 0), nullptr);
    EXPECT_EQ(find(entries, "read", 0)->totalNs, 300u);
    ASSERT_NE(find(entries, "read", 1), nullptr);
    EXPECT_EQ(find(entries, "read", 1)->totalNs, 500u);
    EXPECT_THROW(profiler.addHostSpan("read", 2, 1), InvalidArgument);
    EXPECT_THROW(profiler.addDeviceSpan({"k", "gpu", "queue 0", 2, 1}), InvalidArgument);
    EXPECT_THROW(
        profiler.addDeviceSpans({{"k", "gpu", "queue 0", 1, 2}, {"k", "gpu", "queue 0", 2, 1}}),
        InvalidArgument);
    EXPECT_EQ(profiler.spanCount(), 3u) << "an invalid list must add nothing";
}

TEST(Profiler, TabulatesDeviceSpans) {
    Profiler profiler;
    profiler.addDeviceSpans({{"small", "gpu", "queue 0", 100, 200},
                             {"large", "gpu", "queue 0", 200, 900},
                             {"small", "gpu", "queue 0", 1000, 1200},
                             {"small", "gpu", "queue 1", 0, 50}});
    const auto entries = profiler.entries();
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].name, "large");
    EXPECT_DOUBLE_EQ(entries[0].share, 0.7);
    EXPECT_EQ(entries[1].name, "small");
    EXPECT_EQ(entries[1].track, "gpu, queue 0");
    EXPECT_EQ(entries[1].count, 2u);
    EXPECT_EQ(entries[1].totalNs, 300u);
    EXPECT_EQ(entries[1].minNs, 100u);
    EXPECT_EQ(entries[1].maxNs, 200u);
    EXPECT_DOUBLE_EQ(entries[1].meanNs(), 150.0);
    EXPECT_EQ(entries[2].track, "gpu, queue 1");
    EXPECT_DOUBLE_EQ(entries[2].share, 1.0);

    std::istringstream table(profiler.table());
    std::string line;
    std::getline(table, line);
    for (const char* column : {"name", "count", "total", "mean", "min", "max", "share"})
        EXPECT_NE(line.find(column), std::string::npos) << column;
    const size_t width = line.size();
    std::getline(table, line);
    EXPECT_EQ(line, "gpu, queue 0");
    std::getline(table, line);
    EXPECT_EQ(line.size(), width);
    EXPECT_NE(line.find("  large "), std::string::npos) << line;
    EXPECT_NE(line.find("700 ns"), std::string::npos) << line;
    EXPECT_NE(line.find("70.0 %"), std::string::npos) << line;
}

TEST(Profiler, TraceHasATrackForEachQueueAndThread) {
    Profiler profiler("solver \"x\"\n");
    profiler.nameThread("main");
    profiler.addCalibration("gpu a", {1000, 501'000, 25});
    profiler.addHostSpan("host work", 500'000, 502'000);
    profiler.addDeviceSpan({"kernel \xff\"", "gpu a", "queue 0", 1500, 2750});
    profiler.addDeviceSpan({"copy", "gpu a", "queue 1", 1600, 1700});
    profiler.addDeviceSpan({"kernel", "gpu b", "queue 0", 5000, 6000, 501'500});
    std::thread([&] { profiler.addHostSpan("other", 500'500, 500'600); }).join();

    const Trace trace(profiler.trace());
    ASSERT_EQ(trace.spans.size(), 5u);
    const TraceSpan& host = trace.only("host work");
    EXPECT_EQ(host.process, "solver \"x\"\n");
    EXPECT_EQ(host.track, "main");
    EXPECT_DOUBLE_EQ(host.start, 0);
    EXPECT_DOUBLE_EQ(host.duration, 2);
    EXPECT_EQ(trace.only("other").track.rfind("thread ", 0), 0u);
    EXPECT_DOUBLE_EQ(trace.only("other").start, 0.5);
    const TraceSpan& kernel = trace.only("kernel \xef\xbf\xbd\"");
    EXPECT_EQ(kernel.process, "gpu a");
    EXPECT_EQ(kernel.track, "queue 0");
    EXPECT_DOUBLE_EQ(kernel.start, 1.5) << "device 1500 is host 501500";
    EXPECT_DOUBLE_EQ(kernel.duration, 1.25);
    EXPECT_EQ(trace.only("copy").track, "queue 1");
    EXPECT_DOUBLE_EQ(trace.only("kernel").start, 1.5) << "it must not start before its submission";
    EXPECT_EQ(trace.labels.at("gpu a"), "calibrated timestamps");
    EXPECT_NE(trace.labels.at("gpu b").find("submission"), std::string::npos);
    EXPECT_EQ(trace.json.at("otherData").at("clocks").at(0).at("deviationNs"), 25);
}

TEST(Profiler, PlacesAnUncalibratedDeviceByItsSubmissions) {
    Profiler profiler;
    profiler.addHostSpan("host", 10'000, 30'000);
    // The second span decides: it started at its submission.
    profiler.addDeviceSpan({"a", "gpu", "q", 1000, 2000, 10'000});
    profiler.addDeviceSpan({"b", "gpu", "q", 3000, 4000, 14'000});
    const Trace trace(profiler.trace());
    EXPECT_DOUBLE_EQ(trace.only("a").start, 2.0);
    EXPECT_DOUBLE_EQ(trace.only("b").start, 4.0);
}

TEST(Profiler, StartsAnUnrelatedDeviceWithTheHost) {
    Profiler profiler;
    profiler.addHostSpan("host", 10'000, 30'000);
    profiler.addDeviceSpan({"a", "gpu", "q", 900'000, 901'000});
    const Trace trace(profiler.trace());
    EXPECT_DOUBLE_EQ(trace.only("a").start, 0.0);
    EXPECT_NE(trace.labels.at("gpu").find("not related"), std::string::npos);
}

TEST(Profiler, FollowsTheClockDriftBetweenCalibrations) {
    Profiler profiler;
    profiler.addHostSpan("host", 0, 1);
    // The device clock is slow: it counts 1000 ns while the host counts 1100.
    profiler.addCalibration("gpu", {2000, 12'100, 0});
    profiler.addCalibration("gpu", {1000, 11'000, 0});
    profiler.addDeviceSpan({"before", "gpu", "q", 500, 510});
    profiler.addDeviceSpan({"between", "gpu", "q", 1500, 1510});
    profiler.addDeviceSpan({"after", "gpu", "q", 2500, 2510});
    const Trace trace(profiler.trace());
    EXPECT_DOUBLE_EQ(trace.only("before").start, 10.5);
    EXPECT_DOUBLE_EQ(trace.only("between").start, 11.55);
    EXPECT_DOUBLE_EQ(trace.only("after").start, 12.6);
}

TEST(Profiler, PutsOverlappingSpansIntoLanes) {
    Profiler profiler;
    profiler.addDeviceSpan({"a", "gpu", "q", 0, 100});
    profiler.addDeviceSpan({"inside", "gpu", "q", 10, 20});
    profiler.addDeviceSpan({"overlaps", "gpu", "q", 50, 150});
    profiler.addDeviceSpan({"after", "gpu", "q", 100, 160});
    const Trace trace(profiler.trace());
    EXPECT_EQ(trace.only("a").track, "q");
    EXPECT_EQ(trace.only("inside").track, "q");
    EXPECT_EQ(trace.only("overlaps").track, "q (overlapping 1)");
    EXPECT_EQ(trace.only("after").track, "q");
}

TEST(Profiler, KeepsNoMoreSpansThanAllowed) {
    Profiler profiler("bounded", 2);
    for (uint64_t i = 0; i < 5; ++i)
        profiler.addDeviceSpan({"k", "gpu", "q", i * 10, i * 10 + 5});
    EXPECT_EQ(profiler.spanCount(), 2u);
    EXPECT_EQ(profiler.droppedSpans(), 3u);
    EXPECT_EQ(profiler.entries().at(0).count, 5u);
    const Trace trace(profiler.trace());
    EXPECT_EQ(trace.spans.size(), 2u);
    EXPECT_EQ(trace.json.at("otherData").at("droppedSpans"), 3);
}

TEST(Profiler, MergesAndClears) {
    Profiler a;
    Profiler b;
    a.addDeviceSpan({"k", "gpu", "q", 0, 10});
    b.addDeviceSpan({"k", "gpu", "q", 20, 50});
    b.addDeviceSpan({"other", "gpu", "r", 20, 30});
    b.addCalibration("gpu", {0, 1000, 1});
    {
        const auto outer = b.scope("outer");
        const auto inner = b.scope("inner");
    }
    a.merge(b);
    const auto entries = a.entries();
    ASSERT_EQ(entries.size(), 4u) << a.table();
    EXPECT_NE(find(entries, "inner", 1), nullptr);
    EXPECT_EQ(find(entries, "k", 0)->count, 2u);
    EXPECT_EQ(find(entries, "k", 0)->totalNs, 40u);
    EXPECT_EQ(find(entries, "k", 0)->maxNs, 30u);
    EXPECT_EQ(a.spanCount(), 5u);
    EXPECT_EQ(Trace(a.trace()).labels.at("gpu"), "calibrated timestamps");
    EXPECT_EQ(b.spanCount(), 4u) << "merge() must not change its argument";
    EXPECT_THROW(a.merge(a), InvalidArgument);

    auto open = a.scope("open");
    a.clear();
    EXPECT_TRUE(a.entries().empty());
    EXPECT_EQ(a.spanCount(), 0u);
    open.end();
    EXPECT_EQ(a.entries().size(), 1u);
}

TEST(Profiler, WritesAnEmptyTableAndTrace) {
    const Profiler profiler;
    EXPECT_TRUE(profiler.entries().empty());
    EXPECT_NE(profiler.table().find("name"), std::string::npos);
    EXPECT_TRUE(Trace(profiler.trace()).spans.empty());
}

TEST(Profiler, WritesTheTraceToAFile) {
    Profiler profiler;
    profiler.addHostSpan("work", 1, 2);
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "trace.json";
    profiler.writeTrace(path.string());
    EXPECT_EQ(Trace(test::readFile(path)).spans.size(), 1u);
    EXPECT_THROW(profiler.writeTrace((path / "no" / "folder").string()), Error);
}

} // namespace
} // namespace kp
