// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>

namespace kp::shader {

/// One error in the compiler's log.
struct Diagnostic {
    std::string file;    ///< "" if unknown
    uint32_t line = 0;   ///< starts at 1; 0 if unknown
    uint32_t column = 0; ///< starts at 1; 0 if unknown
    std::string token;   ///< the text that caused the error; "" if unknown
    std::string message; ///< the compiler's, with the token
};

/// The text of each source file of a compilation, by its name in messages.
using SourceTexts = std::map<std::string, std::string>;

/// Reads the errors of a glslang log (`ERROR: name:line: 'token' : message` and its variants). If
/// the log has no exact column, it is the token's column in the source line, if that is unique.
std::vector<Diagnostic> readLog(const std::string& log, const SourceTexts& sources);

/// Reads the errors of a Slang log, in the format of Slang 2026 (`error[E30015]: title` and then
/// ` --> name:line:column`) or of earlier versions (`name(line): error 30015: message`).
std::vector<Diagnostic> readSlangLog(const std::string& log, const SourceTexts& sources);

/// Returns the exception for a failed compilation: the first error with its source line and a caret
/// line, further errors in one line each, and the whole log in log().
/// @param faults  the errors of the log
ShaderError compileError(const std::vector<Diagnostic>& faults, const std::string& log,
                         const std::string& fileName, const SourceTexts& sources);

/// Returns the exception for a source without the function of CompileOptions::entryPoint.
ShaderError missingEntryPoint(const CompileOptions& options, const std::string& log);

} // namespace kp::shader
