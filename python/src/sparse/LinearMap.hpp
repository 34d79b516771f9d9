// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/sparse/Preconditioners.hpp>

#include "base/Pybind.hpp"

namespace kp::python {

/// A linear map of the library, which solvers repeat on the device.
struct BoundMap {
    sparse::LinearMap map;
};

/// Binds linear maps, and triangular matrices.
void bindLinearMaps(py::module_& module);

} // namespace kp::python
