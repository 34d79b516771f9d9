// SPDX-License-Identifier: Apache-2.0
//
// Measures how many work groups a device runs at a time, by their shared memory: work groups that
// only compute, each in as much time as any other, take less time in all the more run at a time. It
// justifies the shared memory of the primitives' tiles (src/primitives/*Rules.cpp and
// src/vulkan/fft/PowerOfTwoFft.cpp).
//
//   kompute_benchmark_shared_memory [--check]
//
// --check  accepted for uniformity: there is nothing to check
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "Measure.hpp"
#include "Program.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/DeviceRegistry.hpp"

namespace {

// Each iteration depends on the one before, so that a group by itself leaves most of a core idle.
constexpr const char* kShader = R"(#version 450
layout(local_size_x = 128) in;
layout(constant_id = 0) const uint WORDS = 128u;
layout(push_constant) uniform Push { uint iterations; };
layout(binding = 0) writeonly buffer Result { uint result[]; };
shared uint words[WORDS];
void main() {
    uint t = gl_LocalInvocationIndex;
    words[t] = t;
    words[WORDS - 1u - t] = t;
    barrier();
    uint x = words[t ^ 1u];
    for (uint i = 0u; i < iterations; ++i)
        x = x * 1664525u + (x >> 3u);
    words[t] = x;
    barrier();
    if (words[t ^ 1u] == 0u && x == 1u) // never, but the compiler cannot know
        result[t] = x;
}
)";

double secondsWith(kp::Manager& manager, const std::vector<uint32_t>& shader, uint32_t bytes,
                   uint32_t groups, uint32_t iterations) {
    const auto result = manager.tensorT<uint32_t>(128, kp::Memory::MemoryTypes::eStorage);
    const auto algorithm =
        manager.algorithm({result}, shader, kp::Workgroup{groups, 1, 1},
                          std::vector<uint32_t>{bytes / static_cast<uint32_t>(sizeof(uint32_t))},
                          std::vector<uint32_t>{iterations});
    const auto sequence = manager.sequence();
    sequence->record<kp::OpAlgoDispatch>(algorithm);
    return kp::benchmark::medianSeconds(9, [&] { sequence->eval(); });
}

int measure(kp::benchmark::Arguments& arguments) {
    arguments.flag("--check");
    arguments.finish();
    kp::Manager manager;
    const auto device = kp::vulkan::findDevice(manager.nativeDevice());
    const bool software = manager.deviceInfo().type == kp::DeviceType::eCpu;
    const uint32_t most =
        device->physical().properties.limits.maxComputeSharedMemorySize / 1024 * 1024;
    const uint32_t groups = software ? 64 : 132 * 48;
    const uint32_t iterations = software ? 20 : 2000;
    const auto shader = manager.compile(kShader);

    std::printf("%s: %u work groups of 128 invocations, at most %u KiB of shared memory each\n",
                manager.deviceInfo().name.c_str(), groups, most / 1024);
    std::printf("  KiB each       us   as fast as with %u KiB\n", most / 1024);
    const double slowest = secondsWith(manager, shader, most, groups, iterations);
    for (uint32_t kib = 2; kib * 1024 <= most; kib += 2) {
        const double seconds = secondsWith(manager, shader, kib * 1024, groups, iterations);
        std::printf("  %8u %8.1f   %.2f\n", kib, seconds * 1e6, slowest / seconds);
    }
    return 0;
}

} // namespace

int main(int count, char** words) {
    return kp::benchmark::runProgram(count, words, "[--check]", measure);
}
