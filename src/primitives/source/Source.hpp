// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/CacheFolders.hpp"
#include "primitives/plan/Plan.hpp"
#include "shader/compile/CompileLog.hpp"

namespace kp::primitives {

/// Returns the GLSL of a kernel: the version and extensions, the macros given, the texts of
/// shaders/primitives/parts/Types.glsl and Lanes.glsl, and the kernel's own text. The local size in
/// x is the specialization constant 0.
/// @param macros     lines of glslTypeMacros() and "#define"s
/// @param functions  GLSL between the common texts and the kernel's, such as operatorSource()
/// @param subgroups    defines SUBGROUPS
/// @param memoryModel  the device has Vulkan's memory model, and the text uses LOAD_RELAXED() and
///                     similar macros
/// @param extensions   that the text needs besides
std::string composeSource(const std::string& macros, const std::string& functions,
                          std::string_view text, bool subgroups, bool memoryModel = false,
                          const std::vector<std::string>& extensions = {});

/// Returns a macro EACH_name(F), or EACH_name(F, argument), that applies a macro F to 0u, 1u, ...
/// @param argument  if not empty, the first argument of F
/// @param unrolled  repeats F, instead of a loop
std::string eachMacro(const char* name, const std::string& argument, uint32_t count,
                      bool unrolled = true);

/// @param folders  of results; the device knows them
/// @param checked  with lines and assertions for checked mode
/// @throws ShaderError, with the line of the user's own text if the fault is there, or only shows
///         behind the text
std::vector<uint32_t> compileKernel(const Kernel& kernel, const CacheFolders& folders,
                                    bool checked = false);

/// Returns the user's texts of a kernel by their names in the lines of a checked module.
shader::SourceTexts checkedTexts(const Kernel& kernel);

} // namespace kp::primitives
