// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "proof/Random.hpp"
#include "wide/WideFunctions.hpp"

namespace kp::test {

/// Returns all combinations of special values: zeros, denormal numbers, ends of types, powers of
/// two and their neighbours, halfway cases, infinities, NaNs.
WideArguments specialArguments(const WideFunction& function);

/// Returns random bit patterns. Many are near another argument, or cancel a product.
WideArguments randomArguments(const WideFunction& function, size_t count, proof::Random& random);

} // namespace kp::test
