// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kompute/Shader.hpp>

namespace kp::shader {

// What a source may ask of the compiler. Each limit is far above what programs write or generate
// (the largest shader of the library has 12,000 tokens, and no macro of a kilobyte), and low enough
// that a source at all limits compiles within seconds, on the stack of CompilerThread.

/// Of the source, and of each included file.
constexpr uint64_t kMaxSourceBytes = uint64_t{16} << 20;
/// Deeper includes are rejected: the file probably includes itself without a guard.
constexpr size_t kMaxIncludeDepth = 64;
/// Without this limit, a file that includes itself twice would be read 2^64 times.
constexpr size_t kMaxIncludes = 1000;
/// Of all files, each as often as it is included.
constexpr uint64_t kMaxAllBytes = uint64_t{64} << 20;
/// After the preprocessor. glslang takes some 2 us per token.
constexpr size_t kMaxTokens = 1'000'000;
/// Operators, brackets and statements inside each other: glslang recurses once per level, and takes
/// up to 2 KiB of stack for it.
constexpr size_t kMaxNesting = 8000;
/// Constants that are made of specialization constants are computed again where they are used.
constexpr size_t kMaxConstantTerms = 1'000'000;
constexpr size_t kMaxConstantChain = 1000;
/// Members of members of a struct, which glslang copies one by one.
constexpr size_t kMaxStructMembers = 65'536;
// glslang compares each of these with all before it.
/// Different numbers in the text; big tables belong into buffers.
constexpr size_t kMaxNumbers = 32'768;
constexpr size_t kMaxCaseLabels = 10'000;
/// Pairs of functions of which one calls the other, each overload counted.
constexpr size_t kMaxCallPairs = 10'000;

/// Adds up what the files of one compilation ask of the preprocessor, before it reads them.
///
/// The growth of macros is an upper bound, computed from their definitions: a macro grows by a
/// constant and by a multiple of each argument. Names that `##` makes and macros that are passed as
/// arguments are not followed; CompileOptions::isolate is there for sources that use them for
/// attacks.
class SourceLimits {
public:
    SourceLimits();
    ~SourceLimits();

    /// Adds a macro of the options.
    void addMacro(const std::string& name, const std::string& value);
    /// Adds the source or an included file.
    /// @throws ShaderError if a limit is exceeded; names it
    void addFile(const std::string& name, const std::string& text);

private:
    struct Macros;

    size_t mFiles = 0;
    uint64_t mBytes = 0;
    std::set<std::string> mSeen;
    std::unique_ptr<Macros> mMacros;
};

/// Checks a source after the preprocessor.
/// @param linesBefore  number of lines before the source itself
/// @throws ShaderError if a limit is exceeded
void requireWithinLimits(std::string_view preprocessed, const std::string& fileName,
                         int64_t linesBefore);

} // namespace kp::shader
