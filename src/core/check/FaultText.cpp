// SPDX-License-Identifier: Apache-2.0
#include "core/check/FaultText.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>

#include "base/Text.hpp"
#include "shader/check/SourceLines.hpp"
#include "shader/compile/Includer.hpp"

namespace kp {
namespace {

using shader::FaultKind;
using shader::FaultValue;

constexpr size_t kMaxListedFaults = 5; ///< places in a message

const char* nameOf(FaultKind kind) {
    switch (kind) {
    case FaultKind::eRead:
        return "read";
    case FaultKind::eWrite:
        return "write";
    case FaultKind::eAtomic:
        return "atomic";
    case FaultKind::eIndex:
        return "index";
    case FaultKind::eDivision:
        return "division";
    case FaultKind::eShift:
        return "shift";
    case FaultKind::eOverflow:
        return "overflow";
    case FaultKind::eNan:
        return "nan";
    case FaultKind::eSteps:
        return "steps";
    case FaultKind::eAssert:
        return "assert";
    case FaultKind::eRace:
        return "race";
    case FaultKind::eUnwritten:
        return "uninitialised";
    }
    return "";
}

std::string valueOf(FaultValue type, uint32_t bits) {
    switch (type) {
    case FaultValue::eInt:
        return formatted("{}", static_cast<int32_t>(bits));
    case FaultValue::eUint:
        return formatted("{}", bits);
    case FaultValue::eFloat:
        return formatted("{}", std::bit_cast<float>(bits));
    default:
        return {};
    }
}

/// Returns a line of a file, without white space around it; "" if it cannot be read.
std::string lineOfFile(const std::string& file, uint32_t line) {
    const std::optional<std::string> source = line == 0 ? std::nullopt : shader::readTextFile(file);
    return source ? shader::lineOf(*source, line) : std::string();
}

std::string placeOf(const CheckFault& fault) {
    if (fault.line == 0)
        return {};
    return formatted("{}:{}: ", fault.file.empty() ? "shader" : fault.file, fault.line);
}

std::string targetOf(const CheckFault& fault) {
    return fault.target.empty() ? fault.memory : fault.target;
}

const char* verbOf(std::string_view kind) {
    return kind == "read"     ? "read"
           : kind == "write"  ? "written"
           : kind == "atomic" ? "changed by an atomic"
                              : "indexed";
}

/// Returns what went wrong, without the place.
std::string mistakeOf(const CheckFault& fault) {
    if (fault.kind == "division")
        return "a number was divided by zero";
    if (fault.kind == "shift")
        return formatted("a number of {} bits was shifted by {}", fault.extent, fault.index);
    if (fault.kind == "overflow")
        return formatted("an index overflows 32 bits: it is {}", fault.index);
    if (fault.kind == "steps")
        return formatted("the loops of an invocation had more than {} iterations", fault.extent);
    if (fault.kind == "assert")
        return formatted("the assertion failed: {}", fault.message);
    if (fault.kind == "nan" || fault.kind == "race" || fault.kind == "uninitialised")
        return fault.message;
    if (!fault.message.empty()) // of an access through an address
        return fault.message;
    if (!fault.shape.empty())
        return formatted("element [{}] of {} was {}, which has the shape ({})", join(fault.indices),
                         targetOf(fault), verbOf(fault.kind), join(fault.shape));
    return formatted("element {} of {} was {}, which has {}", fault.index, targetOf(fault),
                     verbOf(fault.kind), counted(fault.extent, "element"));
}

/// Returns "a quotient of 1 and 0", or "log(-1)" for a function, whose name ends with "()".
std::string operationOf(std::string_view operation, uint32_t count, uint32_t first,
                        uint32_t second) {
    std::string operands = valueOf(FaultValue::eFloat, first);
    if (operation.ends_with("()")) {
        if (count > 1)
            operands += ", " + valueOf(FaultValue::eFloat, second);
        return formatted("{}({}{})", operation.substr(0, operation.size() - 2), operands,
                         count > 2 ? ", ..." : "");
    }
    if (count > 1)
        operands += " and " + valueOf(FaultValue::eFloat, second);
    const bool vowel = std::string_view("aeiou").find(operation[0]) != std::string_view::npos;
    return formatted("{} {} of {}", vowel ? "an" : "a", operation, operands);
}

std::string invocationOf(const CheckFault& fault) {
    return formatted("global invocation ({}), local invocation ({})", join(fault.globalInvocation),
                     join(fault.localInvocation));
}

std::vector<std::string> detailsOf(const std::vector<CheckFault>& faults, uint64_t count) {
    const CheckFault& first = faults.front();
    std::vector<std::string> details;
    if (!first.text.empty())
        details.push_back(first.text);
    if (!first.algorithm.empty())
        details.push_back(formatted("dispatch of '{}'", first.algorithm));
    details.push_back(invocationOf(first) +
                      (first.value.empty() ? std::string() : ", value " + first.value));
    if (!first.target.empty() && !first.memory.empty())
        details.push_back(first.memory);
    size_t listed = 1;
    const auto samePlace = [](const CheckFault& a, const CheckFault& b) {
        return a.kind == b.kind && a.line == b.line && a.target == b.target;
    };
    for (size_t i = 1; i < faults.size() && listed < kMaxListedFaults; ++i) {
        if (samePlace(faults[i], faults[i - 1]) || samePlace(faults[i], first))
            break;
        details.push_back(formatted("also {}{}", placeOf(faults[i]), mistakeOf(faults[i])));
        ++listed;
    }
    if (count > listed)
        details.push_back(formatted("and {} more", counted(count - listed, "fault")));
    return details;
}

std::string messageOf(const std::vector<CheckFault>& faults) {
    return placeOf(faults.front()) + mistakeOf(faults.front());
}

} // namespace

CheckFailed::CheckFailed(std::vector<CheckFault> faults, uint64_t count)
    : Error(ErrorCode::eCheckFailed, messageOf(faults), 0, detailsOf(faults, count)),
      mFaults(std::move(faults)), mCount(count) {}
CheckFailed::~CheckFailed() = default;

void addAxes(CheckFault& fault, std::span<const uint32_t> axes) {
    for (size_t i = 0; i < std::min(axes[0], shader::kMaxAxes); ++i) {
        const std::span<const uint32_t> axis = axes.subspan(1 + 3 * i, 3);
        fault.indices.push_back(static_cast<int64_t>(uint64_t{axis[1]} << 32 | axis[0]));
        fault.shape.push_back(axis[2]);
    }
    if (!fault.shape.empty())
        fault.target.resize(std::min(fault.target.find(shader::kAlongAxis), fault.target.size()));
}

CheckFault faultOf(const shader::CheckSite& site, std::span<const uint32_t> record,
                   std::span<const BoundMemory> bound) {
    CheckFault fault;
    fault.kind = nameOf(site.kind);
    fault.file = site.file;
    fault.line = site.line;
    // A compiler keeps only the text of the main file.
    fault.text = site.text.empty() ? lineOfFile(site.file, site.line) : site.text;
    fault.target = record[1] < site.indexed.size() ? site.indexed[record[1]] : std::string();
    fault.memory = site.storage;
    const BoundMemory* const memory = site.set ? memoryAt(bound, *site.set, site.binding) : nullptr;
    if (site.set)
        fault.memory = memory ? memory->text : formatted("binding {}", site.binding);
    fault.index = static_cast<int64_t>(uint64_t{record[3]} << 32 | record[2]);
    fault.extent = record[4];
    if (site.kind == FaultKind::eWrite || site.kind == FaultKind::eNan ||
        site.kind == FaultKind::eAssert)
        fault.value = valueOf(site.value, record[5]);
    fault.message = site.message;
    if (site.kind == FaultKind::eNan) {
        // The index holds the bits of the first operands, and the check their number.
        fault.message = formatted(
            "{} is {}", operationOf(site.operation, record[1], record[2], record[3]), fault.value);
        fault.index = 0;
    }
    if (site.kind == FaultKind::eRace) {
        // The extent holds the group of the other invocation; the value, its index and its access.
        constexpr std::array kAccesses{"read", "written", "changed by an atomic"};
        const uint32_t kind = record[5] >> 30;
        if (kind == shader::kUnwritten) {
            fault.kind = "uninitialised";
            fault.message = formatted("element {} of {} was {} before the group wrote it",
                                      fault.index, targetOf(fault), site.operation);
        } else {
            const std::string other = kAccesses[kind];
            fault.message = formatted("element {} of {} was {}, and {} by {} {} of group {}, with "
                                      "no barrier between them",
                                      fault.index, targetOf(fault), site.operation,
                                      other == site.operation ? "also" : other, site.message,
                                      static_cast<int64_t>(record[5] & 0xfff) - 1, record[4]);
        }
        fault.extent = 0;
    }
    if (site.kind == FaultKind::eUnwritten) {
        // The extent holds the byte in the bound range.
        if (memory && memory->elementBytes != 0) {
            fault.target.clear(); // is the library's
            fault.index = static_cast<int64_t>((memory->begin + record[4]) / memory->elementBytes);
        }
        fault.message = formatted("element {} of {} was {}, but it was never written", fault.index,
                                  targetOf(fault), site.operation);
        fault.extent = 0;
    }
    if (site.storage == shader::kAddressStorage)
        fault.message = formatted("{} at the address {:#x} {}, outside of the memory in addressed",
                                  counted(fault.extent, "byte"), static_cast<uint64_t>(fault.index),
                                  verbOf(fault.kind));
    for (size_t axis = 0; axis < 3; ++axis) {
        fault.globalInvocation[axis] = record[6 + axis];
        fault.localInvocation[axis] = record[9 + axis];
    }
    return fault;
}

} // namespace kp
