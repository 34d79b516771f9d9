// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kp::test {

/// Expects that a page has this many blocks of C++, and that each is a part of a source file, apart
/// from whitespace. The file may include the headers of a block elsewhere.
/// @param page, source  relative to the root of the project
/// @param other         a second source file, for a page that needs two
void expectCodeOfPage(const std::string& page, const std::string& source, int blocks,
                      const std::string& other = "");

} // namespace kp::test
