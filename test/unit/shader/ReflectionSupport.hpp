// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ShaderTestTools.hpp"
#include "shader/Validate.hpp"
#include "shader/reflect/Reflection.hpp"

namespace kp::shader {

using test::contains;
using test::glsl;
using test::shaderErrorOf;
using test::vulkan;

inline Reflection reflectGlsl(const std::string& declarations, const std::string& body,
                              uint32_t minor = 1) {
    CompileOptions options;
    options.vulkanVersion = vulkan(minor);
    const auto spirv = compile(glsl(declarations, body), options);
    validate(spirv, vulkan(minor));
    return reflect(spirv);
}

inline bool has(const Reflection& reflection, const std::string& capability) {
    return std::ranges::count(reflection.capabilities, capability) == 1;
}

} // namespace kp::shader
