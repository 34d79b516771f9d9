// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kp::shader {

/// What a checked module looks for.
struct CheckKinds {
    bool bounds = false;     ///< accesses outside of buffers, arrays and vectors
    bool arithmetic = false; ///< division by zero, wide shifts, signed overflow of indices
    bool nan = false;        ///< NaN and infinity made of finite numbers
    uint32_t steps = 0;      ///< maximum iterations of an invocation's loops; 0 for no maximum
    bool any() const { return bounds || arithmetic || nan || steps != 0; }
    bool operator==(const CheckKinds&) const = default;
};

enum class FaultKind {
    eRead,
    eWrite,
    eAtomic,
    eIndex,
    eDivision,
    eShift,
    eOverflow,
    eNan,
    eSteps,
    eAssert
};

/// Type of the value that a report holds.
enum class FaultValue { eNone, eInt, eUint, eFloat };

/// A place in a shader that can report a fault.
struct CheckSite {
    FaultKind kind = FaultKind::eRead;
    std::string file; ///< "" if the module has no line information
    uint32_t line = 0;
    std::string text;            ///< of the line, without white space around it
    std::optional<uint32_t> set; ///< of a binding
    uint32_t binding = 0;
    std::string storage; ///< such as "shared memory"; "" for bindings
    /// Of each checked index: what is indexed, such as "particles.items".
    std::vector<std::string> indexed;
    FaultValue value = FaultValue::eNone;
    std::string operation; ///< of arithmetic, such as "division"
    std::string message;   ///< of an assertion
};

/// A module that reports faults into a buffer, and skips the access.
struct CheckedModule {
    std::vector<uint32_t> spirv;
    uint32_t reportSet = 0; ///< descriptor set of the buffer, which is its binding 0
    std::vector<CheckSite> sites;
};

/// The buffer begins with a number of faults, and has kFaultWords words for each of the first
/// kMaxFaults: site (from 1; 0 is not written yet), checked index, the index in two words, extent,
/// value, global and local invocation.
constexpr uint32_t kFaultWords = 12;
constexpr uint32_t kMaxFaults = 64;
constexpr uint32_t kReportWords = 1 + kFaultWords * kMaxFaults;

/// Returns a module that computes the same and checks it. Reads that fail give 0, other accesses
/// are skipped, and the first faults are kept. Bindings, push constants, specialization constants
/// and the entry point stay. If nothing can fail, the sites are empty and the module is the same.
/// Thread-safe.
/// @param spirv  a valid module with a compute entry point
CheckedModule checkModule(std::span<const uint32_t> spirv, const CheckKinds& kinds);

} // namespace kp::shader
