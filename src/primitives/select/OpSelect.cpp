// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/select/OpSelect.hpp>

#include "primitives/select/SelectOperation.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan> selectPlan(const TensorRange& in, const TensorRange* flags,
                                                  const Predicate* predicate,
                                                  const TensorRange& out, const TensorRange& count,
                                                  const SelectOptions& options) {
    primitives::SelectArguments given;
    given.operation = "OpSelect";
    given.in = in;
    given.flags = flags;
    given.predicate = predicate;
    given.partition = false;
    given.out = out;
    given.number = count;
    given.options = options;
    return primitives::selectOperation(given);
}

} // namespace

OpSelect::OpSelect(const TensorRange& in, const TensorRange& flags, const TensorRange& out,
                   const TensorRange& count, const SelectOptions& options)
    : Primitive(selectPlan(in, &flags, nullptr, out, count, options)) {}

OpSelect::OpSelect(const TensorRange& in, const Predicate& predicate, const TensorRange& out,
                   const TensorRange& count, const SelectOptions& options)
    : Primitive(selectPlan(in, nullptr, &predicate, out, count, options)) {}

OpSelect::~OpSelect() = default;

} // namespace kp
