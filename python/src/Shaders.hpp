// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "Handles.hpp"

namespace kp::python {

/// A shader argument as SPIR-V: bytes-like, source text, or a path to either.
/// @param vulkanVersion  what source is compiled for, as VK_MAKE_VERSION
/// @throws TypeError, ValueError naming the argument; ShaderError
std::vector<uint32_t> toSpirv(py::handle shader, uint32_t vulkanVersion);

/// kp.reflect as dictionaries and lists; the Python side makes classes of them.
py::dict describeShader(const std::vector<uint32_t>& spirv, const std::string& entryPoint = "main");

/// kp.compile and Manager.compile.
py::bytes compileShader(const py::object& source, const py::object& includes,
                        const py::object& defines, const std::string& entryPoint,
                        const std::string& language, const std::string& fileName, bool debugInfo,
                        uint32_t vulkanVersion);

} // namespace kp::python
