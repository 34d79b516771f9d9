// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/launch/Launcher.hpp>
#include <kompute/operations/OpBase.hpp>

#include "core/Repeater.hpp"
#include "launch/RunLog.hpp"

namespace kp::launch {

/// One thing that a call does: a device operation, a host function, or the call of a launcher that
/// the library does not know from inside.
struct Step {
    Launcher* launcher = nullptr;
    RunLog* listLog = nullptr;         ///< of the list that it is run by, where there is one
    std::shared_ptr<OpBase> operation; ///< never changed once it is here
    std::function<void()> host;
    std::function<std::optional<Event>(const std::shared_ptr<Queue>&, const std::vector<Event>&)>
        call;
    uint64_t bytes = 0;              ///< moved, of copies and fills
    std::shared_ptr<Memory> changed; ///< its mirror is behind afterwards
    bool padded = false;             ///< uses an image whose rows the host view copies
    std::string message;             ///< for the trace, where it is on
};

/// What one call is to do, in order. Reused between calls for its capacity.
class StepList {
public:
    Step& add(Launcher& launcher) {
        Step& step = mSteps.emplace_back();
        step.launcher = &launcher;
        return step;
    }
    void clear() { mSteps.clear(); }
    std::vector<Step>& steps() { return mSteps; }

private:
    std::vector<Step> mSteps;
};

/// What a launcher needs to know to add its steps.
struct CallContext {
    const LaunchOptions& options;
    const Queue& queue;
    bool tracing = false;
};

/// Runs steps on a queue: neighbouring device operations in one submission, host functions between.
/// Keeps the recorded command buffers for the next call. Used by one thread at a time.
class StepRunner {
public:
    StepList& steps() { return mSteps; }

    /// Runs what is in steps(). Without any, what is returned is done when @p waitFor is.
    Event run(const std::shared_ptr<Queue>& queue, const std::vector<Event>& waitFor);

private:
    /// Takes the operations of these steps.
    Event runDevice(Queue& queue, size_t first, size_t end, const std::vector<Event>& waitFor,
                    size_t segment, bool timed);

    StepList mSteps;
    Repeater::Operations mOperations;
    std::vector<std::shared_ptr<Repeater>> mRepeaters; ///< one for each device segment
    std::weak_ptr<vulkan::Device> mDevice;             ///< that they are for
};

/// True where shouldTraceKernel() may say yes to something.
bool tracing();

[[noreturn]] void throwFor(const std::string& launcher, const std::string& message);

/// The queue of a call. @throws InvalidArgument where none is known
const std::shared_ptr<Queue>& chosenQueue(const std::string& launcher, const LaunchOptions& options,
                                          const std::shared_ptr<Queue>& defaultQueue);

/// @throws InvalidArgument where @p options has a parameter that is not among those
void requireKnownParameters(const std::string& launcher, const Parameters& given,
                            const std::vector<ParameterInfo>& known);

} // namespace kp::launch
