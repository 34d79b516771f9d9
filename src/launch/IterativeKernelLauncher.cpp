// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/IterativeKernelLauncher.hpp>

#include <algorithm>
#include <utility>

#include "core/queue/QueueImpl.hpp"
#include "launch/KernelLauncherImpl.hpp"
#include "launch/LauncherImpl.hpp"

namespace kp {
namespace {

/// A call with more launches counts as a generator that does not end.
constexpr size_t kMaxLaunches = 1u << 20;

} // namespace

ParameterGenerator::~ParameterGenerator() = default;

ParameterYielder::ParameterYielder(std::function<ParameterSequence()> function)
    : mFunction(std::move(function)) {
    if (!mFunction)
        throw InvalidArgument("the function of a ParameterYielder is empty");
}

ParameterYielder::ParameterYielder(std::vector<ArgumentValue> values)
    : mFunction([shared = std::make_shared<const std::vector<ArgumentValue>>(std::move(values))] {
          return [shared, next = size_t{0}]() mutable -> std::optional<ArgumentValue> {
              if (next == shared->size())
                  return std::nullopt;
              return (*shared)[next++];
          };
      }) {}

ParameterSequence ParameterYielder::newGenerator() {
    return mFunction();
}

IterativeKernelLauncher::IterativeKernelLauncher(std::string name, Kernel kernel,
                                                 const ParametersMap& parametersMap,
                                                 const Arguments& arguments,
                                                 std::vector<IteratedParameter> iteratedParameters,
                                                 const KernelOptions& options, IterationMode mode)
    : ParametrizedKernelLauncher(std::move(name), std::move(kernel), parametersMap, arguments,
                                 options),
      mIterated(std::move(iteratedParameters)), mMode(mode) {
    for (size_t i = 0; i < mIterated.size(); ++i) {
        const std::string& parameter = mIterated[i].name;
        const auto refuse = [&](const char* reason) {
            launch::throwFor(this->name(), "iterated parameter '{}' {}", parameter, reason);
        };
        if (parametersMap.find(parameter) == parametersMap.end())
            refuse("is not in the parameters map");
        if (!mIterated[i].generator)
            refuse("has no generator");
        for (size_t j = 0; j < i; ++j)
            if (parameter == mIterated[j].name)
                refuse("is named twice");
    }
}

IterativeKernelLauncher::~IterativeKernelLauncher() = default;

std::vector<ParameterInfo> IterativeKernelLauncher::parameters() const {
    std::vector<ParameterInfo> infos = ParametrizedKernelLauncher::parameters();
    std::erase_if(infos, [&](const ParameterInfo& info) {
        return launch::findNamed(mIterated, info.name) != nullptr;
    });
    return infos;
}

std::vector<std::vector<ArgumentValue>> IterativeKernelLauncher::iterParameters() const {
    std::vector<std::vector<ArgumentValue>> values;
    for (const IteratedParameter& iterated : mIterated) {
        const ParameterSequence next = iterated.generator->newGenerator();
        std::vector<ArgumentValue>& own = values.emplace_back();
        if (!next)
            launch::throwFor(name(), "the generator of '{}' gave no sequence", iterated.name);
        while (std::optional<ArgumentValue> value = next()) {
            own.push_back(std::move(*value));
            if (own.size() > kMaxLaunches)
                launch::throwFor(name(),
                                 "the generator of '{}' has given over a million values; does it "
                                 "end?",
                                 iterated.name);
        }
    }
    if (values.empty())
        return {};
    const bool zip = mMode == IterationMode::eZip;
    size_t count = values[0].size();
    for (size_t i = 1; i < values.size(); ++i) {
        if (!zip) {
            count *= values[i].size();
            if (count > kMaxLaunches)
                launch::throwFor(name(),
                                 "the iterated parameters have over a million combinations");
        } else if (values[i].size() != count) {
            const size_t shorter = values[i].size() < values[0].size() ? i : 0;
            const size_t longer = shorter == 0 ? i : 0;
            launch::throwFor(
                name(),
                "the generator of '{}' ends early: it gave {} values, and the generator of "
                "'{}' {}",
                mIterated[shorter].name, values[shorter].size(), mIterated[longer].name,
                values[longer].size());
        }
    }
    std::vector<std::vector<ArgumentValue>> combinations(count);
    for (size_t i = 0; i < count; ++i) {
        combinations[i].resize(values.size());
        size_t rest = i;
        for (size_t place = values.size(); place-- > 0; rest /= zip ? 1 : values[place].size())
            combinations[i][place] = values[place][rest % values[place].size()];
    }
    return combinations;
}

void IterativeKernelLauncher::appendSteps(launch::StepList& steps,
                                          const launch::CallContext& context) {
    impl().requireDevice(context.queue);
    const std::vector<std::vector<ArgumentValue>> combinations = iterParameters();
    Parameters iterated;
    for (const IteratedParameter& each : mIterated)
        iterated.emplace_back(each.name, ArgumentValue());
    for (size_t i = 0; i < combinations.size(); ++i) {
        for (size_t place = 0; place < iterated.size(); ++place)
            iterated[place].value = combinations[i][place];
        const Impl::Dispatch& dispatch = impl().prepare(i, context.options, iterated);
        launch::Step& step = steps.add(*this);
        step.operation = dispatch.operation;
        context.trace(step, "{} ({} of {})", name(), i + 1, combinations.size());
    }
}

std::optional<Event> IterativeKernelLauncher::operator()(const LaunchOptions& options) {
    const std::shared_ptr<Queue>& queue = queueOf(options);
    const Event event = runSteps(queue, options);
    if (!options.enqueueBarrier)
        return std::nullopt;
    if (!queue->inOrder())
        return queue->barrier({event});
    return event;
}

} // namespace kp
