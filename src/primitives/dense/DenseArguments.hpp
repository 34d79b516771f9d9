// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>

#include "primitives/plan/BoundPlan.hpp"

namespace kp::primitives {

/// @throws InvalidArgument unless the argument is of eFloat or eDouble, like `like` if it is given
void requireDenseType(const Argument& argument, const char* operation,
                      const Argument* like = nullptr);

/// @throws InvalidArgument unless the argument has `batches` matrices
void requireMatrices(const Argument& argument, uint64_t rows, uint64_t columns, uint64_t batches,
                     const char* operation);

/// @throws InvalidArgument unless the argument is `count` integers of 32 bits per matrix
void requireIntegers(const Argument& argument, uint64_t count, uint64_t batches,
                     const char* operation);

/// @throws InvalidArgument if an extent is not below 2^31
void requireExtents(std::initializer_list<uint64_t> extents, const char* operation);

/// Returns the alignment of an argument's first element: see DenseBlock.
uint32_t alignmentOf(const Argument& argument);

/// Returns true if two arguments are the same memory. @throws InvalidArgument if only parts are
bool isInPlace(const Argument& in, const Argument& out, const char* operation);

} // namespace kp::primitives
