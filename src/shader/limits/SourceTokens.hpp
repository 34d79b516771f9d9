// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kp::shader {

/// A token of GLSL or HLSL. Comments and joined lines are gone.
struct SourceToken {
    std::string_view text; ///< "" at the end of a line
    uint32_t line = 0;     ///< starts at 1
};

/// Splits a text, which must outlive the tokens. Empty lines have no token.
/// @param most  ends after about as many
std::vector<SourceToken> tokensOf(std::string_view text, size_t most = SIZE_MAX);

using SourceTokens = std::span<const SourceToken>;

/// Whether a token is an identifier or a keyword.
bool isName(const SourceToken& token);

/// Returns the place after the bracket that closes the one at @p open; the end if none does.
size_t afterBracket(SourceTokens tokens, size_t open);

/// Splits the text between two brackets at its commas.
std::vector<SourceTokens> splitArguments(SourceTokens inside);

/// Throws the ShaderError of a source that is refused.
[[noreturn]] void refuseSource(const std::string& file, uint32_t line, const std::string& message);

} // namespace kp::shader
