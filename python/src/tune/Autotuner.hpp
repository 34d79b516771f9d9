// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/Memory.hpp"
#include "tune/Tuning.hpp"

namespace kp::python {

struct TunedAlgorithmHandle {
    std::shared_ptr<ManagerHandle> manager; ///< declared first: destroyed last
    std::shared_ptr<TunedAlgorithm> kernel;
};

/// Runs @p call without the GIL while the manager and the memory of the arguments are in use.
/// @param memory  the Python objects of the arguments
template <typename Call>
auto whileInUse(ManagerHandle& manager, const py::list& memory, Call&& call) {
    requireThisProcess();
    const Uses useMemory(toMemoryHandles(memory, "tensors"));
    const Use useManager(manager);
    const py::gil_scoped_release release;
    return call();
}

/// Binds Autotuner and TunedAlgorithm.
void bindAutotuner(py::module_& module);

} // namespace kp::python
