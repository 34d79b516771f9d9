// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <kompute/Memory.hpp>

#include "primitives/DeviceTraits.hpp"
#include "primitives/Plan.hpp"

namespace kp::primitives {

/// What OpSelect, OpPartition, OpUnique and OpRunLength do: they choose elements and move them to
/// the start of the output. The numbers are those of the plan's arguments, of which all but the
/// input may be absent.
struct SelectProblem {
    enum class Choice { eFlags, ePredicate, eHeads };

    Choice choice = Choice::eFlags;
    Memory::DataTypes type = Memory::DataTypes::eFloat; ///< of the elements
    Memory::DataTypes flagType = Memory::DataTypes::eBool;
    std::string predicate;
    bool partition = false; ///< the elements that are not chosen follow
    uint64_t count = 0;
    uint64_t elementBytes = 4;
    uint32_t inUnit = 16; ///< startUnit() of the input and the output
    uint32_t outUnit = 16;

    uint32_t arguments = 1;
    uint32_t in = 0;
    std::optional<uint32_t> flags;
    std::optional<uint32_t> out;
    uint64_t outCount = 0;          ///< elements of the output; those that do not fit are dropped
    std::optional<uint32_t> number; ///< of chosen elements
    bool wideNumber = false;
    std::optional<uint32_t> dispatch; ///< three words: work groups for the chosen elements
    uint32_t groupSize = 256;         ///< elements per work group of that dispatch
    std::optional<uint32_t> lengths;
    bool wideLengths = false;
    uint64_t lengthCount = 0;
    std::optional<uint32_t> inverse;
    bool wideInverse = false;
};

Plan planSelect(const SelectProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
