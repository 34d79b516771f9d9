// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <kompute/Memory.hpp>

#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"

namespace kp::primitives {

/// The problem of OpSelect, OpPartition, OpUnique and OpRunLength: choose elements and move them to
/// the start of the output. Numbers are indices of the plan's arguments; all but the input may be
/// absent.
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
    bool operator==(const SelectProblem&) const = default;
};

/// How elements are chosen and moved.
enum class SelectWay {
    eLookBack,        ///< one dispatch, in which work groups wait for each other
    eThreeDispatches, ///< mark and count, scan the counts of tiles, move
    eAlone            ///< one dispatch of one invocation
};

/// The elements that a work group moves.
struct SelectTile {
    uint32_t groupSize = 0;
    uint32_t items = 0;             ///< per invocation, of up to 4 bytes
    uint32_t itemsOfLargeUnits = 0; ///< the same for larger elements
};

/// The choices of a selection. One table, with the reason of each number.
struct SelectRules {
    SelectWay way = SelectWay::eThreeDispatches;
    const char* reason = ""; ///< of the way
    /// Large, so that few tiles look back: on an H200, 2^28 elements take 0.71 of the time of 512
    /// invocations with 16, and runs 0.73. 640 with 32 take 0.96 of the time, but runs 1.06, and
    /// 2^24 elements 1.13. More than 32 bits per invocation would take a second register. Without
    /// look-back, and where its places do not fit into shared memory, fewer; a CPU driver compiles
    /// long loops slowly.
    SelectTile tile{384, 32, 16};
    /// Up to here, smaller tiles occupy more cores: 2^20 elements take 0.85 of the time. They are
    /// not read ahead, and nothing pauses: 2^16 would take 1.06 of the time, and runs 1.13.
    uint64_t few = uint64_t{1} << 20;
    /// One work group scans the counts, so it should be large; on a CPU one invocation does it.
    uint32_t scanGroupSize = 1024;
    uint32_t scanItems = 16;
    /// Reads of a tile's state before the waiting group computes its total: see ScanRules.
    uint32_t spins = 500;
    /// The first chosen elements are read again during the wait, and for its registers elements are
    /// loaded in two halves: on an H200, 2^28 elements of 4 bytes take 0.96 of the time with a
    /// condition and 0.93 with flags. Numbers that differ from the one before take 1.05, and
    /// elements of 1, 2 and 8 bytes 1.17, 1.03 and 1.12.
    bool ahead = false;
    /// See LookBack.glsl. Many small groups read the same states: on an H200, 2^28 elements take
    /// 0.94 of the time and runs 0.97, but 1.05 with `ahead`.
    uint32_t pause = 0;
    /// If not 0, an invocation takes a tile of so many elements alone, a multiple of 32: a driver
    /// of a CPU takes a microsecond for a barrier.
    uint64_t strip = 0;
    uint32_t silentGroups = 0; ///< for tests: tiles whose number has these bits publish nothing

    static SelectRules of(const SelectProblem& problem, const DeviceTraits& traits);
};

Plan planSelect(const SelectProblem& problem, const DeviceTraits& traits, const SelectRules& rules);
Plan planSelect(const SelectProblem& problem, const DeviceTraits& traits);

} // namespace kp::primitives
