// SPDX-License-Identifier: Apache-2.0
#pragma once

// The whole public interface.

#include <kompute/Algorithm.hpp>
#include <kompute/Core.hpp>
#include <kompute/Event.hpp>
#include <kompute/HostImport.hpp>
#include <kompute/Image.hpp>
#include <kompute/Manager.hpp>
#include <kompute/ManagerOptions.hpp>
#include <kompute/Memory.hpp>
#include <kompute/PinnedArray.hpp>
#include <kompute/Queue.hpp>
#include <kompute/Reflection.hpp>
#include <kompute/Sequence.hpp>
#include <kompute/Shader.hpp>
#include <kompute/Tensor.hpp>

#include <kompute/launch/Arguments.hpp>
#include <kompute/launch/Autotuner.hpp>
#include <kompute/launch/CopyLauncher.hpp>
#include <kompute/launch/HostLauncher.hpp>
#include <kompute/launch/IterativeKernelLauncher.hpp>
#include <kompute/launch/KernelLauncher.hpp>
#include <kompute/launch/KernelListLauncher.hpp>
#include <kompute/launch/KernelStatistics.hpp>
#include <kompute/launch/Launcher.hpp>
#include <kompute/launch/Profiler.hpp>
#include <kompute/launch/Trace.hpp>
#include <kompute/launch/TunableKernel.hpp>
#include <kompute/launch/TunedAlgorithm.hpp>
#include <kompute/launch/TunedKernelLauncher.hpp>

#include <kompute/operations/OpAlgoDispatch.hpp>
#include <kompute/operations/OpBase.hpp>
#include <kompute/operations/OpCopy.hpp>
#include <kompute/operations/OpFill.hpp>
#include <kompute/operations/OpMemoryBarrier.hpp>
#include <kompute/operations/OpMult.hpp>
#include <kompute/operations/OpSyncDevice.hpp>
#include <kompute/operations/OpSyncLocal.hpp>

#include <ShaderLogisticRegression.hpp>
#include <ShaderOpMult.hpp>
