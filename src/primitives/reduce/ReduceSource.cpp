// SPDX-License-Identifier: Apache-2.0
#include "primitives/reduce/ReduceSource.hpp"

#include "base/Text.hpp"
#include "operations/GlslType.hpp"
#include "primitives/source/OperatorSource.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;

bool isIndex(const Operator& combine) {
    return !combine.isExpression() && (combine.operation == ReduceOperation::eArgMinimum ||
                                       combine.operation == ReduceOperation::eArgMaximum);
}

/// The operator proper: eMean is a sum, eAny an or.
Operator combinerOf(const Operator& combine) {
    if (combine.isExpression())
        return combine;
    switch (combine.operation) {
    case ReduceOperation::eMean:
    case ReduceOperation::eCountNonZero:
        return ReduceOperation::eSum;
    case ReduceOperation::eAny:
        return ReduceOperation::eOr;
    case ReduceOperation::eAll:
        return ReduceOperation::eAnd;
    default:
        return combine;
    }
}

/// Returns the functions for the index of the smallest or largest element. The key of a float is an
/// integer in the same order, and NaN's is before all others, or after them if it is ignored.
std::string indexFunctions(ReduceOperation operation, DataTypes in, bool wide, bool ignoreNans) {
    const bool isMinimum = operation == ReduceOperation::eArgMinimum;
    const DataTypes computed = glslTypeOf(in, "reduced").computed;
    std::string key = "v";
    std::string before = formatted("a {} b", isMinimum ? "<" : ">");
    std::string nothing = "t.index == ~INDEX(0)";
    if (computed == DataTypes::eFloat) {
        const char* const ofNan = extremeOf(DataTypes::eInt, isMinimum == ignoreNans);
        key = formatted("kp_isnan(v) ? {} : orderOf(v)", ofNan);
        if (ignoreNans)
            nothing += formatted(" || t.key == {}", ofNan);
    } else if (computed == DataTypes::eDouble && ignoreNans) {
        before = formatted("!kp_isnan(a) && (kp_isnan(b) || {})", before);
        nothing += " || kp_isnan(t.key)";
    } else if (computed == DataTypes::eDouble) {
        before = "(kp_isnan(a) && !kp_isnan(b)) || " + before;
    }
    const DataTypes keys = computed == DataTypes::eFloat ? DataTypes::eInt : in;
    return formatted(R"(#define INDEX {}
#define KEY {}
struct Found {{ KEY key; INDEX index; }};
#define T Found
bool isBefore(KEY a, KEY b) {{ return {}; }}
KEY firstOf(KEY a, KEY b) {{ return isBefore(b, a) ? b : a; }}
KEY keyOf(IN_VALUE v) {{ return {}; }}
INDEX indexOf(uvec2 index) {{ return {}; }}
T combine(T a, T b) {{
    if (isBefore(a.key, b.key) || (!isBefore(b.key, a.key) && a.index < b.index))
        return a;
    return b;
}}
T identity() {{ return T(KEY({}), ~INDEX(0)); }}
T mapped(IN_VALUE v, uvec2 index) {{ return T(keyOf(v), indexOf(index)); }}
OUT_STORED finished(T t, uvec2 count) {{
    return OUT_STORE({} ? ~OUT_VALUE(0) : OUT_VALUE(t.index));
}}
#ifdef SUBGROUPS
T lanesValue(T x, uint lane) {{ return T(lanesValue(x.key, lane), lanesValue(x.index, lane)); }}
#endif
)",
                     wide ? "uint64_t" : "uint", glslComputedName(keys), before, key,
                     wide ? "packUint2x32(index)" : "index.x", extremeOf(keys, isMinimum), nothing);
}

const char* mappedExpression(const Operator& combine) {
    if (!combine.isExpression()) {
        switch (combine.operation) {
        case ReduceOperation::eAny:
        case ReduceOperation::eAll:
        case ReduceOperation::eCountNonZero:
            return "T(isEqual(v, IN_VALUE(0)) ? 0 : 1)";
        default:
            break;
        }
    }
    return "TERM_OF(v)";
}

} // namespace

ReduceSource reduceSource(const ReduceProblem& problem, bool int64) {
    const DataTypes computed = reduceType(problem);
    ReduceSource source;
    source.macros = glslTypeMacros("IN", problem.in) + glslTypeMacros("OUT", problem.out) +
                    glslTypeMacros("ACCUMULATOR", computed);
    if (isIndex(problem.combine)) {
        const bool wide = problem.length > UINT32_MAX;
        if (wide)
            source.macros += "#define HAS_Uint64\n";
        source.functions =
            indexFunctions(problem.combine.operation, problem.in, wide, problem.ignoreNans);
        const uint32_t valueBytes =
            Memory::dataTypeMemorySize(glslTypeOf(problem.in, "reduced").computed);
        source.partialBytes = wide || valueBytes == 8 ? 16 : 8;
        return source;
    }
    const auto is = [&](ReduceOperation operation) {
        return !problem.combine.isExpression() && problem.combine.operation == operation;
    };
    const bool isExtreme = is(ReduceOperation::eMinimum) || is(ReduceOperation::eMaximum);
    const Operator combiner = combinerOf(problem.combine);
    source.macros += glslTypeMacros("TERM", termType(combiner, computed, int64));
    source.functions =
        operatorSource(combiner, isExtreme ? problem.out : computed, int64) +
        formatted("T mapped(IN_VALUE v, uvec2 index) {{ return {}; }}\n"
                  "OUT_STORED finished(T t, uvec2 count) {{ return OUT_STORE(OUT_VALUE({})); }}\n",
                  mappedExpression(problem.combine),
                  is(ReduceOperation::eMean)  ? "t / (T(count.x) + T(count.y) * T(4294967296.0))"
                  : is(ReduceOperation::eAll) ? "t & T(1)" // of no elements, t has all bits
                                              : "VALUE_OF(t)");
    source.partialBytes = Memory::dataTypeMemorySize(computed);
    return source;
}

} // namespace kp::primitives
