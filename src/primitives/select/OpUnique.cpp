// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/select/OpUnique.hpp>

#include "primitives/select/SelectOperation.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> uniquePlan(const TensorRange& in, const TensorRange& out,
                                                  const TensorRange& count,
                                                  const UniqueOptions& options) {
    primitives::SelectArguments given;
    given.operation = "OpUnique";
    given.in = in;
    given.out = out;
    given.number = count;
    given.lengths = options.counts;
    given.inverse = options.inverse;
    given.options = options;
    return primitives::selectOperation(given);
}

} // namespace

OpUnique::OpUnique(const TensorRange& in, const TensorRange& out, const TensorRange& count,
                   const UniqueOptions& options)
    : Primitive(uniquePlan(in, out, count, options)) {}

OpUnique::~OpUnique() = default;

} // namespace kp
