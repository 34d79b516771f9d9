// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/launch/KernelListLauncher.hpp>
#include <kompute/launch/Launcher.hpp>
#include <kompute/operations/OpRepeat.hpp>

namespace kp {

/// Repeats a list of launchers on the device until a flag is set, alone or as a part of another
/// list, in one submission (OpRepeat):
///
///     kp::RepeatLauncher solve("solve", step, done, 100);
///     solve.launch().wait();
///
/// It takes the parameters of the list's launchers. All steps of a call have the same values.
/// Statistics count a call, not its steps.
class KOMPUTE_API RepeatLauncher : public Launcher {
public:
    /// @param name          name in messages, trace and statistics
    /// @param step          the launchers of a step: kernels, primitives, and copies and fills of
    ///                      device memory. Those that are pushed later are not in it
    /// @param flag          see OpRepeat
    /// @param most          steps that may run, 1 or more
    /// @param element       number of the flag in its tensor
    /// @param defaultQueue  queue for calls without one; null: the default queue of the launchers'
    /// manager
    /// @param profiler      notified of each profiled call; may be null
    /// @throws InvalidArgument if the list is null or empty, and as OpRepeat for the flag
    RepeatLauncher(std::string name, const std::shared_ptr<KernelListLauncher>& step,
                   std::shared_ptr<Tensor> flag, uint32_t most, uint64_t element = 0,
                   std::shared_ptr<Queue> defaultQueue = nullptr,
                   std::shared_ptr<TimingSink> profiler = nullptr);
    ~RepeatLauncher() override;

    using Launcher::operator();
    /// @throws InvalidArgument also if a launcher of the step runs on the host
    std::optional<Event> operator()(const LaunchOptions& options) override;
    bool globalSizeConfigured() const override { return true; }
    std::vector<ParameterInfo> parameters() const override;
    const std::shared_ptr<Queue>& managerQueue() const override;
    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

private:
    KernelListLauncher mStep;
    std::shared_ptr<Tensor> mFlag;
    uint32_t mMost;
    uint64_t mElement;
    std::shared_ptr<Queue> mDefaultQueue;
    std::shared_ptr<OpRepeat> mOperation; ///< of the last call
};

} // namespace kp
