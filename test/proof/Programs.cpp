// SPDX-License-Identifier: Apache-2.0
//
// Random programs on managers and groups with all settings of submission and order, in turn.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include "device/TestSupport.hpp"
#include "device/group/GroupSupport.hpp"
#include "proof/GroupProgram.hpp"
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

/// What differs between the groups of random programs.
struct GroupKind {
    size_t devices;
    uint32_t queues;
    kp::ExchangePath path;
    bool coalesce;
    bool timelineSemaphores;
};

constexpr GroupKind kGroupKinds[] = {{2, 1, kp::ExchangePath::eAuto, true, true},
                                     {3, 1, kp::ExchangePath::eAuto, true, true},
                                     {2, 1, kp::ExchangePath::eStaging, true, true},
                                     {3, 1, kp::ExchangePath::eHostMemory, true, true},
                                     {2, 2, kp::ExchangePath::eAuto, true, true},
                                     {3, 1, kp::ExchangePath::eStaging, false, true},
                                     {2, 2, kp::ExchangePath::eStaging, false, true},
                                     {3, 1, kp::ExchangePath::eStaging, true, false}};

std::unique_ptr<kp::DeviceGroup> makeGroup(const GroupKind& kind) {
    kp::DeviceGroupOptions options = test::groupOptions(kind.devices, kind.path);
    options.queueCounts = {kind.queues};
    options.manager.coalesce = kind.coalesce;
    options.manager.timelineSemaphores = kind.timelineSemaphores;
    auto group = std::make_unique<kp::DeviceGroup>(options);
    try {
        group->exchangePath(0, 1);
    } catch (const kp::Unsupported&) { // not with this driver
        options.exchange = kp::ExchangePath::eAuto;
        group = std::make_unique<kp::DeviceGroup>(options);
    }
    return group;
}

/// Calls @p run with the numbers of the programs that the settings choose, and a trace.
/// @return the exit status
template <typename Run>
int runAll(const Settings& settings, const char* noun, Run run) {
    const uint64_t first = settings.only.value_or(0);
    const uint64_t end = settings.only ? first + 1 : settings.count;
    for (uint64_t number = first; number < end; ++number) {
        std::string trace;
        try {
            run(number, &trace);
            if (vulkan::validationMessageCount() > 0)
                throw std::runtime_error("the validation layer sent a message");
        } catch (const std::exception& error) {
            std::printf("%s program %llu of seed %llu: %s\n", noun,
                        static_cast<unsigned long long>(number),
                        static_cast<unsigned long long>(settings.seed), error.what());
            if (settings.only)
                std::printf("%s", trace.c_str());
            return 1;
        }
    }
    std::printf("%llu random %s programs of seed %llu: equal to the model\n",
                static_cast<unsigned long long>(end - first), noun,
                static_cast<unsigned long long>(settings.seed));
    return 0;
}

} // namespace

int provePrograms(const Settings& settings) {
    std::vector<std::unique_ptr<kp::Manager>> managers;
    for (uint64_t kind = 0; kind < kKindsOfManagers; ++kind) {
        managers.push_back(makeManager(kind));
        plantFault(*managers.back(), settings.plant);
    }
    return runAll(settings, "device", [&](uint64_t number, std::string* trace) {
        RandomProgram program(*managers[number % kKindsOfManagers], Random(settings.seed, number),
                              trace);
        program.run(8);
        program.expectEqualToModel();
    });
}

int proveGroups(const Settings& settings) {
    std::vector<std::unique_ptr<kp::DeviceGroup>> groups;
    for (const GroupKind& kind : kGroupKinds) {
        groups.push_back(makeGroup(kind));
        for (size_t device = 0; device < groups.back()->size(); ++device)
            plantFault((*groups.back())[device], settings.plant);
    }
    return runAll(settings, "group", [&](uint64_t number, std::string* trace) {
        GroupProgram program(*groups[number % groups.size()], Random(settings.seed, number), trace);
        program.run(20);
        program.expectEqualToModel();
    });
}

} // namespace kp::proof
