// SPDX-License-Identifier: Apache-2.0
#include <kompute/primitives/select/OpRunLength.hpp>

#include "primitives/select/SelectOperation.hpp"

namespace kp {
namespace {

std::unique_ptr<primitives::BoundPlan>
runLengthPlan(const TensorRange& in, const TensorRange& values, const TensorRange& lengths,
              const TensorRange& runs, const SelectOptions& options) {
    primitives::SelectArguments given;
    given.operation = "OpRunLength";
    given.in = in;
    given.out = values;
    given.number = runs;
    given.lengths = lengths;
    given.lengthsName = "the lengths";
    given.needsLengths = true;
    given.options = options;
    return primitives::selectOperation(given);
}

} // namespace

OpRunLength::OpRunLength(const TensorRange& in, const TensorRange& values,
                         const TensorRange& lengths, const TensorRange& runs,
                         const SelectOptions& options)
    : Primitive(runLengthPlan(in, values, lengths, runs, options)) {}

OpRunLength::~OpRunLength() = default;

} // namespace kp
