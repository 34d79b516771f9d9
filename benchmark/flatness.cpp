// SPDX-License-Identifier: Apache-2.0
//
// Growth of resident memory over many evaluations, and over many sequences that are created, used
// and destroyed. There should be none.
//
//   kompute_benchmark_flatness [--check] [--full] [--json FILE]
//
// --check  exit with 1 if memory grew beyond the limit
// --full   a million evaluations and a hundred thousand sequences (default: 20,000 and 5,000)
// --json   write the results to a file
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>
#if defined(__linux__)
#include <unistd.h>
#endif

#include <kompute/Kompute.hpp>

#include "Program.hpp"

namespace {

/// The most that an allocator and a driver may keep.
constexpr double kLimitMiB = 4;

/// Returns the resident memory in MiB, or 0 if the system does not report it.
double residentMiB() {
#if defined(__linux__)
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        unsigned long all = 0, pages = 0;
        const int read = std::fscanf(file, "%lu %lu", &all, &pages);
        std::fclose(file);
        if (read == 2)
            return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) /
                   1048576;
    }
#endif
    return 0;
}

struct Result {
    std::string id;
    std::string name;
    double start;  ///< MiB
    double growth; ///< MiB
};

/// Measures the growth after the first tenth of the calls.
Result measureGrowth(const std::string& id, const std::string& name, uint64_t times,
                     const std::function<void()>& call) {
    for (uint64_t i = 0; i < times / 10; ++i)
        call();
    const double start = residentMiB();
    double highest = start;
    for (uint64_t i = times / 10; i < times; ++i) {
        call();
        if (i % (times / 10) == 0)
            highest = std::max(highest, residentMiB());
    }
    highest = std::max(highest, residentMiB());
    std::printf("%-42s %7.1f MiB, growth %.2f MiB (limit %.0f)%s\n", name.c_str(), start,
                highest - start, kLimitMiB, highest - start > kLimitMiB ? "  MISSED" : "");
    std::fflush(stdout);
    return {id, name, start, highest - start};
}

void writeJson(const std::string& path, const std::vector<Result>& results) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (!file)
        throw std::runtime_error("cannot write " + path);
    std::fprintf(file, "{\"rows\": [");
    for (size_t i = 0; i < results.size(); ++i) {
        const Result& each = results[i];
        std::fprintf(file,
                     "%s\n  {\"id\": \"%s\", \"name\": \"%s\", \"unit\": \"MiB\",\n"
                     "   \"note\": \"growth, of %.1f MiB resident\",\n"
                     "   \"sides\": {\"kompute\": {\"p10\": %.3f, \"p50\": %.3f, \"p90\": %.3f, "
                     "\"samples\": 1, \"ratio\": 1}},\n"
                     "   \"targets\": [{\"of\": \"\", \"limit\": %.1f, \"reached\": %.3f, "
                     "\"met\": %s}]}",
                     i == 0 ? "" : ",", each.id.c_str(), each.name.c_str(), each.start, each.growth,
                     each.growth, each.growth, kLimitMiB, each.growth,
                     each.growth <= kLimitMiB ? "true" : "false");
    }
    std::fprintf(file, "\n]}\n");
    std::fclose(file);
}

int run(kp::benchmark::Arguments& arguments) {
    const bool check = arguments.flag("--check");
    const bool full = arguments.flag("--full");
    const std::string json = arguments.value("--json");
    arguments.finish();
    const uint64_t evaluations = full ? 1000000 : 20000;
    const uint64_t sequences = full ? 100000 : 5000;

    kp::Manager manager;
    const auto tensor = manager.tensorT<uint32_t>(std::vector<uint32_t>(64, 7));
    const auto algorithm = manager.algorithm(
        {tensor},
        kp::compile("#version 450\n"
                    "layout(local_size_x = 64) in;\n"
                    "layout(std430, set = 0, binding = 0) buffer B { uint v[]; };\n"
                    "void main() { v[gl_GlobalInvocationID.x] += 1u; }\n"),
        {1, 1, 1});
    const auto recorded = manager.sequence();
    recorded->eval<kp::OpSyncDevice>({tensor});
    recorded->record<kp::OpAlgoDispatch>(algorithm);

    std::vector<Result> results;
    results.push_back(measureGrowth("flat/evaluations",
                                    "memory over " + std::to_string(evaluations) + " evaluations",
                                    evaluations, [&] { recorded->eval(); }));
    results.push_back(measureGrowth(
        "flat/sequences", "memory over " + std::to_string(sequences) + " sequences", sequences,
        [&] { manager.sequence()->record<kp::OpAlgoDispatch>(algorithm)->eval(); }));
    manager.sequence()->eval<kp::OpSyncLocal>({tensor});
    const uint32_t expected = static_cast<uint32_t>(7 + evaluations + sequences);
    if (tensor->data()[63] != expected)
        throw std::runtime_error("wrong result: " + std::to_string(tensor->data()[63]) +
                                 " instead of " + std::to_string(expected));
    if (!json.empty())
        writeJson(json, results);
    for (const Result& each : results)
        if (check && each.growth > kLimitMiB)
            return 1;
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return kp::benchmark::runProgram(argc, argv, "[--check] [--full] [--json FILE]", run);
}
