// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kompute/launch/Launcher.hpp>

namespace kp {

/// A host function among kernels: an exchange over the network, output, a host library. It runs on
/// a thread of the library when everything before it is done, and what comes after waits for it.
/// The call returns at once. What the function throws reaches whoever waits for the event, and
/// fails what depends on it.
///
/// The function may read and write tensors, also with upload() and download(), but must not wait
/// for what comes after it, nor use a sequence or launcher that another thread uses at the time.
class KOMPUTE_API HostLauncher : public Launcher {
public:
    /// @param parameters  names of parameters that the function wants; a call without one of them
    ///                    is an error
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

private:
    std::function<void(const Parameters&)> mFunction;
    std::vector<std::string> mParameters;
    std::shared_ptr<Queue> mDefaultQueue;
};

} // namespace kp
