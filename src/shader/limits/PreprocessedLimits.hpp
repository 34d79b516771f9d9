// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kp::shader {

// Limits on a source for the compiler after the preprocessor; SourceLimits.hpp has the limits for
// the preprocessor. Each limit is far above what programs write or generate (the largest shader of
// the library has 12,000 tokens), and low enough that a source at all limits compiles within
// seconds, on the stack of CompilerThread.

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

/// Checks a source after the preprocessor.
/// @param linesBefore  number of lines before the source itself
/// @throws ShaderError if a limit is exceeded
void requireWithinLimits(std::string_view preprocessed, const std::string& fileName,
                         int64_t linesBefore);

} // namespace kp::shader
