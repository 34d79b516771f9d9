// SPDX-License-Identifier: Apache-2.0
#include "tune/TuningSpace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <tuple>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::tune {
namespace {

/// Up to this number, all configurations are examined; above it, random ones.
constexpr uint64_t kMaxExamined = uint64_t{1} << 20;
constexpr uint64_t kDrawsPerConfiguration = 256;

/// Saturates.
uint64_t invocations(const Workgroup& size) {
    constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
    const uint64_t plane = uint64_t{size[0]} * size[1];
    return size[2] != 0 && plane > kMax / size[2] ? kMax : plane * size[2];
}

bool isLocalSize(const TunableKernel::Parameter& parameter) {
    return parameter.name.starts_with("local_size_");
}

bool tunesLocalSize(const TunableKernel& kernel) {
    return std::ranges::any_of(kernel.parameters(), isLocalSize);
}

const std::string* brokenConstraint(const TunableKernel& kernel,
                                    const TuningConfiguration& configuration) {
    for (const TunableKernel::Constraint& constraint : kernel.constraints()) {
        if (!constraint.predicate(configuration))
            return &constraint.description;
    }
    return nullptr;
}

/// Separates the allowed configurations from the others.
class Filter {
public:
    Filter(const TunableKernel& kernel, const TuningLimits& limits, bool subgroupMultiple)
        : mKernel(kernel), mLimits(limits), mTunesSize(tunesLocalSize(kernel)),
          mRequiresMultiple(subgroupMultiple && mTunesSize && limits.subgroupSize > 1) {}

    void add(TuningConfiguration configuration) {
        if (const std::string* broken = brokenConstraint(mKernel, configuration)) {
            mLastReason = formatted("the constraint '{}'", *broken);
            ++mDraw.constrained;
            return;
        }
        const Workgroup size = configuration.localSize();
        std::string exceeded = mTunesSize ? exceededLimit(mLimits, size) : "";
        if (!exceeded.empty()) {
            mLastReason = std::move(exceeded);
            ++mDraw.pruned;
        } else if (mRequiresMultiple && invocations(size) % mLimits.subgroupSize != 0) {
            mOthers.push_back(std::move(configuration));
        } else {
            mDraw.configurations.push_back(std::move(configuration));
        }
    }

    size_t allowed() const { return mDraw.configurations.size(); }

    TuningDraw finish() {
        if (mDraw.configurations.empty())
            mDraw.configurations = std::move(mOthers);
        else
            mDraw.pruned += mOthers.size();
        if (mDraw.configurations.empty()) {
            fail<InvalidArgument>("kernel '{}' has no allowed configuration: {} are excluded by "
                                  "constraints and {} by limits of the device, the last one by {}",
                                  mKernel.name(), mDraw.constrained, mDraw.pruned, mLastReason);
        }
        return std::move(mDraw);
    }

private:
    const TunableKernel& mKernel;
    const TuningLimits& mLimits;
    bool mTunesSize;
    bool mRequiresMultiple;
    TuningDraw mDraw;
    std::vector<TuningConfiguration> mOthers; ///< not multiples of the subgroup size
    std::string mLastReason;
};

} // namespace

std::string exceededLimit(const TuningLimits& limits, const Workgroup& localSize) {
    for (size_t i = 0; i < 3; ++i) {
        if (localSize[i] > limits.maxSize[i]) {
            return formatted("maxComputeWorkGroupSize[{}] = {} (the size is {})", i,
                             limits.maxSize[i], localSize[i]);
        }
    }
    const uint64_t count = invocations(localSize);
    if (count <= limits.maxInvocations)
        return "";
    return formatted("maxComputeWorkGroupInvocations = {} (the group has {})",
                     limits.maxInvocations, count);
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
           (!tunesLocalSize(kernel) || exceededLimit(limits, configuration.localSize()).empty());
}

TuningDraw drawConfigurations(const TunableKernel& kernel, const TuningLimits& limits,
                              size_t maxCount, uint32_t seed, bool subgroupMultiple) {
    const uint64_t count = kernel.configurationCount();
    // Taken modulo: standard libraries differ in std::uniform_int_distribution.
    std::mt19937_64 random(seed);
    Filter filter(kernel, limits, subgroupMultiple);
    if (count <= kMaxExamined || maxCount > kMaxExamined) {
        for (uint64_t number = 0; number < count; ++number)
            filter.add(configurationAt(kernel, number));
    } else {
        std::set<uint64_t> drawn;
        for (uint64_t i = 0; i < kDrawsPerConfiguration * maxCount && filter.allowed() < maxCount;
             ++i) {
            if (const uint64_t number = random() % count; drawn.insert(number).second)
                filter.add(configurationAt(kernel, number));
        }
    }
    TuningDraw draw = filter.finish();
    if (draw.configurations.size() <= maxCount)
        return draw;
    // One of each of maxCount equal sections, so that every region of the space is represented.
    std::vector<TuningConfiguration> chosen;
    const uint64_t allowed = draw.configurations.size();
    for (uint64_t i = 0; i < maxCount; ++i) {
        const uint64_t first = allowed * i / maxCount;
        const uint64_t last = allowed * (i + 1) / maxCount;
        chosen.push_back(std::move(draw.configurations[first + random() % (last - first)]));
    }
    draw.configurations = std::move(chosen);
    return draw;
}

std::vector<TuningConfiguration> rankByRule(const TunableKernel& kernel, const TuningLimits& limits,
                                            std::vector<TuningConfiguration> configurations) {
    const double preferred = limits.isCpu ? 64.0 : 256.0;
    const bool sizes = tunesLocalSize(kernel);
    using Rank = std::tuple<double, size_t, size_t>;
    std::vector<Rank> ranks;
    for (size_t number = 0; number < configurations.size(); ++number) {
        const TuningConfiguration& configuration = configurations[number];
        const auto size = static_cast<double>(invocations(configuration.localSize()));
        const double distance = sizes ? std::abs(std::log2(size / preferred)) : 0;
        size_t places = 0;
        for (size_t i = 0; i < kernel.parameters().size(); ++i) {
            const TunableKernel::Parameter& parameter = kernel.parameters()[i];
            if (isLocalSize(parameter))
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

TuningLimits limitsOf(const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& from = device.physical().properties.limits;
    return {.maxInvocations = from.maxComputeWorkGroupInvocations,
            .maxSize = std::to_array(from.maxComputeWorkGroupSize),
            .maxCount = std::to_array(from.maxComputeWorkGroupCount),
            .maxSharedBytes = from.maxComputeSharedMemorySize,
            .subgroupSize = device.physical().subgroupSize,
            .isCpu = device.physical().isCpu()};
}

} // namespace kp::tune
