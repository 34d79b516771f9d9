// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/launch/KernelLauncher.hpp>
#include <kompute/launch/TunedAlgorithm.hpp>

namespace kp {

/// Defaults of a tuned kernel launcher.
struct TunedKernelOptions {
    std::shared_ptr<Queue> queue; ///< default: the default queue of the tuner's manager
    /// Arguments that each call gives by name. The tuning arguments contain values to tune them
    /// with.
    ParametersMap parametersMap;
    std::shared_ptr<TimingSink> profiler;
};

/// A kernel launcher that tunes itself at its first use and then launches the fastest
/// configuration, alone or in lists. The configuration determines the work group counts.
///
/// The first call waits on the host for the work on its queue and for its wait list, tunes, and
/// then launches, so nothing else writes the memory during tuning. In a list, this happens before
/// anything of the list runs. If that would wait for a user event that the same thread sets later,
/// call tune() first. Other queues must not write the memory meanwhile.
class KOMPUTE_API TunedKernelLauncher : public Launcher {
public:
    /// @param name       name in messages, trace and statistics
    /// @param kernel     may be shared; its tuner's manager must outlive the launcher
    /// @param arguments  the memory and numbers to launch and to tune with; its number of threads
    ///                   is the default global size
    /// @param options    defaults of calls
    /// @throws InvalidArgument if the kernel is null, or two parameters name the same argument,
    ///         both by index or both by name
    TunedKernelLauncher(std::string name, std::shared_ptr<TunedAlgorithm> kernel,
                        TuningArguments arguments, TunedKernelOptions options = {});
    ~TunedKernelLauncher() override;

    /// Launches the kernel and tunes first if needed. A global size other than the default counts
    /// as another problem size and is tuned separately, unless TuningArguments::problem set the
    /// problem size.
    /// @throws InvalidArgument as KernelLauncher, for a local size, which is tuned, and if one
    ///         parameter names by index the argument that another one names by name; otherwise as
    ///         Autotuner::tune
    std::optional<Event> operator()(const LaunchOptions& options) override;
    using Launcher::operator();

    /// Tunes for the default global size if it is new. Launches nothing. A later call with that
    /// size neither tunes nor waits for other users of the tuned algorithm.
    /// @throws InvalidArgument if a parameter does not match the kernel; otherwise as
    ///         Autotuner::tune
    TuningResult tune();
    /// Returns true if a call with the default global size would not tune.
    bool isTuned() const;

    /// Returns true if the options have a default queue.
    bool queueConfigured() const;
    bool globalSizeConfigured() const override;
    const std::shared_ptr<Queue>& defaultQueue() const; ///< null unless given in the options
    const std::shared_ptr<Queue>& managerQueue() const override;
    /// Returns the parameters with the type "anything": the shader is not known before tuning.
    std::vector<ParameterInfo> parameters() const override;
    const TuningArguments& arguments() const;

    /// Returns a list that contains this launcher.
    /// @throws std::bad_weak_ptr unless the launcher was created with std::make_shared
    std::shared_ptr<KernelListLauncher> asListLauncher(std::string name);

    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
