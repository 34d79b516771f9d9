// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Manager.hpp>

#include "base/Pybind.hpp"

namespace kp::python {

/// Returns the Vulkan version that shaders for this manager's device are compiled for.
uint32_t vulkanVersionOf(const Manager& manager);

/// Returns a shader argument as SPIR-V: bytes-like, source text, or a path to either.
/// @param vulkanVersion  version that source is compiled for, as VK_MAKE_VERSION
/// @throws TypeError, ValueError naming the argument; ShaderError
std::vector<uint32_t> toSpirv(py::handle shader, uint32_t vulkanVersion);

/// Implements kp.compile and Manager.compile.
py::bytes compileShader(const py::object& source, const py::object& includes,
                        const py::object& defines, const std::string& entryPoint,
                        const std::string& language, const std::string& fileName, bool debugInfo,
                        const std::string& includePolicy, bool isolate, uint32_t vulkanVersion);

/// Returns kp.reflect as dictionaries and lists, from which the Python side creates its classes.
py::dict describeShader(const std::vector<uint32_t>& spirv, const std::string& entryPoint = "main");

/// Binds kp.compile and kp._reflect.
void bindShader(py::module_& module);

} // namespace kp::python
