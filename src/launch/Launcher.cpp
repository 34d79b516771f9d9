// SPDX-License-Identifier: Apache-2.0
#include "launch/LauncherImpl.hpp"

#include <exception>

#include <kompute/launch/Trace.hpp>

#include "core/queue/LaunchCapture.hpp"
#include "core/queue/QueueImpl.hpp"

namespace kp {
namespace launch {
namespace {

void logLaunch(const Queue& queue, const Step& step, const Event& event) {
    step.launcher->runLog().add(event, step.bytes);
    if (step.listLog)
        step.listLog->add(event, step.bytes);
    if (!step.launcher->runLog().hasSink() && !(step.listLog && step.listLog->hasSink()))
        implOf(queue).logLaunch(step.launcher->name(), event);
}

} // namespace

void requireKnownParameters(const std::string& launcher, const Parameters& given,
                            const std::vector<ParameterInfo>& known) {
    for (const Parameter& parameter : given) {
        if (findNamed(known, parameter.name))
            continue;
        std::vector<std::string> names;
        for (const ParameterInfo& info : known)
            names.push_back(info.name);
        throwFor(launcher, "parameter '{}' is unknown; it takes {}", parameter.name,
                 names.empty() ? "none" : join(names));
    }
}

const std::shared_ptr<Queue>& queueFor(const Launcher& launcher, const LaunchOptions& options,
                                       const std::shared_ptr<Queue>& defaultQueue) {
    const std::shared_ptr<Queue>& queue = options.queue  ? options.queue
                                          : defaultQueue ? defaultQueue
                                                         : launcher.managerQueue();
    if (!queue)
        throwFor(launcher.name(), "no queue was given with the call, and it has no default queue "
                                  "and knows no manager; give it one of Manager::queue()");
    if (!options.parameters.empty())
        requireKnownParameters(launcher.name(), options.parameters, launcher.parameters());
    return queue;
}

RunLog::RunLog(std::string name, std::shared_ptr<TimingSink> sink)
    : mName(std::move(name)), mSink(std::move(sink)) {}

RunLog::~RunLog() {
    try {
        if (mSink)
            statistics();
    } catch (...) { // out of memory: the times are lost
    }
}

void RunLog::notify(Run& run, const EventProfile& profile) {
    if (mSink && !run.notified)
        mSink->addTiming(mName, run.event, profile, run.bytes);
    run.notified = true;
}

bool RunLog::count(Run& run) {
    try {
        if (!run.event.done())
            return false;
        if (const std::optional<EventProfile> profile = run.event.profile()) {
            notify(run, *profile); // may throw; then the run is counted later, once
            mStatistics.add(profile->duration(), run.bytes);
        } else if (run.event.status() != EventStatus::eError) {
            mStatistics.addUnprofiled();
        }
    } catch (const Error&) {
        if (run.event.status() != EventStatus::eError)
            throw;
    } // else it never gets a time
    return true;
}

void RunLog::add(Event event, uint64_t bytes) {
    const std::lock_guard lock(mMutex);
    mRuns.push_back({std::move(event), bytes});
    // statistics() may never be called. Two at a time, so that a long backlog shrinks, too.
    for (int i = 0; i < 2 && mRuns.size() > Launcher::kMaxEvents; ++i) {
        try {
            if (!count(mRuns.front()))
                break;
        } catch (...) { // the launch succeeded, even if the sink fails for an old one
            mRuns.front().notified = true;
            break;
        }
        mRuns.pop_front();
    }
}

std::vector<Event> RunLog::events() const {
    const std::lock_guard lock(mMutex);
    std::vector<Event> events;
    events.reserve(mRuns.size());
    for (const Run& run : mRuns)
        events.push_back(run.event);
    return events;
}

KernelStatistics RunLog::statistics() {
    const std::lock_guard lock(mMutex);
    std::exception_ptr failure;
    auto kept = mRuns.begin();
    for (auto run = mRuns.begin(); run != mRuns.end(); ++run) {
        bool counted = false;
        try {
            counted = count(*run);
        } catch (...) {
            failure = std::current_exception();
        }
        if (counted)
            continue;
        if (kept != run)
            *kept = std::move(*run);
        ++kept;
    }
    mRuns.erase(kept, mRuns.end());
    if (failure)
        std::rethrow_exception(failure);
    return mStatistics;
}

void RunLog::notifySink() {
    const std::lock_guard lock(mMutex);
    for (Run& run : mRuns) {
        try {
            if (run.event.done())
                if (const std::optional<EventProfile> profile = run.event.profile())
                    notify(run, *profile);
        } catch (const Error&) {
            if (run.event.status() != EventStatus::eError)
                throw;
        } // else it never gets a time
    }
}

void RunLog::clear() {
    const std::lock_guard lock(mMutex);
    mRuns.clear();
    mStatistics = {};
}

Event StepRunner::run(const std::shared_ptr<Queue>& queue, const std::vector<Event>& waitFor) {
    std::vector<Step>& steps = mSteps.steps();
    if (!waitFor.empty())
        LaunchCapture::refuse("a launch that waits for events");
    if (steps.empty())
        return queue->barrier(waitFor);
    if (!mRepeaters.empty() && mRepeaters.front()->device() != implOf(*queue).device)
        mRepeaters.clear();
    mQueue = &implOf(*queue).queue;
    const bool timed = queue->profiling() && !LaunchCapture::current();
    Event last;
    std::vector<Event> after;
    size_t segment = 0;
    for (size_t i = 0; i < steps.size();) {
        const Step& step = steps[i];
        if (i > 0)
            after.assign(1, std::move(last));
        const std::vector<Event>& waits = i == 0 ? waitFor : after;
        if (!step.message.empty())
            traceKernel(step.message);
        if (step.operation) {
            size_t end = i + 1;
            for (; end < steps.size() && steps[end].operation; ++end)
                if (!steps[end].message.empty())
                    traceKernel(steps[end].message);
            last = runDevice(*queue, i, end, waits, segment++, timed);
            for (size_t part = i; timed && part < end; ++part)
                logLaunch(*queue, steps[part],
                          Internals::event<Event>(Internals::state(last),
                                                  static_cast<uint32_t>(part - i)));
            i = end;
            continue;
        }
        if (step.host) {
            last = implOf(*queue).launchHost(waits, timed, step.host);
            if (timed)
                logLaunch(*queue, step, last);
        } else {
            std::optional<Event> event = step.call(queue, waits);
            last = event ? std::move(*event) : queue->barrier(waits);
        }
        ++i;
    }
    return last;
}

Event StepRunner::ready() const {
    for (const std::shared_ptr<Repeater>& repeater : mRepeaters)
        if (const vulkan::TimelinePoint point = repeater->waitsFor(*mQueue); point.queue)
            return Internals::event<Event>(repeater->device(), point.queue, point.value,
                                           repeater->device()->defaultWaitMode());
    return Event();
}

Event StepRunner::runDevice(Queue& queue, size_t first, size_t end,
                            const std::vector<Event>& waitFor, size_t segment, bool timed) {
    std::vector<Step>& steps = mSteps.steps();
    mOperations.clear();
    for (size_t i = first; i < end; ++i)
        mOperations.push_back(std::move(steps[i].operation));
    Queue::Impl& impl = implOf(queue);
    if (LaunchCapture::take(impl, mOperations))
        return Event();
    if (mRepeaters.size() <= segment)
        mRepeaters.push_back(std::make_shared<Repeater>(impl.device));
    const std::shared_ptr<Repeater>& repeater = mRepeaters[segment];
    return impl.launch(
        waitFor, timed,
        [&](Queue::Impl::Points waits, const std::shared_ptr<EventState>& state) {
            return repeater->submit(impl, mOperations, timed, waits, state);
        },
        [&]() -> Queue::Impl::Submit {
            return [repeater, operations = std::move(mOperations), target = &impl,
                    timed](Queue::Impl::Points waits,
                           const std::shared_ptr<EventState>& state) mutable {
                return repeater->submit(*target, operations, timed, waits, state);
            };
        });
}

} // namespace launch

struct Launcher::Cache : launch::StepRunner {};

Launcher::Launcher(std::string name, std::shared_ptr<TimingSink> profiler)
    : mName(std::move(name)),
      mRunLog(std::make_unique<launch::RunLog>(mName, std::move(profiler))) {}

Launcher::~Launcher() = default;

void Launcher::addLaunch(const Event& event, uint64_t bytes) {
    mRunLog->add(event, bytes);
}

std::vector<Event> Launcher::events() const {
    return mRunLog->events();
}

KernelStatistics Launcher::statistics() {
    return mRunLog->statistics();
}

void Launcher::notifyProfiler() {
    mRunLog->notifySink();
}

void Launcher::clearStatistics() {
    mRunLog->clear();
}

const std::shared_ptr<Queue>& Launcher::managerQueue() const {
    static const std::shared_ptr<Queue> none;
    return none;
}

Event Launcher::ready() const {
    return mCache ? mCache->ready() : Event();
}

// A launcher that a user implemented is called like a user would call it.
void Launcher::appendSteps(launch::StepList& steps, const launch::CallContext& context) {
    LaunchOptions options;
    for (const ParameterInfo& info : parameters())
        for (const Parameter& parameter : context.options.parameters)
            if (parameter.name == info.name)
                options.parameters.push_back(parameter);
    steps.add(*this).call = [this, options](const std::shared_ptr<Queue>& queue,
                                            const std::vector<Event>& waitFor) mutable {
        options.queue = queue;
        options.waitFor = waitFor;
        return (*this)(options);
    };
}

Event Launcher::launch(const std::shared_ptr<Queue>& queue, const Parameters& parameters,
                       const std::vector<Event>& waitFor) {
    LaunchOptions options;
    options.queue = queue;
    options.waitFor = waitFor;
    options.parameters = parameters;
    return (*this)(options).value_or(Event());
}

Event Launcher::runSteps(const std::shared_ptr<Queue>& queue, const LaunchOptions& options) {
    const CallGate::Call call(implOf(*queue).gate);
    if (!mCache)
        mCache = std::make_unique<Cache>();
    launch::StepRunner& runner = *mCache;
    runner.steps().clear();
    appendSteps(runner.steps(), {options, *queue, launch::tracing()});
    Event event = runner.run(queue, options.waitFor);
    runner.steps().clear();
    return event;
}

} // namespace kp
