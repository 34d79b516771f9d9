// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kp {

/// @param what  what needs a compiler, as the beginning of a sentence
/// @throws Unsupported that names kompute::kompute
[[noreturn]] void failWithoutCompilers(const std::string& what);

} // namespace kp
