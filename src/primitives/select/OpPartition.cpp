// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/select/OpPartition.hpp>

#include "primitives/select/SelectOperation.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan>
partitionPlan(const TensorRange& in, const TensorRange* flags, const Predicate* predicate,
              const TensorRange& out, const TensorRange& count, const SelectOptions& options) {
    primitives::SelectArguments given;
    given.operation = "OpPartition";
    given.in = in;
    given.flags = flags;
    given.predicate = predicate;
    given.partition = true;
    given.out = out;
    given.number = count;
    given.options = options;
    return primitives::selectOperation(given);
}

} // namespace

OpPartition::OpPartition(const TensorRange& in, const TensorRange& flags, const TensorRange& out,
                         const TensorRange& count, const SelectOptions& options)
    : Primitive(partitionPlan(in, &flags, nullptr, out, count, options)) {}

OpPartition::OpPartition(const TensorRange& in, const Predicate& predicate, const TensorRange& out,
                         const TensorRange& count, const SelectOptions& options)
    : Primitive(partitionPlan(in, nullptr, &predicate, out, count, options)) {}

OpPartition::~OpPartition() = default;

} // namespace kp
