// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kompute/launch/Launcher.hpp>

namespace kp {

/// Launches a host function among kernels, for example to exchange data over a network, write
/// output or call a host library. The function runs on a thread of the library once all work before
/// it is done; work after it waits for it. The call returns at once. If the function throws,
/// waiting for its event throws the same exception, and work that depends on it fails.
///
/// The function may access tensors, including upload() and download(). It must not wait for work
/// that comes after it, and must not use a sequence or launcher that another thread is using.
class KOMPUTE_API HostLauncher : public Launcher {
public:
    /// @param name          name in trace and statistics
    /// @param function      called with the values of @p parameters
    /// @param parameters    names of the parameters that the function takes; a call without one of
    ///                      them is an error
    /// @param defaultQueue  queue for calls without one, since it knows no manager; may be null
    /// @param profiler      notified of each profiled launch; may be null
    /// @throws InvalidArgument if @p function is empty
    HostLauncher(std::string name, std::function<void(const Parameters&)> function,
                 std::vector<std::string> parameters = {},
                 std::shared_ptr<Queue> defaultQueue = nullptr,
                 std::shared_ptr<TimingSink> profiler = nullptr);
    HostLauncher(std::string name, std::function<void()> function,
                 std::shared_ptr<Queue> defaultQueue = nullptr,
                 std::shared_ptr<TimingSink> profiler = nullptr);
    ~HostLauncher() override;

    using Launcher::operator();
    std::optional<Event> operator()(const LaunchOptions& options) override;
    bool globalSizeConfigured() const override { return true; }
    std::vector<ParameterInfo> parameters() const override;
    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

protected:
    /// Returns the function of one call, with its parameters bound. Called by the thread that
    /// launches; a derived class may bind anything it likes.
    /// @throws InvalidArgument if a parameter is missing
    virtual std::function<void()> bindParameters(const LaunchOptions& options) const;

private:
    std::function<void(const Parameters&)> mFunction;
    std::vector<std::string> mParameters;
    std::shared_ptr<Queue> mDefaultQueue;
};

} // namespace kp
