// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/operations/OpAlgoDispatch.hpp>

namespace kp {

/// Multiplies two float tensors element by element and writes the products to a third.
class KOMPUTE_API OpMult : public OpAlgoDispatch {
public:
    /// @param memObjects  left, right and result: float tensors of the same size
    /// @param algorithm   is rebuilt to multiply; Manager::algorithm() returns a suitable empty one
    /// @throws InvalidArgument unless there are exactly three such tensors, or if @p algorithm is
    ///         null
    OpMult(const MemoryObjects& memObjects, std::shared_ptr<Algorithm> algorithm);
    ~OpMult() override;

    Accesses accesses() override;
};

} // namespace kp
