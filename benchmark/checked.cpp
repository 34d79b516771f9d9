// SPDX-License-Identifier: Apache-2.0
//
// Measures what checked mode costs: saxpy, a stencil and a product of matrices with tiles in shared
// memory, unchecked, with bounds, with bounds and arithmetic, and with races.
// docs/guides/debugging.md quotes it.
//
//   kompute_benchmark_checked [--check]
//
// --check  fails if bounds cost a GPU more than 3 times
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "Measure.hpp"
#include "Program.hpp"

namespace {

constexpr double kMaxCost = 3;

constexpr const char* kSaxpy = R"(#version 450
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; };
void main() {
    uint i = gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * 65536u;
    if (i < n * n)
        y[i] = 2.0 * x[i] + y[i];
}
)";

constexpr const char* kStencil = R"(#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; };
void main() {
    uint i = gl_GlobalInvocationID.y;
    uint j = gl_GlobalInvocationID.x;
    if (i == 0u || j == 0u || i + 1u >= n || j + 1u >= n)
        return;
    uint at = i * n + j;
    y[at] = 0.25 * (x[at - 1u] + x[at + 1u] + x[at - n] + x[at + n]) - x[at];
}
)";

constexpr const char* kMatMul = R"(#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Y { float y[]; };
layout(binding = 2) buffer Z { float z[]; };
layout(push_constant) uniform P { uint n; };
shared float a[16][16];
shared float b[16][16];
void main() {
    uint row = gl_LocalInvocationID.y;
    uint column = gl_LocalInvocationID.x;
    uint i = gl_WorkGroupID.y * 16u + row;
    uint j = gl_WorkGroupID.x * 16u + column;
    float sum = 0.0;
    for (uint tile = 0u; tile < n; tile += 16u) {
        a[row][column] = x[i * n + tile + column];
        b[row][column] = y[(tile + row) * n + j];
        barrier();
        for (uint k = 0u; k < 16u; ++k)
            sum += a[row][k] * b[k][column];
        barrier();
    }
    z[i * n + j] = sum;
}
)";

struct Workload {
    const char* name;
    const char* source;
    int buffers;
    uint32_t n;              ///< of arrays of n x n numbers
    kp::Workgroup workgroup; ///< counts
};

double secondsOf(kp::Manager& manager, const Workload& load, const std::string& checks) {
    const uint64_t count = uint64_t{load.n} * load.n;
    std::vector<std::shared_ptr<kp::Memory>> memory;
    for (int i = 0; i < load.buffers; ++i)
        memory.push_back(manager.tensorT<float>(count, kp::Memory::MemoryTypes::eStorage));
    manager.sequence()->eval<kp::OpFill>(memory, 1.0f);
    kp::AlgorithmOptions options;
    options.check = checks;
    const auto algorithm =
        manager.algorithm(memory, manager.compile(load.source), load.workgroup,
                          std::vector<float>{}, std::vector<uint32_t>{load.n}, options);
    constexpr int kTogether = 10;
    const auto sequence = manager.sequence();
    for (int i = 0; i < kTogether; ++i)
        sequence->record<kp::OpAlgoDispatch>(algorithm);
    return kp::benchmark::medianSeconds(5, [&] { sequence->eval(); }) / kTogether;
}

int measure(kp::benchmark::Arguments& arguments) {
    const bool check = arguments.flag("--check");
    arguments.finish();
    kp::Manager manager;
    const bool software = manager.deviceInfo().type == kp::DeviceType::eCpu;
    const uint32_t n = software ? 256 : 4096;
    const uint32_t rows = software ? 64 : 2048;
    const uint32_t lines = std::max(1u, n * n / 65536);
    const Workload loads[] = {{"saxpy", kSaxpy, 2, n, {256, lines, 1}},
                              {"stencil", kStencil, 2, n, {n / 16, n / 16, 1}},
                              {"matmul", kMatMul, 3, rows, {rows / 16, rows / 16, 1}}};
    std::printf("%s\n", manager.deviceInfo().name.c_str());
    std::printf("             unchecked     bounds            bounds, arithmetic   races\n");
    bool held = true;
    for (const Workload& load : loads) {
        const double plain = secondsOf(manager, load, "off");
        const double bounds = secondsOf(manager, load, "bounds");
        const double both = secondsOf(manager, load, "bounds,arithmetic");
        const double races = secondsOf(manager, load, "races");
        std::printf("  %-8s %9.1f us %9.1f us %5.2f x %9.1f us %5.2f x %9.1f us %5.2f x\n",
                    load.name, plain * 1e6, bounds * 1e6, bounds / plain, both * 1e6, both / plain,
                    races * 1e6, races / plain);
        std::fflush(stdout);
        held = held && (software || bounds < kMaxCost * plain);
    }
    if (check && !held)
        std::printf("bounds cost more than %.0f x\n", kMaxCost);
    return check && !held ? 1 : 0;
}

} // namespace

int main(int count, char** words) {
    return kp::benchmark::runProgram(count, words, "[--check]", measure);
}
