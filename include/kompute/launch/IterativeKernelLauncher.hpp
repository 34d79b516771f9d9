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

/// Gives the next value, or nothing at the end.
using ParameterSequence = std::function<std::optional<ArgumentValue>()>;

/// Yields the values of an iterated parameter. Abstract.
class KOMPUTE_API ParameterGenerator {
public:
    virtual ~ParameterGenerator();
    /// A fresh run through the values, for each launch.
    virtual ParameterSequence newGenerator() = 0;
};

/// A generator made of a function, or of a list of values.
class KOMPUTE_API ParameterYielder : public ParameterGenerator {
public:
    /// @param function  called at each launch; returns a fresh sequence
    explicit ParameterYielder(std::function<ParameterSequence()> function);
    explicit ParameterYielder(std::vector<ArgumentValue> values);
    ParameterSequence newGenerator() override;

private:
    std::function<ParameterSequence()> mFunction;
};

/// How several iterated parameters go together.
enum class IterationMode {
    eProduct, ///< every combination; the parameter that comes first in the list changes slowest
    eZip      ///< the first values, the second values, ...; all are of one length
};

struct IteratedParameter {
    std::string name; ///< also in the parameters map
    std::shared_ptr<ParameterGenerator> generator;
};

/// Launches a kernel once for each value of its iterated parameters, in order, in one submission:
/// as a list of launchers would, without making one. Other parameters are given with the call.
class KOMPUTE_API IterativeKernelLauncher : public ParametrizedKernelLauncher {
public:
    /// @throws InvalidArgument where an iterated parameter is not in @p parametersMap, is named
    /// twice
    ///         or has no generator; else as ParametrizedKernelLauncher
    IterativeKernelLauncher(std::string name, Kernel kernel, const ParametersMap& parametersMap,
                            const Arguments& arguments,
                            std::vector<IteratedParameter> iteratedParameters,
                            const KernelOptions& options = {},
                            IterationMode mode = IterationMode::eProduct);
    ~IterativeKernelLauncher() override;

    /// Each launch of the kernel is one event in events(). In an out-of-order queue the call ends
    /// with a barrier, and the event covers everything launched on the queue so far; in an in-order
    /// queue none is needed or made. With LaunchOptions::enqueueBarrier false there is no barrier
    /// and no event: the result is empty, in every kind of queue. Inside a list enqueueBarrier
    /// means nothing. Without any value nothing is launched; the event is that of @p
    /// options.waitFor.
    /// @throws InvalidArgument also where a generator ends before another one (eZip)
    std::optional<Event> operator()(const LaunchOptions& options) override;
    using Launcher::operator();

    const std::vector<IteratedParameter>& iteratedParameters() const { return mIterated; }
    IterationMode mode() const { return mMode; }
    /// The combinations of a fresh run, each in the order of iteratedParameters().
    std::vector<std::vector<ArgumentValue>> iterParameters() const;
    /// Those that a call gives: without the iterated ones.
    std::vector<ParameterInfo> parameters() const override;

    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

private:
    std::vector<IteratedParameter> mIterated;
    IterationMode mMode;
};

} // namespace kp
