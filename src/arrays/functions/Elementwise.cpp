// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Elementwise.hpp>

#include <algorithm>
#include <optional>

#include <kompute/Error.hpp>
#include <kompute/arrays/Functions.hpp>
#include <kompute/arrays/NumberType.hpp>
#include <kompute/arrays/Promotion.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Numbers.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

using arrays::arrayOf;
using arrays::nodeOf;
using arrays::NodePtr;
using arrays::stateOf;

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

/// @throws InvalidArgument if an integer is to be raised to a negative power
void requireExponents(const Operand& exponent, DType dtype) {
    if (numberType(dtype).family != 'i')
        return;
    const bool negative = exponent.isArray() ? numberType(exponent.dtype()).family == 'i' &&
                                                   any(less(exponent, 0)).item<int>() != 0
                                             : exponent.isNegative() || exponent.real() < 0;
    if (negative)
        throw InvalidArgument("integers to negative integer powers are not allowed; use a float");
}

/// Returns a function of the table, found once.
template <size_t N>
Array call(const Function& function, const Operand (&operands)[N]) {
    return apply(function, operands, N);
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
    if (count == 2 && types.operands[1] < DType::eFloat16) [[unlikely]] { // of integers
        const Comparison* const comparison = findComparison(function.name);
        if (comparison) {
            Array found = comparedSpecially(*comparison, operands, types);
            if (!found.isNull())
                return found;
        }
        if (function.name == "pow")
            requireExponents(operands[1], types.operands[1]);
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
    return arrayOf(std::move(node));
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
    const Operand operands[] = {x, y};
    const DType dtype = commonType(operands, 2);
    const Shape shape = broadcast(condition.shape(), broadcast(shapeOf(x), shapeOf(y)));
    static const std::string* const text = arrays::interned("({0} ? {1} : {2})");
    return arrayOf(arrays::text(
        text, dtype, shape, {nodeOf(condition, DType::eBool), nodeOf(x, dtype), nodeOf(y, dtype)}));
}

Array clip(const Array& x, const Operand& low, const Operand& high) {
    return minimum(maximum(x, low), high).astype(x.dtype());
}

Array abs(const Operand& x) {
    static const Function& function = *findFunction("abs");
    return call(function, {x});
}
Array sqrt(const Operand& x) {
    static const Function& function = *findFunction("sqrt");
    return call(function, {x});
}
Array square(const Operand& x) {
    static const Function& function = *findFunction("square");
    return call(function, {x});
}
Array reciprocal(const Operand& x) {
    static const Function& function = *findFunction("reciprocal");
    return call(function, {x});
}
Array negative(const Operand& x) {
    static const Function& function = *findFunction("negative");
    return call(function, {x});
}
Array positive(const Operand& x) {
    static const Function& function = *findFunction("positive");
    return call(function, {x});
}
Array sign(const Operand& x) {
    static const Function& function = *findFunction("sign");
    return call(function, {x});
}
Array floor(const Operand& x) {
    static const Function& function = *findFunction("floor");
    return call(function, {x});
}
Array ceil(const Operand& x) {
    static const Function& function = *findFunction("ceil");
    return call(function, {x});
}
Array trunc(const Operand& x) {
    static const Function& function = *findFunction("trunc");
    return call(function, {x});
}
Array round(const Operand& x) {
    static const Function& function = *findFunction("round");
    return call(function, {x});
}
Array exp(const Operand& x) {
    static const Function& function = *findFunction("exp");
    return call(function, {x});
}
Array exp2(const Operand& x) {
    static const Function& function = *findFunction("exp2");
    return call(function, {x});
}
Array expm1(const Operand& x) {
    static const Function& function = *findFunction("expm1");
    return call(function, {x});
}
Array log(const Operand& x) {
    static const Function& function = *findFunction("log");
    return call(function, {x});
}
Array log2(const Operand& x) {
    static const Function& function = *findFunction("log2");
    return call(function, {x});
}
Array log10(const Operand& x) {
    static const Function& function = *findFunction("log10");
    return call(function, {x});
}
Array log1p(const Operand& x) {
    static const Function& function = *findFunction("log1p");
    return call(function, {x});
}
Array sin(const Operand& x) {
    static const Function& function = *findFunction("sin");
    return call(function, {x});
}
Array cos(const Operand& x) {
    static const Function& function = *findFunction("cos");
    return call(function, {x});
}
Array tan(const Operand& x) {
    static const Function& function = *findFunction("tan");
    return call(function, {x});
}
Array asin(const Operand& x) {
    static const Function& function = *findFunction("asin");
    return call(function, {x});
}
Array acos(const Operand& x) {
    static const Function& function = *findFunction("acos");
    return call(function, {x});
}
Array atan(const Operand& x) {
    static const Function& function = *findFunction("atan");
    return call(function, {x});
}
Array sinh(const Operand& x) {
    static const Function& function = *findFunction("sinh");
    return call(function, {x});
}
Array cosh(const Operand& x) {
    static const Function& function = *findFunction("cosh");
    return call(function, {x});
}
Array tanh(const Operand& x) {
    static const Function& function = *findFunction("tanh");
    return call(function, {x});
}
Array asinh(const Operand& x) {
    static const Function& function = *findFunction("asinh");
    return call(function, {x});
}
Array acosh(const Operand& x) {
    static const Function& function = *findFunction("acosh");
    return call(function, {x});
}
Array atanh(const Operand& x) {
    static const Function& function = *findFunction("atanh");
    return call(function, {x});
}
Array cbrt(const Operand& x) {
    static const Function& function = *findFunction("cbrt");
    return call(function, {x});
}
Array erf(const Operand& x) {
    static const Function& function = *findFunction("erf");
    return call(function, {x});
}
Array erfc(const Operand& x) {
    static const Function& function = *findFunction("erfc");
    return call(function, {x});
}
Array gamma(const Operand& x) {
    static const Function& function = *findFunction("gamma");
    return call(function, {x});
}
Array lgamma(const Operand& x) {
    static const Function& function = *findFunction("lgamma");
    return call(function, {x});
}
Array i0(const Operand& x) {
    static const Function& function = *findFunction("i0");
    return call(function, {x});
}
Array conj(const Operand& x) {
    static const Function& function = *findFunction("conj");
    return call(function, {x});
}
Array deg2rad(const Operand& x) {
    static const Function& function = *findFunction("deg2rad");
    return call(function, {x});
}
Array rad2deg(const Operand& x) {
    static const Function& function = *findFunction("rad2deg");
    return call(function, {x});
}
Array isnan(const Operand& x) {
    static const Function& function = *findFunction("isnan");
    return call(function, {x});
}
Array isinf(const Operand& x) {
    static const Function& function = *findFunction("isinf");
    return call(function, {x});
}
Array isfinite(const Operand& x) {
    static const Function& function = *findFunction("isfinite");
    return call(function, {x});
}
Array signbit(const Operand& x) {
    static const Function& function = *findFunction("signbit");
    return call(function, {x});
}
Array logicalNot(const Operand& x) {
    static const Function& function = *findFunction("logical_not");
    return call(function, {x});
}
Array bitwiseInvert(const Operand& x) {
    static const Function& function = *findFunction("bitwise_invert");
    return call(function, {x});
}
Array add(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("add");
    return call(function, {x, y});
}
Array subtract(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("subtract");
    return call(function, {x, y});
}
Array multiply(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("multiply");
    return call(function, {x, y});
}
Array divide(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("divide");
    return call(function, {x, y});
}
Array floorDivide(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("floor_divide");
    return call(function, {x, y});
}
Array remainder(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("remainder");
    return call(function, {x, y});
}
Array fmod(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("fmod");
    return call(function, {x, y});
}
Array pow(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("pow");
    return call(function, {x, y});
}
Array minimum(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("minimum");
    return call(function, {x, y});
}
Array maximum(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("maximum");
    return call(function, {x, y});
}
Array fmin(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("fmin");
    return call(function, {x, y});
}
Array fmax(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("fmax");
    return call(function, {x, y});
}
Array hypot(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("hypot");
    return call(function, {x, y});
}
Array atan2(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("atan2");
    return call(function, {x, y});
}
Array copysign(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("copysign");
    return call(function, {x, y});
}
Array nextafter(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("nextafter");
    return call(function, {x, y});
}
Array heaviside(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("heaviside");
    return call(function, {x, y});
}
Array logaddexp(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("logaddexp");
    return call(function, {x, y});
}
Array equal(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("equal");
    return call(function, {x, y});
}
Array notEqual(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("not_equal");
    return call(function, {x, y});
}
Array less(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("less");
    return call(function, {x, y});
}
Array lessEqual(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("less_equal");
    return call(function, {x, y});
}
Array greater(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("greater");
    return call(function, {x, y});
}
Array greaterEqual(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("greater_equal");
    return call(function, {x, y});
}
Array logicalAnd(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("logical_and");
    return call(function, {x, y});
}
Array logicalOr(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("logical_or");
    return call(function, {x, y});
}
Array logicalXor(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("logical_xor");
    return call(function, {x, y});
}
Array bitwiseAnd(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("bitwise_and");
    return call(function, {x, y});
}
Array bitwiseOr(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("bitwise_or");
    return call(function, {x, y});
}
Array bitwiseXor(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("bitwise_xor");
    return call(function, {x, y});
}
Array bitwiseLeftShift(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("bitwise_left_shift");
    return call(function, {x, y});
}
Array bitwiseRightShift(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("bitwise_right_shift");
    return call(function, {x, y});
}
Array gcd(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("gcd");
    return call(function, {x, y});
}
Array lcm(const Operand& x, const Operand& y) {
    static const Function& function = *findFunction("lcm");
    return call(function, {x, y});
}

} // namespace kp
