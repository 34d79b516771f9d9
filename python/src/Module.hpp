// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bindings of every class of kp._kp.
#include "base/Errors.hpp"
#include "base/Process.hpp"
#include "base/Pybind.hpp"
#include "core/Classes.hpp"
#include "core/Event.hpp"
#include "group/Groups.hpp"
#include "launch/HostLauncher.hpp"
#include "launch/KernelLauncher.hpp"
#include "launch/Launcher.hpp"
#include "launch/TunedKernelLauncher.hpp"
#include "profile/Profiler.hpp"
#include "shader/Shader.hpp"
#include "tune/Autotuner.hpp"
#include "tune/TuningResult.hpp"
