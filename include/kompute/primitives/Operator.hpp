// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/Export.hpp>

namespace kp {

/// How reductions combine elements. Operators proper (up to eXor) combine two elements into one of
/// the same type; OpScan and the collective operations of a Buffer take these alone.
///
/// - eSum, eProduct: integers wrap around. Without elements: 0 and 1.
/// - eMinimum, eMaximum: NaN if any element is, as in NumPy. Without elements: the largest and the
///   smallest value.
/// - eAnd, eOr, eXor: bit by bit; integers and bool. Of no elements: all bits 1, 0 and 0.
/// - eMean: a floating-point result. Of no elements: NaN.
/// - eArgMinimum, eArgMaximum: the index of the first such element, or of the first NaN. No
///   elements are refused; of an empty segment, all bits are 1 (-1, or the largest number).
/// - eAny, eAll: of "is not 0". Of no elements: 0 and 1.
/// - eCountNonZero. Of no elements: 0.
enum class ReduceOperation {
    eSum,
    eProduct,
    eMinimum,
    eMaximum,
    eAnd,
    eOr,
    eXor,
    eMean,
    eArgMinimum,
    eArgMaximum,
    eAny,
    eAll,
    eCountNonZero
};

/// Combines two elements: a ReduceOperation up to eXor, or a GLSL expression over `a` and `b`.
///
///     kp::Operator{"max(abs(a), abs(b))", "0"}
///
/// The expression must be associative up to rounding; reductions also require that it is
/// commutative. `a` and `b` have the type in which the primitive computes (see its class), which
/// the expression may call T.
struct KOMPUTE_API Operator {
    Operator(ReduceOperation named) : operation(named) {}
    /// @param glsl      the expression
    /// @param neutral   a GLSL expression e with combine(e, x) == x, converted to the type
    /// @throws InvalidArgument if the expression is empty
    Operator(std::string glsl, std::string neutral)
        : expression(std::move(glsl)), identity(std::move(neutral)) {
        if (expression.empty())
            throw InvalidArgument(
                "the operator is empty; give a GLSL expression over a and b, or an operation");
    }

    bool isExpression() const { return !expression.empty(); }
    friend bool operator==(const Operator& a, const Operator& b) {
        return a.operation == b.operation && a.expression == b.expression &&
               a.identity == b.identity;
    }

    ReduceOperation operation = ReduceOperation::eSum;
    std::string expression; ///< empty for an operation
    std::string identity;
};

} // namespace kp
