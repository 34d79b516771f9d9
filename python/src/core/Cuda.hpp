// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/Classes.hpp"

namespace kp::python {

/// Returns true for a CUDA stream: one of torch, CuPy or Numba, or any object with __cuda_stream__.
bool isStream(py::handle object);

/// Returns the raw handle of a CUDA stream, which may be given as such. @throws TypeError naming @p
/// argument
void* toStream(py::handle object, const char* argument);

} // namespace kp::python
