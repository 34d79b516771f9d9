// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Promotion.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kompute/Array.hpp>
#include <kompute/Error.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/NumberType.hpp>
#include <kompute/logger/Logger.hpp>

#include "arrays/ArrayState.hpp"
#include "base/Environment.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using enum DType;

constexpr DType kNotChosen{0xff};
std::atomic<DType> gChosenFloat{kNotChosen};
std::atomic<bool> gSinglesNoted{false};

/// Returns what KOMPUTE_DEFAULT_FLOAT names.
DType floatOfEnvironment() {
    static const DType found = [] {
        const std::string given = environment("KOMPUTE_DEFAULT_FLOAT");
        if (given.empty())
            return kNotChosen;
        if (given != "float32" && given != "float64")
            fail<InvalidArgument>("KOMPUTE_DEFAULT_FLOAT is float32 or float64, not '{}'", given);
        return given == "float32" ? eFloat32 : eFloat64;
    }();
    return found;
}

/// Returns the choice of the program or of the environment.
DType chosenFloat() {
    const DType chosen = gChosenFloat.load(std::memory_order_relaxed);
    return chosen != kNotChosen ? chosen : floatOfEnvironment();
}

/// Returns the default float beside operands, and the device that decided it; null if a choice did.
std::pair<DType, const arrays::Home*> defaultBeside(const Operand* operands, size_t count) {
    if (const DType chosen = chosenFloat(); chosen != kNotChosen)
        return {chosen, nullptr};
    for (size_t i = 0; i < count; ++i)
        if (operands[i].isArray())
            if (const auto& home = arrays::stateOf(operands[i].array()).home; !home->hasDoubles())
                return {eFloat32, home.get()};
    return {eFloat64, nullptr};
}

void noteSingles(const arrays::Home* home) {
    if (home && !arrays::exchangeSinglesNoted(true))
        KP_LOG_WARN("{} has no native doubles, so float32 is the default float type there; "
                    "setDefaultFloat() and KOMPUTE_DEFAULT_FLOAT choose for all devices",
                    home->deviceName());
}

char familyOf(DType dtype) {
    return numberType(dtype).family;
}

bool isInteger(DType dtype) {
    return dtype >= eInt8 && dtype <= eUint64;
}

/// Returns the real floating-point type that holds the numbers of a type best, as NumPy chooses.
DType floatFor(DType dtype) {
    switch (dtype) {
    case eBool:
    case eInt8:
    case eUint8:
    case eFloat16:
        return eFloat16;
    case eInt16:
    case eUint16:
    case eFloat32:
    case eComplex64:
        return eFloat32;
    default:
        return eFloat64;
    }
}

DType complexFor(DType real) {
    return real == eFloat64 ? eComplex128 : eComplex64;
}

DType promoteIntegers(DType a, DType b) {
    const bool firstSigned = familyOf(a) == 'i';
    if (firstSigned == (familyOf(b) == 'i'))
        return itemSize(a) >= itemSize(b) ? a : b;
    const DType withSign = firstSigned ? a : b;
    const DType without = firstSigned ? b : a;
    if (itemSize(withSign) > itemSize(without))
        return withSign;
    switch (itemSize(without)) {
    case 1:
        return eInt16;
    case 2:
        return eInt32;
    case 4:
        return eInt64;
    default:
        return eFloat64;
    }
}

/// The types in which a function computes, in NumPy's order, and its result types.
struct Rule {
    enum class Result { eSame, eBool, eReal } result = Result::eSame;
    std::string_view types;
    size_t operands;
};

// Codes of types, as NumPy's: ? bool, b B int8, h H int16, i I int32, q Q int64, e f d float16 to
// float64, F D complex.
constexpr std::string_view kCodes = "?bBhHiIqQefdFD"; // by DType
constexpr std::string_view kNumbers = "bBhHiIqQefdFD";
constexpr std::string_view kReals = "bBhHiIqQefd";
constexpr std::string_view kAllReals = "?bBhHiIqQefd";
constexpr std::string_view kIntegers = "bBhHiIqQ";
constexpr std::string_view kBits = "?bBhHiIqQ";
constexpr std::string_view kFloats = "efd";
constexpr std::string_view kInexact = "efdFD";

const std::unordered_map<std::string_view, Rule>& rules() {
    static const auto* const table = [] {
        using Result = Rule::Result;
        auto* const made = new std::unordered_map<std::string_view, Rule>();
        const auto add = [&](std::string_view types, size_t operands,
                             std::initializer_list<std::string_view> names,
                             Result result = Result::eSame) {
            for (const std::string_view name : names)
                made->emplace(name, Rule{result, types, operands});
        };
        add(kCodes, 2, {"add", "multiply", "minimum", "maximum", "fmin", "fmax"});
        add(kNumbers, 2, {"subtract", "pow"});
        add(kInexact, 2, {"divide"});
        add(kReals, 2, {"floor_divide", "remainder", "fmod"});
        add(kNumbers, 1, {"negative", "positive", "square", "reciprocal", "sign", "conj"});
        add(kCodes, 1, {"abs"}, Result::eReal);
        add(kAllReals, 1, {"floor", "ceil", "trunc"});
        add(kInexact, 1, {"sqrt",  "round", "exp",  "exp2", "expm1", "log",   "log2",
                          "log10", "log1p", "sin",  "cos",  "tan",   "asin",  "acos",
                          "atan",  "sinh",  "cosh", "tanh", "asinh", "acosh", "atanh"});
        add(kFloats, 1,
            {"cbrt", "fabs", "deg2rad", "rad2deg", "spacing", "erf", "erfc", "gamma", "lgamma",
             "i0"});
        add(kFloats, 1, {"signbit"}, Result::eBool);
        add(kFloats, 2,
            {"copysign", "nextafter", "hypot", "heaviside", "atan2", "logaddexp", "logaddexp2"});
        add(kCodes, 2,
            {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and",
             "logical_or", "logical_xor"},
            Result::eBool);
        add(kCodes, 1, {"logical_not", "isnan", "isinf", "isfinite"}, Result::eBool);
        add(kBits, 2, {"bitwise_and", "bitwise_or", "bitwise_xor"});
        add(kBits, 1, {"bitwise_invert"});
        add(kIntegers, 2, {"bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm"});
        add("dD", 2, {"float_power"});
        add(kFloats, 2, {"ldexp"}); // of a float and an integer; see scaled()
        return made;
    }();
    return *table;
}

[[noreturn]] void failTypes(const Function& function, const Operand* operands, size_t count) {
    std::string types;
    for (size_t i = 0; i < count; ++i) {
        types += i ? " and " : "";
        const Operand& each = operands[i];
        types += !each.adapts()                           ? toString(each.dtype())
                 : each.kind() == Operand::Kind::eInteger ? "an integer"
                 : each.kind() == Operand::Kind::eFloat   ? "a floating-point number"
                                                          : "a complex number";
    }
    fail<InvalidArgument>("{} does not take {}; use astype()", function.name, types);
}

/// Returns true for functions of numbers that NumPy does not apply to bool.
bool refusesBool(std::string_view name) {
    return name == "subtract" || name == "negative" || name == "positive" || name == "sign" ||
           name == "gcd" || name == "lcm";
}

/// Returns what NumPy found, in the default float unless a source has doubles itself.
DType withoutDoubles(DType found, const Operand* operands, size_t count) {
    if (found != eFloat64 && found != eComplex128)
        return found;
    const auto [wanted, home] = defaultBeside(operands, count);
    if (wanted == eFloat64)
        return found;
    for (size_t i = 0; i < count; ++i) {
        const Operand& each = operands[i];
        if (!each.adapts() && (each.dtype() == eFloat64 || each.dtype() == eComplex128))
            return found;
    }
    noteSingles(home);
    return found == eFloat64 ? eFloat32 : eComplex64;
}

/// Returns the type of the operands together, where doubles are still doubles.
DType common(const Operand* operands, size_t count) {
    std::optional<DType> typed;
    auto weak = Operand::Kind::eArray; // none
    for (size_t i = 0; i < count; ++i) {
        if (operands[i].adapts())
            weak = std::max(weak, operands[i].kind());
        else
            typed = typed ? promote(*typed, operands[i].dtype()) : operands[i].dtype();
    }
    const bool inexact = typed && *typed >= eFloat16;
    switch (weak) {
    case Operand::Kind::eInteger:
        return typed && *typed != eBool ? *typed : eInt64;
    case Operand::Kind::eFloat:
        return inexact ? *typed : eFloat64;
    case Operand::Kind::eComplex:
        return !inexact ? eComplex128 : *typed >= eComplex64 ? *typed : complexFor(*typed);
    default:
        return *typed;
    }
}

/// Returns the types of ldexp(): a float, and an integer of 32 or 64 bits.
Resolution scaled(const Function& function, const Operand* operands) {
    const DType first = commonType(operands, 1);
    const DType second = operands[1].adapts() ? eInt64 : operands[1].dtype();
    const bool isInteger = castsSafely(second, eInt64) &&
                           (!operands[1].adapts() || operands[1].kind() == Operand::Kind::eInteger);
    const DType type = withoutDoubles(floatFor(first), operands, 1);
    if (first >= eComplex64 || !isInteger)
        failTypes(function, operands, 2);
    return {{type, castsSafely(second, eInt32) ? eInt32 : eInt64}, type};
}

Resolution resolveAnew(const Function& function, const Operand* operands, size_t count) {
    const auto found = rules().find(function.name);
    if (found == rules().end())
        failTypes(function, operands, count);
    const Rule& rule = found->second;
    if (rule.operands != count)
        fail<InvalidArgument>("{} takes {}, not {}", function.name,
                              counted(rule.operands, "operand"), count);
    if (function.name == "ldexp")
        return scaled(function, operands);
    const DType given = common(operands, count);
    const bool adapts = std::any_of(operands, operands + count, std::mem_fn(&Operand::adapts));
    const auto takes = [&](DType type) {
        if (adapts)
            return castsSafely(given, type);
        return std::all_of(operands, operands + count,
                           [&](const Operand& each) { return castsSafely(each.dtype(), type); });
    };
    std::optional<DType> chosen;
    for (const char code : rule.types) {
        const auto type = static_cast<DType>(kCodes.find(code));
        // Of integers, divide() makes doubles, and does not look for a smaller type.
        const bool small = function.name == "divide" && given <= eUint64 && type < eFloat64;
        if (!small && takes(type)) {
            chosen = type;
            break;
        }
    }
    if (!chosen)
        failTypes(function, operands, count);
    if (given == eBool && refusesBool(function.name))
        failTypes(function, operands, count);
    DType type = *chosen;
    if (function.name != "float_power" && rule.result != Rule::Result::eBool)
        type = withoutDoubles(type, operands, count);
    const bool logical = function.name.starts_with("logical_");
    Resolution resolution;
    resolution.operands.fill(logical ? eBool : type);
    // No type holds all of int64 and uint64, but comparisons know how to compare them.
    const bool mixed = rule.result == Rule::Result::eBool && !logical && count == 2 && !adapts &&
                       type == eFloat64 && isInteger(operands[0].dtype()) &&
                       isInteger(operands[1].dtype());
    for (size_t i = 0; mixed && i < count; ++i)
        resolution.operands[i] = operands[i].dtype() == eUint64 ? eUint64 : eInt64;
    resolution.result = rule.result == Rule::Result::eBool   ? eBool
                        : rule.result == Rule::Result::eReal ? realOf(type)
                                                             : type;
    return resolution;
}

// What resolve() found, by function, kinds of operands (types, and numbers that adapt), and the
// default float.

constexpr size_t kKinds = kCodes.size() + 3;

size_t kindOf(const Operand& operand) {
    return operand.adapts() ? kCodes.size() + static_cast<size_t>(operand.kind()) - 1
                            : static_cast<size_t>(operand.dtype());
}

std::vector<std::atomic<uint32_t>>& knownResolutions() {
    static std::vector<std::atomic<uint32_t>> known(functions().size() * kKinds * kKinds * 3);
    return known;
}

std::atomic<uint32_t>* placeOf(const Function& function, const Operand* operands, size_t count) {
    if (count == 0 || count > 2)
        return nullptr;
    const auto index = static_cast<size_t>(&function - functions().data());
    const size_t second = count == 2 ? kindOf(operands[1]) : 0;
    // A device that decides it warns the first time, so that a choice must not be found instead.
    const auto [wanted, home] = defaultBeside(operands, count);
    const size_t by = wanted == eFloat64 ? 0 : home ? 2 : 1;
    const size_t place = (index * kKinds + kindOf(operands[0])) * kKinds + second;
    return &knownResolutions()[place * 3 + by];
}

uint32_t packed(const Resolution& resolution) {
    return 1u << 24 | static_cast<uint32_t>(resolution.result) << 16 |
           static_cast<uint32_t>(resolution.operands[1]) << 8 |
           static_cast<uint32_t>(resolution.operands[0]);
}

Resolution unpacked(uint32_t packed) {
    const auto type = [&](uint32_t shift) { return static_cast<DType>(packed >> shift & 0xffu); };
    return {{type(0), type(8)}, type(16)};
}

} // namespace

DType promote(DType a, DType b) {
    if (a == b)
        return a;
    if (a == eBool || b == eBool)
        return std::max(a, b);
    if (isInteger(a) && isInteger(b))
        return promoteIntegers(a, b);
    const DType real = std::max(floatFor(a), floatFor(b));
    return std::max(a, b) >= eComplex64 ? complexFor(real) : real;
}

bool castsSafely(DType from, DType to) {
    if (isInteger(from) && to >= eFloat16) // NumPy calls int64 to float64 safe
        return floatFor(from) <= realOf(to);
    return promote(from, to) == to;
}

DType defaultFloat() {
    const DType chosen = chosenFloat();
    return chosen != kNotChosen ? chosen : eFloat64;
}

DType defaultFloat(Manager& manager) {
    if (const DType chosen = chosenFloat(); chosen != kNotChosen)
        return chosen;
    const std::shared_ptr<arrays::Home> home = arrays::Home::of(manager);
    if (home->hasDoubles())
        return eFloat64;
    noteSingles(home.get());
    return eFloat32;
}

void setDefaultFloat(DType dtype) {
    if (dtype != eFloat32 && dtype != eFloat64)
        fail<InvalidArgument>("the default float is float32 or float64, not {}", toString(dtype));
    gChosenFloat.store(dtype, std::memory_order_relaxed);
}

void resetDefaultFloat() {
    gChosenFloat.store(kNotChosen, std::memory_order_relaxed);
}

bool arrays::hasDoubles(Manager& manager) {
    return Home::of(manager)->hasDoubles();
}

bool arrays::exchangeSinglesNoted(bool noted) {
    return gSinglesNoted.exchange(noted);
}

DType commonType(const Operand* operands, size_t count) {
    return withoutDoubles(common(operands, count), operands, count);
}

Resolution resolve(const Function& function, const Operand* operands, size_t count) {
    std::atomic<uint32_t>* const known = placeOf(function, operands, count);
    if (known)
        if (const uint32_t packed = known->load(std::memory_order_relaxed))
            return unpacked(packed);
    const Resolution found = resolveAnew(function, operands, count);
    if (known)
        known->store(packed(found), std::memory_order_relaxed);
    return found;
}

} // namespace kp
