// SPDX-License-Identifier: Apache-2.0
#include "launch/TuningSpace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <tuple>

#include <kompute/Error.hpp>

namespace kp::launch {
namespace {

/// Up to so many configurations are looked at one by one; of more, some are drawn blindly.
constexpr uint64_t kMaxLookedAt = uint64_t{1} << 20;
constexpr uint64_t kDrawsPerWanted = 256;

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

uint64_t invocations(const Workgroup& size) {
    // Below 2^64 where each is within the limits of a device; else saturated.
    const uint64_t plane = uint64_t{size[0]} * size[1];
    return size[2] != 0 && plane > kNoLimit / size[2] ? kNoLimit : plane * size[2];
}

bool tunesLocalSize(const TunableKernel& kernel) {
    return std::any_of(kernel.parameters().begin(), kernel.parameters().end(),
                       [](const TunableKernel::Parameter& parameter) {
                           return parameter.name.rfind("local_size_", 0) == 0;
                       });
}

const std::string* brokenConstraint(const TunableKernel& kernel,
                                    const TuningConfiguration& configuration) {
    for (const TunableKernel::Constraint& constraint : kernel.constraints())
        if (!constraint.predicate(configuration))
            return &constraint.description;
    return nullptr;
}

/// Sorts configurations into those that are left and those that are not.
class Sieve {
public:
    Sieve(const TunableKernel& kernel, const TuningLimits& limits, bool subgroupMultiple)
        : mKernel(kernel), mLimits(limits), mSizes(tunesLocalSize(kernel)),
          mMultiples(subgroupMultiple && mSizes && limits.subgroupSize > 1) {}

    void add(TuningConfiguration configuration) {
        if (const std::string* broken = brokenConstraint(mKernel, configuration)) {
            mLastReason = "the constraint '" + *broken + "'";
            ++mDraw.constrained;
            return;
        }
        const Workgroup size = configuration.localSize();
        std::string over = mSizes ? overLimits(mLimits, size) : "";
        if (!over.empty()) {
            mLastReason = std::move(over);
            ++mDraw.pruned;
        } else if (mMultiples && invocations(size) % mLimits.subgroupSize != 0) {
            mOdd.push_back(std::move(configuration));
        } else {
            mDraw.configurations.push_back(std::move(configuration));
        }
    }

    size_t left() const { return mDraw.configurations.size(); }

    TuningDraw finish() {
        if (mDraw.configurations.empty())
            mDraw.configurations = std::move(mOdd);
        else
            mDraw.pruned += mOdd.size();
        if (mDraw.configurations.empty())
            throw InvalidArgument("no configuration of kernel '" + mKernel.name() + "' is left: " +
                                  std::to_string(mDraw.constrained) +
                                  " are left out by constraints and " +
                                  std::to_string(mDraw.pruned) +
                                  " by limits of the device, the last one by " + mLastReason);
        return std::move(mDraw);
    }

private:
    const TunableKernel& mKernel;
    const TuningLimits& mLimits;
    bool mSizes;
    bool mMultiples;
    TuningDraw mDraw;
    std::vector<TuningConfiguration> mOdd; ///< no multiple of the subgroup size
    std::string mLastReason;
};

/// Random numbers that are the same with every standard library.
uint64_t below(std::mt19937_64& random, uint64_t bound) {
    return random() % bound;
}

} // namespace

std::string overLimits(const TuningLimits& limits, const Workgroup& localSize) {
    for (size_t i = 0; i < 3; ++i)
        if (localSize[i] > limits.maxSize[i])
            return "maxComputeWorkGroupSize[" + std::to_string(i) + "] = " +
                   std::to_string(limits.maxSize[i]) + " (the size is " +
                   std::to_string(localSize[i]) + ")";
    if (invocations(localSize) > limits.maxInvocations)
        return "maxComputeWorkGroupInvocations = " + std::to_string(limits.maxInvocations) +
               " (the group has " + std::to_string(invocations(localSize)) + ")";
    return "";
}

TuningConfiguration configurationAt(const TunableKernel& kernel, uint64_t number) {
    const auto& parameters = kernel.parameters();
    std::vector<TuningConfiguration::Item> items(parameters.size());
    for (size_t i = parameters.size(); i-- > 0;) {
        const uint64_t count = parameters[i].values.size();
        items[i] = {parameters[i].name, parameters[i].values[number % count]};
        number /= count;
    }
    return TuningConfiguration(std::move(items));
}

bool belongsTo(const TunableKernel& kernel, const TuningConfiguration& configuration) {
    const auto& parameters = kernel.parameters();
    if (configuration.items().size() != parameters.size())
        return false;
    for (size_t i = 0; i < parameters.size(); ++i) {
        const auto& [name, value] = configuration.items()[i];
        const auto& values = parameters[i].values;
        if (name != parameters[i].name ||
            std::find(values.begin(), values.end(), value) == values.end())
            return false;
    }
    return true;
}

bool isAllowed(const TunableKernel& kernel, const TuningLimits& limits,
               const TuningConfiguration& configuration) {
    return !brokenConstraint(kernel, configuration) &&
           (!tunesLocalSize(kernel) || overLimits(limits, configuration.localSize()).empty());
}

TuningDraw drawConfigurations(const TunableKernel& kernel, const TuningLimits& limits, size_t most,
                              uint32_t seed, bool subgroupMultiple) {
    const uint64_t count = kernel.configurationCount();
    std::mt19937_64 random(seed);
    Sieve sieve(kernel, limits, subgroupMultiple);
    if (count <= kMaxLookedAt || most > kMaxLookedAt) {
        for (uint64_t number = 0; number < count; ++number)
            sieve.add(configurationAt(kernel, number));
    } else {
        std::set<uint64_t> drawn;
        for (uint64_t i = 0; i < kDrawsPerWanted * most && sieve.left() < most; ++i)
            if (const uint64_t number = below(random, count); drawn.insert(number).second)
                sieve.add(configurationAt(kernel, number));
    }
    TuningDraw draw = sieve.finish();
    if (draw.configurations.size() <= most)
        return draw;
    // One of each of as many equal stretches: every region of the space has a chance.
    std::vector<TuningConfiguration> chosen;
    const uint64_t left = draw.configurations.size();
    for (uint64_t i = 0; i < most; ++i) {
        const uint64_t first = left * i / most;
        const uint64_t last = left * (i + 1) / most;
        chosen.push_back(std::move(draw.configurations[first + below(random, last - first)]));
    }
    draw.configurations = std::move(chosen);
    return draw;
}

std::vector<TuningConfiguration> rankByRule(const TunableKernel& kernel, const TuningLimits& limits,
                                            std::vector<TuningConfiguration> configurations) {
    const double liked = limits.isCpu ? 64.0 : 256.0;
    const bool sizes = tunesLocalSize(kernel);
    using Rank = std::tuple<double, size_t, size_t>;
    std::vector<Rank> ranks;
    for (size_t number = 0; number < configurations.size(); ++number) {
        const TuningConfiguration& configuration = configurations[number];
        double distance = 0;
        size_t places = 0;
        if (sizes)
            distance = std::abs(
                std::log2(static_cast<double>(invocations(configuration.localSize())) / liked));
        for (size_t i = 0; i < kernel.parameters().size(); ++i) {
            const TunableKernel::Parameter& parameter = kernel.parameters()[i];
            if (parameter.name.rfind("local_size_", 0) == 0)
                continue;
            const auto place = std::find(parameter.values.begin(), parameter.values.end(),
                                         configuration.items()[i].second);
            places += static_cast<size_t>(place - parameter.values.begin());
        }
        ranks.emplace_back(distance, places, number);
    }
    std::sort(ranks.begin(), ranks.end());
    std::vector<TuningConfiguration> ranked;
    for (const Rank& rank : ranks)
        ranked.push_back(std::move(configurations[std::get<2>(rank)]));
    return ranked;
}

} // namespace kp::launch
