// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <kompute/launch/Arguments.hpp>

namespace kp {

/// Returns true if a push constant or specialization constant takes a value: numbers of its type,
/// as many as it has, or bytes as large as it is.
bool takesValue(const KernelArgument& constant, const ArgumentValue& value);

/// Writes a push constant's value to its place in the block.
void writeConstant(const KernelArgument& constant, const ArgumentValue& value,
                   std::span<unsigned char> block);

} // namespace kp
