// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Elementwise.hpp>

#include <algorithm>
#include <optional>

#include <kompute/Error.hpp>
#include <kompute/arrays/Functions.hpp>
#include <kompute/arrays/NumberType.hpp>
#include <kompute/arrays/Promotion.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Mark.hpp"
#include "arrays/Numbers.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using arrays::arrayOf;
using arrays::nodeOf;
using arrays::NodePtr;
using arrays::stateOf;
using arrays::View;

Shape shapeOf(const Operand& operand) {
    return operand.isArray() ? operand.array().shape() : Shape();
}

/// A comparison, as the operator of GLSL and its opposite with the operands swapped.
struct Comparison {
    std::string_view name;
    std::string_view symbol;
    std::string_view swapped;
    bool ofNegative; ///< whether a negative number is so to all unsigned ones
};
constexpr Comparison kComparisons[] = {
    {"equal", "==", "equal", false}, {"not_equal", "!=", "not_equal", true},
    {"less", "<", "greater", true},  {"less_equal", "<=", "greater_equal", true},
    {"greater", ">", "less", false}, {"greater_equal", ">=", "less_equal", false}};

const Comparison* findComparison(std::string_view name) {
    const auto found = std::ranges::find(kComparisons, name, &Comparison::name);
    return found == std::end(kComparisons) ? nullptr : found;
}

/// Returns GLSL that compares an int64_t with a uint64_t.
std::string mixedText(const Comparison& comparison) {
    return comparison.ofNegative
               ? formatted("({{0}} < 0L || uint64_t({{0}}) {} {{1}})", comparison.symbol)
               : formatted("({{0}} >= 0L && uint64_t({{0}}) {} {{1}})", comparison.symbol);
}

/// Returns whether integers of a type are, all of them, less than a number that the type cannot
/// hold; empty if it holds the number.
std::optional<bool> allLess(DType dtype, const Operand& number) {
    if (number.kind() != Operand::Kind::eInteger || !number.adapts() || dtype == DType::eBool ||
        dtype >= DType::eFloat16)
        return std::nullopt;
    try {
        arrays::constantWords(number, dtype);
        return std::nullopt;
    } catch (const InvalidArgument&) {
        return !number.isNegative();
    }
}

/// Returns the result of a comparison that no type decides: with a number out of range, or of int64
/// with uint64. Returns no array for others.
Array comparedSpecially(const Comparison& comparison, const Operand* operands,
                        const Resolution& types) {
    const Operand& x = operands[0];
    const Operand& y = operands[1];
    if (types.operands[0] != types.operands[1]) {
        const bool signedFirst = types.operands[0] == DType::eInt64;
        const Operand& withSign = signedFirst ? x : y;
        const Operand& without = signedFirst ? y : x;
        const Comparison& used = signedFirst ? comparison : *findComparison(comparison.swapped);
        return arrayOf(arrays::text(
            arrays::interned(mixedText(used)), DType::eBool, broadcast(shapeOf(x), shapeOf(y)),
            {nodeOf(withSign, DType::eInt64), nodeOf(without, DType::eUint64)}));
    }
    for (const bool numberFirst : {false, true}) {
        const Operand& array = numberFirst ? y : x;
        const Operand& number = numberFirst ? x : y;
        if (!array.isArray())
            continue;
        const std::optional<bool> less = allLess(array.dtype(), number);
        if (!less)
            continue;
        const std::string_view name = numberFirst ? comparison.swapped : comparison.name;
        const bool truth =
            name == "not_equal" || (name != "equal" && name.starts_with("less") == *less);
        return full(array.array().shape(), truth, DType::eBool, &array.array().manager());
    }
    return {};
}

[[noreturn]] void throwNegativeExponent() {
    throw InvalidArgument("integers to negative integer powers are not allowed; use a float");
}

/// Returns the exponents that may be negative; no array if none may.
/// @throws InvalidArgument if the exponent is a negative number
Array doubtfulExponents(const Operand& exponent, DType dtype) {
    if (numberType(dtype).family != 'i')
        return {};
    if (!exponent.isArray() && (exponent.isNegative() || exponent.real() < 0))
        throwNegativeExponent();
    const bool doubtful = exponent.isArray() && numberType(exponent.dtype()).family == 'i';
    return doubtful ? exponent.array() : Array();
}

/// Returns an expression, computed by a kernel that looks for negative exponents, too, for which
/// the host waits. @throws InvalidArgument if there are any
Array checkedPowers(const NodePtr& node, const Array& exponents) {
    const Array negative = less(exponents, 0);
    const NodePtr condition = stateOf(negative).node();
    if (node->shape.product() == 0 || !arrays::fit({node, condition}, 2)) {
        if (arrays::holdsAnywhere(negative))
            throwNegativeExponent();
        return arrayOf(node);
    }
    const arrays::Mark mark(node->home);
    View out = View::blank(node->home, node->shape, node->dtype);
    arrays::run(node->home, node->shape,
                {{out, node, {}, {}, nullptr}, mark.where(condition, node->shape)});
    if (mark.maybeSet() && any(negative).item<bool>())
        throwNegativeExponent();
    return arrayOf(std::move(out));
}

/// Returns a function of the table, found once.
template <size_t N>
Array call(const Function& function, const Operand (&operands)[N]) {
    return apply(function, operands, N);
}

/// The name of a function of the table, as an argument of a template.
template <size_t N>
struct Name {
    char text[N];
    consteval Name(const char (&name)[N]) : text{} { std::copy_n(name, N, text); }
};

/// Applies a function of the table, which is looked up once.
template <Name name, typename... Operands>
Array applied(const Operands&... operands) {
    static const Function& function = *findFunction(name.text);
    return call(function, {operands...});
}

} // namespace

Array apply(std::string_view name, const std::vector<Operand>& operands) {
    const Function* const function = findFunction(name);
    if (!function)
        fail<InvalidArgument>("there is no elementwise function '{}'", name);
    return apply(*function, operands.data(), operands.size());
}

Array apply(const Function& function, const Operand* operands, size_t count) {
    const Resolution types = resolve(function, operands, count);
    if (function.textFor(types.operands[0]).empty())
        fail<Unsupported>("{} of {} is not computed on devices", function.name,
                          toString(types.operands[0]));
    Array exponents;
    if (count == 2 && types.operands[1] < DType::eFloat16) [[unlikely]] { // of integers
        const Comparison* const comparison = findComparison(function.name);
        if (comparison) {
            Array found = comparedSpecially(*comparison, operands, types);
            if (!found.isNull())
                return found;
        }
        if (function.name == "pow")
            exponents = doubtfulExponents(operands[1], types.operands[1]);
    }
    std::vector<NodePtr> nodes;
    nodes.reserve(count);
    Shape shape;
    bool anyArray = false;
    for (size_t i = 0; i < count; ++i) {
        anyArray |= operands[i].isArray();
        if (operands[i].isArray())
            shape = i == 0 ? shapeOf(operands[i]) : broadcast(shape, shapeOf(operands[i]));
        nodes.push_back(nodeOf(operands[i], types.operands[i]));
    }
    NodePtr node = arrays::call(function, types.result, shape, std::move(nodes));
    if (!anyArray)
        node->home = arrays::homeOf(operands, count);
    return exponents.isNull() ? arrayOf(std::move(node)) : checkedPowers(node, exponents);
}

Array glsl(std::string_view expression, DType dtype, const std::vector<Operand>& operands) {
    Shape shape;
    for (const Operand& each : operands)
        shape = broadcast(shape, shapeOf(each));
    return glsl(expression, dtype, operands, shape);
}

Array glsl(std::string_view expression, DType dtype, const std::vector<Operand>& operands,
           const Shape& shape) {
    std::vector<NodePtr> nodes;
    for (const Operand& each : operands) {
        if (each.adapts())
            throw InvalidArgument(
                "a number in an expression has a type: kp::Operand(dtype, value)");
        nodes.push_back(nodeOf(each, each.dtype()));
    }
    NodePtr node = arrays::text(arrays::interned(expression), dtype, shape, std::move(nodes));
    if (!node->home)
        throw InvalidArgument("an expression is one of arrays, and none was given");
    return arrayOf(std::move(node));
}

Array where(const Array& condition, const Operand& x, const Operand& y) {
    // Of two numbers, the device of the condition decides the default float.
    const Operand operands[] = {condition.astype(DType::eBool), x, y};
    const DType dtype = commonType(operands, 3);
    const Shape shape = broadcast(condition.shape(), broadcast(shapeOf(x), shapeOf(y)));
    static const std::string* const text = arrays::interned("({0} ? {1} : {2})");
    return arrayOf(
        arrays::text(text, dtype, shape,
                     {nodeOf(operands[0], DType::eBool), nodeOf(x, dtype), nodeOf(y, dtype)}));
}

Array clip(const Array& x, const Operand& low, const Operand& high) {
    return minimum(maximum(x, low), high).astype(x.dtype());
}

Array abs(const Operand& x) {
    return applied<"abs">(x);
}
Array sqrt(const Operand& x) {
    return applied<"sqrt">(x);
}
Array square(const Operand& x) {
    return applied<"square">(x);
}
Array reciprocal(const Operand& x) {
    return applied<"reciprocal">(x);
}
Array negative(const Operand& x) {
    return applied<"negative">(x);
}
Array positive(const Operand& x) {
    return applied<"positive">(x);
}
Array sign(const Operand& x) {
    return applied<"sign">(x);
}
Array floor(const Operand& x) {
    return applied<"floor">(x);
}
Array ceil(const Operand& x) {
    return applied<"ceil">(x);
}
Array trunc(const Operand& x) {
    return applied<"trunc">(x);
}
Array round(const Operand& x) {
    return applied<"round">(x);
}
Array exp(const Operand& x) {
    return applied<"exp">(x);
}
Array exp2(const Operand& x) {
    return applied<"exp2">(x);
}
Array expm1(const Operand& x) {
    return applied<"expm1">(x);
}
Array log(const Operand& x) {
    return applied<"log">(x);
}
Array log2(const Operand& x) {
    return applied<"log2">(x);
}
Array log10(const Operand& x) {
    return applied<"log10">(x);
}
Array log1p(const Operand& x) {
    return applied<"log1p">(x);
}
Array sin(const Operand& x) {
    return applied<"sin">(x);
}
Array cos(const Operand& x) {
    return applied<"cos">(x);
}
Array tan(const Operand& x) {
    return applied<"tan">(x);
}
Array asin(const Operand& x) {
    return applied<"asin">(x);
}
Array acos(const Operand& x) {
    return applied<"acos">(x);
}
Array atan(const Operand& x) {
    return applied<"atan">(x);
}
Array sinh(const Operand& x) {
    return applied<"sinh">(x);
}
Array cosh(const Operand& x) {
    return applied<"cosh">(x);
}
Array tanh(const Operand& x) {
    return applied<"tanh">(x);
}
Array asinh(const Operand& x) {
    return applied<"asinh">(x);
}
Array acosh(const Operand& x) {
    return applied<"acosh">(x);
}
Array atanh(const Operand& x) {
    return applied<"atanh">(x);
}
Array cbrt(const Operand& x) {
    return applied<"cbrt">(x);
}
Array erf(const Operand& x) {
    return applied<"erf">(x);
}
Array erfc(const Operand& x) {
    return applied<"erfc">(x);
}
Array gamma(const Operand& x) {
    return applied<"gamma">(x);
}
Array lgamma(const Operand& x) {
    return applied<"lgamma">(x);
}
Array i0(const Operand& x) {
    return applied<"i0">(x);
}
Array conj(const Operand& x) {
    return applied<"conj">(x);
}
Array deg2rad(const Operand& x) {
    return applied<"deg2rad">(x);
}
Array rad2deg(const Operand& x) {
    return applied<"rad2deg">(x);
}
Array isnan(const Operand& x) {
    return applied<"isnan">(x);
}
Array isinf(const Operand& x) {
    return applied<"isinf">(x);
}
Array isfinite(const Operand& x) {
    return applied<"isfinite">(x);
}
Array signbit(const Operand& x) {
    return applied<"signbit">(x);
}
Array logicalNot(const Operand& x) {
    return applied<"logical_not">(x);
}
Array bitwiseInvert(const Operand& x) {
    return applied<"bitwise_invert">(x);
}
Array add(const Operand& x, const Operand& y) {
    return applied<"add">(x, y);
}
Array subtract(const Operand& x, const Operand& y) {
    return applied<"subtract">(x, y);
}
Array multiply(const Operand& x, const Operand& y) {
    return applied<"multiply">(x, y);
}
Array divide(const Operand& x, const Operand& y) {
    return applied<"divide">(x, y);
}
Array floorDivide(const Operand& x, const Operand& y) {
    return applied<"floor_divide">(x, y);
}
Array remainder(const Operand& x, const Operand& y) {
    return applied<"remainder">(x, y);
}
Array fmod(const Operand& x, const Operand& y) {
    return applied<"fmod">(x, y);
}
Array pow(const Operand& x, const Operand& y) {
    return applied<"pow">(x, y);
}
Array minimum(const Operand& x, const Operand& y) {
    return applied<"minimum">(x, y);
}
Array maximum(const Operand& x, const Operand& y) {
    return applied<"maximum">(x, y);
}
Array fmin(const Operand& x, const Operand& y) {
    return applied<"fmin">(x, y);
}
Array fmax(const Operand& x, const Operand& y) {
    return applied<"fmax">(x, y);
}
Array hypot(const Operand& x, const Operand& y) {
    return applied<"hypot">(x, y);
}
Array atan2(const Operand& x, const Operand& y) {
    return applied<"atan2">(x, y);
}
Array copysign(const Operand& x, const Operand& y) {
    return applied<"copysign">(x, y);
}
Array nextafter(const Operand& x, const Operand& y) {
    return applied<"nextafter">(x, y);
}
Array heaviside(const Operand& x, const Operand& y) {
    return applied<"heaviside">(x, y);
}
Array logaddexp(const Operand& x, const Operand& y) {
    return applied<"logaddexp">(x, y);
}
Array equal(const Operand& x, const Operand& y) {
    return applied<"equal">(x, y);
}
Array notEqual(const Operand& x, const Operand& y) {
    return applied<"not_equal">(x, y);
}
Array less(const Operand& x, const Operand& y) {
    return applied<"less">(x, y);
}
Array lessEqual(const Operand& x, const Operand& y) {
    return applied<"less_equal">(x, y);
}
Array greater(const Operand& x, const Operand& y) {
    return applied<"greater">(x, y);
}
Array greaterEqual(const Operand& x, const Operand& y) {
    return applied<"greater_equal">(x, y);
}
Array logicalAnd(const Operand& x, const Operand& y) {
    return applied<"logical_and">(x, y);
}
Array logicalOr(const Operand& x, const Operand& y) {
    return applied<"logical_or">(x, y);
}
Array logicalXor(const Operand& x, const Operand& y) {
    return applied<"logical_xor">(x, y);
}
Array bitwiseAnd(const Operand& x, const Operand& y) {
    return applied<"bitwise_and">(x, y);
}
Array bitwiseOr(const Operand& x, const Operand& y) {
    return applied<"bitwise_or">(x, y);
}
Array bitwiseXor(const Operand& x, const Operand& y) {
    return applied<"bitwise_xor">(x, y);
}
Array bitwiseLeftShift(const Operand& x, const Operand& y) {
    return applied<"bitwise_left_shift">(x, y);
}
Array bitwiseRightShift(const Operand& x, const Operand& y) {
    return applied<"bitwise_right_shift">(x, y);
}
Array gcd(const Operand& x, const Operand& y) {
    return applied<"gcd">(x, y);
}
Array lcm(const Operand& x, const Operand& y) {
    return applied<"lcm">(x, y);
}

} // namespace kp
