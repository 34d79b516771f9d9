// SPDX-License-Identifier: Apache-2.0
//
// Many objects and evaluations with flat memory, and many threads on one manager.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <kompute/Launch.hpp>

#include "device/TestSupport.hpp"
#include "proof/Random.hpp"
#include "proof/Settings.hpp"

namespace kp::proof {
namespace {

using MemoryTypes = kp::Memory::MemoryTypes;

constexpr uint64_t kSlack = 8u << 20;

/// Runs the rounds. The memory of the process must not grow in the second half.
template <typename Round>
void expectFlat(const char* name, uint64_t rounds, Round round) {
    uint64_t before = 0;
    for (uint64_t i = 0; i < rounds; ++i) {
        if (i == rounds / 2)
            before = test::residentBytes();
        round(i);
    }
    const uint64_t after = test::residentBytes();
    std::printf("%llu %s: %llu MiB, then %llu MiB\n", static_cast<unsigned long long>(rounds), name,
                static_cast<unsigned long long>(before >> 20),
                static_cast<unsigned long long>(after >> 20));
    if (after > before + kSlack)
        throw std::runtime_error(std::string(name) + ": memory grows");
}

void expectEqual(uint32_t found, uint32_t expected, const char* what) {
    if (found != expected)
        throw std::runtime_error(std::string(what) + ": found " + std::to_string(found) +
                                 ", expected " + std::to_string(expected));
}

} // namespace

int proveSoak(const Settings& settings) {
    kp::Manager manager;
    const bool leak = settings.plant == "leak";
    const auto code = test::addShader(1);
    const auto counter = manager.tensorT<uint32_t>({0}, MemoryTypes::eStorage);
    counter->upload(std::vector<uint32_t>{0});
    const auto sequence = manager.sequence();
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({counter}, code));
    std::vector<std::vector<char>> leaked;
    expectFlat("evaluations", settings.count, [&](uint64_t) {
        sequence->eval();
        if (leak)
            leaked.emplace_back(10'000, 'x');
    });
    expectEqual(test::onDevice<uint32_t>(*counter)[0], static_cast<uint32_t>(settings.count),
                "evaluations");
    expectFlat("objects of each kind", settings.count / 10, [&](uint64_t i) {
        const auto tensor = manager.tensorT<uint32_t>(std::vector<uint32_t>(16, 1));
        const auto algorithm = manager.algorithm({tensor}, code);
        const auto once = manager.sequence();
        once->record<kp::OpSyncDevice>({tensor})
            ->record<kp::OpAlgoDispatch>(algorithm)
            ->record<kp::OpSyncLocal>({tensor});
        if (i % 16 == 0) {
            once->eval();
            expectEqual(tensor->vector()[0], 2, "objects");
        }
    });
    return 0;
}

int proveThreads(const Settings& settings) {
    constexpr uint32_t kThreads = 64;
    kp::Manager manager;
    const auto code = test::addShader(1);
    std::atomic<uint64_t> rounds{0};
    std::atomic<uint64_t> wrong{0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(settings.count);
    std::vector<std::thread> threads;
    for (uint32_t number = 0; number < kThreads; ++number)
        threads.emplace_back([&, number] {
            Random random(settings.seed, number);
            const auto queue = manager.queue(number % 3, number % 2 == 0);
            while (std::chrono::steady_clock::now() < end) {
                const uint32_t value = random.word();
                const auto tensor = manager.tensorT<uint32_t>(std::vector<uint32_t>(16, value),
                                                              test::kMemoryTypes[random.below(4)]);
                uint32_t adds = 1 + random.below(3);
                const auto algorithm = manager.algorithm({tensor}, code, {16, 1, 1});
                const auto once = manager.sequence();
                once->record<kp::OpSyncDevice>({tensor});
                for (uint32_t i = 0; i < adds; ++i)
                    once->record<kp::OpAlgoDispatch>(algorithm);
                once->evalAsync();
                if (random.chance(2)) {
                    once->evalAwait();
                    kp::KernelOptions options;
                    options.globalSize = kp::WorkSize(16);
                    kp::KernelLauncher add("add", kp::Kernel(manager, code), {tensor}, options);
                    add.launch(queue).wait();
                    ++adds;
                } else {
                    once->evalAwait();
                }
                if (settings.plant == "race" && number == 0)
                    ++adds;
                if (test::onDevice<uint32_t>(*tensor)[random.below(16)] != value + adds)
                    ++wrong;
                ++rounds;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    std::printf("%u threads, %llu rounds in %llu s, %llu wrong\n", kThreads,
                static_cast<unsigned long long>(rounds.load()),
                static_cast<unsigned long long>(settings.count),
                static_cast<unsigned long long>(wrong.load()));
    return wrong == 0 ? 0 : 1;
}

} // namespace kp::proof
