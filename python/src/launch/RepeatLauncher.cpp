// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/RepeatLauncher.hpp>

#include "core/Classes.hpp"
#include "launch/Calls.hpp"

namespace kp::python {
namespace {

struct RepeatHandle final : LauncherHandle {
    py::list members; ///< the Python objects of the step's launchers
    std::vector<LauncherHandle*> unready;

    void prepare(const std::shared_ptr<Queue>& queue, const std::vector<Event>& waitFor) override {
        for (LauncherHandle* const member : unready) {
            if (!member->ready)
                member->prepare(queue, waitFor);
            specs.insert(specs.end(), member->specs.begin(), member->specs.end());
        }
        unready.clear();
        ready = true;
    }
};

std::unique_ptr<RepeatHandle> makeRepeat(const std::string& name, const ListHandle& list,
                                         const TensorHandle& flag, uint32_t most, uint64_t element,
                                         const py::object& defaultQueue,
                                         const OptionalSink& profiler) {
    if (list.checked)
        throw InvalidArgument(
            formatted("launcher '{}': a launcher of list '{}' has a check_kernel_arg of its own, "
                      "which a repeated one would not call",
                      name, list.list->name()));
    auto handle = std::make_unique<RepeatHandle>();
    handle->launcher = std::make_shared<RepeatLauncher>(
        name, list.list, flag.tensor(), most, element, toQueue(defaultQueue, "default_queue"),
        profiler.value_or(nullptr));
    handle->members = list.members.attr("copy")();
    handle->specs = list.specs;
    handle->unready = list.unready;
    handle->ready = list.unready.empty();
    return handle;
}

} // namespace

void bindRepeatLauncher(py::module_& module) {
    auto repeat = callableClass<RepeatHandle, LauncherHandle>(module, "RepeatLauncher", doc(R"(
        Repeats a list of launchers on the device until a flag is set, alone or in another list: a
        kp.OpRepeat. It takes the parameters of the list's launchers.)"));
    repeat.def(py::init(&makeRepeat), "name"_a, "step"_a, "flag"_a, "most"_a, "element"_a = 0,
               "default_queue"_a = py::none(), "profiler"_a = py::none());
    setCall(repeat, CallForm::ePlain);
}

} // namespace kp::python
