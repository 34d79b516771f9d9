// SPDX-License-Identifier: Apache-2.0
//
// Random programs on managers with all settings of submission and order, in turn.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include "device/TestSupport.hpp"
#include "proof/PlantedFault.hpp"
#include "proof/RandomProgram.hpp"
#include "proof/Settings.hpp"
#include "vulkan/device/Validation.hpp"

namespace kp::proof {
namespace {

constexpr uint64_t kKindsOfManagers = 8;

/// With and without coalescing, reordering and timeline semaphores; on all queues of the device.
std::unique_ptr<kp::Manager> makeManager(uint64_t kind) {
    static const std::vector<uint32_t> queues = kp::Manager().deviceInfo().computeQueues;
    kp::ManagerOptions options;
    options.coalesce = (kind & 1) == 0;
    options.reorder = (kind & 2) == 0;
    options.timelineSemaphores = (kind & 4) == 0;
    for (uint32_t family = 0; family < queues.size(); ++family)
        for (uint32_t i = 0; i < std::min(queues[family], 2u); ++i)
            options.queueFamilies.push_back(family);
    return std::make_unique<kp::Manager>(options);
}

} // namespace

int provePrograms(const Settings& settings) {
    std::vector<std::unique_ptr<kp::Manager>> managers;
    for (uint64_t kind = 0; kind < kKindsOfManagers; ++kind) {
        managers.push_back(makeManager(kind));
        plantFault(*managers.back(), settings.plant);
    }
    const uint64_t first = settings.only.value_or(0);
    const uint64_t end = settings.only ? first + 1 : settings.count;
    for (uint64_t number = first; number < end; ++number) {
        std::string trace;
        try {
            RandomProgram program(*managers[number % kKindsOfManagers],
                                  Random(settings.seed, number), &trace);
            program.run(8);
            program.expectEqualToModel();
            if (vulkan::validationMessageCount() > 0)
                throw std::runtime_error("the validation layer sent a message");
        } catch (const std::exception& error) {
            std::printf("program %llu of seed %llu: %s\n", static_cast<unsigned long long>(number),
                        static_cast<unsigned long long>(settings.seed), error.what());
            if (settings.only)
                std::printf("%s", trace.c_str());
            return 1;
        }
    }
    std::printf("%llu random programs of seed %llu: equal to the model\n",
                static_cast<unsigned long long>(end - first),
                static_cast<unsigned long long>(settings.seed));
    return 0;
}

} // namespace kp::proof
