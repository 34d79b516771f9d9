// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Handles.hpp"

namespace kp::python {

/// A Python function that C++ may copy, keep and drop in any thread, with the GIL or without.
class PythonFunction {
public:
    /// @throws TypeError naming @p argument where it cannot be called
    PythonFunction(const py::object& function, const char* argument);

    /// To be called with the GIL held. What it raises comes out as it is.
    template <typename... Args>
    py::object operator()(Args&&... args) const {
        return (*mFunction)(std::forward<Args>(args)...);
    }

private:
    std::shared_ptr<py::object> mFunction;
};

/// A kp.TunableKernel. Its factory is kept aside, since what it gives is compiled for a device.
struct TunableKernelHandle {
    TunableKernel kernel;
    std::optional<PythonFunction> factory;
    std::string factoryKey;
};

/// A kp.TuningArguments.
struct TuningArgumentsHandle {
    std::shared_ptr<ManagerHandle> manager;
    TuningArguments arguments;
    py::list memory; ///< the Python objects behind memObjects()
};

/// A kp.Autotuner.
struct AutotunerHandle {
    std::shared_ptr<ManagerHandle> manager; ///< declared first: gone last
    std::shared_ptr<Autotuner> tuner;
};

/// A kp.TunedAlgorithm.
struct TunedAlgorithmHandle {
    std::shared_ptr<ManagerHandle> manager; ///< declared first: gone last
    std::shared_ptr<TunedAlgorithm> kernel;
};

py::dict toDict(const TuningConfiguration& configuration);

/// The kernel as it is tuned on the manager's device.
TunableKernel kernelFor(const TunableKernelHandle& handle, const Manager& manager);

/// The algorithm as a kp.Algorithm.
py::object toAlgorithm(const std::shared_ptr<ManagerHandle>& manager,
                       const std::shared_ptr<Algorithm>& algorithm, const py::list& memory,
                       const std::vector<uint32_t>& spirv);

} // namespace kp::python
