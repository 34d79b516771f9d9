// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <kompute/Tensor.hpp>

namespace kp {

/// Neighbouring elements of a tensor: all of them, or `count` from number `first` on. Primitives
/// take ranges, and a tensor converts to the range of all its elements:
///
///     sequence->record<kp::OpReduce>(values, kp::TensorRange(sums, 3, 1), operation);
struct TensorRange {
    static constexpr uint64_t kToTheEnd = UINT64_MAX;

    TensorRange() = default; ///< no tensor, for optional arguments
    template <typename T>
    TensorRange(std::shared_ptr<T> whole) : tensor(std::move(whole)) {}
    /// @param elements  may be 0. Primitives check the range when they are made and recorded.
    TensorRange(std::shared_ptr<Tensor> from, uint64_t firstElement, uint64_t elements = kToTheEnd)
        : tensor(std::move(from)), first(firstElement), count(elements) {}

    explicit operator bool() const { return tensor != nullptr; }

    std::shared_ptr<Tensor> tensor;
    uint64_t first = 0;
    uint64_t count = kToTheEnd;
};

} // namespace kp
