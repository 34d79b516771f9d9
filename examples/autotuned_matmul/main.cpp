// SPDX-License-Identifier: Apache-2.0
//
// A matrix multiplication that finds its own tile sizes. Each work group loads tiles of both
// matrices into shared memory, and each invocation computes several elements of the product. The
// best sizes depend on the device: the autotuner tries them, checks their results, and remembers
// the fastest for the next run of the program.
//
//   autotuned_matmul [size [exhaustive]]

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <kompute/Launch.hpp>

namespace {

// TILE:  width of the square tile of the product that a work group computes
// DEPTH: depth of the strips in shared memory
// EACH:  elements per invocation in x and in y
const char* kMatmul = R"(
layout(local_size_x = TILE / EACH, local_size_y = TILE / EACH) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Parameters { uint n; };

const uint kGroup = (TILE / EACH) * (TILE / EACH);
shared float stripA[DEPTH][TILE + 1]; // one more: columns in different banks
shared float stripB[DEPTH][TILE + 1];

void main() {
    uvec2 origin = gl_WorkGroupID.xy * TILE;
    uvec2 local = gl_LocalInvocationID.xy;
    float sums[EACH][EACH];
    for (uint y = 0; y < EACH; ++y)
        for (uint x = 0; x < EACH; ++x)
            sums[y][x] = 0.0;

    for (uint k = 0; k < n; k += DEPTH) {
        for (uint i = gl_LocalInvocationIndex; i < TILE * DEPTH; i += kGroup) {
            uint row = origin.y + i / DEPTH;
            uint column = k + i % DEPTH;
            stripA[i % DEPTH][i / DEPTH] = row < n && column < n ? a[row * n + column] : 0.0;
            row = k + i / TILE;
            column = origin.x + i % TILE;
            stripB[i / TILE][i % TILE] = row < n && column < n ? b[row * n + column] : 0.0;
        }
        barrier();
        for (uint d = 0; d < DEPTH; ++d)
            for (uint y = 0; y < EACH; ++y) {
                float left = stripA[d][local.y + y * (TILE / EACH)];
                for (uint x = 0; x < EACH; ++x)
                    sums[y][x] += left * stripB[d][local.x + x * (TILE / EACH)];
            }
        barrier();
    }

    for (uint y = 0; y < EACH; ++y)
        for (uint x = 0; x < EACH; ++x) {
            uvec2 at = origin + local + uvec2(x, y) * (TILE / EACH);
            if (at.x < n && at.y < n)
                c[at.y * n + at.x] = sums[y][x];
        }
}
)";

std::string sourceOf(const kp::TuningConfiguration& configuration) {
    std::string source = "#version 450\n";
    for (const char* name : {"TILE", "DEPTH", "EACH"})
        source += std::string("#define ") + name + " " +
                  std::to_string(configuration.integer(name)) + "u\n";
    return source + kMatmul;
}

kp::TunableKernel describe(uint32_t n) {
    kp::TunableKernel kernel("matmul");
    kernel.parameter("TILE", std::vector<int64_t>{16, 8, 32, 64})
        .parameter("DEPTH", std::vector<int64_t>{16, 8, 32})
        .parameter("EACH", std::vector<int64_t>{1, 2, 4, 8})
        .constraint("at least 16 invocations per work group",
                    [](const kp::TuningConfiguration& c) {
                        const int64_t side = c.integer("TILE") / c.integer("EACH");
                        return side * side >= 16;
                    })
        .workgroups([n](const kp::TuningConfiguration& c) {
            const auto tile = static_cast<uint32_t>(c.integer("TILE"));
            return kp::Workgroup{(n + tile - 1) / tile, (n + tile - 1) / tile, 1};
        })
        .glslFactory(sourceOf);
    return kernel;
}

std::vector<float> multiply(const std::vector<float>& a, const std::vector<float>& b, uint32_t n) {
    std::vector<float> c(a.size());
    for (uint32_t y = 0; y < n; ++y)
        for (uint32_t k = 0; k < n; ++k)
            for (uint32_t x = 0; x < n; ++x)
                c[size_t{y} * n + x] += a[size_t{y} * n + k] * b[size_t{k} * n + x];
    return c;
}

int run(uint32_t n, bool exhaustive) {
    kp::Manager manager;
    std::printf("device: %s\n", manager.deviceInfo().name.c_str());

    std::mt19937 random(1);
    std::uniform_real_distribution<float> between(-1.0f, 1.0f);
    std::vector<float> left(size_t{n} * n);
    std::vector<float> right(left.size());
    for (size_t i = 0; i < left.size(); ++i) {
        left[i] = between(random);
        right[i] = between(random);
    }
    auto a = manager.tensor(left);
    auto b = manager.tensor(right);
    auto c = manager.tensorT<float>(left.size());
    manager.sequence()->eval<kp::OpSyncDevice>({a, b});
    const std::vector<float> expected = multiply(left, right, n);

    kp::AutotunerOptions options;
    options.effort = exhaustive ? kp::TuningEffort::eExhaustive : kp::TuningEffort::eMeasure;
    options.budgetSeconds = exhaustive ? 0 : 10;
    options.progress = kp::consoleProgress();
    kp::Autotuner tuner(manager, options);

    kp::TuningArguments arguments({a, b, c});
    arguments.problem({n})
        .pushConstants(std::vector<uint32_t>{n})
        .leave(c)
        .expect(c, expected, 1e-3, 1e-3);
    const kp::TuningResult result = tuner.tune(describe(n), arguments);

    const double operations = 2.0 * n * n * n;
    std::printf("%zu configurations, %llu timed runs, %.2f s\n", result.records.size(),
                static_cast<unsigned long long>(result.benchmarks), result.seconds);
    for (size_t i = 0; i < result.records.size(); ++i) {
        const kp::TuningRecord& record = result.records[i];
        const bool shown = i < 3 || i + 1 == result.records.size();
        if (shown && record.status == kp::TuningRecord::Outcome::eMeasured)
            std::printf("%4zu. %-28s %10.1f us %8.2f GFLOP/s%s\n", i + 1,
                        record.configuration.toString().c_str(), record.nanoseconds / 1e3,
                        operations / record.nanoseconds, record.fromCache ? " (cached)" : "");
    }

    // The result is an ordinary algorithm.
    manager.sequence()
        ->record<kp::OpAlgoDispatch>(result.algorithm)
        ->record<kp::OpSyncLocal>({c})
        ->eval();
    for (size_t i = 0; i < expected.size(); ++i) {
        const float difference = c->data()[i] - expected[i];
        if (!(difference < 1e-2f && difference > -1e-2f)) {
            std::printf("WRONG: element %zu is %g instead of %g\n", i,
                        static_cast<double>(c->data()[i]), static_cast<double>(expected[i]));
            return 1;
        }
    }
    std::printf("correct, with %s\n", result.configuration.toString().c_str());
    return 0;
}

} // namespace

int main(int argc, char** argv) try {
    const int n = argc > 1 ? std::atoi(argv[1]) : 128;
    if (n < 1 || n > 8192) {
        std::fprintf(stderr, "autotuned_matmul: the size must be 1 to 8192, not %s\n", argv[1]);
        return 2;
    }
    return run(static_cast<uint32_t>(n), argc > 2 && std::strcmp(argv[2], "exhaustive") == 0);
} catch (const kp::Error& error) {
    std::fprintf(stderr, "autotuned_matmul: %s\n", error.what());
    return 1;
}
