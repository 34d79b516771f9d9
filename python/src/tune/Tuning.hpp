// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Gil.hpp"
#include "core/Classes.hpp"

/// The contents of the autotuner's Python objects.
namespace kp::python {

/// A kp.TunableKernel. Its factory is kept apart, because its results depend on the device.
struct TunableKernelHandle {
    TunableKernel kernel;
    Held factory; ///< null: none
    std::string factoryKey;
};

struct TuningArgumentsHandle {
    std::shared_ptr<ManagerHandle> manager;
    TuningArguments arguments;
    py::list memory; ///< the Python objects behind memObjects()
};

struct TunedAlgorithmHandle {
    std::shared_ptr<ManagerHandle> manager; ///< declared first: destroyed last
    std::shared_ptr<TunedAlgorithm> kernel;
};

struct ResultHandle {
    TuningResult result; ///< without its algorithm
    py::object algorithm;
};

/// Returns a configuration as a dict.
py::dict toDict(const TuningConfiguration& configuration);

/// Returns the kernel with its factory, for the manager's device.
TunableKernel kernelFor(const TunableKernelHandle& handle, const Manager& manager);

/// Returns the result as a kp.TuningResult.
std::unique_ptr<ResultHandle> toResult(const std::shared_ptr<ManagerHandle>& manager,
                                       TuningResult result, const py::list& memory);

/// Runs @p call without the GIL while the manager and the memory of the arguments are in use.
/// @param memory  the Python objects of the arguments
template <typename Call>
auto whileInUse(ManagerHandle& manager, const py::list& memory, Call&& call) {
    const Uses useMemory(toMemoryHandles(memory, "tensors"));
    const Use useManager(manager);
    const ReleaseGil release;
    return call();
}

/// Binds TunableKernel and TuningArguments.
void bindTunableKernel(py::module_& module);
/// Binds Autotuner, TunedAlgorithm and their results.
void bindAutotuner(py::module_& module);

} // namespace kp::python
