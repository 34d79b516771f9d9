// SPDX-License-Identifier: Apache-2.0
#pragma once

// Managers, memory, algorithms, sequences, operations and shaders. Launchers have a header of their
// own, <kompute/Launch.hpp>, so that programs without them compile faster.

#include <kompute/Algorithm.hpp>
#include <kompute/Core.hpp>
#include <kompute/Cuda.hpp>
#include <kompute/Image.hpp>
#include <kompute/Manager.hpp>
#include <kompute/Memory.hpp>
#include <kompute/Sequence.hpp>
#include <kompute/Shader.hpp>
#include <kompute/Tensor.hpp>
#include <kompute/device/DeviceFacts.hpp>
#include <kompute/device/ManagerOptions.hpp>
#include <kompute/image/ImageOptions.hpp>
#include <kompute/image/Sampler.hpp>
#include <kompute/memory/ExternalMemory.hpp>
#include <kompute/memory/HostImport.hpp>
#include <kompute/memory/PinnedArray.hpp>
#include <kompute/queue/Event.hpp>
#include <kompute/queue/Semaphore.hpp>
#include <kompute/queue/WaitLimit.hpp>
#include <kompute/shader/Check.hpp>
#include <kompute/shader/Reflection.hpp>

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
