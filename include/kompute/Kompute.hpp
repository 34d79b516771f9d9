// SPDX-License-Identifier: Apache-2.0
#pragma once

// Managers, memory, algorithms, sequences, operations and shaders. Launchers have a header of their
// own, <kompute/Launch.hpp>, so that programs without them compile faster.

#include <kompute/Algorithm.hpp>
#include <kompute/Check.hpp>
#include <kompute/Core.hpp>
#include <kompute/Cuda.hpp>
#include <kompute/DeviceFacts.hpp>
#include <kompute/Event.hpp>
#include <kompute/ExternalMemory.hpp>
#include <kompute/HostImport.hpp>
#include <kompute/Image.hpp>
#include <kompute/ImageOptions.hpp>
#include <kompute/Manager.hpp>
#include <kompute/ManagerOptions.hpp>
#include <kompute/Memory.hpp>
#include <kompute/PinnedArray.hpp>
#include <kompute/Reflection.hpp>
#include <kompute/Sampler.hpp>
#include <kompute/Semaphore.hpp>
#include <kompute/Sequence.hpp>
#include <kompute/Shader.hpp>
#include <kompute/Tensor.hpp>
#include <kompute/WaitLimit.hpp>

#include <kompute/operations/OpAlgoDispatch.hpp>
#include <kompute/operations/OpBase.hpp>
#include <kompute/operations/OpCopy.hpp>
#include <kompute/operations/OpFill.hpp>
#include <kompute/operations/OpMemoryBarrier.hpp>
#include <kompute/operations/OpMult.hpp>
#include <kompute/operations/OpRepeat.hpp>
#include <kompute/operations/OpSyncDevice.hpp>
#include <kompute/operations/OpSyncLocal.hpp>

#include <ShaderLogisticRegression.hpp>
#include <ShaderOpMult.hpp>
