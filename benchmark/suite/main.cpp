// SPDX-License-Identifier: Apache-2.0
//
// The library beside raw Vulkan and CUDA, doing the same work in one process, in turns.
//
//   kompute_benchmark [--check] [--quick] [--no-head] [--json FILE]
//                     [--wait auto|spin|hybrid|block]
//                     [--benchmark_filter=REGEX] [--benchmark_list_tests]
//
// --check     exits with 1 where a target is missed; such a row is measured eight more times, and
// the
//             median counts
// --no-head   the rows alone
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "Report.hpp"
#include "Suite.hpp"

namespace kp::benchmark {
namespace {

/// The table is the Report's; Google Benchmark chooses what to run, and runs it.
class Silent final : public ::benchmark::BenchmarkReporter {
public:
    Silent(const Report& report, bool head) : mReport(report), mHead(head) {}
    bool ReportContext(const Context&) override {
        if (mHead)
            mReport.printHead();
        return true;
    }
    void ReportRuns(const std::vector<Run>&) override {}

private:
    const Report& mReport;
    bool mHead;
};

struct Arguments {
    Options options;
    bool head = true;
};

Arguments parse(int argc, char** argv) {
    Arguments arguments;
    Options& options = arguments.options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::string next = i + 1 < argc ? argv[i + 1] : "";
        if (word == "--check") {
            options.check = true;
        } else if (word == "--quick") {
            options.quick = true;
        } else if (word == "--no-head") {
            arguments.head = false;
        } else if (word == "--json" && !next.empty()) {
            options.json = next;
            ++i;
        } else if (word == "--wait" &&
                   (next == "auto" || next == "spin" || next == "hybrid" || next == "block")) {
            options.wait = next == "spin"     ? kp::WaitPolicy::eSpin
                           : next == "hybrid" ? kp::WaitPolicy::eHybrid
                           : next == "block"  ? kp::WaitPolicy::eBlock
                                              : kp::WaitPolicy::eAuto;
            ++i;
        } else {
            throw std::runtime_error("what is " + word +
                                     "? The head of benchmark/suite/main.cpp "
                                     "says what there is");
        }
    }
    return arguments;
}

/// Google Benchmark times it as one iteration that took as long as the library's median call.
void registerRow(Suite& suite, Report& report, const Suite::Entry& entry) {
    ::benchmark::RegisterBenchmark(entry.id.c_str(),
                                   [&suite, &report, &entry](::benchmark::State& state) {
                                       Row row = suite.run(entry);
                                       for (auto _ : state)
                                           state.SetIterationTime(row.median());
                                       for (const std::string& side : row.sides())
                                           state.counters[side] = row.spread(side).p50;
                                       report.add(std::move(row));
                                   })
        ->Iterations(1)
        ->UseManualTime();
}

} // namespace
} // namespace kp::benchmark

int main(int argc, char** argv) {
    using namespace kp::benchmark;
    try {
        benchmark::Initialize(&argc, argv);
        const Arguments arguments = parse(argc, argv);
        Suite suite(arguments.options);
        addSubmitting(suite);
        addRecording(suite);
        addPipelines(suite);
        addMemory(suite);
        addTransfers(suite);
        addConcurrency(suite);
        Report report(suite);
        for (const Suite::Entry& entry : suite.entries())
            registerRow(suite, report, entry);
        Silent silent(report, arguments.head);
        benchmark::RunSpecifiedBenchmarks(&silent);
        return arguments.options.check && report.failed() ? 1 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
