// SPDX-License-Identifier: Apache-2.0
#include "shader/check/values/ArithmeticChecks.hpp"

#include "shader/check/values/IndexSources.hpp"

namespace kp::shader {
namespace {

const char* divisionName(uint32_t opcode) {
    switch (opcode) {
    case spv::OpUDiv:
    case spv::OpSDiv:
        return "division";
    case spv::OpUMod:
    case spv::OpSRem:
    case spv::OpSMod:
        return "remainder";
    default:
        return nullptr;
    }
}

bool shiftsBits(uint32_t opcode) {
    return opcode == spv::OpShiftLeftLogical || opcode == spv::OpShiftRightLogical ||
           opcode == spv::OpShiftRightArithmetic;
}

const char* overflowName(uint32_t opcode) {
    switch (opcode) {
    case spv::OpIAdd:
        return "sum";
    case spv::OpISub:
        return "difference";
    case spv::OpIMul:
        return "product";
    default:
        return nullptr;
    }
}

} // namespace

ArithmeticChecks::ArithmeticChecks(CheckContext& context)
    : mContext(context), mIndices(indexSources(context)) {}

void ArithmeticChecks::check(Node& node) {
    if (const char* const name = divisionName(node.opcode))
        checkSecond(node, FaultKind::eDivision, name);
    else if (shiftsBits(node.opcode))
        checkSecond(node, FaultKind::eShift, "shift");
    else if (overflowName(node.opcode) && mIndices.contains(node.result))
        checkOverflow(node);
    else if (node.opcode == spv::OpFunctionCall && node.operands.size() == 2 &&
             mContext.name(node.operand(0)).starts_with("kp_divisor("))
        checkDivisor(node);
}

void ArithmeticChecks::checkDivisor(Node& node) {
    const Node* const type = mContext.editor.global(node.type);
    if (!type || type->opcode != spv::OpTypeInt || mContext.typeOf(node.operand(1)) != node.type)
        return;
    CheckSite site;
    site.kind = FaultKind::eDivision;
    site.operation = "division";
    const uint32_t function = divisorFunction(node.type);
    const uint32_t number = mContext.addSite(std::move(site));
    node.operands = {function, number, node.operand(1)};
    node.ids.assign(3, true);
}

uint32_t ArithmeticChecks::divisorFunction(uint32_t type) {
    const std::vector<uint32_t> key{spv::OpFunctionCall, type};
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    ModuleEditor& editor = mContext.editor;
    FunctionWriter code(editor, type, {mContext.uintType(), type});
    const uint32_t zero = editor.define(nodeOf(spv::OpConstantNull, type, 0, {}));
    const uint32_t good = code.add(spv::OpINotEqual, editor.boolType(), {code.parameter(1), zero});
    code.choose(
        good, 0, [] { return 0u; },
        [&] {
            Fault fault;
            fault.site = code.parameter(0);
            fault.extent = editor.uintConstant(editor.global(type)->operand(0));
            mContext.report(code, fault);
            return 0u;
        });
    return mContext.add(key, code, code.parameter(1));
}

void ArithmeticChecks::checkSecond(Node& node, FaultKind kind, const char* operation) {
    const uint32_t type = mContext.typeOf(node.operand(1));
    const Node* const shape = mContext.intType(node.type);
    uint32_t known = 0;
    if (mContext.isKnown(node.operand(1), known) &&
        (kind == FaultKind::eDivision ? known != 0 : known < shape->operand(0)))
        return;
    CheckSite site;
    site.kind = kind;
    site.operation = operation;
    const uint32_t function = secondFunction(node, kind, type);
    const uint32_t number = mContext.addSite(std::move(site));
    node = nodeOf(spv::OpFunctionCall, node.type, node.result,
                  {function, number, node.operand(0), node.operand(1)});
}

uint32_t ArithmeticChecks::secondFunction(const Node& node, FaultKind kind, uint32_t secondType) {
    const uint32_t firstType = mContext.typeOf(node.operand(0));
    const std::vector<uint32_t> key{node.opcode, node.type, firstType, secondType};
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    ModuleEditor& editor = mContext.editor;
    const Node* const second = editor.global(secondType);
    const uint32_t count = second->opcode == spv::OpTypeVector ? second->operand(1) : 1;
    const uint32_t component =
        second->opcode == spv::OpTypeVector ? second->operand(0) : secondType;
    const uint32_t width = mContext.intType(node.type)->operand(0);
    const uint32_t secondWidth = mContext.intType(secondType)->operand(0);

    FunctionWriter code(editor, node.type, {mContext.uintType(), firstType, secondType});
    const uint32_t boolean = editor.boolType();
    uint32_t limit = editor.define(nodeOf(spv::OpConstantNull, component, 0, {}));
    if (kind == FaultKind::eShift) {
        std::vector<uint32_t> words{width};
        words.resize(secondWidth == 64 ? 2 : 1);
        limit = editor.define(literalNode(spv::OpConstant, component, 0, words));
    }
    uint32_t good = 0;
    uint32_t reported = 0; // the first component that is wrong
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t part =
            count == 1 ? code.parameter(2) : code.extract(component, code.parameter(2), i);
        const uint32_t fits =
            code.add(kind == FaultKind::eShift ? spv::OpULessThan : spv::OpINotEqual, boolean,
                     {part, limit});
        reported = good == 0 ? part : code.add(spv::OpSelect, component, {fits, reported, part});
        good = good == 0 ? fits : code.add(spv::OpLogicalAnd, boolean, {good, fits});
    }
    const auto compute = [&] {
        return code.add(static_cast<spv::Op>(node.opcode), node.type,
                        {code.parameter(1), code.parameter(2)});
    };
    const auto refuse = [&] {
        const auto [low, high] = mContext.wordsOf(code, reported, component);
        mContext.report(code, {code.parameter(0), mContext.zero(), low, high,
                               editor.uintConstant(width), mContext.zero()});
        return editor.define(nodeOf(spv::OpConstantNull, node.type, 0, {}));
    };
    const uint32_t value = code.choose(good, node.type, compute, refuse);
    return mContext.add(key, code, value);
}

void ArithmeticChecks::checkOverflow(Node& node) {
    const Node* const type = mContext.intType(node.type);
    if (!type || type->operand(0) != 32 || type->operand(1) == 0)
        return; // unsigned numbers wrap around on purpose
    CheckSite site;
    site.kind = FaultKind::eOverflow;
    site.operation = overflowName(node.opcode);
    const uint32_t function = overflowFunction(node);
    const uint32_t number = mContext.addSite(std::move(site));
    node = nodeOf(spv::OpFunctionCall, node.type, node.result,
                  {function, number, node.operand(0), node.operand(1)});
}

ArithmeticChecks::Wide ArithmeticChecks::computed(FunctionWriter& code, uint32_t opcode, uint32_t a,
                                                  uint32_t b) {
    ModuleEditor& editor = mContext.editor;
    const uint32_t number = editor.intType(32, true);
    const uint32_t boolean = editor.boolType();
    const uint32_t last = editor.uintConstant(31);
    Wide wide;
    if (opcode == spv::OpIMul) {
        const uint32_t pair = editor.define(nodeOf(spv::OpTypeStruct, 0, 0, {number, number}));
        const uint32_t product = code.add(spv::OpSMulExtended, pair, {a, b});
        wide.low = code.extract(number, product, 0);
        wide.high = code.extract(number, product, 1);
        const uint32_t sign = code.add(spv::OpShiftRightArithmetic, number, {wide.low, last});
        wide.fits = code.add(spv::OpIEqual, boolean, {wide.high, sign});
        return wide;
    }
    const bool adds = opcode == spv::OpIAdd;
    wide.low = code.add(static_cast<spv::Op>(opcode), number, {a, b});
    // The sign of the result is wrong.
    const uint32_t differs = code.add(spv::OpBitwiseXor, number, {a, wide.low});
    const uint32_t other = code.add(spv::OpBitwiseXor, number, {adds ? b : a, adds ? wide.low : b});
    const uint32_t wrong = code.add(spv::OpBitwiseAnd, number, {differs, other});
    const uint32_t none = editor.define(nodeOf(spv::OpConstantNull, number, 0, {}));
    wide.fits = code.add(spv::OpSGreaterThanEqual, boolean, {wrong, none});
    // It has the sign that the low word has not.
    wide.high = code.add(spv::OpNot, number,
                         {code.add(spv::OpShiftRightArithmetic, number, {wide.low, last})});
    return wide;
}

uint32_t ArithmeticChecks::overflowFunction(const Node& node) {
    const uint32_t firstType = mContext.typeOf(node.operand(0));
    const uint32_t secondType = mContext.typeOf(node.operand(1));
    const std::vector<uint32_t> key{node.opcode, node.type, firstType, secondType};
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    ModuleEditor& editor = mContext.editor;
    const uint32_t word = mContext.uintType();
    const uint32_t number = editor.intType(32, true);
    const Node* const shape = editor.global(node.type);
    const uint32_t count = shape->opcode == spv::OpTypeVector ? shape->operand(1) : 1;
    FunctionWriter code(editor, node.type, {word, firstType, secondType});
    const auto part = [&](uint32_t value, uint32_t type, uint32_t i) {
        if (count > 1) {
            type = editor.global(type)->operand(0);
            value = code.extract(type, value, i);
        }
        return type == number ? value : code.add(spv::OpBitcast, number, {value});
    };
    std::vector<uint32_t> results(count);
    Wide reported; // the first component that is wrong
    for (uint32_t i = count; i-- > 0;) {
        const Wide each = computed(code, node.opcode, part(code.parameter(1), firstType, i),
                                   part(code.parameter(2), secondType, i));
        results[i] = each.low;
        if (reported.fits == 0) {
            reported = each;
            continue;
        }
        const auto select = [&](uint32_t later, uint32_t earlier) {
            return code.add(spv::OpSelect, number, {each.fits, later, earlier});
        };
        reported = {select(reported.low, each.low), select(reported.high, each.high),
                    code.add(spv::OpLogicalAnd, editor.boolType(), {each.fits, reported.fits})};
    }
    const uint32_t result =
        count == 1 ? results[0] : code.add(spv::OpCompositeConstruct, node.type, results);
    const auto nothing = [] { return 0u; };
    const auto refuse = [&] {
        const auto bits = [&](uint32_t value) { return code.add(spv::OpBitcast, word, {value}); };
        mContext.report(code, {code.parameter(0), mContext.zero(), bits(reported.low),
                               bits(reported.high), mContext.zero(), mContext.zero()});
        return 0u;
    };
    code.choose(reported.fits, 0, nothing, refuse);
    return mContext.add(key, code, result);
}

} // namespace kp::shader
