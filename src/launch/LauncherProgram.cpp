// SPDX-License-Identifier: Apache-2.0
#include <kompute/program/LauncherProgram.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "launch/LauncherImpl.hpp"

namespace kp {
namespace {

/// @param name  of the launcher or list, for messages
Program programOfSteps(launch::StepList& steps, const std::string& name, const NamedTensors& inputs,
                       const NamedTensors& outputs, const std::shared_ptr<Queue>& queue) {
    std::vector<std::shared_ptr<OpBase>> operations;
    for (const launch::Step& step : steps.steps()) {
        if (!step.operation)
            fail<Unsupported>("launcher '{}': '{}' runs on the host, so it cannot be saved in a "
                              "program; save the launchers before and after it",
                              name, step.launcher->name());
        operations.push_back(step.operation);
    }
    return Program::of(operations, inputs, outputs, queue);
}

} // namespace

Program programOf(Launcher& launcher, const NamedTensors& inputs, const NamedTensors& outputs,
                  const LaunchOptions& options) {
    const std::shared_ptr<Queue>& queue = launch::queueFor(launcher, options, nullptr);
    launch::StepList steps;
    launcher.appendSteps(steps, {options, *queue, false});
    return programOfSteps(steps, launcher.name(), inputs, outputs, queue);
}

Program programOf(KernelListLauncher& list, const NamedTensors& inputs, const NamedTensors& outputs,
                  const Parameters& parameters) {
    const std::shared_ptr<Queue>& queue = list.managerQueue();
    if (!queue)
        launch::throwFor(list.name(), "none of its launchers knows a manager, so it cannot become "
                                      "a program");
    launch::requireKnownParameters(list.name(), parameters, list.parameters());
    LaunchOptions options;
    options.parameters = parameters;
    launch::StepList steps;
    for (const std::shared_ptr<Launcher>& launcher : list.launchers())
        launcher->appendSteps(steps, {options, *queue, false});
    return programOfSteps(steps, list.name(), inputs, outputs, queue);
}

} // namespace kp
