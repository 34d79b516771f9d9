// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <kompute/launch/Launcher.hpp>
#include <kompute/primitives/Primitive.hpp>

namespace kp {

/// Runs a primitive, alone or in a list, with its part of the surrounding submission:
///
///     list += std::make_shared<kp::PrimitiveLauncher>(
///         "sum", std::make_shared<kp::OpReduce>(values, sum, kp::ReduceOperation::eSum));
class KOMPUTE_API PrimitiveLauncher : public Launcher {
public:
    /// @param name          name in trace and statistics
    /// @param primitive     may be in sequences and other launchers, too; all run it on the same
    ///                      tensors and scratch memory, one after the other
    /// @param defaultQueue  queue for calls without one; null: the default queue of the tensors'
    ///                      manager
    /// @param profiler      notified of each profiled launch; may be null
    /// @throws InvalidArgument if the primitive is null
    PrimitiveLauncher(std::string name, std::shared_ptr<Primitive> primitive,
                      std::shared_ptr<Queue> defaultQueue = nullptr,
                      std::shared_ptr<TimingSink> profiler = nullptr);
    ~PrimitiveLauncher() override;

    using Launcher::operator();
    std::optional<Event> operator()(const LaunchOptions& options) override;
    bool globalSizeConfigured() const override { return true; }
    const std::shared_ptr<Queue>& managerQueue() const override { return mManagerQueue; }
    void appendSteps(launch::StepList& steps, const launch::CallContext& context) override;

private:
    std::shared_ptr<Primitive> mPrimitive;
    std::shared_ptr<Queue> mDefaultQueue;
    std::shared_ptr<Queue> mManagerQueue;
};

} // namespace kp
