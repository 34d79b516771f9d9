// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <glslang/Public/ShaderLang.h>
#include <kompute/Shader.hpp>

#include "shader/limits/SourceLimits.hpp"

namespace kp::shader {

/// How a file is looked up.
enum class Lookup : uint8_t {
    eFolders, ///< `<name>`: in the include folders
    eQuoted,  ///< `"name"`: in the includer's folder and then in the include folders
    ePath     ///< only at this path, which a compiler has composed itself
};

/// One look-up of a compilation, for checking later whether it still has the same result.
struct IncludeRecord {
    std::string name;     ///< as written
    std::string includer; ///< the including file; "" for paths
    Lookup lookup = Lookup::eQuoted;
    std::string resolved; ///< "" if there was no file, which only paths are recorded for
    std::string contents; ///< the text
};

/// Returns a file's text without a byte order mark; nothing if it is not a readable regular file.
std::optional<std::string> readTextFile(const std::string& path);

/// Returns true if a recorded include still finds the same file with the same text.
bool isUnchanged(const IncludeRecord& record, const CompileOptions& options);

/// Finds included files for one compilation: asks the callback of the options, then searches the
/// folder of the including file (for quoted names), the folders of the options, and the files that
/// the library offers (<kompute/index.glsl>). A file that was found is found again with the same
/// text, without asking the callback. Exceptions of the callback do not pass through glslang but
/// are stored in failure(), as is the error of a file that exceeds the limits of sources.
class Includer final : public glslang::TShader::Includer {
public:
    explicit Includer(const CompileOptions& options) : mOptions(options) {}

    /// Returns the text of a file for a compiler that searches the folders itself, and asks here
    /// for each place; nothing if there is no file or it may not be read. The callback of the
    /// options is asked with the path as the name, and the source as the includer.
    std::optional<std::string> read(const std::string& path);

    IncludeResult* includeLocal(const char* name, const char* includer, size_t depth) override;
    IncludeResult* includeSystem(const char* name, const char* includer, size_t depth) override;
    void releaseInclude(IncludeResult* result) override;

    const std::vector<IncludeRecord>& records() const { return mRecords; }
    /// For a compilation in another process.
    void setRecords(std::vector<IncludeRecord> records) { mRecords = std::move(records); }

    /// Returns the text of each included file, by its name in messages.
    const std::map<std::string, std::string>& texts() const { return mTexts; }

    /// Adds up the demands of all files of the compilation. The caller adds the source itself.
    SourceLimits& limits() { return mLimits; }

    /// Returns why read() refused a path that it was asked for last; "" if it refused none.
    const std::string& refusal() const { return mRefusal; }

    /// Returns the exception of the callback, or null.
    std::exception_ptr failure() const { return mFailure; }

private:
    IncludeResult* include(const std::string& name, const std::string& includer, bool quoted,
                           size_t depth);
    std::optional<std::pair<std::string, std::string>> ask(const std::string& name,
                                                           const std::string& includer);

    const CompileOptions& mOptions;
    SourceLimits mLimits;
    std::vector<IncludeRecord> mRecords;
    std::map<std::string, std::pair<std::string, std::string>> mFound; ///< by place and name
    std::map<std::string, std::string> mTexts;
    std::exception_ptr mFailure;
    std::string mRefusal;
    std::optional<std::string> mRejection; ///< why includeLocal rejected it, for includeSystem
};

} // namespace kp::shader
