// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Capture.hpp>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include <kompute/Error.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/capture/CapturedLaunches.hpp"
#include "arrays/capture/Replay.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "core/memory/StandIn.hpp"
#include "core/queue/QueueImpl.hpp"
#include "shader/check/CheckMode.hpp"

namespace kp {
namespace arrays {
namespace {

std::vector<View> viewsOf(const std::vector<Array>& arrays) {
    std::vector<View> views;
    views.reserve(arrays.size());
    for (const Array& each : arrays)
        views.push_back(stateOf(each).evaluated());
    return views;
}

size_t firstWith(const std::vector<View>& views, const View& view) {
    size_t first = 0;
    while (views[first].storage->memory() != view.storage->memory())
        ++first;
    return first;
}

} // namespace

struct Trace::Impl {
    /// How an argument lies in memory.
    struct ArgumentLayout {
        DType dtype;
        Shape shape;
        Shape strides;
        int64_t offset;
        int64_t count; ///< elements of the memory
        bool writable;
        size_t memory; ///< the first argument with this memory

        bool fits(const View& view, size_t first) const {
            return dtype == view.dtype() && shape == view.shape && strides == view.strides &&
                   offset == view.offset && count == view.storage->count() &&
                   writable == view.writable && memory == first;
        }
    };

    /// A result of a trace: an argument, or a view of an argument's memory, of memory that the
    /// function makes, or of other memory.
    struct Result {
        enum class Of { eArgument, eArgumentMemory, eMade, eOther };
        Of of;
        size_t number = 0; ///< of the argument, or of the memory that is made
        View view;         ///< without storage unless it is of other memory
        DType dtype;
    };

    using Made = CapturedLaunches::Made;

    const uint64_t checks = shader::wordOf(shader::currentChecks());
    std::shared_ptr<Home> home;
    std::vector<ArgumentLayout> layouts;
    std::vector<Array> parameters;
    std::vector<size_t> memories;                   ///< arguments with memory of their own
    std::vector<std::shared_ptr<Storage>> standIns; ///< for the memory of these
    std::vector<Result> results;
    std::vector<Made> made;
    std::vector<std::shared_ptr<Storage>> others; ///< memory of other arrays
    std::vector<bool> writesStandIn;
    std::vector<bool> writesOther;
    std::unique_ptr<CapturedLaunches> capture; ///< while it is traced
    std::unique_ptr<Replay> replay;
};

bool Trace::canTrace(const std::vector<Array>& arguments) {
    if (arguments.empty())
        return false;
    const std::vector<View> views = viewsOf(arguments);
    return std::ranges::all_of(views, [&](const View& view) {
        const View& first = views[firstWith(views, view)];
        return view.storage->home() == views[0].storage->home() && first.storage == view.storage;
    });
}

Trace::Trace(const std::vector<Array>& arguments) : mImpl(std::make_shared<Impl>()) {
    if (!canTrace(arguments))
        throw InvalidArgument(
            "a function is traced with arrays of one manager, at least one, and not "
            "with views of the same memory in several types");
    const std::vector<View> views = viewsOf(arguments);
    mImpl->home = views[0].storage->home();
    std::vector<std::shared_ptr<Storage>> standIns;
    for (size_t i = 0; i < views.size(); ++i) {
        const View& view = views[i];
        const size_t first = firstWith(views, view);
        mImpl->layouts.push_back({view.dtype(), view.shape, view.strides, view.offset,
                                  view.storage->count(), view.writable, first});
        if (first == i) {
            standIns.push_back(std::make_shared<Storage>(mImpl->home, view.dtype(),
                                                         standInFor(*view.storage->tensor())));
            standIns.back()->keep();
            mImpl->memories.push_back(i);
            mImpl->standIns.push_back(standIns.back());
        } else {
            standIns.push_back(standIns[first]);
        }
        mImpl->parameters.push_back(
            arrayOf(View{standIns.back(), view.offset, view.shape, view.strides, view.writable}));
    }
    mImpl->capture = std::make_unique<CapturedLaunches>(*mImpl->home);
    for (const std::shared_ptr<Storage>& each : mImpl->standIns)
        mImpl->capture->addStandIn(*each);
}

Trace::~Trace() = default;

const std::vector<Array>& Trace::parameters() const {
    return mImpl->parameters;
}

bool Trace::finish(std::vector<Array> results) {
    Impl& impl = *mImpl;
    using Of = Impl::Result::Of;
    CapturedLaunches& capture = *impl.capture;
    const auto standIn = [&](const Storage& storage) {
        size_t number = 0;
        while (number < impl.standIns.size() && impl.standIns[number]->memory() != storage.memory())
            ++number;
        return number;
    };
    {
        const std::lock_guard lock(engineLock());
        for (const Array& array : results) {
            const auto same = std::ranges::find_if(impl.parameters, [&](const Array& parameter) {
                return &stateOf(parameter) == &stateOf(array);
            });
            const View view = stateOf(array).evaluated();
            Impl::Result result{Of::eOther, 0, view, view.dtype()};
            const size_t number = standIn(*view.storage);
            if (same != impl.parameters.end()) {
                result.of = Of::eArgument;
                result.number = static_cast<size_t>(same - impl.parameters.begin());
            } else if (number < impl.standIns.size()) {
                result.of = Of::eArgumentMemory;
                result.number = number;
            } else if (const auto root = capture.made(*view.storage)) {
                result.of = Of::eMade;
                const auto known = std::ranges::find(impl.made, root->tensor, &Impl::Made::tensor);
                result.number = static_cast<size_t>(known - impl.made.begin());
                if (known == impl.made.end())
                    impl.made.push_back(*root);
            }
            if (result.of != Of::eOther)
                result.view.storage = nullptr;
            impl.results.push_back(std::move(result));
        }
        results.clear();
        impl.parameters.clear();
    }
    if (!capture.refusal().empty())
        throw InvalidArgument(capture.refusal());
    const bool ends = capture.nodes() == 0 && capture.storages() == 0;
    capture.end();
    if (!ends)
        return false;
    std::vector<std::shared_ptr<Tensor>> rebound;
    for (const auto& each : impl.standIns)
        rebound.push_back(each->tensor());
    for (const Impl::Made& each : impl.made)
        rebound.push_back(each.tensor);
    impl.others = capture.others();
    impl.replay =
        std::make_unique<Replay>(implOf(*impl.home->queue()).device, capture.operations(),
                                 std::move(rebound), capture.algorithms(), capture.derived());
    for (const auto& each : impl.standIns)
        impl.writesStandIn.push_back(impl.replay->writes(*each->tensor()));
    for (const auto& each : impl.others)
        impl.writesOther.push_back(impl.replay->writes(*each->tensor()));
    impl.capture.reset();
    return true;
}

bool Trace::fits(const std::vector<Array>& arguments) const {
    if (arguments.size() != mImpl->layouts.size() ||
        mImpl->checks != shader::wordOf(shader::currentChecks()))
        return false;
    const std::vector<View> views = viewsOf(arguments);
    for (size_t i = 0; i < views.size(); ++i) {
        const size_t first = firstWith(views, views[i]);
        if (views[i].storage->home() != mImpl->home || !mImpl->layouts[i].fits(views[i], first) ||
            views[first].storage != views[i].storage)
            return false;
    }
    return true;
}

bool Trace::replay(const std::vector<Array>& arguments, std::vector<Array>& results) {
    Impl& impl = *mImpl;
    const std::lock_guard lock(engineLock());
    const std::vector<View> views = viewsOf(arguments);
    for (size_t i = 0; i < impl.memories.size(); ++i) {
        const std::shared_ptr<Storage>& storage = views[impl.memories[i]].storage;
        const bool known = std::ranges::any_of(
            impl.others, [&](const auto& other) { return other->memory() == storage->memory(); });
        const bool writes = impl.writesStandIn[i] ||
                            std::ranges::find(impl.writesOther, true) != impl.writesOther.end();
        if (known && writes)
            return false;
    }
    for (size_t i = 0; i < impl.memories.size(); ++i)
        if (impl.writesStandIn[i])
            beforeWrite(views[impl.memories[i]].storage);
    for (size_t i = 0; i < impl.others.size(); ++i)
        if (impl.writesOther[i])
            beforeWrite(impl.others[i]);
    std::vector<std::shared_ptr<Storage>> made;
    Replay::Buffers buffers;
    for (const size_t number : impl.memories)
        buffers.push_back(bufferOf(*views[number].storage->tensor()));
    for (const Impl::Made& each : impl.made) {
        made.push_back(std::make_shared<Storage>(impl.home, each.dtype, each.count));
        buffers.push_back(bufferOf(*made.back()->tensor()));
    }
    impl.replay->launch(impl.home->queue(), buffers);
    results.clear();
    for (const Impl::Result& result : impl.results) {
        if (result.of == Impl::Result::Of::eArgument) {
            results.push_back(arguments[result.number]);
            continue;
        }
        View view = result.view;
        if (result.of == Impl::Result::Of::eArgumentMemory)
            view.storage = views[impl.memories[result.number]].storage;
        else if (result.of == Impl::Result::Of::eMade)
            view.storage = made[result.number];
        if (view.storage->dtype() != result.dtype)
            view.storage = std::make_shared<Storage>(view.storage, result.dtype);
        results.push_back(arrayOf(std::move(view)));
    }
    return true;
}

} // namespace arrays

namespace {

/// Traces of a function that are kept.
constexpr size_t kMaxTraces = 64;

} // namespace

struct CapturedFunction::Impl {
    ArrayFunction function;
    std::mutex mutex;                                  ///< guards the traces
    std::deque<std::shared_ptr<arrays::Trace>> traces; ///< the last ones
    size_t made = 0;                                   ///< their number, with those dropped

    /// @return the number of a trace; SIZE_MAX if there is none
    size_t find(const std::vector<Array>& arguments, std::shared_ptr<arrays::Trace>& found) {
        const std::lock_guard lock(mutex);
        for (size_t last = 0; last < traces.size(); ++last)
            if (const auto& trace = traces[traces.size() - 1 - last]; trace->fits(arguments)) {
                found = trace;
                return made - 1 - last;
            }
        return SIZE_MAX;
    }
    size_t add(std::shared_ptr<arrays::Trace> trace) {
        const std::lock_guard lock(mutex);
        if (traces.size() == kMaxTraces)
            traces.pop_front();
        traces.push_back(std::move(trace));
        return made++;
    }
};

CapturedFunction::CapturedFunction(ArrayFunction function) : mImpl(std::make_shared<Impl>()) {
    if (!function)
        throw InvalidArgument("the function to capture is empty");
    mImpl->function = std::move(function);
}

std::vector<Array> CapturedFunction::operator()(const std::vector<Array>& arguments) const {
    size_t trace = 0;
    return (*this)(arguments, trace);
}

std::vector<Array> CapturedFunction::operator()(const std::vector<Array>& arguments,
                                                size_t& number) const {
    number = SIZE_MAX;
    // Within another trace, the function is a part of that one.
    if (LaunchCapture::current() || !arrays::Trace::canTrace(arguments))
        return mImpl->function(arguments);
    std::shared_ptr<arrays::Trace> trace;
    number = mImpl->find(arguments, trace);
    if (!trace) {
        trace = std::make_shared<arrays::Trace>(arguments);
        if (!trace->finish(mImpl->function(trace->parameters())))
            throw InvalidArgument("a captured function keeps an array that it made; return it "
                                  "instead, because calls compute it anew");
        number = mImpl->add(trace);
    }
    std::vector<Array> results;
    if (trace->replay(arguments, results))
        return results;
    number = SIZE_MAX;
    return mImpl->function(arguments);
}

size_t CapturedFunction::traces() const {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->made;
}

bool isCapturing() {
    return LaunchCapture::current() != nullptr;
}

CapturedFunction capture(ArrayFunction function) {
    return CapturedFunction(std::move(function));
}

} // namespace kp
