// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/launch/Launcher.hpp>

namespace kp {

class KernelListLauncher;
class Manager;

/// A kernel to create launchers from. Inexpensive to copy. Launchers that share a kernel have
/// separate arguments.
class KOMPUTE_API Kernel {
public:
    /// Takes the shader of an algorithm in its current state, with its specialization constants,
    /// local size and options. Later changes to the algorithm have no effect.
    /// @throws InvalidArgument if the algorithm is null or has no shader
    Kernel(std::shared_ptr<Algorithm> algorithm);
    template <typename A, typename = std::enable_if_t<std::is_base_of<Algorithm, A>::value &&
                                                      !std::is_same<Algorithm, A>::value>>
    Kernel(std::shared_ptr<A> algorithm)
        : Kernel(std::static_pointer_cast<Algorithm>(std::move(algorithm))) {}
    /// Takes the SPIR-V or the GLSL of a compute shader with the entry point "main". GLSL is
    /// compiled once more for the first launch in checked mode, with lines and assertions.
    /// @param options  for the pipelines of its launchers, which throw the same errors as Algorithm
    /// @throws ShaderError
    Kernel(Manager& manager, std::vector<uint32_t> spirv, AlgorithmOptions options = {});
    Kernel(Manager& manager, std::string_view glsl, AlgorithmOptions options = {});
    /// Takes a shader as a function that compiles it. It is called at once, and again for the first
    /// launch in checked mode (or without, if that was on), each time in a CheckScope of the checks
    /// that apply, in the thread of the launch. It may throw; kernels own it.
    Kernel(Manager& manager, std::function<std::vector<uint32_t>()> compile,
           AlgorithmOptions options = {});

    const KernelSignature& signature() const;
    const shader::Reflection& reflection() const;

    struct Impl;

private:
    friend struct Internals;
    std::shared_ptr<const Impl> mImpl;
};

/// Defaults of a kernel launcher. A call can override all of them except roundUp and profiler.
struct KernelOptions {
    std::optional<WorkSize> globalSize; ///< work items
    std::optional<WorkSize> localSize;  ///< work items per work group; default: the shader's
    std::shared_ptr<Queue> queue;       ///< default: Manager::defaultQueue()
    /// Behaviour if the global size is not a multiple of the local size. True launches enough work
    /// groups to cover it, and the shader checks its bounds. False throws. A push constant named
    /// kp_global_size (uint, uvec2 or uvec3) receives the global size unless it is given.
    bool roundUp = false;
    std::shared_ptr<TimingSink> profiler;
    /// Lets the shader reinterpret the elements of tensors as another type; see
    /// kp::reinterpreted().
    bool reinterpret = false;
};

/// Launches a kernel whose arguments are all known in advance:
///
///     kp::Kernel kernel(manager, R"(#version 450
///         layout(local_size_x = 64) in;
///         layout(binding = 0) buffer X { float x[]; };
///         layout(push_constant) uniform P { float factor; };
///         void main() { x[gl_GlobalInvocationID.x] *= factor; })");
///     kp::KernelOptions options;
///     options.globalSize = tensor->size();
///     kp::KernelLauncher scale("scale", kernel, {tensor, 2.0f}, options);
///     scale()->wait();
class KOMPUTE_API KernelLauncher : public Launcher {
public:
    /// @param name       name in messages, trace and statistics
    /// @param arguments  all arguments; specialization constants are optional. If empty and the
    ///                   kernel was made from an algorithm, the algorithm's memory and push
    ///                   constants are used
    /// @param options    defaults of calls
    /// @throws InvalidArgument or ShaderError if the arguments do not match the kernel
    KernelLauncher(std::string name, Kernel kernel, const Arguments& arguments = {},
                   const KernelOptions& options = {});
    ~KernelLauncher() override;

    /// Launches the kernel; see Launcher.
    /// @throws InvalidArgument if there is no queue or global size, the global size is not a
    ///         multiple of the local size (without roundUp), a size is 0 or exceeds the device's
    ///         limits (in x alone, only if the shader does not use kp_index() of
    ///         <kompute/index.glsl>), the local size contradicts one that the shader fixes, or a
    ///         parameter is unknown
    std::optional<Event> operator()(const LaunchOptions& options) override;
    using Launcher::operator();

    bool queueConfigured() const; ///< true if the options have a default queue
    bool globalSizeConfigured() const override;
    const std::shared_ptr<Queue>& defaultQueue() const; ///< null unless given in the options
    const std::shared_ptr<Queue>& managerQueue() const override;
    const std::optional<WorkSize>& defaultGlobalSize() const;
    const std::optional<WorkSize>& defaultLocalSize() const;
    const Kernel& kernel() const;
    const KernelSignature& signature() const { return kernel().signature(); }
    /// Returns the known arguments, each with its index.
    Arguments arguments() const;

    /// Checks a value against the kernel's declaration before it is set. Override it to check more.
    /// @throws InvalidArgument naming the launcher, the argument, its position, and the expected
    ///         and given types
    virtual void checkKernelArg(const ArgumentValue& value, uint32_t index, const std::string& name,
                                const KernelArgument& expected) const;

    /// Returns a list that contains this launcher.
    /// @throws std::bad_weak_ptr unless the launcher was created with std::make_shared
    std::shared_ptr<KernelListLauncher> asListLauncher(std::string name);

    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

    struct Impl;

protected:
    /// The argument that a parameter stands for, which may be missing.
    struct ParameterPlace {
        std::string name;
        uint32_t index;
    };
    KernelLauncher(std::string name, Kernel kernel, const Arguments& arguments,
                   const std::vector<ParameterPlace>& parameters, const KernelOptions& options);
    Impl& impl() const { return *mImpl; }
    const std::shared_ptr<Queue>& queueOf(const LaunchOptions& options) const;

private:
    std::unique_ptr<Impl> mImpl;
};

/// The argument that a parameter stands for: its index, or its name in the shader.
struct ParameterTarget {
    ParameterTarget(uint32_t place) : index(place) {}
    ParameterTarget(int place) : index(static_cast<uint32_t>(place)) {}
    ParameterTarget(std::string argument) : name(std::move(argument)) {}
    ParameterTarget(const char* argument) : name(argument) {}
    /// The launcher throws unless the kernel declares @p scalarType.
    ParameterTarget(uint32_t place, shader::ScalarType scalarType)
        : index(place), type(scalarType) {}

    std::optional<uint32_t> index;
    std::string name;
    shader::ScalarType type = shader::ScalarType::eUnknown; ///< eUnknown: any type
};
using ParametersMap = std::map<std::string, ParameterTarget>;

/// Launches a kernel that takes some of its arguments by name with each call:
///
///     step.launch(queue, {{"dt", 1e-3f}}).wait();
///
/// A parameter can be a number or a tensor. Changing a number needs no new pipeline and no new
/// descriptor set, unless it is a specialization constant.
class KOMPUTE_API ParametrizedKernelLauncher : public KernelLauncher {
public:
    /// @param name           name in messages, trace and statistics
    /// @param parametersMap  maps each parameter name to an argument. Fixed arguments and
    ///                       parameters must not overlap and together make up all arguments
    /// @param arguments      the fixed arguments, by index or name
    /// @param options        defaults of calls
    /// @throws InvalidArgument or ShaderError as KernelLauncher, and if @p parametersMap does not
    ///         match the kernel
    ParametrizedKernelLauncher(std::string name, Kernel kernel, const ParametersMap& parametersMap,
                               const Arguments& arguments, const KernelOptions& options = {});
    ~ParametrizedKernelLauncher() override;

    /// @throws InvalidArgument as KernelLauncher, and if a parameter is missing or does not match
    using KernelLauncher::operator();

    const ParametersMap& parametersMap() const { return mParametersMap; }
    std::vector<ParameterInfo> parameters() const override;

private:
    ParametersMap mParametersMap;
};

} // namespace kp
