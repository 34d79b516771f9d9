// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <kompute/Sequence.hpp>

#include "core/Dependencies.hpp"
#include "core/EventState.hpp"
#include "core/Recorder.hpp"
#include "vulkan/Device.hpp"

namespace kp {

struct Sequence::Impl {
    /// A submission that waits for something to come about on the host.
    struct Deferred {
        std::shared_ptr<EventState> state;
        std::shared_ptr<Recording> recording;
        std::atomic<bool> taken{
            false}; ///< by the thread that submits, or the one that calls it off
    };
    enum class State {
        eIdle,      ///< nothing is going on; something may be recorded
        eRecording, ///< operations go into the command buffer
        eRunning    ///< submitted and not waited for
    };

    std::shared_ptr<vulkan::Device> device; ///< null after destroy()
    vulkan::Queue* queue = nullptr;
    vulkan::WaitMode waitMode = vulkan::WaitMode::eBlock;
    uint32_t totalTimestamps = 0;
    State state = State::eIdle;
    bool recorded = false; ///< the command buffer is complete
    bool timed = false;    ///< the recording's timestamps were written
    std::vector<std::shared_ptr<OpBase>> operations;
    std::vector<std::shared_ptr<OpBase>> hooked; ///< those to call around each submission
    /// While recording: dispatches of the recording before by place, to be used again.
    std::vector<std::shared_ptr<OpBase>> earlier;
    std::shared_ptr<Recording> recording;    ///< null before the first record()
    vulkan::TimelinePoint lastSubmitted;     ///< of any recording
    std::unique_ptr<Recorder> recorder;      ///< while recording
    std::shared_ptr<Recording> recordedInto; ///< what recordInto() needs kept alive

    std::shared_ptr<Deferred> deferred; ///< null once what came of it is known

    void requireInit() const;
    void requireIdle(const char* what) const;
    /// True while the device may still run the current recording.
    bool pending() const;
    void letGoOfRecording();
    void begin();
    void end();
    void recordAll();
    void forgetOperations();
    /// Forgets them but for the dispatches that the next recording may use again.
    void setOperationsAside();
    /// The next operation, made of one that was set aside; null where there is none that fits.
    std::shared_ptr<OpBase> dispatchAgain(const std::shared_ptr<Algorithm>& algorithm,
                                          const void* pushConstants, size_t pushConstantBytes);
    /// Ends the recording and makes it executable. @return false where nothing is recorded
    bool complete();
    /// What comes right before a submission: the hooks of the operations, and a command buffer that
    /// is not pending.
    void prepare();
    void noteSubmitted(const vulkan::TimelinePoint& point);
    /// After a successful wait.
    void finish();

    /// Gets a recording that the device is not busy with.
    void freshRecording();
    void submitLater(Dependencies&& dependencies);
    /// Notes what came of a submission that waited on the host.
    void settle();
    /// Calls off a submission that still waits.
    void callOff();
    bool waitForDeferred(uint64_t timeout);
};

} // namespace kp
