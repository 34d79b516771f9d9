// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/Handles.hpp"

/// Arguments of kernels, for the launchers of kernels and for groups.
namespace kp::python {

/// Calls @p add for each argument of a kernel. All are given by position, or as pairs of a key (an
/// index or a name) and a value, or as a dict of those; None has none.
/// @param add  key (null: by position) and value
void forEachArgument(py::handle given,
                     const std::function<void(py::handle key, py::handle value)>& add);

/// Returns the index of an argument. @throws InvalidArgument for other objects
uint32_t toArgumentIndex(py::handle index, const std::string& launcher);

/// Returns the kernel's argument with this index; null if it has fewer.
const KernelArgument* argumentAt(const KernelSignature& signature, uint64_t index);
/// Returns the argument that a parameter stands for; null if there is none.
const KernelArgument* argumentOf(const KernelSignature& signature, const ParameterTarget& target);

/// Returns a parameters_map: name -> index, name in the shader, or (index or name, type).
ParametersMap toParametersMap(const std::string& launcher, py::handle map);

} // namespace kp::python
