// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kompute/Manager.hpp>
#include <kompute/Shader.hpp>
#include <kompute/shader/Reflection.hpp>

#include "base/Pybind.hpp"

namespace kp::python {

/// The target of compilation.
struct CompileTarget {
    CompileOptions options; ///< its version of Vulkan, and the folders of results
    std::string checks;     ///< as in ManagerOptions; "" leaves it to the thread
};

/// Returns the version of the manager's device, the manager's folders, and the checks: the given
/// ones, else the manager's.
CompileTarget targetOf(const Manager& manager, const std::string& checks = {});

/// Returns a shader argument as SPIR-V: bytes-like, source text, or a path to either.
/// @throws TypeError, ValueError naming the argument; ShaderError
std::vector<uint32_t> toSpirv(py::handle shader, const CompileTarget& target);

/// Implements kp.compile and Manager.compile.
py::bytes compileShader(const py::object& source, const py::object& includes,
                        const py::object& defines, const std::string& entryPoint,
                        const std::string& language, const std::string& fileName, bool debugInfo,
                        const std::string& includePolicy, bool isolate,
                        const CompileTarget& target);

/// Returns the counts and strides of axes, for the Python side.
py::tuple axesOf(const std::vector<shader::MemberAxis>& axes);

/// Returns kp.reflect as dictionaries and lists, from which the Python side creates its classes.
py::dict describeShader(const std::vector<uint32_t>& spirv, const std::string& entryPoint = "main");

/// Binds kp.compile and kp._reflect.
void bindShader(py::module_& module);

} // namespace kp::python
