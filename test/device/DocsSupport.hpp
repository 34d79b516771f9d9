// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kp::test {

/// Expects that a page has this many blocks of C++, and that each is a part of a source file, apart
/// from whitespace.
/// @param page, source  relative to the root of the project
void expectCodeOfPage(const std::string& page, const std::string& source, int blocks);

} // namespace kp::test
