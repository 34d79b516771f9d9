// SPDX-License-Identifier: Apache-2.0
//
// Compares the library with raw Vulkan and CUDA. All do the same work in one process, in turns.
//
//   kompute_benchmark [--check] [--quick] [--sweep] [--no-head] [--json FILE]
//                     [--wait auto|spin|hybrid|block]
//                     [--benchmark_filter=REGEX] [--benchmark_list_tests]
//
// --check    exit with 1 if a target is missed. A row that misses one is measured eight more times,
//            and the median counts
// --quick    fewer rounds and sizes; only ratios have targets
// --sweep    the rows of the charts over sizes instead of the others
// --no-head  print the rows without the header
// --json     write the results to a file
// --wait     wait policy (default: auto)
#include <benchmark/benchmark.h>

#include <stdexcept>
#include <string>

#include "../Program.hpp"
#include "Report.hpp"
#include "Suite.hpp"

namespace kp::benchmark {
namespace {

/// Google Benchmark selects and runs the rows. The Report prints the table.
class SilentReporter final : public ::benchmark::BenchmarkReporter {
public:
    SilentReporter(const Report& report, bool header) : mReport(report), mHeader(header) {}
    bool ReportContext(const Context&) override {
        if (mHeader)
            mReport.printHeader();
        return true;
    }
    void ReportRuns(const std::vector<Run>&) override {}

private:
    const Report& mReport;
    bool mHeader;
};

kp::WaitPolicy waitPolicy(const std::string& name) {
    if (name == "auto")
        return kp::WaitPolicy::eAuto;
    if (name == "spin")
        return kp::WaitPolicy::eSpin;
    if (name == "hybrid")
        return kp::WaitPolicy::eHybrid;
    if (name == "block")
        return kp::WaitPolicy::eBlock;
    throw std::runtime_error("--wait takes auto, spin, hybrid or block, not " + name);
}

/// Reports the row to Google Benchmark as one iteration with the library's median time.
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

int run(Arguments& arguments) {
    Options options;
    options.check = arguments.flag("--check");
    options.quick = arguments.flag("--quick");
    options.json = arguments.value("--json");
    options.wait = waitPolicy(arguments.value("--wait", "auto"));
    const bool sweep = arguments.flag("--sweep");
    const bool header = !arguments.flag("--no-head");
    arguments.finish();

    Suite suite(options);
    if (sweep) {
        addPrimitiveSweep(suite);
        addFourierSweep(suite);
    } else {
        addSubmitting(suite);
        addLaunching(suite);
        addRecording(suite);
        addPipelines(suite);
        addMemory(suite);
        addTransfers(suite);
        addConcurrency(suite);
        addPrimitives(suite);
        addMatrices(suite);
        addFourier(suite);
    }
    Report report(suite);
    for (const Suite::Entry& entry : suite.entries())
        registerRow(suite, report, entry);
    SilentReporter silent(report, header);
    ::benchmark::RunSpecifiedBenchmarks(&silent);
    return options.check && report.failed() ? 1 : 0;
}

} // namespace
} // namespace kp::benchmark

int main(int argc, char** argv) {
    using namespace kp::benchmark;
    const std::string options =
        "[--check] [--quick] [--sweep] [--no-head] [--json FILE] [--wait auto|spin|hybrid|block] "
        "[--benchmark_filter=REGEX] [--benchmark_list_tests]";
    return runProgram(argc, argv, options, [&](Arguments& all) {
        // Removes the options of Google Benchmark.
        ::benchmark::Initialize(&argc, argv);
        Arguments arguments(argc, argv, all.usage());
        return run(arguments);
    });
}
