// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kp {

class Memory;
class Sampler;

/// The size of dispatches, and properties of the pipeline, which neither the shader nor its
/// arguments decide.
struct AlgorithmOptions {
    /// Invocations in x, y and z, as for Algorithm::setThreadCount(); a y or z of 0 means 1. An x
    /// of 0 leaves the size to the work group counts. Both together are refused with
    /// InvalidArgument, and so are threads of a Kernel, whose launchers have sizes of their own.
    /// Algorithm::rebuild() without options does not keep them.
    std::array<uint64_t, 3> threads{};
    /// Invocations of a subgroup: a power of two between DeviceInfo::minSubgroupSize and
    /// maxSubgroupSize. 0 lets the driver choose. Other sizes, and devices that cannot require
    /// sizes, are refused with Unsupported.
    uint32_t subgroupSize = 0;
    /// True means that no subgroup lacks invocations. The shader's local size in x must then be a
    /// multiple of the required size or, without one, of DeviceInfo::subgroupSize (for SPIR-V 1.6
    /// and later, of maxSubgroupSize).
    bool fullSubgroups = false;
    /// True means that the shader may access buffers and images out of bounds: reads give 0, and
    /// writes are dropped. The bound tensor or image sets the bounds; buffer addresses have none.
    /// Costs time, so write bounds checks where you can. Devices without pipelineRobustness and
    /// robustBufferAccess2 refuse it with Unsupported.
    bool robustAccess = false;
    /// True emulates the number types that the device lacks, exactly to the bit but slowly: 64-bit
    /// integers and doubles as pairs of words, 8- and 16-bit numbers in 32 bits, and buffers of
    /// these with atomics on words. Atomics of 32-bit floats that the device lacks, minima and
    /// maxima among them, become loops. Nothing changes on devices that have the types. Atomics of
    /// 64 bits, subgroup arithmetic of 64 bits and length() of such buffers are refused with
    /// ShaderError. Arrays, primitives and kernels made by the library are always computed like
    /// this.
    bool emulateTypes = false;
    /// Checked mode: a mistake of the shader ends in a CheckFailed from the call that waits, with
    /// its line if the shader was compiled with lines. Comma-separated list of "bounds" (accesses
    /// outside of buffers, arrays and vectors), "arithmetic" (integer division by zero, shifts by
    /// the width or more, signed overflow of indices), "nan" (NaN and infinity made of numbers),
    /// "races", "uninitialised" and "steps=1000000" (loops with more iterations end). "1" means the
    /// first two, "off" none; assertions (<kompute/check.glsl>) belong to all. Empty:
    /// ManagerOptions::check, else the CheckScope, else the variable KOMPUTE_CHECK. Costs time, and
    /// a descriptor set with a storage buffer ("races": two), without which the device refuses it
    /// with Unsupported.
    std::string check;
    /// Maximum bytes of an invocation's private arrays (Reflection::privateBytes,
    /// with the specialization constants given). Drivers reserve them for all invocations in
    /// flight, so `float a[1000000000]` could take the memory of the machine. More is refused with
    /// ShaderError.
    uint64_t maxPrivateBytes = 64 << 10;
    /// Tensors that the shader reads or writes through buffer addresses (Tensor::deviceAddress),
    /// all of them: dispatches are then ordered after earlier work on these and on the bound
    /// memory. If empty, a dispatch of a shader with buffer addresses waits for all earlier work,
    /// and all later work waits for it. The algorithm owns them like its memory objects. Images,
    /// and shaders without buffer addresses, are refused with InvalidArgument.
    std::vector<std::shared_ptr<Memory>> addressed;
    /// One sampler for all samplers in the shader (sampler, sampler2D, ...), or one for each, in
    /// the order of set, binding and array element. The algorithm owns them.
    std::vector<std::shared_ptr<Sampler>> samplers;
};

} // namespace kp
