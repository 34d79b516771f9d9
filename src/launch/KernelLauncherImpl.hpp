// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/launch/KernelLauncher.hpp>
#include <kompute/operations/OpAlgoDispatch.hpp>

#include "launch/KernelArguments.hpp"

namespace kp {

/// The arguments of a kernel launcher and the operations made from them. An operation and its
/// algorithm never change, because recordings and waiting launches refer to them; other values make
/// new objects.
struct KernelLauncher::Impl {
    Impl(const KernelLauncher& launcher, Kernel kernel, const KernelOptions& options);

    /// The n-th dispatch of a call and what it was made from. Plain launchers have one.
    struct Dispatch {
        std::vector<ArgumentValue> values; ///< by index; empty before the first call
        WorkSize globalSize;
        Workgroup localSize{};
        std::shared_ptr<Algorithm> algorithm;
        std::shared_ptr<OpAlgoDispatch> operation; ///< null if it must be made again
    };

    const KernelLauncher& launcher;
    const Kernel kernel;
    const KernelOptions options;
    KernelArguments arguments;

    /// @throws InvalidArgument if the kernel is of another device
    void requireDevice(const Queue& queue) const;
    /// Makes the operation of a dispatch, or finds it.
    /// @param iterated  values of parameters, instead of those of the call
    const Dispatch& prepare(size_t number, const LaunchOptions& call, const Parameters& iterated);

private:
    /// The pipeline for one set of specialization constants and local size.
    struct Variant {
        Workgroup localSize{};
        std::vector<SpecializationConstant> constants;
        std::shared_ptr<Algorithm> algorithm;
    };

    // The sizes of one call: those of the call, else the defaults. Each throws InvalidArgument if a
    // size is missing or 0, contradicts the shader, or exceeds the device's limits.

    WorkSize globalSizeOf(const LaunchOptions& call) const; ///< in work items
    Workgroup localSizeOf(const LaunchOptions& call) const; ///< in work items
    Workgroup groupCountsOf(const WorkSize& globalSize, const Workgroup& localSize) const;

    bool takeParameters(Dispatch& dispatch, const LaunchOptions& call, const Parameters& iterated);
    std::vector<std::shared_ptr<Memory>> memoryOf(const Dispatch& dispatch) const;
    std::vector<SpecializationConstant> constantsOf(const Dispatch& dispatch) const;
    void writePushConstants(const Dispatch& dispatch);
    std::shared_ptr<Algorithm> pipelineFor(const Dispatch& dispatch,
                                           const std::vector<std::shared_ptr<Memory>>& memory);
    /// Returns true if the algorithm has the memory and pipeline of the parameters' values.
    bool isCurrent(const Dispatch& dispatch) const;
    void build(Dispatch& dispatch);

    std::vector<Dispatch> mDispatches;
    std::vector<Variant> mVariants;
    // Of the current dispatch; members for their capacity.
    std::vector<unsigned char> mPushConstants;
    std::vector<const ArgumentValue*> mNewValues; ///< by parameter; null if unchanged
};

} // namespace kp
