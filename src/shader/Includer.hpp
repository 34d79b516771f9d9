// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <glslang/Public/ShaderLang.h>
#include <kompute/Shader.hpp>

#include "shader/Hash.hpp"

namespace kp::shader {

/// One `#include` a compile met, enough to find out later whether it would still give the same.
struct IncludeRecord {
    std::string name;     ///< as written
    std::string includer; ///< the file it stands in
    bool quoted = true;   ///< "name" (the includer's folder comes first) or <name>
    std::string resolved;
    Hash contents;
};

/// Files deeper than this are refused: an include that leads back to itself without a guard.
constexpr size_t kMaxIncludeDepth = 64;

/// Reads a whole file without a byte-order mark; nothing where it is no readable regular file.
std::optional<std::string> readTextFile(const std::string& path);

/// Whether a recorded include finds the same file with the same text today.
bool isUnchanged(const IncludeRecord& record, const CompileOptions& options);

/// Finds included files for glslang: first the callback of the options, then (for quotes) the
/// folder of the including file, then the folders of the options. One object serves one compile.
/// Nothing is thrown through glslang: what the callback throws is kept in failure().
class Includer final : public glslang::TShader::Includer {
public:
    explicit Includer(const CompileOptions& options) : mOptions(options) {}

    IncludeResult* includeLocal(const char* name, const char* includer, size_t depth) override;
    IncludeResult* includeSystem(const char* name, const char* includer, size_t depth) override;
    void releaseInclude(IncludeResult* result) override;

    const std::vector<IncludeRecord>& records() const { return mRecords; }

    /// Text of every file included, by the name messages use.
    const std::map<std::string, std::string>& texts() const { return mTexts; }

    /// What the callback threw, or null.
    std::exception_ptr failure() const { return mFailure; }

private:
    IncludeResult* include(const std::string& name, const std::string& includer, bool quoted,
                           size_t depth);
    std::optional<std::pair<std::string, std::string>> ask(const std::string& name,
                                                           const std::string& includer);
    static IncludeResult* refuse(const std::string& reason);

    const CompileOptions& mOptions;
    std::vector<IncludeRecord> mRecords;
    std::map<std::string, std::string> mTexts;
    std::exception_ptr mFailure;
    std::optional<std::string> mRefusal; ///< why includeLocal refused, for includeSystem to say
};

} // namespace kp::shader
