// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/Lowering.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "shader/SpirvModule.hpp"
#include "shader/interpret/InterpretLongFunctions.hpp"
#include "shader/lower/InstructionLowering.hpp"
#include "shader/lower/NarrowStorage.hpp"
#include "shader/lower/NumberTypes.hpp"

namespace kp::shader {

Lowering::Lowering(ModuleEditor& module, const LoweredTypes& types)
    : LoweringContext(module, types), mStorage(std::make_unique<NarrowStorage>(*this)) {}

Lowering::~Lowering() = default;

bool Lowering::hasWordBuffers() const {
    return mStorage->hasBuffers();
}

void Lowering::run() {
    lowerGlobals();
    lowerFunctions();
    if (mLibrary)
        mLibrary->finish();
    lowerDecorations();
    lowerCapabilities();
}

void Lowering::interpretLong() {
    if (mLibrary)
        interpretLongFunctions(editor, mLibrary->used());
}

void Lowering::lowerGlobals() {
    for (const Node& old : editor.takeGlobals())
        lowerGlobal(old);
}

void Lowering::lowerGlobal(const Node& old) {
    const NumberShape shape = shapeOfType(old.result);
    uint32_t made = 0;
    if (shape.isLowered) {
        made = newTypeFor(shape);
    } else if (old.opcode == spv::OpTypeMatrix && shapeOfType(old.operand(0)).isLowered) {
        refuse("a matrix of a type that the device lacks");
    } else if (old.opcode == spv::OpVariable && mStorage->takes(old)) {
        mStorage->declare(old);
        return;
    } else if (shapeOfType(old.type).isLowered) {
        return lowerConstant(old);
    } else if (old.opcode == spv::OpSpecConstantOp) {
        for (size_t i = 1; i < old.operands.size(); ++i)
            if (old.ids[i] && shapeOf(old.operand(i)).isLowered)
                refuse("a constant computed from a specialization constant");
        made = editor.define(remapped(old));
    } else {
        if ((old.opcode == spv::OpTypeStruct || old.opcode == spv::OpTypeArray ||
             old.opcode == spv::OpTypeRuntimeArray) &&
            holdsNarrow(old.result))
            mUndecorated.insert(old.result);
        made = editor.define(remapped(old));
    }
    if (made != old.result)
        mAliases[old.result] = made;
}

void Lowering::lowerConstant(const Node& old) {
    const NumberShape shape = shapeOfType(old.type);
    Node node = remapped(old);
    if (old.opcode == spv::OpSpecConstant || old.opcode == spv::OpSpecConstantOp)
        return lowerSpecialized(old);
    if (old.opcode == spv::OpConstant && shape.isWide()) {
        node = nodeOf(spv::OpConstantComposite, node.type, old.result,
                      {word(old.operand(0)), word(old.operand(1))});
    } else if (old.opcode == spv::OpConstant) {
        node.operands = {shape.isFloat() ? floatBitsOfHalf(old.operand(0))
                                         : wrappedBits(old.operand(0), shape)};
    }
    const uint32_t made = editor.define(std::move(node));
    if (made != old.result)
        mAliases[old.result] = made;
}

void Lowering::lowerSpecialized(const Node& old) {
    const NumberShape shape = shapeOfType(old.type);
    if (old.opcode == spv::OpSpecConstantOp) {
        const uint32_t operation = old.operand(0);
        const bool extends = operation == spv::OpUConvert || operation == spv::OpSConvert;
        const NumberShape from = shapeOf(old.operand(1));
        if (!shape.isWide() || !extends || from.width != 32 || shape.count != 1)
            refuse("a constant computed from a specialization constant");
        const auto computed = [&](spv::Op opcode, uint32_t type, std::vector<uint32_t> operands) {
            Node node = nodeOf(spv::OpSpecConstantOp, type, 0, std::move(operands));
            node.operands.insert(node.operands.begin(), static_cast<uint32_t>(opcode));
            node.ids.insert(node.ids.begin(), false);
            return editor.define(std::move(node));
        };
        uint32_t lowWord = newIdOf(old.operand(1));
        uint32_t highWord = word(0);
        if (operation == spv::OpSConvert)
            highWord = computed(spv::OpShiftRightArithmetic, wordType(), {lowWord, word(31)});
        if (from.isSigned)
            lowWord = computed(spv::OpBitwiseOr, wordType(), {lowWord, word(0)});
        editor.define(
            nodeOf(spv::OpSpecConstantComposite, pairType(), old.result, {lowWord, highWord}));
        return;
    }
    const std::optional<uint32_t> id = decoration(old.result, spv::DecorationSpecId);
    LoweredConstant constant{id.value_or(0), 0, shape.width / 8, shape.isSigned, shape.isFloat()};
    if (!shape.isWide()) {
        Node node = remapped(old);
        node.operands = {shape.isFloat() ? floatBitsOfHalf(old.operand(0))
                                         : wrappedBits(old.operand(0), shape)};
        editor.define(std::move(node));
    } else {
        const uint32_t lowWord =
            editor.define(literalNode(spv::OpSpecConstant, wordType(), 0, {old.operand(0)}));
        const uint32_t highWord =
            editor.define(literalNode(spv::OpSpecConstant, wordType(), 0, {old.operand(1)}));
        editor.define(
            nodeOf(spv::OpSpecConstantComposite, pairType(), old.result, {lowWord, highWord}));
        mUndecorated.insert(old.result);
        if (id) {
            constexpr uint32_t kFirstAdded = 1u << 30; // no shader counts its constants so far
            constant.high = kFirstAdded + *id;
            editor.decorate(lowWord, spv::DecorationSpecId, {*id});
            editor.decorate(highWord, spv::DecorationSpecId, {constant.high});
        }
    }
    if (id)
        constants.push_back(constant);
}

void Lowering::lowerFunctions() {
    const std::vector<Node> old = std::move(editor.functions);
    editor.functions.clear();
    mBody.clear();
    for (size_t at = 0; at < old.size(); ++at) {
        const Node& node = old[at];
        if (node.opcode == spv::OpFunction && lowered.float64 && isExactProduct(node.result))
            at = lowerExactProduct(old, at);
        else if (!mStorage->lower(node) && !lowerInstruction(*this, node))
            mBody.push_back(remapped(node));
    }
    editor.functions = std::move(mBody);
    mBody.clear();
}

/// Returns true for functions of shaders/lib that return a product of doubles and its rounding
/// error.
bool Lowering::isExactProduct(uint32_t function) const {
    return std::ranges::any_of(editor.names, [&](const Node& node) {
        if (node.opcode != spv::OpName || node.operand(0) != function)
            return false;
        const std::string name = Instruction{node.opcode, node.operands}.text(1);
        return name == "kp_two_product(d1;d1;" || name == "kp_two_square(d1;";
    });
}

size_t Lowering::lowerExactProduct(const std::vector<Node>& nodes, size_t at) {
    std::vector<uint32_t> factors;
    const uint32_t type = newIdOf(nodes[at].type);
    for (; nodes[at].opcode != spv::OpLabel; ++at) {
        mBody.push_back(remapped(nodes[at]));
        if (nodes[at].opcode == spv::OpFunctionParameter)
            factors.push_back(nodes[at].result);
    }
    mBody.push_back(nodes[at]);
    for (uint32_t& factor : factors)
        if (definitionOf(typeOf(factor)).opcode == spv::OpTypePointer)
            factor = emit(spv::OpLoad, pairType(), {factor});
    const uint32_t x = factors.front(), y = factors.back();
    const uint32_t product = call("kp_f64_mul", {x, y});
    const uint32_t error = call("kp_f64_fma", {x, y, call("kp_f64_neg", {product})});
    mBody.push_back(nodeOf(spv::OpReturnValue, 0, 0, {construct(type, {product, error})}));
    for (; nodes[at].opcode != spv::OpFunctionEnd; ++at) // the removed values
        mGone.insert(nodes[at].result);
    mBody.push_back(nodes[at]);
    return at;
}

void Lowering::lowerDecorations() {
    std::vector<Node> kept;
    for (const Node& node : mOldDecorations) {
        const uint32_t target = node.operand(0);
        if (node.opcode == spv::OpDecorationGroup)
            refuse("a group of decorations");
        const bool isLoweredValue = shapeOf(target).isLowered;
        const bool ofArithmetic =
            node.opcode == spv::OpDecorate && (node.operand(1) == spv::DecorationNoContraction ||
                                               node.operand(1) == spv::DecorationRelaxedPrecision ||
                                               node.operand(1) == spv::DecorationFPRoundingMode);
        if (mAliases.contains(target) || mUndecorated.contains(target) || mGone.contains(target) ||
            mStorage->drops(node) || (isLoweredValue && ofArithmetic))
            continue;
        kept.push_back(node);
    }
    editor.decorations.insert(editor.decorations.begin(), kept.begin(), kept.end());
    std::erase_if(editor.names, [&](const Node& node) {
        return (node.opcode == spv::OpName || node.opcode == spv::OpMemberName) &&
               (mAliases.contains(node.operand(0)) || mUndecorated.contains(node.operand(0)) ||
                mGone.contains(node.operand(0)));
    });
}

void Lowering::lowerCapabilities() {
    const auto without = [&](bool is, std::initializer_list<spv::Capability> capabilities) {
        for (const spv::Capability each : capabilities)
            if (is)
                editor.removeCapability(each);
    };
    without(lowered.int8, {spv::CapabilityInt8, spv::CapabilityStorageBuffer8BitAccess,
                           spv::CapabilityUniformAndStorageBuffer8BitAccess,
                           spv::CapabilityStoragePushConstant8});
    without(lowered.int16, {spv::CapabilityInt16});
    without(lowered.float16, {spv::CapabilityFloat16});
    without(lowered.int16 && lowered.float16, {spv::CapabilityStorageBuffer16BitAccess,
                                               spv::CapabilityUniformAndStorageBuffer16BitAccess,
                                               spv::CapabilityStoragePushConstant16});
    without(lowered.int64, {spv::CapabilityInt64, spv::CapabilityInt64Atomics});
    without(lowered.float64, {spv::CapabilityFloat64});
    std::erase_if(editor.extensions, [&](const Node& node) {
        const std::string name = Instruction{node.opcode, node.operands}.text(0);
        return (lowered.int8 && name == "SPV_KHR_8bit_storage") ||
               (lowered.int16 && lowered.float16 && name == "SPV_KHR_16bit_storage");
    });
    std::erase_if(editor.executionModes, [&](const Node& node) {
        const uint32_t mode = node.operand(1);
        const bool ofWidth =
            mode >= spv::ExecutionModeDenormPreserve && mode <= spv::ExecutionModeRoundingModeRTZ;
        return node.opcode == spv::OpExecutionMode && ofWidth &&
               isLowered(lowered, NumberShape::Kind::eFloat, node.operand(2));
    });
}

} // namespace kp::shader
