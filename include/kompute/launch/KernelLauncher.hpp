// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/launch/Launcher.hpp>

namespace kp {

class KernelListLauncher;
class Manager;

/// A kernel that launchers can be made of. Cheap to copy; launchers that share one do not disturb
/// each other's arguments.
class KOMPUTE_API Kernel {
public:
    /// The shader of an algorithm as it is now: its specialization constants and local size are
    /// fixed. Later changes to the algorithm do not matter.
    Kernel(std::shared_ptr<Algorithm> algorithm);
    template <typename A, typename = std::enable_if_t<std::is_base_of<Algorithm, A>::value &&
                                                      !std::is_same<Algorithm, A>::value>>
    Kernel(std::shared_ptr<A> algorithm)
        : Kernel(std::static_pointer_cast<Algorithm>(std::move(algorithm))) {}
    /// SPIR-V of a compute shader with entry point "main". @throws ShaderError
    Kernel(Manager& manager, std::vector<uint32_t> spirv);
    /// GLSL of a compute shader. @throws ShaderError
    Kernel(Manager& manager, const std::string& glsl);

    const KernelSignature& signature() const;
    const shader::Reflection& reflection() const;

    struct Impl;
    /// For the library's own files.
    const std::shared_ptr<const Impl>& impl() const { return mImpl; }

private:
    std::shared_ptr<const Impl> mImpl;
};

/// Defaults of a kernel launcher. Calls may override all but roundUp and profiler.
struct KernelOptions {
    std::optional<WorkSize> globalSize; ///< work items
    std::optional<WorkSize> localSize;  ///< work items of a group; without: the shader's own
    std::shared_ptr<Queue> queue;
    /// Where the global size is no multiple of the local size: true launches the groups that cover
    /// it (the shader checks its bounds), false is an error.
    bool roundUp = false;
    std::shared_ptr<TimingSink> profiler;
};

/// Launches a kernel with arguments that are all known beforehand.
///
///     kp::KernelLauncher add("add", kernel, {a, b, 2.0f}, options);
class KOMPUTE_API KernelLauncher : public Launcher {
public:
    /// @param arguments  all of them; specialization constants may be left out. With none at all
    ///                   for a kernel made of an algorithm, the algorithm's own memory and push
    ///                   constants are taken
    /// @throws InvalidArgument, ShaderError where they do not fit the kernel
    KernelLauncher(std::string name, Kernel kernel, const Arguments& arguments = {},
                   const KernelOptions& options = {});
    ~KernelLauncher() override;

    /// @throws InvalidArgument where no queue or global size is known, a global size is no multiple
    ///         of the local size (unless rounded up), a size is 0 or over the device's limits, a
    ///         local size is given that the shader fixes otherwise, or a parameter is unknown
    std::optional<Event> operator()(const LaunchOptions& options) override;
    using Launcher::operator();

    bool queueConfigured() const;
    bool globalSizeConfigured() const override;
    const std::shared_ptr<Queue>& defaultQueue() const;
    const std::optional<WorkSize>& defaultGlobalSize() const;
    const std::optional<WorkSize>& defaultLocalSize() const;
    const Kernel& kernel() const;
    const KernelSignature& signature() const { return kernel().signature(); }
    /// The known arguments, each with its index.
    Arguments arguments() const;

    /// Checks a value against what the kernel declares. Called for each argument before it is set;
    /// may be overridden to check more.
    /// @throws InvalidArgument  names launcher, argument, position, expected and given
    virtual void checkKernelArg(const ArgumentValue& value, uint32_t index, const std::string& name,
                                const KernelArgument& expected) const;

    /// A list that holds this launcher. @throws std::bad_weak_ptr unless it was made with
    /// make_shared
    std::shared_ptr<KernelListLauncher> asListLauncher(std::string name);

    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

    struct Impl;

protected:
    /// For launchers with parameters: an argument may be left out where a parameter stands for it.
    struct ParameterPlace {
        std::string name;
        uint32_t index;
    };
    KernelLauncher(std::string name, Kernel kernel, const Arguments& arguments,
                   const std::vector<ParameterPlace>& parameters, const KernelOptions& options);
    Impl& impl() const { return *mImpl; }
    std::shared_ptr<Queue> queueOf(const LaunchOptions& options) const;

private:
    std::unique_ptr<Impl> mImpl;
};

/// Which argument a parameter stands for: an index, or the name that the shader gives it.
struct ParameterTarget {
    ParameterTarget(uint32_t place) : index(place) {}
    ParameterTarget(int place) : index(static_cast<uint32_t>(place)) {}
    ParameterTarget(std::string argument) : name(std::move(argument)) {}
    ParameterTarget(const char* argument) : name(argument) {}
    /// @param scalarType  what the caller expects of the kernel; another one is an error
    ParameterTarget(uint32_t place, shader::ScalarType scalarType)
        : index(place), type(scalarType) {}

    std::optional<uint32_t> index;
    std::string name;
    shader::ScalarType type = shader::ScalarType::eUnknown; ///< eUnknown: whatever it is
};
using ParametersMap = std::map<std::string, ParameterTarget>;

/// Launches a kernel some of whose arguments are given by name with each call:
///
///     options.parameters = {{"dt", 1e-3f}}; step(options);
///
/// A parameter may be a number or a tensor. A changed number costs no new pipeline and no new
/// descriptor set unless it is a specialization constant.
class KOMPUTE_API ParametrizedKernelLauncher : public KernelLauncher {
public:
    /// @param parametersMap  name in calls -> argument. Known arguments and parameters do not
    /// overlap
    ///                       and together are all arguments
    /// @param arguments      the known ones, by index or name
    ParametrizedKernelLauncher(std::string name, Kernel kernel, const ParametersMap& parametersMap,
                               const Arguments& arguments, const KernelOptions& options = {});
    ~ParametrizedKernelLauncher() override;

    /// @throws InvalidArgument as KernelLauncher, and where a parameter is missing or does not fit
    using KernelLauncher::operator();

    const ParametersMap& parametersMap() const { return mParametersMap; }
    std::vector<ParameterInfo> parameters() const override;

private:
    ParametersMap mParametersMap;
};

} // namespace kp
