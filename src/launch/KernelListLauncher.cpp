// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/KernelListLauncher.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include "launch/LauncherImpl.hpp"

namespace kp {

struct KernelListLauncher::Impl {
    std::string name;
    std::shared_ptr<TimingSink> profiler;
    std::vector<std::shared_ptr<Launcher>> launchers;
    std::vector<ParameterInfo> parameters;
    std::map<std::string, std::unique_ptr<launch::RunLog>> logs; ///< by launcher name
    std::vector<launch::RunLog*> logOf;                          ///< for each launcher
    launch::StepRunner runner;

    void addParameters(const Launcher& launcher) {
        std::vector<ParameterInfo> merged = parameters;
        for (const ParameterInfo& info : launcher.parameters()) {
            ParameterInfo* const known = launch::findNamed(merged, info.name);
            if (!known) {
                merged.push_back({info.name, info.type, {launcher.name()}});
                continue;
            }
            if (known->type == launch::kAnyType)
                known->type = info.type;
            else if (info.type != launch::kAnyType && info.type != known->type)
                launch::throwFor(name, "parameter '{}' is a {} for '{}', but a {} for '{}'",
                                 info.name, known->type, known->launchers.front(), info.type,
                                 launcher.name());
            auto& takers = known->launchers;
            if (std::ranges::find(takers, launcher.name()) == takers.end())
                takers.push_back(launcher.name());
        }
        parameters = std::move(merged);
    }
};

KernelListLauncher::KernelListLauncher(std::string name, std::shared_ptr<TimingSink> profiler)
    : mImpl(std::make_unique<Impl>()) {
    mImpl->name = std::move(name);
    mImpl->profiler = std::move(profiler);
}

KernelListLauncher::~KernelListLauncher() = default;

const std::string& KernelListLauncher::name() const {
    return mImpl->name;
}

KernelListLauncher& KernelListLauncher::push(std::shared_ptr<Launcher> launcher) {
    if (!launcher)
        return *this;
    if (!launcher->globalSizeConfigured())
        launch::throwFor(mImpl->name,
                         "launcher '{}' has no default global size, which a list needs",
                         launcher->name());
    mImpl->addParameters(*launcher);
    std::unique_ptr<launch::RunLog>& log = mImpl->logs[launcher->name()];
    if (!log)
        log = std::make_unique<launch::RunLog>(launcher->name(), mImpl->profiler);
    mImpl->logOf.push_back(log.get());
    mImpl->launchers.push_back(std::move(launcher));
    return *this;
}

KernelListLauncher& KernelListLauncher::push(const std::shared_ptr<KernelListLauncher>& list) {
    if (!list)
        return *this;
    // A copy, because the list may be this one.
    const std::vector<std::shared_ptr<Launcher>> launchers = list->launchers();
    // All launchers are added, or none.
    const std::vector<ParameterInfo> before = mImpl->parameters;
    try {
        for (const std::shared_ptr<Launcher>& launcher : launchers)
            mImpl->addParameters(*launcher);
    } catch (...) {
        mImpl->parameters = before;
        throw;
    }
    for (const std::shared_ptr<Launcher>& launcher : launchers)
        push(launcher);
    return *this;
}

KernelListLauncher& KernelListLauncher::pushCopyHostDevice(std::string variable, CopyEnd source,
                                                           CopyEnd destination, CopyRange range) {
    return push(std::make_shared<CopyLauncher>(std::move(variable), std::move(source),
                                               std::move(destination), range));
}

KernelListLauncher& KernelListLauncher::pushCopyDeviceToDevice(std::string variable, CopyEnd source,
                                                               CopyEnd destination,
                                                               CopyRange range) {
    if (!source.onDevice() || !destination.onDevice())
        launch::throwFor(variable, "a copy from device to device needs a tensor on both ends");
    return pushCopyHostDevice(std::move(variable), std::move(source), std::move(destination),
                              range);
}

KernelListLauncher& KernelListLauncher::pushCopyHostToDevice(std::string variable, CopyEnd source,
                                                             CopyEnd destination,
                                                             uint64_t destinationOffset) {
    if (source.onDevice() || !destination.onDevice())
        launch::throwFor(variable, "a copy from host to device goes from host memory to a tensor");
    return pushCopyHostDevice(std::move(variable), std::move(source), std::move(destination),
                              {0, destinationOffset, std::nullopt});
}

KernelListLauncher& KernelListLauncher::pushCopyDeviceToHost(std::string variable, CopyEnd source,
                                                             CopyEnd destination,
                                                             uint64_t sourceOffset) {
    if (!source.onDevice() || destination.onDevice())
        launch::throwFor(variable, "a copy from device to host goes from a tensor to host memory");
    return pushCopyHostDevice(std::move(variable), std::move(source), std::move(destination),
                              {sourceOffset, 0, std::nullopt});
}

const std::shared_ptr<Queue>& KernelListLauncher::managerQueue() const {
    static const std::shared_ptr<Queue> none;
    for (const std::shared_ptr<Launcher>& launcher : mImpl->launchers)
        if (const std::shared_ptr<Queue>& queue = launcher->managerQueue())
            return queue;
    return none;
}

Event KernelListLauncher::operator()(const std::shared_ptr<Queue>& given,
                                     const std::vector<Event>& waitFor,
                                     const Parameters& parameters) {
    const std::shared_ptr<Queue>& queue = given ? given : managerQueue();
    if (!queue)
        launch::throwFor(mImpl->name, "no queue was given with the call, and none of its launchers "
                                      "knows a manager; give it one of Manager::queue()");
    launch::requireKnownParameters(mImpl->name, parameters, mImpl->parameters);
    if (mImpl->launchers.empty()) {
        Event::waitAll(waitFor);
        return Event();
    }
    LaunchOptions options;
    options.waitFor = waitFor;
    options.parameters = parameters;
    launch::StepRunner& runner = mImpl->runner;
    runner.steps().clear();
    const launch::CallContext context{options, *queue, launch::tracing()};
    std::vector<launch::Step>& steps = runner.steps().steps();
    for (size_t i = 0; i < mImpl->launchers.size(); ++i) {
        const size_t first = steps.size();
        mImpl->launchers[i]->appendSteps(runner.steps(), context);
        for (size_t step = first; step < steps.size(); ++step)
            steps[step].listLog = mImpl->logOf[i];
    }
    const Event event = runner.run(queue, waitFor);
    runner.steps().clear();
    return event;
}

Event KernelListLauncher::ready() const {
    return mImpl->runner.ready();
}

std::vector<ParameterInfo> KernelListLauncher::parameters() const {
    return mImpl->parameters;
}

std::vector<std::shared_ptr<Launcher>> KernelListLauncher::launchers() const {
    return mImpl->launchers;
}

size_t KernelListLauncher::size() const {
    return mImpl->launchers.size();
}

std::vector<Event> KernelListLauncher::events() const {
    std::vector<Event> events;
    for (const auto& [name, log] : mImpl->logs)
        for (Event& event : log->events())
            events.push_back(std::move(event));
    return events;
}

StatisticsByName KernelListLauncher::statistics() {
    StatisticsByName statistics;
    for (const auto& [name, log] : mImpl->logs)
        statistics[name] = log->statistics();
    return statistics;
}

void KernelListLauncher::notifyProfiler() {
    for (const auto& [name, log] : mImpl->logs)
        log->notifySink();
}

void KernelListLauncher::clearStatistics() {
    for (const auto& [name, log] : mImpl->logs)
        log->clear();
}

} // namespace kp
