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
    std::shared_ptr<Queue> queue;
    /// Arguments that are given by name with each call; the tuning arguments have values for them
    /// to tune with.
    ParametersMap parametersMap;
    std::shared_ptr<TimingSink> profiler;
};

/// A kernel launcher that tunes itself at its first use, then launches the fastest configuration:
/// alone, or in lists. Work groups follow from the configuration.
///
/// The first call waits on the host for what its queue and its wait list hold, tunes, and then
/// launches, so that nothing else writes the memory while it is tuned. In a list that is before
/// anything of the list runs. Where that would wait for a user event which the same thread is to
/// set, call tune() earlier. Other queues must not write the memory meanwhile.
class KOMPUTE_API TunedKernelLauncher : public Launcher {
public:
    /// @param kernel     shared with others; its tuner's manager outlives the launcher
    /// @param arguments  the memory and numbers to launch with, and how to tune with them; its
    ///                   threads are the default global size
    /// @throws InvalidArgument for a null kernel, or parameters that stand for the same argument
    TunedKernelLauncher(std::string name, std::shared_ptr<TunedAlgorithm> kernel,
                        TuningArguments arguments, TunedKernelOptions options = {});
    ~TunedKernelLauncher() override;

    /// A global size other than the default one is another size of the problem, and tuned by
    /// itself unless TuningArguments::problem was given.
    /// @throws InvalidArgument as KernelLauncher, also for a local size: that is tuned;
    ///         what Autotuner::tune throws
    std::optional<Event> operator()(const LaunchOptions& options) override;
    using Launcher::operator();

    /// Tunes for the default global size where that is new, and launches nothing.
    /// @throws as Autotuner::tune
    TuningResult tune();
    /// True where a call with the default global size would not tune.
    bool isTuned() const;

    bool queueConfigured() const;
    bool globalSizeConfigured() const override;
    const std::shared_ptr<Queue>& defaultQueue() const;
    /// The type of each is "anything": the shader is not known before it is tuned.
    std::vector<ParameterInfo> parameters() const override;
    const TuningArguments& arguments() const;

    /// A list that holds this launcher. @throws std::bad_weak_ptr unless it was made with
    /// make_shared
    std::shared_ptr<KernelListLauncher> asListLauncher(std::string name);

    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

private:
    struct Impl;
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
