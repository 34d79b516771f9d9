// SPDX-License-Identifier: Apache-2.0
#include "shader/check/access/AccessChecks.hpp"

#include <algorithm>
#include <string>

#include "shader/check/access/IndexComparison.hpp"

namespace kp::shader {
namespace {

/// Returns true for types whose values are numbers.
bool hasZero(const CheckContext& context, uint32_t type) {
    const Node* const node = context.editor.global(type);
    if (!node)
        return false;
    switch (node->opcode) {
    case spv::OpTypeBool:
    case spv::OpTypeInt:
    case spv::OpTypeFloat:
        return true;
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
    case spv::OpTypeArray:
        return hasZero(context, node->operand(0));
    case spv::OpTypeStruct:
        return std::ranges::all_of(node->operands,
                                   [&](uint32_t member) { return hasZero(context, member); });
    default:
        return false;
    }
}

bool accessesImage(uint32_t opcode) {
    return opcode == spv::OpImageRead || opcode == spv::OpImageWrite ||
           opcode == spv::OpImageTexelPointer;
}

/// Returns the number of extents that a storage image has; 0 for images of other kinds.
uint32_t axesOf(const Node& image) {
    const bool isStorage = image.operand(5) == 2;
    const bool isMultisampled = image.operand(4) != 0;
    if (!isStorage || isMultisampled)
        return 0;
    const uint32_t layers = image.operand(3);
    switch (image.operand(1)) {
    case spv::Dim1D:
    case spv::DimBuffer:
        return 1 + layers;
    case spv::Dim2D:
    case spv::DimCube:
        return 2 + layers;
    case spv::Dim3D:
        return 3;
    default:
        return 0;
    }
}

/// Returns true for a variable or parameter that other functions cannot name.
bool isLocal(const CheckContext& context, uint32_t base) {
    return context.editor.global(base) == nullptr;
}

/// Returns true for an index that a function which performs the access takes as a parameter. The
/// function itself has the others.
bool isParameter(const CheckContext& context, const PathStep& step) {
    return step.checked || !context.isConstant(step.index);
}

/// Returns true for an operand of an access that such a function takes as a parameter.
bool isParameter(const CheckContext& context, const Node& access, size_t operand) {
    const bool isValue = access.opcode == spv::OpStore && operand == 1;
    return access.ids[operand] && (isValue || !context.isConstant(access.operands[operand]));
}

/// Returns what a function that performs an access takes for a step besides its index.
std::vector<uint32_t> comparedBy(const PathStep& step) {
    std::vector<uint32_t> ids;
    if (step.checked && step.compared != step.index)
        ids.push_back(step.compared);
    for (const PathAxis& axis : step.axes)
        ids.insert(ids.end(), {axis.index, axis.extent});
    return ids;
}

} // namespace

AccessChecks::AccessChecks(CheckContext& context) : mContext(context), mLengths(context) {
    noteAddresses();
}

void AccessChecks::noteAddresses() {
    for (const Node& node : mContext.editor.functions) {
        if (node.opcode == spv::OpExtInst || isAccessChain(node.opcode))
            continue;
        for (size_t i = isAccess(node.opcode) ? 1 : 0; i < node.operands.size(); ++i)
            if (node.ids[i])
                mAddresses.insert(node.operands[i]);
    }
    // Pointers, images and samplers have no value that a failed read could give.
    for (const Node& node : mContext.editor.functions) {
        if (!isAccess(node.opcode))
            continue;
        const uint32_t type = node.type != 0 ? node.type : mContext.typeOf(node.operand(1));
        if ((node.type != 0 && !hasZero(mContext, type)) || mContext.holdsStoredOnly(type))
            mAddresses.insert(node.operand(0));
    }
    // From the last to the first, so that a chain of a chain reaches the first one.
    for (size_t i = mContext.editor.functions.size(); i-- > 0;) {
        const Node& node = mContext.editor.functions[i];
        if (isAccessChain(node.opcode) && mAddresses.contains(node.result))
            mAddresses.insert(node.operand(0));
    }
}

void AccessChecks::check(Node& node, std::vector<Node>& before) {
    if (isAccessChain(node.opcode) && mAddresses.contains(node.result))
        checkChain(node, before);
    else if (isAccess(node.opcode) && !mAddresses.contains(node.operand(0)))
        checkAccess(node, before);
    else if (node.opcode == spv::OpVectorExtractDynamic ||
             node.opcode == spv::OpVectorInsertDynamic)
        checkVector(node, before);
    else if (accessesImage(node.opcode))
        checkImage(node, before);
}

void AccessChecks::checkAccess(Node& node, std::vector<Node>& before) {
    const std::optional<AccessPath> path = pathOf(mContext, node.operand(0));
    if (!path || !path->checked())
        return;
    CheckSite site = siteOf(mContext, *path, kindOf(node.opcode));
    if (node.opcode == spv::OpStore)
        site.value = mContext.valueKind(mContext.typeOf(node.operand(1)));
    std::vector<uint32_t> arguments{0, mContext.addSite(std::move(site))};
    arguments[0] = accessFunction(node, *path);
    if (isLocal(mContext, path->base))
        arguments.push_back(path->base);
    for (const PathStep& step : path->steps) {
        if (isParameter(mContext, step))
            arguments.push_back(step.index);
        const std::vector<uint32_t> compared = comparedBy(step);
        arguments.insert(arguments.end(), compared.begin(), compared.end());
    }
    for (size_t i = 1; i < node.operands.size(); ++i) {
        if (!isParameter(mContext, node, i))
            continue;
        arguments.push_back(node.operands[i]);
        const uint32_t type = mContext.typeOf(node.operands[i]);
        if (!mContext.isStoredOnly(type))
            continue;
        arguments.back() = mContext.editor.newId();
        before.push_back(nodeOf(mContext.widening(type), mContext.widened(type), arguments.back(),
                                {node.operands[i]}));
    }
    if (mContext.isStoredOnly(node.type)) {
        const uint32_t wide = mContext.editor.newId();
        before.push_back(nodeOf(spv::OpFunctionCall, mContext.widened(node.type), wide, arguments));
        node = nodeOf(mContext.widening(node.type), node.type, node.result, {wide});
        return;
    }
    const bool isVoid = node.type == 0;
    node = nodeOf(spv::OpFunctionCall, isVoid ? mContext.editor.voidType() : node.type,
                  isVoid ? mContext.editor.newId() : node.result, arguments);
}

uint32_t AccessChecks::accessFunction(const Node& node, const AccessPath& path) {
    ModuleEditor& editor = mContext.editor;
    const bool local = isLocal(mContext, path.base);
    const uint32_t pointerType = mContext.typeOf(node.operand(0));
    const bool nonUniform =
        mContext.isNonUniform(node.operand(0)) || mContext.isNonUniform(node.result);
    // What the function does, and the types of its parameters.
    std::vector<uint32_t> key{node.opcode, node.type, pointerType, nonUniform ? 1u : 0u,
                              local ? 0 : path.base};
    std::vector<uint32_t> types{mContext.uintType()};
    const auto addParameter = [&](uint32_t id) {
        const uint32_t own = mContext.typeOf(id);
        types.push_back(mContext.isStoredOnly(own) ? mContext.widened(own) : own);
        key.insert(key.end(), {0, types.back()});
    };
    if (local)
        addParameter(path.base);
    for (const PathStep& step : path.steps) {
        if (isParameter(mContext, step))
            addParameter(step.index);
        else
            key.insert(key.end(), {1, step.index});
        const std::vector<uint32_t> compared = comparedBy(step);
        key.insert(key.end(), {3, static_cast<uint32_t>(compared.size())});
        std::ranges::for_each(compared, addParameter);
    }
    for (size_t i = 1; i < node.operands.size(); ++i)
        if (isParameter(mContext, node, i))
            addParameter(node.operands[i]);
        else
            key.insert(key.end(), {2, node.operands[i]});
    if (const uint32_t* const known = mContext.known(key))
        return *known;

    const bool widens = mContext.isStoredOnly(node.type);
    const uint32_t given = widens ? mContext.widened(node.type) : node.type;
    const uint32_t result = given != 0 ? given : editor.voidType();
    FunctionWriter code(editor, result, types);
    IndexComparison comparison(mContext, code);
    size_t next = 1;
    const uint32_t base = local ? code.parameter(next++) : path.base;
    // Indices outside become 0: drivers may read in a branch that no invocation takes.
    std::vector<uint32_t> chain{base};
    uint32_t type = editor.global(mContext.typeOf(path.base))->operand(1);
    uint32_t block = 0; // type of the last struct
    for (const PathStep& step : path.steps) {
        uint32_t index = step.index;
        if (isParameter(mContext, step))
            index = code.parameter(next++);
        if (step.checked) {
            uint32_t extent = step.extent;
            const auto number = static_cast<size_t>(&step - path.steps.data());
            if (const auto measured = mLengths.find(path, number)) {
                extent =
                    mLengths.read(*measured, [&](Node each) { return code.add(std::move(each)); });
            } else if (step.runtimeArray) {
                // The pointer to the block is all but the member.
                uint32_t pointer = base;
                if (chain.size() > 2)
                    pointer = code.add(spv::OpAccessChain, editor.pointerType(path.storage, block),
                                       {chain.begin(), chain.end() - 1});
                if (nonUniform && pointer != base)
                    editor.decorate(pointer, spv::DecorationNonUniform);
                uint32_t member = 0;
                mContext.isKnown(chain.back(), member);
                extent = code.add(
                    {spv::OpArrayLength, mContext.uintType(), 0, {pointer, member}, {true, false}});
            }
            const uint32_t indexType = mContext.typeOf(step.index);
            const uint32_t compared = step.compared != step.index ? code.parameter(next++) : index;
            for (const PathAxis& axis : step.axes) {
                const uint32_t given = code.parameter(next++);
                uint32_t limit = code.parameter(next++);
                if (mContext.typeOf(axis.extent) != mContext.uintType())
                    limit = code.add(spv::OpBitcast, mContext.uintType(), {limit});
                comparison.add(given, mContext.typeOf(axis.index), limit);
            }
            if (!step.axes.empty())
                comparison.noteAxes(step.axes.size());
            const uint32_t inside =
                comparison.add(compared, mContext.typeOf(step.compared), extent);
            const uint32_t nothing = editor.define(nodeOf(spv::OpConstantNull, indexType, 0, {}));
            index = code.add(spv::OpSelect, indexType, {inside, index, nothing});
        }
        chain.push_back(index);
        const Node* const node = editor.global(type);
        if (node->opcode == spv::OpTypeStruct) {
            block = type;
            type = node->operands[step.member];
        } else {
            type = node->operand(0);
        }
    }
    Node access = node;
    access.result = 0;
    for (size_t i = 1; i < access.operands.size(); ++i)
        if (isParameter(mContext, node, i))
            access.operands[i] = code.parameter(next++);
    const uint32_t stored = node.opcode == spv::OpStore ? access.operands[1] : 0;
    const uint32_t storedType = stored != 0 ? mContext.typeOf(node.operand(1)) : 0;
    const bool narrows = mContext.isStoredOnly(storedType);
    const auto perform = [&] {
        access.operands[0] = code.add(spv::OpAccessChain, pointerType, chain);
        if (narrows)
            access.operands[1] = code.add(mContext.widening(storedType), storedType, {stored});
        const uint32_t value = code.add(access);
        if (nonUniform) {
            editor.decorate(access.operands[0], spv::DecorationNonUniform);
            if (value != 0)
                editor.decorate(value, spv::DecorationNonUniform);
        }
        return widens ? code.add(mContext.widening(node.type), given, {value}) : value;
    };
    const auto refuse = [&] {
        const uint32_t type = narrows ? mContext.widened(storedType) : storedType;
        comparison.report(code.parameter(0),
                          stored != 0 ? mContext.bitsOf(code, stored, type) : mContext.zero());
        return given == 0 ? 0 : code.zeros(given);
    };
    const uint32_t value = code.choose(comparison.all(), given, perform, refuse);
    return mContext.add(key, code, value);
}

void AccessChecks::checkChain(Node& node, std::vector<Node>& before) {
    const std::optional<AccessPath> path = pathOf(mContext, node.result);
    if (!path || !path->checked())
        return;
    const size_t own = node.operands.size() - 1; // indices of this chain; others precede them
    const size_t first = path->steps.size() - own;
    for (size_t i = 0; i < own; ++i) {
        const PathStep& step = path->steps[first + i];
        if (!step.checked)
            continue;
        uint32_t extent = step.extent;
        if (const auto measured = mLengths.find(*path, first + i)) {
            extent = mLengths.read(*measured, [&](Node each) {
                each.result = mContext.editor.newId();
                before.push_back(std::move(each));
                return before.back().result;
            });
        } else if (step.runtimeArray) {
            if (i == 0)
                continue; // the block is another chain's
            const uint32_t baseType = mContext.typeOf(node.operand(0));
            uint32_t type = mContext.editor.global(baseType)->operand(1);
            for (size_t k = 1; k < i; ++k) {
                const Node* const outer = mContext.editor.global(type);
                type = outer->opcode == spv::OpTypeStruct
                           ? outer->operands[path->steps[first + k - 1].member]
                           : outer->operand(0);
            }
            uint32_t pointer = node.operand(0);
            if (i > 1) {
                const uint32_t pointerType = mContext.editor.pointerType(path->storage, type);
                pointer = mContext.editor.newId();
                before.push_back(nodeOf(spv::OpAccessChain, pointerType, pointer,
                                        {node.operands.begin(), node.operands.begin() + i}));
            }
            extent = mContext.editor.newId();
            before.push_back({spv::OpArrayLength,
                              mContext.uintType(),
                              extent,
                              {pointer, path->steps[first + i - 1].member},
                              {true, false}});
        }
        CheckSite site = siteOf(mContext, *path, FaultKind::eIndex);
        site.indexed = {step.text};
        uint32_t& index = node.operands[i + 1];
        index = checkedIndex(index, mContext.typeOf(index), extent, site, before);
        for (size_t axis = 0; axis < step.axes.size(); ++axis) { // reported; the element is inside
            const PathAxis& each = step.axes[axis];
            site.indexed = {step.text + kAlongAxis + std::to_string(axis)};
            checkedIndex(each.index, mContext.typeOf(each.index), each.extent, site, before);
        }
    }
}

void AccessChecks::checkVector(Node& node, std::vector<Node>& before) {
    const bool inserts = node.opcode == spv::OpVectorInsertDynamic;
    uint32_t& index = node.operands[inserts ? 2 : 1];
    const uint32_t count = mContext.editor.global(mContext.typeOf(node.operand(0)))->operand(1);
    uint32_t known = 0;
    if (mContext.isKnown(index, known) && known < count)
        return;
    CheckSite site;
    site.kind = FaultKind::eIndex;
    site.storage = "a vector";
    site.indexed = {mContext.name(node.operand(0))};
    index = checkedIndex(index, mContext.typeOf(index), mContext.editor.uintConstant(count), site,
                         before);
}

void AccessChecks::checkImage(Node& node, std::vector<Node>& before) {
    ModuleEditor& editor = mContext.editor;
    const bool isPointer = node.opcode == spv::OpImageTexelPointer;
    uint32_t type = mContext.typeOf(node.operand(0));
    if (isPointer && type != 0)
        type = editor.global(type)->operand(1);
    const Node* const found = type == 0 ? nullptr : editor.global(type);
    const uint32_t coordinate = node.operand(1);
    const uint32_t coordinateType = mContext.typeOf(coordinate);
    if (!found || found->opcode != spv::OpTypeImage || !mContext.intType(coordinateType))
        return;
    const Node image = *found; // new constants move the globals
    const uint32_t axes = axesOf(image);
    if (axes == 0)
        return;

    const Node* const loaded = isPointer ? nullptr : mContext.definition(node.operand(0));
    const bool isLoaded = loaded && loaded->opcode == spv::OpLoad;
    const uint32_t pointer = isPointer ? node.operand(0) : isLoaded ? loaded->operand(0) : 0;
    const std::optional<AccessPath> path = pointer == 0 ? std::nullopt : pathOf(mContext, pointer);
    CheckSite site;
    if (path)
        site = siteOf(mContext, *path, FaultKind::eIndex);
    else
        site.storage = "an image";
    site.kind = node.opcode == spv::OpImageRead    ? FaultKind::eRead
                : node.opcode == spv::OpImageWrite ? FaultKind::eWrite
                                                   : FaultKind::eAtomic;
    const std::string name = path ? mContext.name(path->base) : std::string();

    const auto add = [&](Node made) {
        made.result = editor.newId();
        before.push_back(std::move(made));
        return before.back().result;
    };
    mContext.requireCapability(spv::CapabilityImageQuery);
    uint32_t value = node.operand(0);
    if (isPointer)
        value = add(nodeOf(spv::OpLoad, type, 0, {node.operand(0)}));
    const uint32_t word = mContext.uintType();
    const uint32_t sizeType = axes == 1 ? word : editor.vectorType(word, axes);
    const uint32_t size = add(nodeOf(spv::OpImageQuerySize, sizeType, 0, {value}));
    const Node shape = *editor.global(coordinateType);
    const bool isVector = shape.opcode == spv::OpTypeVector;
    const uint32_t number = isVector ? shape.operand(0) : coordinateType;
    const uint32_t compared = std::min(axes, image.operand(1) == spv::DimCube ? 2u : axes);
    std::vector<uint32_t> inside;
    for (uint32_t axis = 0; axis < compared; ++axis) {
        const auto part = [&](uint32_t partType, uint32_t whole, bool isNumber) {
            return isNumber
                       ? whole
                       : add({spv::OpCompositeExtract, partType, 0, {whole, axis}, {true, false}});
        };
        const uint32_t index = part(number, coordinate, !isVector);
        const uint32_t extent = part(word, size, axes == 1);
        site.indexed = {name + " along " + "xyz"[axis]};
        inside.push_back(checkedIndex(index, number, extent, site, before));
    }
    if (!isPointer)
        return;
    for (uint32_t axis = compared; isVector && axis < shape.operand(1); ++axis)
        inside.push_back(
            add({spv::OpCompositeExtract, number, 0, {coordinate, axis}, {true, false}}));
    node.operands[1] =
        isVector ? add(nodeOf(spv::OpCompositeConstruct, coordinateType, 0, inside)) : inside[0];
}

uint32_t AccessChecks::checkedIndex(uint32_t index, uint32_t type, uint32_t extent,
                                    const CheckSite& site, std::vector<Node>& before) {
    const uint32_t word = mContext.typeOf(extent);
    if (word != 0 && word != mContext.uintType()) {
        const uint32_t bits = mContext.editor.newId();
        before.push_back(nodeOf(spv::OpBitcast, mContext.uintType(), bits, {extent}));
        extent = bits;
    }
    const uint32_t result = mContext.editor.newId();
    const uint32_t number = mContext.addSite(site);
    const uint32_t compared = comparedOf(mContext, index);
    // An index that was made here has no type that the context knows.
    const uint32_t comparedType = compared == index ? type : mContext.typeOf(compared);
    const uint32_t function = indexFunction(type, comparedType);
    before.push_back(
        nodeOf(spv::OpFunctionCall, type, result, {function, number, index, compared, extent}));
    return result;
}

uint32_t AccessChecks::indexFunction(uint32_t type, uint32_t comparedType) {
    const std::vector<uint32_t> key{spv::OpSelect, type, comparedType};
    if (const uint32_t* const known = mContext.known(key))
        return *known;
    const uint32_t word = mContext.uintType();
    FunctionWriter code(mContext.editor, type, {word, type, comparedType, word});
    IndexComparison comparison(mContext, code);
    comparison.add(code.parameter(2), comparedType, code.parameter(3));
    const uint32_t value = code.choose(
        comparison.all(), type, [&] { return code.parameter(1); },
        [&] {
            comparison.report(code.parameter(0), mContext.zero());
            return mContext.editor.define(nodeOf(spv::OpConstantNull, type, 0, {}));
        });
    return mContext.add(key, code, value);
}

} // namespace kp::shader
