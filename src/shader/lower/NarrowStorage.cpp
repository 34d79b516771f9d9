// SPDX-License-Identifier: Apache-2.0
#include "shader/lower/NarrowStorage.hpp"

#include <algorithm>

namespace kp::shader {
namespace {

constexpr uint32_t kDeviceScope = spv::ScopeDevice;

bool hasLayout(uint32_t storageClass) {
    return storageClass == spv::StorageClassStorageBuffer ||
           storageClass == spv::StorageClassUniform ||
           storageClass == spv::StorageClassPushConstant ||
           storageClass == spv::StorageClassPhysicalStorageBuffer;
}

/// Appends the memory operands of a load or store, except the alignment.
void appendAccess(Node& made, const Node& source, size_t first) {
    uint32_t mask = source.operand(first);
    if (mask == 0)
        return;
    size_t at = first + 1;
    std::vector<std::pair<uint32_t, bool>> kept;
    if (mask & spv::MemoryAccessAlignedMask)
        ++at;
    mask &= ~static_cast<uint32_t>(spv::MemoryAccessAlignedMask);
    for (; at < source.operands.size(); ++at)
        kept.emplace_back(source.operands[at], source.ids[at]);
    if (mask == 0)
        return;
    made.operands.push_back(mask);
    made.ids.push_back(false);
    for (const auto& [operand, isId] : kept) {
        made.operands.push_back(operand);
        made.ids.push_back(isId);
    }
}

} // namespace

bool NarrowStorage::takes(const Node& variable) const {
    const Node& pointer = mContext.definitionOf(variable.type);
    return hasLayout(variable.operand(0)) && mContext.holdsNarrow(pointer.operand(1));
}

void NarrowStorage::declare(const Node& variable) {
    ModuleEditor& editor = mContext.editor;
    const uint32_t storageClass = variable.operand(0);
    const uint32_t type = mContext.definitionOf(variable.type).operand(1);
    if (mContext.definitionOf(type).opcode != spv::OpTypeStruct)
        mContext.refuse("an array of buffers with elements of 8 or 16 bits");
    const bool isBufferBlock = mContext.decoration(type, spv::DecorationBufferBlock).has_value();
    const bool isBuffer = storageClass == spv::StorageClassStorageBuffer || isBufferBlock;
    Block block{variable.result, type, storageClass,
                storageClass == spv::StorageClassUniform && !isBufferBlock};
    const uint32_t element =
        block.byFours ? editor.vectorType(mContext.wordType(), 4) : mContext.wordType();
    const uint32_t stride = block.byFours ? 16 : 4;
    const Node& members = mContext.definitionOf(type);
    // Arrays are defined with the struct, so that no other type gets their decorations.
    const uint32_t array =
        isBuffer
            ? editor.define(nodeOf(spv::OpTypeRuntimeArray, 0, 0, {element}))
            : editor.define(nodeOf(spv::OpTypeArray, 0, 0,
                                   {element, mContext.word((sizeOf(type) + stride - 1) / stride)}));
    editor.decorate(array, spv::DecorationArrayStride, {stride});
    const uint32_t words = editor.define(nodeOf(spv::OpTypeStruct, 0, 0, {array}));
    editor.decorate(words, isBufferBlock ? spv::DecorationBufferBlock : spv::DecorationBlock);
    const auto decorateMember = [&](std::vector<uint32_t> operands) {
        Node node = literalNode(spv::OpMemberDecorate, 0, 0, {words, 0});
        node.ids[0] = true;
        node.operands.insert(node.operands.end(), operands.begin(), operands.end());
        node.ids.resize(node.operands.size());
        editor.decorations.push_back(std::move(node));
    };
    decorateMember({spv::DecorationOffset, 0});
    for (const spv::Decoration each :
         {spv::DecorationCoherent, spv::DecorationVolatile, spv::DecorationNonWritable}) {
        size_t having = 0;
        for (uint32_t i = 0; i < members.operands.size(); ++i)
            having += mContext.decoration(type, each, i).has_value();
        if (each == spv::DecorationNonWritable ? having == members.operands.size() : having > 0)
            decorateMember({static_cast<uint32_t>(each)});
    }
    Node made = variable;
    made.type = editor.pointerType(storageClass, words);
    editor.define(std::move(made));
    mBlocks[variable.result] = block;
    mHasBuffers = mHasBuffers || isBuffer;
}

bool NarrowStorage::drops(const Node& decoration) const {
    return decoration.opcode == spv::OpDecorate &&
           decoration.operand(1) == spv::DecorationNonReadable &&
           mBlocks.contains(decoration.operand(0));
}

uint32_t NarrowStorage::strideOf(uint32_t array) const {
    return mContext.decoration(array, spv::DecorationArrayStride).value_or(0);
}

uint32_t NarrowStorage::sizeOf(uint32_t type) const {
    const Node& node = mContext.definitionOf(type);
    switch (node.opcode) {
    case spv::OpTypeStruct: {
        uint32_t size = 0;
        for (uint32_t i = 0; i < node.operands.size(); ++i)
            size = std::max(size, mContext.decoration(type, spv::DecorationOffset, i).value_or(0) +
                                      sizeOf(node.operands[i]));
        return size;
    }
    case spv::OpTypeArray: {
        const auto count = mContext.constantValue(node.operand(1));
        if (!count)
            mContext.refuse("an array in a buffer whose size is a specialization constant");
        return *count * strideOf(type);
    }
    case spv::OpTypeRuntimeArray:
        return 0;
    default: {
        const NumberShape shape = mContext.shapeOfType(type);
        if (!shape.isNumber())
            mContext.refuse("a matrix or pointer beside members of 8 or 16 bits");
        return shape.width / 8 * shape.count;
    }
    }
}

bool NarrowStorage::lower(const Node& node) {
    const auto placeOf = [&](uint32_t pointer) -> std::optional<Place> {
        if (const auto place = mPlaces.find(pointer); place != mPlaces.end())
            return place->second;
        if (const auto block = mBlocks.find(pointer); block != mBlocks.end())
            return Place{block->second, block->second.type, 0, {}};
        return std::nullopt;
    };
    std::optional<Place> place;
    for (size_t i = 0; i < node.operands.size() && !place; ++i)
        if (node.ids[i])
            place = placeOf(node.operands[i]);
    if (!place) {
        const Node& type = mContext.definitionOf(node.type);
        if (type.opcode == spv::OpTypePointer && hasLayout(type.operand(0)) &&
            mContext.holdsNarrow(type.operand(1)))
            mContext.refuse("pointers to elements of 8 or 16 bits");
        return false;
    }
    const bool isFirst = placeOf(node.operand(0)).has_value();
    switch (node.opcode) {
    case spv::OpAccessChain:
    case spv::OpInBoundsAccessChain:
        return chain(node, *place);
    case spv::OpCopyObject:
        mPlaces[node.result] = *place;
        return true;
    case spv::OpLoad:
        mContext.finish(node, load(*place, node));
        return true;
    case spv::OpStore:
        if (!isFirst)
            break;
        store(*place, mContext.newIdOf(node.operand(1)), node);
        return true;
    case spv::OpArrayLength:
        mContext.finish(node, arrayLength(node, place->block));
        return true;
    default:
        if (node.opcode >= spv::OpAtomicLoad && node.opcode <= spv::OpAtomicXor && isFirst) {
            atomic(node, *place);
            return true;
        }
        break;
    }
    mContext.refuse("a pointer to a buffer with elements of 8 or 16 bits, other than to load or "
                    "store");
}

NarrowStorage::Place NarrowStorage::at(const Place& place, uint32_t bytes, uint32_t type) const {
    Place moved = place;
    moved.constant += bytes;
    moved.type = type;
    return moved;
}

bool NarrowStorage::chain(const Node& node, Place place) {
    for (size_t i = 1; i < node.operands.size(); ++i) {
        const Node& type = mContext.definitionOf(place.type);
        const std::optional<uint32_t> index = mContext.constantValue(node.operands[i]);
        if (type.opcode == spv::OpTypeStruct) {
            place = at(place,
                       mContext.decoration(place.type, spv::DecorationOffset, *index).value_or(0),
                       type.operand(*index));
            continue;
        }
        const uint32_t stride = type.opcode == spv::OpTypeVector
                                    ? mContext.shapeOfType(place.type).width / 8
                                    : strideOf(place.type);
        place.type = type.operand(0);
        if (index) {
            place.constant += *index * stride;
            continue;
        }
        const uint32_t word = mContext.wordType();
        const NumberShape shape = mContext.shapeOf(node.operands[i]);
        uint32_t value = mContext.newIdOf(node.operands[i]);
        value = shape.isLoweredWide() ? mContext.low(value)
                : shape.isWide()      ? mContext.emit(spv::OpUConvert, word, {value})
                                      : mContext.asInt32(value, shape, false);
        if (stride != 1)
            value = mContext.emit(spv::OpIMul, word, {value, mContext.word(stride)});
        place.offset =
            place.offset ? mContext.emit(spv::OpIAdd, word, {*place.offset, value}) : value;
    }
    mPlaces[node.result] = place;
    return true;
}

uint32_t NarrowStorage::offsetOf(const Place& place) {
    const uint32_t constant = mContext.word(place.constant);
    if (!place.offset)
        return constant;
    return place.constant == 0
               ? *place.offset
               : mContext.emit(spv::OpIAdd, mContext.wordType(), {*place.offset, constant});
}

uint32_t NarrowStorage::wordPointer(const Place& place) {
    const uint32_t word = mContext.wordType();
    const uint32_t pointer = mContext.editor.pointerType(place.block.storageClass, word);
    const uint32_t first = mContext.word(0);
    const uint32_t offset = offsetOf(place);
    const auto shifted = [&](uint32_t bits) {
        return place.offset
                   ? mContext.emit(spv::OpShiftRightLogical, word, {offset, mContext.word(bits)})
                   : mContext.word(place.constant >> bits);
    };
    if (!place.block.byFours)
        return mContext.emit(spv::OpAccessChain, pointer,
                             {place.block.variable, first, shifted(2)});
    const uint32_t part = mContext.emit(spv::OpBitwiseAnd, word, {shifted(2), mContext.word(3)});
    return mContext.emit(spv::OpAccessChain, pointer,
                         {place.block.variable, first, shifted(4), part});
}

uint32_t NarrowStorage::loadScalar(const Place& place, const NumberShape& shape, const Node& node) {
    const auto loaded = [&](const Place& from) {
        const uint32_t pointer = wordPointer(from);
        Node made = nodeOf(spv::OpLoad, mContext.wordType(), 0, {pointer});
        appendAccess(made, node, 1);
        return mContext.emit(std::move(made));
    };
    if (shape.isWide())
        return mContext.ofWords({loaded(place), loaded(at(place, 4, place.type))}, shape);
    const uint32_t whole = loaded(place);
    if (shape.width == 32)
        return mContext.ofWords({whole}, shape);
    const uint32_t word = mContext.wordType();
    const uint32_t byte =
        mContext.emit(spv::OpBitwiseAnd, word, {offsetOf(place), mContext.word(3)});
    const uint32_t bit = mContext.emit(spv::OpShiftLeftLogical, word, {byte, mContext.word(3)});
    const uint32_t bits =
        mContext.emit(spv::OpBitFieldUExtract, word, {whole, bit, mContext.word(shape.width)});
    return mContext.ofWords({bits}, shape);
}

void NarrowStorage::storeScalar(const Place& place, const NumberShape& shape, uint32_t value,
                                const Node& node) {
    const std::vector<uint32_t> words = mContext.wordsOf(value, shape);
    const auto stored = [&](const Place& to, uint32_t word) {
        Node made = nodeOf(spv::OpStore, 0, 0, {wordPointer(to), word});
        appendAccess(made, node, 2);
        mContext.keep(std::move(made));
    };
    if (shape.width >= 32) {
        stored(place, words[0]);
        if (shape.isWide())
            stored(at(place, 4, place.type), words[1]);
        return;
    }
    const uint32_t word = mContext.wordType();
    const uint32_t byte =
        mContext.emit(spv::OpBitwiseAnd, word, {offsetOf(place), mContext.word(3)});
    const uint32_t bit = mContext.emit(spv::OpShiftLeftLogical, word, {byte, mContext.word(3)});
    const uint32_t mask =
        mContext.emit(spv::OpShiftLeftLogical, word, {mContext.word((1u << shape.width) - 1), bit});
    const uint32_t others = mContext.emit(spv::OpNot, word, {mask});
    const uint32_t own = mContext.emit(spv::OpShiftLeftLogical, word, {words[0], bit});
    const uint32_t pointer = wordPointer(place);
    const uint32_t scope = mContext.word(kDeviceScope);
    const uint32_t relaxed = mContext.word(0);
    mContext.emit(spv::OpAtomicAnd, word, {pointer, scope, relaxed, others});
    mContext.emit(spv::OpAtomicOr, word, {pointer, scope, relaxed, own});
}

uint32_t NarrowStorage::load(const Place& place, const Node& node) {
    const Node& type = mContext.definitionOf(place.type);
    const NumberShape shape = mContext.shapeOfType(place.type);
    if (shape.isNumber() && shape.count == 1)
        return loadScalar(place, shape, node);
    std::vector<uint32_t> parts;
    if (shape.isNumber()) {
        for (uint32_t i = 0; i < shape.count; ++i)
            parts.push_back(loadScalar(at(place, i * shape.width / 8, type.operand(0)),
                                       shape.component(), node));
    } else if (type.opcode == spv::OpTypeStruct) {
        for (uint32_t i = 0; i < type.operands.size(); ++i)
            parts.push_back(load(
                at(place, mContext.decoration(place.type, spv::DecorationOffset, i).value_or(0),
                   type.operands[i]),
                node));
    } else {
        const auto count = mContext.constantValue(type.operand(1));
        if (type.opcode != spv::OpTypeArray || !count)
            mContext.refuse("a load of a whole array of unknown size");
        for (uint32_t i = 0; i < *count; ++i)
            parts.push_back(load(at(place, i * strideOf(place.type), type.operand(0)), node));
    }
    return mContext.construct(mContext.newIdOf(place.type), std::move(parts));
}

void NarrowStorage::store(const Place& place, uint32_t value, const Node& node) {
    const Node& type = mContext.definitionOf(place.type);
    const NumberShape shape = mContext.shapeOfType(place.type);
    if (shape.isNumber() && shape.count == 1)
        return storeScalar(place, shape, value, node);
    const auto part = [&](uint32_t partType, uint32_t i) {
        return mContext.extract(partType, value, i);
    };
    if (shape.isNumber()) {
        for (uint32_t i = 0; i < shape.count; ++i)
            storeScalar(at(place, i * shape.width / 8, type.operand(0)), shape.component(),
                        part(mContext.newTypeFor(shape.component()), i), node);
    } else if (type.opcode == spv::OpTypeStruct) {
        for (uint32_t i = 0; i < type.operands.size(); ++i)
            store(at(place, mContext.decoration(place.type, spv::DecorationOffset, i).value_or(0),
                     type.operands[i]),
                  part(mContext.newIdOf(type.operands[i]), i), node);
    } else {
        const auto count = mContext.constantValue(type.operand(1));
        if (type.opcode != spv::OpTypeArray || !count)
            mContext.refuse("a store of a whole array of unknown size");
        for (uint32_t i = 0; i < *count; ++i)
            store(at(place, i * strideOf(place.type), type.operand(0)),
                  part(mContext.newIdOf(type.operand(0)), i), node);
    }
}

uint32_t NarrowStorage::arrayLength(const Node& node, const Block& block) {
    const uint32_t member = node.operand(1);
    const Node& type = mContext.definitionOf(block.type);
    const uint32_t stride = strideOf(type.operand(member));
    // The range of a descriptor is a multiple of 4 bytes, so that the length may be too large.
    if (stride % 4 != 0)
        mContext.refuse("length() of a buffer with elements of 8 or 16 bits");
    const uint32_t word = mContext.wordType();
    const uint32_t count = mContext.emit(spv::OpArrayLength, word, {block.variable, 0});
    mContext.lastIds({true, false});
    const uint32_t bytes = mContext.emit(spv::OpIMul, word, {count, mContext.word(4)});
    const uint32_t first =
        mContext.decoration(block.type, spv::DecorationOffset, member).value_or(0);
    const uint32_t rest = mContext.emit(spv::OpISub, word, {bytes, mContext.word(first)});
    return mContext.emit(spv::OpUDiv, word, {rest, mContext.word(stride)});
}

void NarrowStorage::atomic(const Node& node, const Place& place) {
    const NumberShape shape = mContext.shapeOfType(place.type);
    if (!shape.isInt() || shape.width != 32)
        mContext.refuse("atomics other than of 32-bit integers");
    const uint32_t word = mContext.wordType();
    std::vector<uint32_t> operands{wordPointer(place)};
    for (size_t i = 1; i < node.operands.size(); ++i) {
        const uint32_t id = mContext.newIdOf(node.operands[i]);
        const bool isValue = mContext.typeOf(node.operands[i]) == place.type;
        operands.push_back(isValue ? mContext.bitcast(word, id) : id);
    }
    if (node.result == 0) {
        mContext.keep(nodeOf(static_cast<spv::Op>(node.opcode), 0, 0, std::move(operands)));
        return;
    }
    const uint32_t made =
        mContext.emit(static_cast<spv::Op>(node.opcode), word, std::move(operands));
    mContext.finish(node, mContext.bitcast(mContext.newIdOf(node.type), made));
}

} // namespace kp::shader
