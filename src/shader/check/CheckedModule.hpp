// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kp::shader {

/// The checks of a checked module.
struct CheckKinds {
    bool bounds = false;        ///< accesses outside of buffers, arrays and vectors
    bool arithmetic = false;    ///< division by zero, wide shifts, signed overflow of indices
    bool nan = false;           ///< NaN and infinity made of finite numbers
    bool races = false;         ///< accesses to one element that nothing orders
    bool uninitialised = false; ///< reads of unwritten memory
    uint32_t steps = 0;         ///< maximum iterations of an invocation's loops; 0 for no maximum
    bool any() const { return bounds || arithmetic || nan || races || uninitialised || steps != 0; }
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
    eAssert,
    eRace,     ///< or a read of unwritten shared memory
    eUnwritten ///< a read of a buffer
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
    /// Of each checked index: the indexed object, such as "particles.items".
    std::vector<std::string> indexed;
    FaultValue value = FaultValue::eNone;
    std::string operation; ///< of arithmetic, such as "division"; of a race, such as "written"
    std::string message;   ///< of an assertion; of a race, the noun: "invocation"
};

/// A buffer whose accesses are compared with earlier ones.
struct ShadowedBuffer {
    uint32_t set = 0;
    uint32_t binding = 0;
    uint32_t elementBytes = 4; ///< of its smallest numbers
    bool isWritten = true;     ///< else it matters if it is the memory of another that is
};

/// A buffer of which is known what has been written.
struct FollowedBuffer {
    uint32_t set = 0;
    uint32_t binding = 0;
};

/// An array of 8- or 16-bit numbers at the end of a buffer, from a byte on.
struct MeasuredBuffer {
    uint32_t set = 0;
    uint32_t binding = 0;
    uint32_t offset = 0;
    uint32_t stride = 0; ///< bytes of an element
    bool operator==(const MeasuredBuffer&) const = default;
};

/// A module that reports faults into a buffer, and skips the access.
struct CheckedModule {
    std::vector<uint32_t> spirv;
    uint32_t reportSet = 0; ///< descriptor set of the buffer, which is its binding 0
    std::vector<CheckSite> sites;
    // The following are for races. If there are any, binding 1 of the report set is a buffer of
    // kShadowWords words for each element, which are 0 when a dispatch begins.
    std::vector<ShadowedBuffer> shadowed;
    bool shadowsShared = false; ///< the first kSharedShadows elements are for shared memory
    bool hasShadow() const { return shadowsShared || !shadowed.empty(); }
    /// Bindings kFirstWrittenBinding, ... of the report set have a byte for each byte of these
    /// buffers: 1 once it is written, else 0. The module notes its writes. Bytes beyond their
    /// end are not followed.
    std::vector<FollowedBuffer> followed;
    /// Arrays whose lengths the report buffer has.
    std::vector<MeasuredBuffer> measured;
    bool changes() const { return !sites.empty() || !followed.empty(); }
};

/// The buffer begins with a number of faults, and has kFaultWords words for each of the first
/// kMaxFaults: site (from 1; 0 is not written yet), checked index, the index in two words, extent,
/// value, global and local invocation.
constexpr uint32_t kFaultWords = 12;
constexpr uint32_t kMaxFaults = 64;
constexpr uint32_t kReportWords = 1 + kFaultWords * kMaxFaults;

/// Behind the faults, the buffer has two words for each of CheckedModule::shadowed: its first
/// element in the shadow buffer, and the number of its elements there. Others are not compared.
constexpr uint32_t kMaxShadowed = 32;
/// The last write (invocation and group), reads (the same) and the value written.
constexpr uint32_t kShadowWords = 5;
/// Shared memory is compared in the first and the last groups of a dispatch.
constexpr uint32_t kSharedGroups = 32;          ///< of each
constexpr uint32_t kSharedElements = 12 * 1024; ///< of a group
constexpr uint32_t kSharedShadows = 2 * kSharedGroups * kSharedElements;
/// A report of a race has the other access in the two highest bits of its value: read, written,
/// atomic, or that a read number was never written.
constexpr uint32_t kUnwritten = 3;

constexpr uint32_t kFirstWrittenBinding = 2;

/// Behind that, the buffer has what buffer addresses may point to: a word that is not 0 if
/// everything, and three words for each range: the address in two words, and its bytes.
constexpr uint32_t kAddressWord = kReportWords + 2 * kMaxShadowed;
constexpr uint32_t kMaxAddressed = 16;

/// Behind that, the buffer has for each fault the axes of its index: their number, 0 if it has no
/// axes or more than these, and for each the index in two words and its extent.
constexpr uint32_t kAxesWord = kAddressWord + 1 + 3 * kMaxAddressed;
constexpr uint32_t kMaxAxes = 8;
constexpr uint32_t kAxesWords = 1 + 3 * kMaxAxes;

/// Behind that, the buffer has the number of elements of each of CheckedModule::measured.
constexpr uint32_t kLengthWord = kAxesWord + kAxesWords * kMaxFaults;
constexpr uint32_t kMaxMeasured = 32;
constexpr uint32_t kReportBufferWords = kLengthWord + kMaxMeasured;
/// In CheckSite::indexed, it comes before the number of an axis.
constexpr const char* kAlongAxis = " along axis ";
/// CheckSite::storage of accesses through addresses.
constexpr const char* kAddressStorage = "a buffer address";

/// Returns a module that computes the same and checks it. Reads beyond their array give 0, other
/// such accesses are skipped, and the first faults are kept. Bindings, push constants,
/// specialization constants and the entry point stay. If nothing can fail and no buffer is
/// followed, the module is the same. Thread-safe.
/// @param spirv  a valid module with a compute entry point
CheckedModule checkModule(std::span<const uint32_t> spirv, const CheckKinds& kinds);

} // namespace kp::shader
