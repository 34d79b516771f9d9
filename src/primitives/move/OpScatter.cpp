// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/move/OpScatter.hpp>

#include "primitives/move/IndexedOperation.hpp"

namespace kp {

OpScatter::OpScatter(const TensorRange& in, const TensorRange& indices, const TensorRange& out,
                     const std::vector<uint64_t>& shape, int axis)
    : Primitive(primitives::indexedOperation(in, indices, out, shape, axis, true)) {}

OpScatter::~OpScatter() = default;

} // namespace kp
