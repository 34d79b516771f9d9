// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "shader/check/CheckedModule.hpp"

namespace kp::shader {

/// Reads what AlgorithmOptions::check takes. An empty text is none.
/// @throws InvalidArgument for an unknown word
CheckKinds parseChecks(std::string_view text);

/// Returns a text that parseChecks() takes; "" for none.
std::string textOf(const CheckKinds& kinds);

/// Returns the checks of this thread's CheckScope, else of KOMPUTE_CHECK.
/// @throws InvalidArgument if that has an unknown word
CheckKinds currentChecks();

/// Returns a number that other checks do not have; 0 for none.
constexpr uint64_t wordOf(const CheckKinds& kinds) {
    return static_cast<uint64_t>(kinds.steps) << 8 | (kinds.bounds ? 1u : 0u) |
           (kinds.arithmetic ? 2u : 0u) | (kinds.nan ? 4u : 0u) | (kinds.races ? 8u : 0u) |
           (kinds.uninitialised ? 16u : 0u);
}

} // namespace kp::shader
