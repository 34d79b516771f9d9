// SPDX-License-Identifier: Apache-2.0
//
// Runs two sequences on two queues at once, and a third one that starts when both are done, without
// waiting on the host in between. On a device with a single queue, all use that queue.

#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

#include <kompute/Kompute.hpp>

namespace {

constexpr uint32_t kElements = 4096;
constexpr uint32_t kRounds = 5000;

// Steps of a random number generator. There are few invocations, each of which runs long: one queue
// does not fill a large GPU.
const char* kAdvance = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer States { uint states[]; };
layout(push_constant) uniform Parameters { uint rounds; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= states.length())
        return;
    uint state = states[i];
    for (uint round = 0; round < rounds; ++round)
        state = state * 1664525u + 1013904223u;
    states[i] = state;
}
)";

uint32_t advance(uint32_t state, uint32_t rounds) {
    for (uint32_t round = 0; round < rounds; ++round)
        state = state * 1664525u + 1013904223u;
    return state;
}

const char* kAdd = R"(#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) readonly buffer B { uint b[]; };
layout(binding = 2) writeonly buffer Sum { uint sum[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < sum.length())
        sum[i] = a[i] + b[i];
}
)";

/// Returns the queue family of each queue: one family twice, else two families, else one.
std::vector<uint32_t> chooseQueues(const std::vector<uint32_t>& computeQueues) {
    std::vector<uint32_t> chosen;
    for (uint32_t family = 0; family < computeQueues.size(); ++family) {
        if (computeQueues[family] >= 2)
            return {family, family};
        if (computeQueues[family] == 1 && chosen.size() < 2)
            chosen.push_back(family);
    }
    return chosen;
}

template <typename Work>
double milliseconds(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

int run() {
    kp::ManagerOptions options;
    {
        const kp::Manager probe;
        options.deviceIndex = probe.deviceInfo().index;
        options.queueFamilies = chooseQueues(probe.deviceInfo().computeQueues);
    }
    kp::Manager manager(options);
    const uint32_t last = manager.queueCount() - 1;
    std::printf("device: %s\nqueues: %u\n", manager.deviceInfo().name.c_str(),
                manager.queueCount());

    const auto makeWork = [&](const std::shared_ptr<kp::Tensor>& states, uint32_t queue) {
        auto algorithm = manager.algorithm<float, uint32_t>({states}, manager.compile(kAdvance), {},
                                                            {}, {kRounds});
        algorithm->setThreadCount(states->size());
        return manager.sequence(queue)->record<kp::OpAlgoDispatch>(algorithm);
    };
    std::vector<uint32_t> start(kElements);
    std::iota(start.begin(), start.end(), 1u);
    auto a = manager.tensorT(start);
    auto b = manager.tensorT(std::vector<uint32_t>(kElements, 7));
    auto sum = manager.tensorT<uint32_t>(kElements);
    manager.sequence()->eval<kp::OpSyncDevice>({a, b});

    auto first = makeWork(a, 0);
    auto second = makeWork(b, last);
    auto add = manager.algorithm({a, b, sum}, manager.compile(kAdd));
    add->setThreadCount(kElements);
    auto third =
        manager.sequence()->record<kp::OpAlgoDispatch>(add)->record<kp::OpSyncLocal>({sum});

    const auto runOneByOne = [&] {
        first->eval();
        second->eval();
        third->eval();
    };
    runOneByOne(); // warms up: the device's clock rate may be low at first
    const double oneByOne = milliseconds(runOneByOne);
    const double together = milliseconds([&] {
        first->evalAsync();
        second->evalAsync();
        // The library would order the sum after both anyway, because it reads their results.
        // Events also order work that shares no memory, and show the host the device's progress.
        third->evalAsync({first->event(), second->event()});
        std::printf("submitted; the first is %s\n",
                    first->event().done() ? "already done" : "still running");
        third->evalAwait();
        first->evalAwait();
        second->evalAwait();
    });
    std::printf("one at a time %.3f ms, submitted together %.3f ms: %s\n", oneByOne, together,
                last == 0 ? "a single queue overlaps little" : "the difference is overlap");

    const uint32_t endOfB = advance(7, 3 * kRounds);
    for (uint32_t i = 0; i < kElements; ++i) {
        const uint32_t expected = advance(start[i], 3 * kRounds) + endOfB;
        if (sum->data()[i] != expected) {
            std::printf("WRONG: element %u is %u instead of %u\n", i, sum->data()[i], expected);
            return 1;
        }
    }
    std::printf("correct\n");
    return 0;
}

} // namespace

int main() try { return run(); } catch (const kp::Error& error) {
    std::fprintf(stderr, "async_queues: %s\n", error.what());
    return 1;
}
