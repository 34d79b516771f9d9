// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Functions.hpp>

#include <unordered_map>

#include <kompute/arrays/NumberType.hpp>

#include "base/Text.hpp"

namespace kp {
namespace {

/// GLSL for some families of types: NumberType's, and d for float64 and h for float16 where
/// these differ from f. T is the type, and BITS the number of its bits.
struct Text {
    std::string_view families;
    std::string_view text;
};

struct Row {
    std::string_view name;
    std::vector<Text> texts;
};

// Mesa's software driver has neither trunc() nor roundEven() of doubles: it rounds by way of 32-bit
// integers.
const Row kRows[] = {
    {"add", {{"b", "{0} || {1}"}, {"iufc", "{0} + {1}"}}},
    {"subtract", {{"iufc", "{0} - {1}"}}},
    {"multiply", {{"b", "{0} && {1}"}, {"iuf", "{0} * {1}"}, {"c", "kp_cmul({0}, {1})"}}},
    {"divide", {{"f", "{0} / {1}"}, {"c", "kp_cdiv({0}, {1})"}}},
    {"floor_divide",
     {{"i", "kp_signed_divide({0}, {1})"},
      {"u", "kp_unsigned_divide({0}, {1})"},
      {"f", "kp_floor_divide({0}, {1})"}}},
    {"remainder",
     {{"i", "kp_signed_remainder({0}, {1})"},
      {"u", "kp_unsigned_remainder({0}, {1})"},
      {"f", "kp_remainder({0}, {1})"}}},
    {"fmod",
     {{"i", "kp_signed_fmod({0}, {1})"},
      {"u", "kp_unsigned_remainder({0}, {1})"},
      {"f", "kp_fmod({0}, {1})"}}},
    {"negative", {{"iufc", "-{0}"}}},
    {"positive", {{"iufc", "{0}"}}},
    {"abs",
     {{"b", "{0}"}, {"u", "{0}"}, {"i", "abs({0})"}, {"f", "abs({0})"}, {"c", "kp_cabs({0})"}}},
    {"square", {{"iuf", "{0} * {0}"}, {"c", "kp_cmul({0}, {0})"}}},
    {"reciprocal", {{"f", "T(1) / {0}"}, {"c", "kp_cdiv(T(1, 0), {0})"}}},
    {"sqrt", {{"f", "sqrt({0})"}, {"c", "kp_csqrt({0})"}}},
    {"sign",
     {{"i", "kp_integer_sign({0})"},
      {"u", "kp_integer_sign({0})"},
      {"f", "kp_sign({0})"},
      {"c", "kp_csign({0})"}}},
    {"signbit", {{"f", "kp_signbit({0})"}}},
    {"copysign", {{"f", "kp_copysign({0}, {1})"}}},
    {"nextafter", {{"f", "kp_nextafter({0}, {1})"}, {"h", "kp_half_nextafter({0}, {1})"}}},
    {"hypot", {{"f", "kp_hypot({0}, {1})"}}},
    {"conj", {{"b", "{0}"}, {"iuf", "{0}"}, {"c", "T(({0}).x, -({0}).y)"}}},
    {"floor", {{"biu", "{0}"}, {"f", "floor({0})"}}},
    {"ceil", {{"biu", "{0}"}, {"f", "ceil({0})"}}},
    {"trunc", {{"biu", "{0}"}, {"f", "trunc({0})"}, {"d", "kp_trunc({0})"}}},
    {"round",
     {{"f", "roundEven({0})"},
      {"d", "kp_round({0})"},
      {"c", "T(kp_round({0}.x), kp_round({0}.y))"}}},
    {"minimum", {{"b", "{0} && {1}"}, {"iu", "min({0}, {1})"}, {"f", "kp_minimum({0}, {1})"}}},
    {"maximum", {{"b", "{0} || {1}"}, {"iu", "max({0}, {1})"}, {"f", "kp_maximum({0}, {1})"}}},
    {"fmin", {{"b", "{0} && {1}"}, {"iu", "min({0}, {1})"}, {"f", "kp_fmin({0}, {1})"}}},
    {"fmax", {{"b", "{0} || {1}"}, {"iu", "max({0}, {1})"}, {"f", "kp_fmax({0}, {1})"}}},
    {"equal", {{"biufc", "{0} == {1}"}}},
    {"not_equal", {{"biufc", "{0} != {1}"}}},
    {"less", {{"b", "!{0} && {1}"}, {"iuf", "{0} < {1}"}}},
    {"less_equal", {{"b", "!{0} || {1}"}, {"iuf", "{0} <= {1}"}}},
    {"greater", {{"b", "{0} && !{1}"}, {"iuf", "{0} > {1}"}}},
    {"greater_equal", {{"b", "{0} || !{1}"}, {"iuf", "{0} >= {1}"}}},
    {"logical_and", {{"b", "{0} && {1}"}}},
    {"logical_or", {{"b", "{0} || {1}"}}},
    {"logical_xor", {{"b", "{0} != {1}"}}},
    {"logical_not", {{"b", "!{0}"}}},
    {"bitwise_and", {{"b", "{0} && {1}"}, {"iu", "{0} & {1}"}}},
    {"bitwise_or", {{"b", "{0} || {1}"}, {"iu", "{0} | {1}"}}},
    {"bitwise_xor", {{"b", "{0} != {1}"}, {"iu", "{0} ^ {1}"}}},
    {"bitwise_invert", {{"b", "!{0}"}, {"iu", "~{0}"}}},
    {"bitwise_left_shift",
     {{"i", "({1} >= T(0) && {1} < T(BITS) ? {0} << int({1}) : T(0))"},
      {"u", "({1} < T(BITS) ? {0} << int({1}) : T(0))"}}},
    {"bitwise_right_shift",
     {{"i", "{0} >> int({1} >= T(0) && {1} < T(BITS) ? {1} : T(BITS - 1u))"},
      {"u", "({1} < T(BITS) ? {0} >> int({1}) : T(0))"}}},
    {"gcd", {{"iu", "kp_gcd({0}, {1})"}}},
    {"lcm", {{"iu", "kp_lcm({0}, {1})"}}},
    {"fabs", {{"f", "abs({0})"}}},
    {"heaviside", {{"f", "kp_heaviside({0}, {1})"}}},
    {"deg2rad",
     {{"f", "{0} * (3.14159265358979323846 / 180.0)"},
      {"d", "{0} * (3.14159265358979323846lf / 180.0lf)"}}},
    {"rad2deg",
     {{"f", "{0} * (180.0 / 3.14159265358979323846)"},
      {"d", "{0} * (180.0lf / 3.14159265358979323846lf)"}}},
    {"isnan",
     {{"biu", "false"}, {"f", "kp_isnan({0})"}, {"c", "(kp_isnan({0}.x) || kp_isnan({0}.y))"}}},
    {"isinf",
     {{"biu", "false"}, {"f", "kp_isinf({0})"}, {"c", "(kp_isinf({0}.x) || kp_isinf({0}.y))"}}},
    {"isfinite",
     {{"biu", "true"},
      {"f", "kp_isfinite({0})"},
      {"c", "(kp_isfinite({0}.x) && kp_isfinite({0}.y))"}}},
    {"pow",
     {{"i", "kp_integer_power({0}, {1})"},
      {"u", "kp_integer_power({0}, {1})"},
      {"f", "kp_pow({0}, {1})"},
      {"c", "kp_cpow({0}, {1})"}}},
    {"exp", {{"f", "kp_exp({0})"}, {"c", "kp_cexp({0})"}}},
    {"exp2", {{"f", "kp_exp2({0})"}, {"c", "kp_cexp2({0})"}}},
    {"expm1", {{"f", "kp_expm1({0})"}, {"c", "kp_cexpm1({0})"}}},
    {"log", {{"f", "kp_log({0})"}, {"c", "kp_clog({0})"}}},
    {"log2", {{"f", "kp_log2({0})"}, {"c", "kp_clog2({0})"}}},
    {"log10", {{"f", "kp_log10({0})"}, {"c", "kp_clog10({0})"}}},
    {"log1p", {{"f", "kp_log1p({0})"}, {"c", "kp_clog1p({0})"}}},
    {"sin", {{"f", "kp_sin({0})"}, {"c", "kp_csin({0})"}}},
    {"cos", {{"f", "kp_cos({0})"}, {"c", "kp_ccos({0})"}}},
    {"tan", {{"f", "kp_tan({0})"}, {"c", "kp_ctan({0})"}}},
    {"asin", {{"f", "kp_asin({0})"}, {"c", "kp_casin({0})"}}},
    {"acos", {{"f", "kp_acos({0})"}, {"c", "kp_cacos({0})"}}},
    {"atan", {{"f", "kp_atan({0})"}, {"c", "kp_catan({0})"}}},
    {"sinh", {{"f", "kp_sinh({0})"}, {"c", "kp_csinh({0})"}}},
    {"cosh", {{"f", "kp_cosh({0})"}, {"c", "kp_ccosh({0})"}}},
    {"tanh", {{"f", "kp_tanh({0})"}, {"c", "kp_ctanh({0})"}}},
    {"asinh", {{"f", "kp_asinh({0})"}, {"c", "kp_casinh({0})"}}},
    {"acosh", {{"f", "kp_acosh({0})"}, {"c", "kp_cacosh({0})"}}},
    {"atanh", {{"f", "kp_atanh({0})"}, {"c", "kp_catanh({0})"}}},
    {"cbrt", {{"f", "kp_cbrt({0})"}}},
    {"erf", {{"f", "kp_erf({0})"}}},
    {"erfc", {{"f", "kp_erfc({0})"}}},
    {"gamma", {{"f", "kp_gamma({0})"}}},
    {"lgamma", {{"f", "kp_lgamma({0})"}}},
    {"i0", {{"f", "kp_i0({0})"}}},
    {"float_power", {{"d", "kp_pow({0}, {1})"}, {"c", "kp_cpow({0}, {1})"}}},
    {"ldexp", {{"f", "kp_ldexp({0}, {1} > 5000 ? 5000 : {1} < -5000 ? -5000 : int({1}))"}}},
    {"logaddexp2", {{"f", "kp_logaddexp2({0}, {1})"}}},
    {"spacing", {{"f", "kp_spacing({0})"}, {"h", "kp_half_spacing({0})"}}},
    {"atan2", {{"f", "kp_atan2({0}, {1})"}}},
    {"logaddexp", {{"f", "kp_logaddexp({0}, {1})"}}},
};

const Text* textOf(const Row& row, char family) {
    for (const Text& each : row.texts)
        if (each.families.find(family) != std::string_view::npos)
            return &each;
    return nullptr;
}

/// Returns a text with a type in place of "T(" and a number of bits in place of "BITS".
std::string completed(std::string_view text, DType dtype) {
    const std::string bits = formatted("{}u", 8 * itemSize(dtype));
    std::string made;
    for (size_t at = 0; at < text.size(); ++at) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("T(")) {
            made += numberType(dtype).computed;
        } else if (rest.starts_with("BITS")) {
            made += bits;
            at += 3;
        } else {
            made += text[at];
        }
    }
    return made;
}

Function functionOf(const Row& row) {
    Function made{row.name, {}};
    for (size_t index = 0; index < made.texts.size(); ++index) {
        const auto dtype = static_cast<DType>(index);
        const Text* text = dtype == DType::eFloat64   ? textOf(row, 'd')
                           : dtype == DType::eFloat16 ? textOf(row, 'h')
                                                      : nullptr;
        if (!text)
            text = textOf(row, numberType(dtype).family);
        if (text)
            made.texts[index] = completed(text->text, dtype);
    }
    return made;
}

} // namespace

const std::vector<Function>& functions() {
    static const std::vector<Function> all = [] {
        std::vector<Function> made;
        for (const Row& row : kRows)
            made.push_back(functionOf(row));
        return made;
    }();
    return all;
}

const Function* findFunction(std::string_view name) {
    static const auto* const byName = [] {
        auto* made = new std::unordered_map<std::string_view, const Function*>;
        for (const Function& each : functions())
            made->emplace(each.name, &each);
        return made;
    }();
    const auto found = byName->find(name);
    return found == byName->end() ? nullptr : found->second;
}

} // namespace kp
