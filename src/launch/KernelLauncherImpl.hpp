// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kompute/launch/KernelLauncher.hpp>
#include <kompute/operations/OpAlgoDispatch.hpp>

#include "core/Internals.hpp"
#include "core/algorithm/AlgorithmImpl.hpp"
#include "shader/check/CheckedModule.hpp"

namespace kp {

inline bool isMemory(const KernelArgument& argument) {
    return argument.kind == ArgumentKind::eBuffer || argument.kind == ArgumentKind::eImage;
}

/// Returns the argument with this index or, without an index, with this name; null if there is
/// none.
const KernelArgument* findArgument(const KernelSignature& signature,
                                   const std::optional<uint32_t>& index, const std::string& name);

/// The bindings of one kernel that are in use. Launchers with the same memory share one, so that a
/// command buffer binds it once for all of them. Thread-safe.
class SharedBindings {
public:
    /// @return an equal binding in use, one of another name with its descriptor sets, or else
    ///     @p binding
    std::shared_ptr<const MemoryBinding>
    shared(const std::shared_ptr<const MemoryBinding>& binding);

private:
    static constexpr size_t kMinLimit = 64;

    std::mutex mMutex;
    std::unordered_map<size_t, std::weak_ptr<const MemoryBinding>> mBindings; ///< by hash
    size_t mLimit = kMinLimit; ///< number of bindings at which expired ones are erased
};

/// The shader of a Kernel. Never changes, except for its cache.
struct Kernel::Impl {
    std::shared_ptr<vulkan::Device> device;
    std::shared_ptr<Queue> managerQueue; ///< null if made from an algorithm without a manager
    std::shared_ptr<const shader::Reflection> reflection;
    KernelSignature signature;
    std::vector<uint32_t> spirv;                    ///< empty if made from an algorithm
    std::function<std::vector<uint32_t>()> compile; ///< null if made from SPIR-V
    bool compiledForChecks = false;                 ///< `spirv` has lines and assertions
    std::shared_ptr<Algorithm> algorithm;           ///< a copy of that algorithm; otherwise null
    AlgorithmOptions options;                       ///< unless there is an algorithm
    std::optional<shader::CheckKinds> checks;       ///< nothing if the thread of the launch decides
    mutable SharedBindings bindings;

    /// Returns SPIR-V for the checks of a launch, which it compiles at the first such launch.
    /// @throws ShaderError; InvalidArgument if the shader has other arguments then
    const std::vector<uint32_t>& spirvFor(const shader::CheckKinds& wanted) const;

private:
    mutable std::mutex mMutex;
    mutable std::vector<uint32_t> mOther; ///< for checks if `spirv` is not, or the other way round
};

/// The arguments of a kernel launcher and the operations made from them. An operation and its
/// algorithm never change, because recordings and waiting launches refer to them; other values make
/// new objects.
struct KernelLauncher::Impl {
    Impl(const KernelLauncher& owner, Kernel used, const KernelOptions& given)
        : launcher(owner), kernel(std::move(used)), options(given) {}

    /// The n-th dispatch of a call and its sources. Plain launchers have one.
    struct Dispatch {
        std::vector<ArgumentValue> values; ///< by index; empty before the first call
        WorkSize globalSize;
        Workgroup localSize{};
        std::shared_ptr<Algorithm> algorithm;
        std::shared_ptr<OpAlgoDispatch> operation; ///< null if it must be made again
        shader::CheckKinds checks;
    };

    const KernelLauncher& launcher;
    const Kernel kernel;
    const KernelOptions options;
    std::vector<ArgumentValue> values;      ///< arguments known in advance, by index
    std::vector<ParameterPlace> parameters; ///< arguments whose values come with each call

    /// Sets the arguments; without any, a kernel made from an algorithm takes the algorithm's.
    /// @throws InvalidArgument if something is missing or does not match the kernel
    void setArguments(const Arguments& given, const std::vector<ParameterPlace>& places);
    const std::vector<KernelArgument>& declared() const { return kernel.signature().arguments(); }

    TypeRule types() const;
    /// @throws InvalidArgument if the kernel is of another device
    void requireDevice(const Queue& queue) const;
    /// Makes the operation of a dispatch, or finds it.
    /// @param iterated  values of parameters, instead of the call's
    const Dispatch& prepare(size_t number, const LaunchOptions& call, const Parameters& iterated);

private:
    /// Returns a text for messages: "argument 2 'dt' (float)".
    std::string describe(uint32_t index) const;
    /// Returns the parameter that stands for an argument; null if there is none.
    const ParameterPlace* parameterFor(uint32_t index) const;
    uint32_t indexOf(const Argument& argument) const;
    void setGiven(const Arguments& given);
    void requireComplete() const;

    /// The pipeline for one set of specialization constants and local size.
    struct Variant {
        Workgroup localSize{};
        std::vector<SpecializationConstant> constants;
        std::shared_ptr<Algorithm> algorithm;
        shader::CheckKinds checks;
    };

    // The sizes of one call, else the defaults. Each throws InvalidArgument if a
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
