// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/launch/KernelLauncher.hpp>

namespace kp {

/// Returns the next value, or nothing at the end.
using ParameterSequence = std::function<std::optional<ArgumentValue>()>;

/// Generates the values of an iterated parameter.
class KOMPUTE_API ParameterGenerator {
public:
    virtual ~ParameterGenerator();
    /// Returns a new sequence, starting at the first value. Called for each launch.
    virtual ParameterSequence newGenerator() = 0;
};

/// A generator made from a function or a list of values.
class KOMPUTE_API ParameterYielder : public ParameterGenerator {
public:
    /// @param function  called for each launch; returns a new sequence
    /// @throws InvalidArgument if @p function is empty
    explicit ParameterYielder(std::function<ParameterSequence()> function);
    explicit ParameterYielder(std::vector<ArgumentValue> values);
    ParameterSequence newGenerator() override;

private:
    std::function<ParameterSequence()> mFunction;
};

/// How several iterated parameters are combined.
enum class IterationMode {
    eProduct, ///< all combinations; the first parameter in the list varies slowest
    eZip      ///< the first values, then the second values, ...; all must have the same length
};

/// A parameter and its generator.
struct IteratedParameter {
    std::string name; ///< a name of the parameters map
    std::shared_ptr<ParameterGenerator> generator;
};

/// Launches a kernel once for each value of its iterated parameters, in order and in one
/// submission, like a list of launchers. Other parameters are given with the call.
class KOMPUTE_API IterativeKernelLauncher : public ParametrizedKernelLauncher {
public:
    /// Parameters as for ParametrizedKernelLauncher; @p parametersMap includes the iterated
    /// ones.
    /// @throws InvalidArgument if an iterated parameter is not in @p parametersMap, appears twice
    ///         or has no generator; otherwise as ParametrizedKernelLauncher
    IterativeKernelLauncher(std::string name, Kernel kernel, const ParametersMap& parametersMap,
                            const Arguments& arguments,
                            std::vector<IteratedParameter> iteratedParameters,
                            const KernelOptions& options = {},
                            IterationMode mode = IterationMode::eProduct);
    ~IterativeKernelLauncher() override;

    /// Launches the kernel for all combinations. Each launch has its own event in events().
    ///
    /// In an out-of-order queue the call ends with a barrier, whose event covers all earlier work
    /// on the queue; an in-order queue needs none. With LaunchOptions::enqueueBarrier false there
    /// is no barrier, and the result is empty in every kind of queue. In a list, enqueueBarrier has
    /// no effect. If there are no values, nothing is launched, and the event stands for
    /// @p options.waitFor.
    /// @throws InvalidArgument as ParametrizedKernelLauncher, if generators have different lengths
    ///         (eZip), or if there are more than 2^20 combinations
    std::optional<Event> operator()(const LaunchOptions& options) override;
    using Launcher::operator();

    const std::vector<IteratedParameter>& iteratedParameters() const { return mIterated; }
    IterationMode mode() const { return mMode; }
    /// Returns all combinations of newly generated values, ordered as iteratedParameters().
    /// @throws InvalidArgument as for a call
    std::vector<std::vector<ArgumentValue>> iterParameters() const;
    /// Returns the parameters that a call takes: all except the iterated ones.
    std::vector<ParameterInfo> parameters() const override;

    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

private:
    std::vector<IteratedParameter> mIterated;
    IterationMode mMode;
};

} // namespace kp
