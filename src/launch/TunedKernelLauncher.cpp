// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/TunedKernelLauncher.hpp>

#include <array>
#include <map>
#include <utility>

#include <kompute/Manager.hpp>
#include <kompute/launch/KernelListLauncher.hpp>

#include "core/queue/QueueImpl.hpp"
#include "launch/KernelLauncherImpl.hpp"
#include "launch/LauncherImpl.hpp"

namespace kp {
namespace {

/// The arguments of the kernel are not known yet, so an index and a name are not compared.
void requireDifferentTargets(const std::string& launcher, const ParametersMap& parameters) {
    for (auto a = parameters.begin(); a != parameters.end(); ++a)
        for (auto b = parameters.begin(); b != a; ++b)
            if (a->second.index == b->second.index && a->second.name == b->second.name)
                launch::throwFor(launcher, "parameters '{}' and '{}' both stand for argument {}",
                                 b->first, a->first,
                                 a->second.index ? formatted("{}", *a->second.index)
                                                 : formatted("'{}'", a->second.name));
}

} // namespace

struct TunedKernelLauncher::Impl {
    using Size = std::array<uint64_t, 3>;

    std::string name;
    std::shared_ptr<TunedAlgorithm> kernel;
    TuningArguments arguments;
    TunedKernelOptions options;
    std::shared_ptr<Queue> managerQueue;
    std::map<Size, std::shared_ptr<KernelLauncher>> launchers; ///< by global size

    Arguments knownArguments(const Kernel& tuned) const {
        const std::vector<unsigned char>& push = arguments.pushConstantBytes();
        const auto isParameter = [&](const KernelArgument& argument) {
            for (const auto& [parameter, target] : options.parametersMap)
                if (target.index ? *target.index == argument.index : target.name == argument.name)
                    return true;
            return false;
        };
        Arguments known;
        for (const KernelArgument& argument : tuned.signature().arguments()) {
            if (isParameter(argument))
                continue;
            if (isMemory(argument))
                known.emplace_back(argument.index, arguments.memObjects().at(argument.place));
            else if (argument.kind == ArgumentKind::ePushConstant &&
                     push.size() >= size_t{argument.place} + argument.bytes)
                known.emplace_back(
                    argument.index,
                    ArgumentValue::bytes(push.data() + argument.place, argument.bytes));
        }
        return known;
    }

    std::shared_ptr<KernelLauncher> launcherFor(const TuningArguments& sized) const {
        const std::shared_ptr<Algorithm> algorithm = kernel->algorithm(sized);
        const Kernel tuned(algorithm);
        const Workgroup& groups = algorithm->getWorkgroup();
        const Workgroup local = algorithm->getLocalSize();
        KernelOptions inner;
        inner.globalSize = WorkSize(uint64_t{groups[0]} * local[0], uint64_t{groups[1]} * local[1],
                                    uint64_t{groups[2]} * local[2]);
        return std::make_shared<ParametrizedKernelLauncher>(name, tuned, options.parametersMap,
                                                            knownArguments(tuned), inner);
    }
};

TunedKernelLauncher::TunedKernelLauncher(std::string name, std::shared_ptr<TunedAlgorithm> kernel,
                                         TuningArguments arguments, TunedKernelOptions options)
    : Launcher(name, options.profiler),
      mImpl(new Impl{name, std::move(kernel), std::move(arguments), std::move(options), {}, {}}) {
    if (!mImpl->kernel)
        launch::throwFor(name, "the tuned kernel is null");
    mImpl->managerQueue = mImpl->kernel->manager().defaultQueue();
    requireDifferentTargets(name, mImpl->options.parametersMap);
}

TunedKernelLauncher::~TunedKernelLauncher() = default;

TuningResult TunedKernelLauncher::tune() {
    TuningResult result = mImpl->kernel->result(mImpl->arguments);
    std::shared_ptr<KernelLauncher>& launcher = mImpl->launchers[mImpl->arguments.threads()];
    if (!launcher)
        launcher = mImpl->launcherFor(mImpl->arguments);
    return result;
}

bool TunedKernelLauncher::isTuned() const {
    return mImpl->kernel->isTuned(mImpl->arguments);
}

bool TunedKernelLauncher::queueConfigured() const {
    return mImpl->options.queue != nullptr;
}

bool TunedKernelLauncher::globalSizeConfigured() const {
    return mImpl->arguments.threads()[0] > 0 || mImpl->kernel->kernel().workgroupRule();
}

const std::shared_ptr<Queue>& TunedKernelLauncher::defaultQueue() const {
    return mImpl->options.queue;
}

const std::shared_ptr<Queue>& TunedKernelLauncher::managerQueue() const {
    return mImpl->managerQueue;
}

const TuningArguments& TunedKernelLauncher::arguments() const {
    return mImpl->arguments;
}

std::vector<ParameterInfo> TunedKernelLauncher::parameters() const {
    std::vector<ParameterInfo> infos;
    for (const auto& [parameter, target] : mImpl->options.parametersMap)
        infos.push_back({parameter, launch::kAnyType, {name()}});
    return infos;
}

std::shared_ptr<KernelListLauncher> TunedKernelLauncher::asListLauncher(std::string name) {
    auto list = std::make_shared<KernelListLauncher>(std::move(name));
    list->push(shared_from_this());
    return list;
}

std::optional<Event> TunedKernelLauncher::operator()(const LaunchOptions& options) {
    const std::shared_ptr<Queue>& queue = launch::queueFor(*this, options, mImpl->options.queue);
    if (!options.globalSize && !globalSizeConfigured())
        launch::throwFor(name(),
                         "no global size was given with the call (LaunchOptions::globalSize), and "
                         "the tuning arguments have no number of threads; it is the number of "
                         "invocations");
    if (options.localSize)
        launch::throwFor(name(), "a local size was given, but tuning chooses it; give none");
    return runSteps(queue, options);
}

void TunedKernelLauncher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    TuningArguments sized = mImpl->arguments;
    if (const std::optional<WorkSize>& size = context.options.globalSize)
        sized.threads({size->x, size->y, size->z});
    std::shared_ptr<KernelLauncher>& launcher = mImpl->launchers[sized.threads()];
    if (!launcher) {
        if (!mImpl->kernel->isTuned(sized)) {
            // Earlier work would write the memory between a tuning run and its restoration.
            implOf(context.queue).finish();
            for (const Event& event : context.options.waitFor) {
                try {
                    event.wait();
                } catch (...) { // the launch fails with the same error
                }
            }
        }
        launcher = mImpl->launcherFor(sized);
    }
    LaunchOptions options;
    options.parameters = context.options.parameters;
    std::vector<launch::Step>& all = steps.steps();
    const size_t first = all.size();
    launcher->appendSteps(steps, {options, context.queue, context.tracing});
    for (size_t i = first; i < all.size(); ++i)
        all[i].launcher = this;
}

} // namespace kp
