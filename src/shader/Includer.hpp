// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <glslang/Public/ShaderLang.h>
#include <kompute/Shader.hpp>

#include "base/Hash.hpp"

namespace kp::shader {

/// One `#include` of a compilation, for checking later whether it still has the same result.
struct IncludeRecord {
    std::string name;     ///< as written
    std::string includer; ///< the including file
    bool quoted = true;   ///< "name", which the includer's folder is searched for first, or <name>
    std::string resolved;
    Hash contents;
};

/// Deeper includes are rejected: the file probably includes itself without a guard.
constexpr size_t kMaxIncludeDepth = 64;

/// Returns a file's text without a byte order mark; nothing if it is not a readable regular file.
std::optional<std::string> readTextFile(const std::string& path);

/// Message for an expression that findEndlessExpression() found.
constexpr const char* kEndlessExpression =
    "one expression has more than 8000 operators; split it into several statements";

/// Finds an expression with more than 8000 operators, outside comments. glslang recurses once per
/// operator, so a generated sum of tens of thousands of terms would overflow the stack.
/// @return the line where it exceeds the limit, starting at 1; nothing if there is none
std::optional<uint32_t> findEndlessExpression(std::string_view source);

/// Returns true if a recorded include still finds the same file with the same text.
bool isUnchanged(const IncludeRecord& record, const CompileOptions& options);

/// Finds included files for one compilation: asks the callback of the options, then searches the
/// folder of the including file (for quoted names), the folders of the options, and the files that
/// the library offers (<kompute/index.glsl>). Exceptions of
/// the callback do not pass through glslang but are stored in failure().
class Includer final : public glslang::TShader::Includer {
public:
    explicit Includer(const CompileOptions& options) : mOptions(options) {}

    IncludeResult* includeLocal(const char* name, const char* includer, size_t depth) override;
    IncludeResult* includeSystem(const char* name, const char* includer, size_t depth) override;
    void releaseInclude(IncludeResult* result) override;

    const std::vector<IncludeRecord>& records() const { return mRecords; }

    /// Returns the text of each included file, by its name in messages.
    const std::map<std::string, std::string>& texts() const { return mTexts; }

    /// Returns the exception of the callback, or null.
    std::exception_ptr failure() const { return mFailure; }

private:
    IncludeResult* include(const std::string& name, const std::string& includer, bool quoted,
                           size_t depth);
    std::optional<std::pair<std::string, std::string>> ask(const std::string& name,
                                                           const std::string& includer);

    const CompileOptions& mOptions;
    std::vector<IncludeRecord> mRecords;
    std::map<std::string, std::string> mTexts;
    std::exception_ptr mFailure;
    std::optional<std::string> mRejection; ///< why includeLocal rejected it, for includeSystem
};

} // namespace kp::shader
