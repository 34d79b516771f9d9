// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/move/OpGather.hpp>

#include "primitives/move/IndexedOperation.hpp"

namespace kp {

OpGather::OpGather(const TensorRange& in, const TensorRange& indices, const TensorRange& out,
                   const std::vector<uint64_t>& shape, int axis)
    : Primitive(primitives::indexedOperation(in, indices, out, shape, axis, false)) {}

OpGather::~OpGather() = default;

} // namespace kp
