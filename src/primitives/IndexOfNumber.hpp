// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/primitives/Operator.hpp>
#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>

namespace kp::primitives {

/// Finds the index of the first smallest or largest element that is not NaN: OpReduce by
/// eArgMinimum or eArgMaximum that leaves NaNs out. The index of nothing but NaNs is -1.
class IndexOfNumber final : public Primitive {
public:
    /// @param in         outer x length x inner elements in C order
    /// @param out        outer x inner indices (eLong)
    /// @param operation  eArgMinimum or eArgMaximum
    IndexOfNumber(const TensorRange& in, const TensorRange& out, ReduceOperation operation,
                  uint64_t outer, uint64_t length, uint64_t inner);
};

} // namespace kp::primitives
