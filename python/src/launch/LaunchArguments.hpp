// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Handles.hpp"

/// Python values as arguments of launchers and of the kernels of groups.
namespace kp::python {

/// Returns a Python value for an argument of a kernel. @param expected  null: unknown
/// @throws InvalidArgument naming the launcher and the argument
ArgumentValue toArgument(py::handle value, const KernelArgument* expected,
                         const std::string& launcher, const std::string& name);
/// Refuses a structured dtype whose layout differs from the shader's struct.
/// @throws InvalidArgument naming the launcher and the argument
void requireSameStruct(const py::dtype& dtype, const KernelArgument& expected,
                       const std::string& launcher, const std::string& name);
/// Returns the signature of a kernel that may take the elements of tensors for others: nothing
/// compares its structs.
KernelSignature reinterpretingSignature(shader::Reflection reflection);
/// Returns null for None.
std::shared_ptr<Queue> toQueue(py::handle queue, const char* argument);
/// Returns a number, or one to three of them; empty for None.
std::optional<WorkSize> toWorkSize(py::handle size, const char* argument);
/// Returns one end of a copy: a tensor, an image, or an array of host memory.
CopyEnd toCopyEnd(py::handle object, const char* argument, bool written);
/// Returns the scalar type of a dtype-like; eUnknown for None, text and classes of memory.
shader::ScalarType toScalarType(py::handle type);

/// Returns the arguments of a kernel as a collection that can be read several times: None, a list,
/// a tuple or a dict as it is, and a list of another iterable's entries.
/// @throws TypeError for one array, tensor or text instead of a collection, and for an iterable
///         that does not end after 4,096 arguments
py::object collectArguments(py::handle given, const char* name);

/// Calls @p add for each argument of a kernel. All are given by position, or as pairs of a key (an
/// index or a name) and a value, or as a dict of those; None has none.
/// @param given  of collectArguments()
/// @param add    key (null: by position) and value
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
