// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace kp::shader {

// Limits on a source for the compiler. Each limit is far above what programs write or generate
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
/// Of all different files before the preprocessor, including text that its conditions exclude.
constexpr size_t kMaxRawTokens = 4'000'000;
/// The expansion of all files, each as often as it is included. Guards against repeated inclusion
/// are not evaluated, so this is more than the maximum after the preprocessor.
constexpr size_t kMaxExpandedTokens = 16'000'000;

/// Adds up the demands of the files of one compilation on the preprocessor, before it reads them.
/// This takes less than a second for any files.
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
    std::unique_ptr<Macros> mMacros;
};

} // namespace kp::shader
