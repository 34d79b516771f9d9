// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/Tuning.hpp"

namespace kp::python {

struct ResultHandle {
    TuningResult result; ///< without its algorithm
    py::object algorithm;
};

/// Returns the algorithm as a kp.Algorithm.
py::object toAlgorithm(const std::shared_ptr<ManagerHandle>& manager,
                       const std::shared_ptr<Algorithm>& algorithm, const py::list& memory,
                       const std::vector<uint32_t>& spirv);

/// Returns the result as a kp.TuningResult.
std::unique_ptr<ResultHandle> toResult(const std::shared_ptr<ManagerHandle>& manager,
                                       TuningResult result, const py::list& memory);

/// Binds TuningRecord, TuningProgress and TuningResult.
void bindTuningResult(py::module_& module);

} // namespace kp::python
