// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <kompute/Error.hpp>

namespace kp::shader {

/// One error line of the compiler's log.
struct Diagnostic {
    std::string file;    ///< "" where the line names none
    uint32_t line = 0;   ///< from 1; 0: unknown
    uint32_t column = 0; ///< from 1; 0: unknown
    std::string token;   ///< the text the compiler stumbled over, "" where it names none
    std::string message; ///< with the token, as the compiler put it
};

/// Text of every source file of a compile, by the name messages use.
using SourceTexts = std::map<std::string, std::string>;

/// Reads the errors of a glslang log (`ERROR: name:line: 'token' : message` and its variants).
/// Where the log has no exact column, the token's place in the source line gives it, if there is
/// only one such place.
std::vector<Diagnostic> readLog(const std::string& log, const SourceTexts& sources);

/// The error to throw for a failed compile: first fault with the offending line and a caret line
/// under it, further faults one line each, the whole log in log().
ShaderError compileError(const std::string& log, const std::string& fileName,
                         const SourceTexts& sources);

} // namespace kp::shader
