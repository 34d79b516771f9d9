// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include "primitives/plan/BoundPlan.hpp"
#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/PreparedPlan.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::primitives {

/// The plans that primitives of a device used last, by their problems. A problem is everything that
/// a plan depends on besides the device. Thread-safe.
class KnownPlans final : public vulkan::DeviceCompanion {
public:
    /// Plans that are kept for each kind of problem.
    static constexpr size_t kMaxPlans = 256;

    /// Returns the plans of a device.
    static KnownPlans& of(vulkan::Device& device);

    explicit KnownPlans(const vulkan::Device& device) : mTraits(DeviceTraits::of(device)) {}

    const DeviceTraits& traits() const { return mTraits; }

    /// Returns the plan of a problem. Without one, makes and keeps @p prepare()'s.
    /// @param checks  of the plan
    template <typename Problem, typename Prepare>
    std::shared_ptr<const PreparedPlan> get(const Problem& problem,
                                            const shader::CheckKinds& checks, Prepare&& prepare) {
        if (std::shared_ptr<const PreparedPlan> known = find(problem, checks))
            return known;
        auto made = std::make_shared<const PreparedPlan>(prepare()); // takes long, so unlocked
        keep(problem, checks, made);
        return made;
    }

    bool freeMemory() noexcept override;

private:
    struct AnyList {
        virtual ~AnyList() = default;
    };
    template <typename Problem>
    struct List final : AnyList {
        struct Entry {
            Problem problem;
            shader::CheckKinds checks;
            std::shared_ptr<const PreparedPlan> plan;
        };
        std::list<Entry> entries; ///< the last used first
    };

    template <typename Problem>
    std::list<typename List<Problem>::Entry>& entriesOf() {
        std::unique_ptr<AnyList>& list = mLists[std::type_index(typeid(Problem))];
        if (!list)
            list = std::make_unique<List<Problem>>();
        return static_cast<List<Problem>&>(*list).entries;
    }

    template <typename Problem>
    std::shared_ptr<const PreparedPlan> find(const Problem& problem,
                                             const shader::CheckKinds& checks) {
        const std::lock_guard lock(mMutex);
        auto& entries = entriesOf<Problem>();
        for (auto at = entries.begin(); at != entries.end(); ++at)
            if (at->checks == checks && at->problem == problem) {
                entries.splice(entries.begin(), entries, at);
                return at->plan;
            }
        return nullptr;
    }

    template <typename Problem>
    void keep(const Problem& problem, const shader::CheckKinds& checks,
              std::shared_ptr<const PreparedPlan> plan) {
        std::list<typename List<Problem>::Entry> removed; // destroyed without the lock
        const std::lock_guard lock(mMutex);
        auto& entries = entriesOf<Problem>();
        entries.push_front({problem, checks, std::move(plan)});
        if (entries.size() > kMaxPlans)
            removed.splice(removed.begin(), entries, std::prev(entries.end()));
    }

    const DeviceTraits mTraits;
    std::mutex mMutex;
    std::map<std::type_index, std::unique_ptr<AnyList>> mLists;
};

/// Returns the operation of a problem.
/// @param plan  makes the plan if there is none yet
/// @throws its exceptions, ShaderError, OutOfMemory
template <typename Problem>
std::unique_ptr<BoundPlan> boundPlan(std::shared_ptr<vulkan::Device> device, const Problem& problem,
                                     Plan (*plan)(const std::type_identity_t<Problem>&,
                                                  const DeviceTraits&),
                                     std::vector<Argument> arguments, const char* operation) {
    KnownPlans& known = KnownPlans::of(*device);
    const shader::CheckKinds checks = checksOf(arguments);
    std::shared_ptr<const PreparedPlan> prepared = known.get(problem, checks, [&] {
        return PreparedPlan(device, plan(problem, known.traits()), checks);
    });
    return std::make_unique<BoundPlan>(std::move(device), std::move(prepared), std::move(arguments),
                                       operation);
}

} // namespace kp::primitives
