// SPDX-License-Identifier: Apache-2.0
#include "primitives/source/OperatorSource.hpp"

#include <array>
#include <cstddef>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "operations/GlslType.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;

std::string expressionOf(const Operator& combine, DataTypes computed) {
    switch (combine.operation) {
    case ReduceOperation::eSum:
        return "a + b";
    case ReduceOperation::eProduct:
        return "a * b";
    case ReduceOperation::eMinimum:
        return isFloatingPoint(computed) ? "kp_isnan(a) ? a : kp_isnan(b) ? b : min(a, b)"
                                         : "min(a, b)";
    case ReduceOperation::eMaximum:
        return isFloatingPoint(computed) ? "kp_isnan(a) ? a : kp_isnan(b) ? b : max(a, b)"
                                         : "max(a, b)";
    case ReduceOperation::eAnd:
        return "a & b";
    case ReduceOperation::eOr:
        return "a | b";
    default:
        return "a ^ b";
    }
}

std::string identityOf(const Operator& combine, DataTypes elements) {
    switch (combine.operation) {
    case ReduceOperation::eProduct:
        return "1";
    case ReduceOperation::eMinimum:
        return extremeOf(elements, true);
    case ReduceOperation::eMaximum:
        return extremeOf(elements, false);
    case ReduceOperation::eAnd:
        return "~T(0)";
    default:
        return "0";
    }
}

bool isExtreme(const Operator& combine) {
    return !combine.isExpression() && (combine.operation == ReduceOperation::eMinimum ||
                                       combine.operation == ReduceOperation::eMaximum);
}

/// Extremes of floating-point numbers, as integers of their size. NaN is beyond the infinities, on
/// the side that wins.
std::string extremeSource(ReduceOperation operation, DataTypes computed, DataTypes term) {
    const bool isMinimum = operation == ReduceOperation::eMinimum;
    const bool isDouble = computed == DataTypes::eDouble;
    return formatted(R"(#define T {0}
T inOrder(T bits) {{ return bits ^ (bits >> {2} & {3}); }}
T TERM_OF({1} x) {{ return kp_isnan(x) ? {4} : inOrder({5}); }}
{1} VALUE_OF(T t) {{ return {6}; }}
T combine(T a, T b) {{ return {7}(a, b); }}
T identity() {{ return TERM_OF({8}); }}
)",
                     glslComputedName(term), glslComputedName(computed), isDouble ? 63 : 31,
                     extremeOf(term, true), extremeOf(term, !isMinimum),
                     isDouble ? "packInt2x32(ivec2(unpackDouble2x32(x)))" : "floatBitsToInt(x)",
                     isDouble ? "packDouble2x32(uvec2(unpackInt2x32(inOrder(t))))"
                              : "intBitsToFloat(inOrder(t))",
                     isMinimum ? "min" : "max", extremeOf(computed, isMinimum));
}

} // namespace

const char* extremeOf(DataTypes elements, bool largest) {
    switch (elements) {
    case DataTypes::eChar:
        return largest ? "127" : "-128";
    case DataTypes::eShort:
        return largest ? "32767" : "-32768";
    default:
        break;
    }
    switch (glslTypeOf(elements, "combined").computed) {
    case DataTypes::eInt:
        return largest ? "0x7fffffff" : "(-0x7fffffff - 1)";
    case DataTypes::eUnsignedInt:
        return largest ? "0xffffffffu" : "0u";
    case DataTypes::eLong:
        return largest ? "packInt2x32(ivec2(-1, 0x7fffffff))"
                       : "packInt2x32(ivec2(0, -0x7fffffff - 1))";
    case DataTypes::eUnsignedLong:
        return largest ? "packUint2x32(uvec2(0xffffffffu))" : "packUint2x32(uvec2(0u))";
    case DataTypes::eFloat:
        return largest ? "uintBitsToFloat(0x7f800000u)" : "uintBitsToFloat(0xff800000u)";
    default:
        return largest ? "packDouble2x32(uvec2(0u, 0x7ff00000u))"
                       : "packDouble2x32(uvec2(0u, 0xfff00000u))";
    }
}

std::string nameOf(ReduceOperation operation) {
    static constexpr std::array<const char*, 13> kNames = {
        "eSum",  "eProduct",    "eMinimum",    "eMaximum", "eAnd", "eOr",          "eXor",
        "eMean", "eArgMinimum", "eArgMaximum", "eAny",     "eAll", "eCountNonZero"};
    const auto index = static_cast<size_t>(operation);
    if (index >= kNames.size())
        fail<InvalidArgument>("{} is not a ReduceOperation", index);
    return kNames[index];
}

void requireCombines(const Operator& combine, DataTypes computed, const char* user) {
    if (combine.isExpression())
        return;
    const std::string name = nameOf(combine.operation);
    if (combine.operation > ReduceOperation::eXor)
        fail<InvalidArgument>("{}: {} does not combine two elements into one of their type; "
                              "operators are eSum, eProduct, eMinimum, eMaximum, eAnd, eOr, eXor "
                              "and expressions",
                              user, name);
    if (combine.operation >= ReduceOperation::eAnd && isFloatingPoint(computed))
        fail<InvalidArgument>("{}: {} combines the bits of integers, but was given floating-point "
                              "numbers",
                              user, name);
}

DataTypes operatorType(const Operator& combine, DataTypes in, DataTypes out, const char* user) {
    requireCombines(combine, glslTypeOf(in, "combined").computed, user);
    const DataTypes computed = glslTypeOf(out, "results").computed;
    const bool anyType = combine.isExpression() || combine.operation == ReduceOperation::eSum ||
                         combine.operation == ReduceOperation::eProduct;
    if (!anyType && in != out)
        refuseOutput(combine, in, out, "the same type", user);
    if (anyType && isFloatingPoint(in) && !isFloatingPoint(out))
        refuseOutput(combine, in, out, "a floating-point type", user);
    return computed;
}

void refuseOutput(const Operator& combine, DataTypes in, DataTypes out, const char* wanted,
                  const char* user) {
    fail<InvalidArgument>("{}: {} of {} needs an output of {}, not of {}", user,
                          combine.isExpression() ? "an expression" : nameOf(combine.operation),
                          Memory::toString(in), wanted, Memory::toString(out));
}

bool isFloatingPoint(DataTypes type) {
    return type == DataTypes::eFloat || type == DataTypes::eDouble || type == DataTypes::eHalf ||
           type == DataTypes::eBFloat16;
}

DataTypes termType(const Operator& combine, DataTypes computed, bool int64) {
    if (isExtreme(combine) && computed == DataTypes::eFloat)
        return DataTypes::eInt;
    if (isExtreme(combine) && computed == DataTypes::eDouble && int64)
        return DataTypes::eLong;
    return computed;
}

std::string operatorSource(const Operator& combine, DataTypes elements, bool int64) {
    const DataTypes computed = glslTypeOf(elements, "combined").computed;
    const DataTypes term = termType(combine, computed, int64);
    if (term != computed)
        return extremeSource(combine.operation, computed, term);
    const bool isGiven = combine.isExpression();
    // `precise` keeps the compiler from fusing or reordering a caller's operations.
    return formatted("#define T {}\n"
                     "#define TERM_OF(x) T(x)\n"
                     "#define VALUE_OF(t) (t)\n"
                     "T combine(T a, T b) {{ precise T combined = T(\n{}\n); return combined; }}\n"
                     "T identity() {{ return T(\n{}\n); }}\n",
                     glslComputedName(computed),
                     isGiven ? "#include \"operator\"" : expressionOf(combine, computed),
                     isGiven ? "#include \"identity\"" : identityOf(combine, elements));
}

std::string laneOperation(const Operator& combine, DataTypes term) {
    static constexpr std::array<const char*, 7> kSuffixes = {"Add", "Mul", "Min", "Max",
                                                             "And", "Or",  "Xor"};
    // Those functions of floating-point numbers need not propagate NaN.
    const bool isSame = !isExtreme(combine) || !isFloatingPoint(term);
    return isSame && !combine.isExpression() ? kSuffixes[static_cast<size_t>(combine.operation)]
                                             : "";
}

std::vector<Kernel::UserText> operatorTexts(const Operator& combine) {
    if (!combine.isExpression())
        return {};
    return {{"operator", combine.expression}, {"identity", combine.identity}};
}

} // namespace kp::primitives
