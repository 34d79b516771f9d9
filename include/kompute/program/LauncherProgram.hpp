// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/launch/KernelListLauncher.hpp>
#include <kompute/launch/Launcher.hpp>
#include <kompute/program/Program.hpp>

namespace kp {

/// Makes a program of what a call of a launcher launches. Nothing is launched.
/// @param inputs, outputs  as for Program::of()
/// @param options          the parameters and sizes of the call, which the program keeps; its queue
///                         says for which device
/// @throws InvalidArgument as the call, and as Program::of(); Unsupported for launchers that run on
///         the host, and as Program::of()
KOMPUTE_API Program programOf(Launcher& launcher, const NamedTensors& inputs,
                              const NamedTensors& outputs, const LaunchOptions& options = {});
/// Same, of a list of launchers.
KOMPUTE_API Program programOf(KernelListLauncher& list, const NamedTensors& inputs,
                              const NamedTensors& outputs, const Parameters& parameters = {});

} // namespace kp
