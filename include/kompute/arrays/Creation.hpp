// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Array.hpp>
#include <kompute/arrays/Promotion.hpp>

namespace kp {

// New arrays, in C order. A null manager is defaultManager(). The type of numbers, unless it is
// given, is defaultFloat(manager) for floating-point numbers and eInt64 for integers.

/// Returns an array with undefined contents.
KOMPUTE_API Array empty(const Shape& shape, DType dtype, Manager* manager = nullptr);
KOMPUTE_API Array empty(const Shape& shape, Manager* manager = nullptr);
KOMPUTE_API Array zeros(const Shape& shape, DType dtype, Manager* manager = nullptr);
KOMPUTE_API Array zeros(const Shape& shape, Manager* manager = nullptr);
KOMPUTE_API Array ones(const Shape& shape, DType dtype, Manager* manager = nullptr);
KOMPUTE_API Array ones(const Shape& shape, Manager* manager = nullptr);
/// Returns an array of one number. @throws InvalidArgument if the type cannot hold it
KOMPUTE_API Array full(const Shape& shape, const Operand& value, DType dtype,
                       Manager* manager = nullptr);
KOMPUTE_API Array full(const Shape& shape, const Operand& value, Manager* manager = nullptr);

/// Returns start, start + step, ... up to before stop.
/// @throws InvalidArgument for a step of 0
KOMPUTE_API Array arange(int64_t stop, Manager* manager = nullptr);
KOMPUTE_API Array arange(int64_t start, int64_t stop, int64_t step = 1, DType dtype = DType::eInt64,
                         Manager* manager = nullptr);
/// Returns numbers at equal distances, from start to stop, which is the last one.
/// @param count  at least 0
KOMPUTE_API Array linspace(double start, double stop, int64_t count, DType dtype,
                           Manager* manager = nullptr);
KOMPUTE_API Array linspace(double start, double stop, int64_t count, Manager* manager = nullptr);
/// Returns a matrix with ones on a diagonal. @param k  above the main one
KOMPUTE_API Array eye(int64_t rows, int64_t columns, int64_t k, DType dtype,
                      Manager* manager = nullptr);
KOMPUTE_API Array eye(int64_t rows, int64_t columns, int64_t k = 0, Manager* manager = nullptr);
/// Returns, for each element of a shape, its index along an axis.
KOMPUTE_API Array indices(const Shape& shape, int64_t axis, DType dtype = DType::eInt64,
                          Manager* manager = nullptr);

} // namespace kp
