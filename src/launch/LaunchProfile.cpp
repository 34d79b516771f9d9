// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/LaunchProfile.hpp>

#include <map>
#include <mutex>
#include <string>

#include <kompute/Error.hpp>

#include "core/queue/LaunchLog.hpp"
#include "core/queue/QueueImpl.hpp"
#include "launch/LauncherImpl.hpp"

namespace kp {
struct LaunchProfile::Impl {
    /// The launches of a queue, by name.
    class Launches final : public LaunchLog {
    public:
        explicit Launches(std::shared_ptr<TimingSink> sink) : mSink(std::move(sink)) {}

        void add(std::string_view name, const Event& event) override {
            const std::lock_guard lock(mMutex);
            auto found = mRuns.find(name);
            if (found == mRuns.end())
                found = mRuns.try_emplace(std::string(name), std::string(name), mSink).first;
            found->second.add(event, 0);
        }
        /// Passes the launches that have finished to the sink.
        void notifySink() {
            const std::lock_guard lock(mMutex);
            for (auto& [name, runs] : mRuns)
                static_cast<void>(runs.statistics());
        }

    private:
        const std::shared_ptr<TimingSink> mSink;
        std::mutex mMutex; ///< guards the launches
        std::map<std::string, launch::RunLog, std::less<>> mRuns;
    };

    std::shared_ptr<Queue> queue; ///< null after end()
    std::shared_ptr<Launches> launches;
    bool wasProfiling = false;
    std::mutex mutex; ///< guards the queue
};

LaunchProfile::LaunchProfile(std::shared_ptr<Queue> queue, std::shared_ptr<TimingSink> profiler)
    : mImpl(std::make_unique<Impl>()) {
    if (!queue || !profiler)
        throw InvalidArgument("a LaunchProfile needs a queue and a profiler; one of them is null");
    mImpl->launches = std::make_shared<Impl::Launches>(std::move(profiler));
    if (!implOf(*queue).setLog(mImpl->launches))
        fail<InvalidArgument>(
            "the launches on {} are profiled already; end that LaunchProfile first", queue->name());
    mImpl->wasProfiling = queue->profiling();
    queue->setProfiling(true);
    mImpl->queue = std::move(queue);
}

LaunchProfile::~LaunchProfile() {
    try {
        end();
    } catch (...) { // a lost device, or no memory: the times are lost
    }
}

void LaunchProfile::end() {
    const std::lock_guard lock(mImpl->mutex);
    if (!mImpl->queue)
        return;
    const std::shared_ptr<Queue> queue = std::move(mImpl->queue);
    queue->setProfiling(mImpl->wasProfiling);
    implOf(*queue).dropLog();
    queue->finish();
    mImpl->launches->notifySink();
}

} // namespace kp
