// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/NumberType.hpp>

#include <array>

#include "base/Text.hpp"

namespace kp {
namespace {

constexpr std::string_view kSame = "{}";
constexpr std::string_view kBytes = "GL_EXT_shader_8bit_storage";
constexpr std::string_view kShorts = "GL_EXT_shader_16bit_storage";
constexpr std::string_view kLongs = "GL_EXT_shader_explicit_arithmetic_types_int64";
constexpr std::string_view kFloat = "uintBitsToFloat({0})";

/// By DType.
constexpr std::array<NumberType, 14> kTypes{{
    {DType::eBool, 'b', "uint8_t", "bool", "(uint({}) != 0u)", "uint8_t({} ? 1u : 0u)", "", 1,
     "({0} != 0u)", kBytes},
    {DType::eInt8, 'i', "int8_t", "int", "int({})", "int8_t({})", "bitfieldExtract({}, 0, 8)", 1,
     "int({0})", kBytes},
    {DType::eUint8, 'u', "uint8_t", "uint", "uint({})", "uint8_t({})", "({} & 255u)", 1, "{0}",
     kBytes},
    {DType::eInt16, 'i', "int16_t", "int", "int({})", "int16_t({})", "bitfieldExtract({}, 0, 16)",
     1, "int({0})", kShorts},
    {DType::eUint16, 'u', "uint16_t", "uint", "uint({})", "uint16_t({})", "({} & 65535u)", 1, "{0}",
     kShorts},
    {DType::eInt32, 'i', "int", "int", kSame, kSame, "", 1, "int({0})", ""},
    {DType::eUint32, 'u', "uint", "uint", kSame, kSame, "", 1, "{0}", ""},
    {DType::eInt64, 'i', "int64_t", "int64_t", kSame, kSame, "", 2, "packInt2x32(ivec2({0}, {1}))",
     kLongs},
    {DType::eUint64, 'u', "uint64_t", "uint64_t", kSame, kSame, "", 2,
     "packUint2x32(uvec2({0}, {1}))", kLongs},
    {DType::eFloat16, 'f', "float16_t", "float", "float({})", "float16_t({})", "kp_half({})", 1,
     kFloat, kShorts},
    {DType::eFloat32, 'f', "float", "float", kSame, kSame, "", 1, kFloat, ""},
    {DType::eFloat64, 'f', "double", "double", kSame, kSame, "", 2,
     "packDouble2x32(uvec2({0}, {1}))", ""},
    {DType::eComplex64, 'c', "vec2", "vec2", kSame, kSame, "", 2,
     "vec2(uintBitsToFloat({0}), uintBitsToFloat({1}))", ""},
    {DType::eComplex128, 'c', "dvec2", "dvec2", kSame, kSame, "", 4,
     "dvec2(packDouble2x32(uvec2({0}, {1})), packDouble2x32(uvec2({2}, {3})))", ""},
}};

struct Rounding {
    std::string_view from;
    std::string_view to;
    std::string_view function;
};

/// Conversions between computed types that round, and the functions that do so regardless of
/// compilers do. Others are exact.
constexpr Rounding kRoundings[] = {
    {"double", "float", "kp_float_of_double"},    {"int", "float", "kp_float_of_int"},
    {"uint", "float", "kp_float_of_uint"},        {"int64_t", "float", "kp_float_of_long"},
    {"uint64_t", "float", "kp_float_of_ulong"},   {"int64_t", "double", "kp_double_of_long"},
    {"uint64_t", "double", "kp_double_of_ulong"}, {"dvec2", "vec2", "kp_complex_of_double"},
};

/// Returns whether a type has all numbers of another one.
bool holdsAll(const NumberType& type, const NumberType& other) {
    constexpr std::string_view kOrder = "biufc";
    const size_t size = itemSize(type.dtype), from = itemSize(other.dtype);
    if (type.family == other.family)
        return size >= from;
    if (other.family == 'b')
        return true;
    if (type.family == 'i' && other.family == 'u')
        return size > from;
    if (type.family == 'u' || kOrder.find(type.family) < kOrder.find(other.family))
        return false;
    // A float has the integers of half its size, or of its own size from 8 bytes on; a complex
    // number is two floats.
    const size_t part = type.family == 'c' ? size / 2 : size;
    return other.family == 'f' ? part >= from : part > from || part == 8;
}

std::string toBool(std::string_view value, const NumberType& from) {
    if (from.family == 'c')
        return formatted("any(notEqual({}, {}(0)))", value, from.computed);
    if (from.computed == "float") // by bits, as GPUs may compare a denormal number as 0
        return formatted("(floatBitsToUint({}) << 1 != 0u)", value);
    return formatted("({} != {}(0))", value, from.computed);
}

} // namespace

const NumberType& numberType(DType dtype) {
    return kTypes[static_cast<size_t>(dtype)];
}

DType realOf(DType dtype) {
    return dtype == DType::eComplex64    ? DType::eFloat32
           : dtype == DType::eComplex128 ? DType::eFloat64
                                         : dtype;
}

std::string filled(std::string_view text, std::initializer_list<std::string_view> values) {
    std::string made;
    for (size_t at = 0; at < text.size(); ++at) {
        const std::string_view rest = text.substr(at);
        const bool isFirst = rest.starts_with("{}");
        if (!isFirst && !(rest.size() > 2 && rest[0] == '{' && rest[2] == '}')) {
            made += text[at];
            continue;
        }
        const auto index = isFirst ? size_t(0) : static_cast<size_t>(rest[1] - '0');
        if (index >= values.size())
            fail<InvalidArgument>("'{}' needs more than {}", text, counted(values.size(), "value"));
        made += values.begin()[index];
        at += isFirst ? 1 : 2;
    }
    return made;
}

std::string_view roundingFunction(std::string_view from, std::string_view to) {
    for (const Rounding& each : kRoundings)
        if (each.from == from && each.to == to)
            return each.function;
    return {};
}

std::string convert(std::string_view value, DType from, DType to, bool observed) {
    if (from == to)
        return std::string(value);
    const NumberType &source = numberType(from), &target = numberType(to);
    if (target.family == 'b')
        return toBool(value, source);
    const std::string_view rounding =
        observed ? roundingFunction(source.computed, target.computed) : std::string_view();
    if (target.family == 'c') {
        if (source.family != 'c')
            return formatted("{}({}, 0)", target.computed,
                             convert(value, from, realOf(to), observed));
        return formatted("{}({})", rounding.empty() ? target.computed : rounding, value);
    }
    if (source.family == 'c')
        return convert(formatted("({}).x", value), realOf(from), to, observed);
    if (source.computed == "double" && to == DType::eFloat16)
        return formatted("kp_half_of_double({})", value);
    std::string made(value);
    if (source.family == 'f' && target.family == 'u') {
        // GLSL leaves negative numbers undefined; NumPy wraps them around.
        const char* const number = target.computed == "uint64_t" ? "int64_t" : "int";
        made = formatted("({0} < 0 ? {1}({2}({0})) : {1}({0}))", value, target.computed, number);
    } else if (!rounding.empty() && (target.computed == "double" || itemSize(from) >= 4)) {
        made = formatted("{}({})", rounding, value);
    } else if (source.computed != target.computed) {
        made = formatted("{}({})", target.computed, value);
    }
    return target.wrap.empty() || holdsAll(target, source) ? made : filled(target.wrap, {made});
}

} // namespace kp
