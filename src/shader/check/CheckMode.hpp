// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "shader/check/CheckedModule.hpp"

namespace kp::shader {

/// Reads what AlgorithmOptions::check takes. An empty text is none.
/// @throws InvalidArgument for an unknown word
CheckKinds parseChecks(std::string_view text);

/// Returns the checks of this thread's CheckScope, else of KOMPUTE_CHECK.
/// @throws InvalidArgument if that has an unknown word
CheckKinds currentChecks();

} // namespace kp::shader
