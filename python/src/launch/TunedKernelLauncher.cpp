// SPDX-License-Identifier: Apache-2.0
#include "launch/Calls.hpp"

#include "base/Gil.hpp"
#include "base/Waiting.hpp"
#include "launch/LaunchArguments.hpp"
#include "tune/Tuning.hpp"

namespace kp::python {
namespace {

/// A kp.launcher.TunedKernelLauncher. Other threads may hold the lock of the tuned algorithm and
/// wait for the GIL, so everything that takes that lock releases the GIL.
struct TunedLauncherHandle final : LauncherHandle {
    std::shared_ptr<ManagerHandle> manager;
    py::list memory; ///< of the tuning arguments
    py::object queue;
    ParametersMap parameters;

    TunedKernelLauncher& get() const { return static_cast<TunedKernelLauncher&>(*launcher); }
    bool isTuned() const;
    TuningResult tune();
    void prepare(const std::shared_ptr<Queue>& given, const std::vector<Event>& waitFor) override;
};

TunedLauncherHandle& tunedOf(py::handle self) {
    return handleOf<TunedLauncherHandle>(self);
}

bool TunedLauncherHandle::isTuned() const {
    const ReleaseGil release;
    return get().isTuned();
}

TuningResult TunedLauncherHandle::tune() {
    std::optional<Kernel> kernel;
    TuningResult result = whileInUse(*manager, memory, [&] {
        TuningResult tuned = get().tune();
        if (!ready && !parameters.empty())
            kernel.emplace(*manager->manager, tuned.spirv);
        return tuned;
    });
    if (kernel)
        setSpecs(*this, kernel->signature(), parameters);
    ready = true;
    return result;
}

void TunedLauncherHandle::prepare(const std::shared_ptr<Queue>& given,
                                  const std::vector<Event>& waitFor) {
    const std::shared_ptr<Queue>& own = get().defaultQueue();
    const std::shared_ptr<Queue> used = given ? given : own ? own : get().managerQueue();
    if (!used || !get().globalSizeConfigured())
        return; // the launch names the missing arguments
    if (!isTuned()) {
        // Earlier work would write the memory between a tuning run and its restoration.
        waitForEnd(used->barrier());
        for (const Event& event : waitFor)
            waitForEnd(event);
    }
    tune();
}

std::unique_ptr<TunedLauncherHandle>
makeTunedLauncher(const std::string& name, const TunedAlgorithmHandle& tuned,
                  const TuningArgumentsHandle& arguments, const py::object& globalSize,
                  const py::object& queue, const OptionalSink& profiler,
                  const py::object& parametersMap) {
    auto handle = std::make_unique<TunedLauncherHandle>();
    handle->manager = tuned.manager;
    handle->memory = arguments.memory;
    handle->queue = queue;
    handle->ready = false;
    TunedKernelOptions options;
    options.queue = toQueue(queue, "default_queue");
    options.profiler = profiler.value_or(nullptr);
    if (!parametersMap.is_none())
        options.parametersMap = toParametersMap(name, parametersMap);
    handle->parameters = options.parametersMap;
    TuningArguments sized = arguments.arguments;
    if (const auto size = toWorkSize(globalSize, "default_global_work_size"))
        sized.threads({size->x, size->y, size->z});
    // A list may outlive the handle, and the tuner's manager outlives the tuner.
    std::shared_ptr<TunedAlgorithm> kernel(
        tuned.kernel.get(),
        [manager = tuned.manager, kept = tuned.kernel](TunedAlgorithm*) mutable {
            kept.reset();
            manager.reset();
        });
    handle->launcher = std::make_shared<TunedKernelLauncher>(name, std::move(kernel),
                                                             std::move(sized), std::move(options));
    return handle;
}

std::unique_ptr<ResultHandle> tune(py::handle self) {
    auto& handle = tunedOf(self);
    const RunningCall running(nullptr, handle);
    return toResult(handle.manager, handle.tune(), handle.memory);
}

} // namespace

void bindTunedKernelLauncher(py::module_& module) {
    auto type =
        callableClass<TunedLauncherHandle, LauncherHandle>(module, "TunedKernelLauncher", doc(R"(
        A kernel that tunes itself at its first call and then launches the fastest configuration,
        alone or in lists. The first call waits for its queue and for `wait_for`, so that nothing
        else writes the memory during tuning; tune() keeps that wait out of it. `parameters_map` as
        in ParametrizedKernelLauncher.)"));
    setType<TunedLauncherHandle>(type);
    type.def(py::init(&makeTunedLauncher), "name"_a, "tuned"_a, "arguments"_a,
             "default_global_work_size"_a = py::none(), "default_queue"_a = py::none(),
             "profiler"_a = py::none(), "parameters_map"_a = py::none(), doc(R"(
                 `default_global_work_size` counts invocations, and replaces the thread_count of the
                 arguments. The arguments hold a value for each parameter, to tune with.)"))
        .def("tune", &tune, doc(R"(
            The result of tuning, without an algorithm. Tunes if the problem size is new. Launches
            nothing.)"))
        .def(
            "is_tuned", [](py::handle self) { return tunedOf(self).isTuned(); },
            "True if a call would not tune.")
        .def_property_readonly(
            "default_queue", [](py::handle self) { return tunedOf(self).queue; }, "As given.");
    setCall(type, CallForm::ePlain);
}

} // namespace kp::python
