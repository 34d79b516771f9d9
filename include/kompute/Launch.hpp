// SPDX-License-Identifier: Apache-2.0
#pragma once

// <kompute/Kompute.hpp>, and queues, launchers, lists, statistics, the profiler and the autotuner.

#include <kompute/Kompute.hpp>
#include <kompute/queue/Queue.hpp>

#include <kompute/launch/Arguments.hpp>
#include <kompute/launch/Autotuner.hpp>
#include <kompute/launch/CopyLauncher.hpp>
#include <kompute/launch/HostLauncher.hpp>
#include <kompute/launch/IterativeKernelLauncher.hpp>
#include <kompute/launch/KernelLauncher.hpp>
#include <kompute/launch/KernelListLauncher.hpp>
#include <kompute/launch/KernelStatistics.hpp>
#include <kompute/launch/LaunchProfile.hpp>
#include <kompute/launch/Launcher.hpp>
#include <kompute/launch/PrimitiveLauncher.hpp>
#include <kompute/launch/Profiler.hpp>
#include <kompute/launch/RepeatLauncher.hpp>
#include <kompute/launch/Trace.hpp>
#include <kompute/launch/TunableKernel.hpp>
#include <kompute/launch/TunedAlgorithm.hpp>
#include <kompute/launch/TunedKernelLauncher.hpp>
