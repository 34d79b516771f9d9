// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kompute/primitives/select/Predicate.hpp>
#include <kompute/primitives/select/SelectOptions.hpp>

#include "primitives/plan/BoundPlan.hpp"

namespace kp::primitives {

/// The arguments of OpSelect, OpPartition, OpUnique and OpRunLength, which are alike.
struct SelectArguments {
    const char* operation = nullptr; ///< "OpSelect"
    TensorRange in;
    const TensorRange* flags = nullptr; ///< null: a predicate, or runs
    const Predicate* predicate = nullptr;
    bool partition = false;
    TensorRange out;
    TensorRange number;
    TensorRange lengths;
    const char* lengthsName = "the counts";
    bool needsLengths = false;
    TensorRange inverse;
    SelectOptions options;
};

/// Checks the arguments and makes the plan.
std::unique_ptr<BoundPlan> selectOperation(const SelectArguments& given);

} // namespace kp::primitives
