// SPDX-License-Identifier: Apache-2.0
#include "shader/check/races/RaceChecks.hpp"

#include "shader/check/memory/IndexWords.hpp"

namespace kp::shader {
namespace {

bool isOfBuffers(uint32_t storage) {
    return storage == spv::StorageClassStorageBuffer || storage == spv::StorageClassUniform ||
           storage == spv::StorageClassPhysicalStorageBuffer;
}

} // namespace

struct RaceChecks::Orders {
    bool bySubgroups = false;
    bool groups = false; ///< by memory barriers and atomics

    explicit Orders(const CheckContext& context) {
        bool fences = false;
        bool atomics = false;
        for (const Node& node : context.editor.functions) {
            const bool control = node.opcode == spv::OpControlBarrier;
            if (control && isScope(context, node.operand(0), spv::ScopeSubgroup))
                bySubgroups = true;
            if (node.opcode == spv::OpMemoryBarrier &&
                isScope(context, node.operand(0), spv::ScopeSubgroup))
                bySubgroups = true;
            if (control)
                fences |= fencesBuffers(context, node.operand(1), node.operand(2));
            if (node.opcode == spv::OpMemoryBarrier)
                fences |= fencesBuffers(context, node.operand(0), node.operand(1));
            if (!isAtomic(node.opcode))
                continue;
            const uint32_t pointer = node.operand(0);
            const Node* const type = context.editor.global(context.typeOf(pointer));
            if (!type || !isOfBuffers(type->operand(0)))
                continue;
            atomics = true;
            fences |= fencesBuffers(context, node.operand(1), node.operand(2));
        }
        for (const Node& each : context.editor.decorations) {
            const bool ofMember = each.opcode == spv::OpMemberDecorate;
            const uint32_t kind = ofMember ? each.operand(2) : each.operand(1);
            if (each.opcode != spv::OpDecorate && !ofMember)
                continue;
            fences |= kind == spv::DecorationCoherent;
            groups |= kind == spv::DecorationVolatile;
        }
        groups |= fences && atomics;
    }

private:
    static bool isScope(const CheckContext& context, uint32_t id, spv::Scope wanted) {
        uint32_t scope = 0;
        return context.isKnown(id, scope) && scope == static_cast<uint32_t>(wanted);
    }
    /// Returns true if a barrier orders accesses to buffers for other groups.
    static bool fencesBuffers(const CheckContext& context, uint32_t scope, uint32_t semantics) {
        uint32_t known = 0;
        uint32_t mask = 0;
        if (!context.isKnown(scope, known) || !context.isKnown(semantics, mask))
            return true;
        const bool wide = known == spv::ScopeDevice || known == spv::ScopeCrossDevice ||
                          known == spv::ScopeQueueFamily;
        return wide && (mask & spv::MemorySemanticsUniformMemoryMask) != 0;
    }
};

RaceChecks::RaceChecks(CheckContext& context) : RaceChecks(context, Orders(context)) {}

RaceChecks::RaceChecks(CheckContext& context, const Orders& orders)
    : mContext(context), mOrdersGroups(orders.groups), mFunctions(context, orders.bySubgroups) {
    noteWritten();
    placeShared();
}

// A pointer that goes to a function or is chosen may be written there.
void RaceChecks::noteWritten() {
    for (const Node& node : mContext.editor.functions) {
        if (node.opcode == spv::OpLoad || node.opcode == spv::OpArrayLength ||
            isAccessChain(node.opcode))
            continue;
        for (size_t i = 0; i < node.operands.size(); ++i)
            if (node.ids[i])
                if (const uint32_t base = variableOf(mContext, node.operands[i]))
                    mWritten.insert(base);
    }
    for (const uint32_t base : mWritten)
        mWritesBuffers |= isOfBuffers(mContext.definition(base)->operand(0));
}

void RaceChecks::placeShared() {
    uint32_t first = 0;
    std::vector<uint32_t> unknown; // their sizes are specialization constants
    for (const Node& node : mContext.editor.globals) {
        if (node.opcode != spv::OpVariable || node.operand(0) != spv::StorageClassWorkgroup)
            continue;
        const std::optional<uint32_t> count =
            numberCount(mContext, mContext.editor.global(node.type)->operand(1));
        if (!count) {
            unknown.push_back(node.result);
        } else if (first + *count <= kSharedElements) {
            mSharedFirst[node.result] = first;
            first += *count;
        }
    }
    if (unknown.size() == 1)
        mSharedFirst[unknown.front()] = first;
}

std::optional<RaceChecks::Target> RaceChecks::targetOf(const AccessPath& path) {
    const bool isShared = path.storage == spv::StorageClassWorkgroup;
    const bool isWritten = mWritten.contains(path.base);
    if (!isWritten && !(isShared ? mContext.kinds.uninitialised : mWritesBuffers))
        return std::nullopt;
    if (isShared) {
        const auto found = mSharedFirst.find(path.base);
        if (found == mSharedFirst.end())
            return std::nullopt;
        mShadowsShared = true;
        const bool initialised = mContext.definition(path.base)->operands.size() > 1;
        return Target{0, 0, found->second, initialised};
    }
    if (!isOfBuffers(path.storage) || mOrdersGroups || !mContext.kinds.races)
        return std::nullopt;
    const Node* const pointer = mContext.editor.global(mContext.typeOf(path.base));
    const Node* const block = pointer ? mContext.editor.global(pointer->operand(1)) : nullptr;
    if (!block || block->opcode != spv::OpTypeStruct)
        return std::nullopt; // an array of descriptors
    const std::optional<uint32_t> bytes = smallestNumber(mContext, block->result);
    const CheckSite site = siteOf(mContext, path, FaultKind::eRace);
    if (!bytes || !site.set)
        return std::nullopt;
    const auto found = mSlots.find(path.base);
    if (found != mSlots.end())
        return Target{*bytes, found->second};
    // Half of them are kept for buffers that are written.
    if (mShadowed.size() >= (isWritten ? kMaxShadowed : kMaxShadowed / 2))
        return std::nullopt;
    const auto slot = static_cast<uint32_t>(mShadowed.size());
    mShadowed.push_back({*site.set, site.binding, *bytes, isWritten});
    mSlots[path.base] = slot;
    return Target{*bytes, slot};
}

void RaceChecks::check(const Node& node, std::vector<Node>& before) {
    uint32_t scope = 0;
    if (node.opcode == spv::OpControlBarrier && mContext.isKnown(node.operand(0), scope) &&
        scope == spv::ScopeWorkgroup)
        countBarrier(before);
    else if (node.opcode == spv::OpLoad)
        checkAccess(node, AccessKind::eRead, before);
    else if (node.opcode == spv::OpStore)
        checkAccess(node, AccessKind::eWrite, before);
    else if (isAtomic(node.opcode))
        checkAccess(node, AccessKind::eAtomic, before);
}

void RaceChecks::countBarrier(std::vector<Node>& before) {
    const uint32_t word = mContext.uintType();
    IndexWords words(mContext, before);
    const uint32_t passed = words.add(spv::OpLoad, word, {mFunctions.barriers()});
    const uint32_t more = words.add(spv::OpIAdd, word, {passed, mContext.editor.uintConstant(1)});
    before.push_back(nodeOf(spv::OpStore, 0, 0, {mFunctions.barriers(), more}));
}

uint32_t RaceChecks::bitsOf(std::vector<Node>& before, uint32_t value,
                            const std::vector<uint32_t>& part) {
    ModuleEditor& editor = mContext.editor;
    IndexWords words(mContext, before);
    const uint32_t word = mContext.uintType();
    uint32_t type = mContext.typeOf(value);
    if (!part.empty()) {
        Node extract = nodeOf(spv::OpCompositeExtract, 0, editor.newId(), {value});
        for (const uint32_t index : part) {
            const Node& node = *editor.global(type);
            type = node.opcode == spv::OpTypeStruct ? node.operand(index) : node.operand(0);
            extract.operands.push_back(index);
            extract.ids.push_back(false);
        }
        extract.type = type;
        value = extract.result;
        before.push_back(std::move(extract));
    }
    const Node number = *editor.global(type);
    if (number.opcode == spv::OpTypeBool)
        return words.add(spv::OpSelect, word, {value, editor.uintConstant(1), mContext.zero()});
    if (type == word)
        return value;
    const uint32_t bits = number.operand(0);
    if (bits == 32)
        return words.add(spv::OpBitcast, word, {value});
    if (bits < 32) {
        const bool isFloat = number.opcode == spv::OpTypeFloat;
        const bool isSigned = !isFloat && number.operand(1) != 0;
        const uint32_t wide = isFloat    ? editor.floatType(32)
                              : isSigned ? editor.intType(32, true)
                                         : word;
        const spv::Op convert = isFloat    ? spv::OpFConvert
                                : isSigned ? spv::OpSConvert
                                           : spv::OpUConvert;
        const uint32_t full = words.add(convert, wide, {value});
        return wide == word ? full : words.add(spv::OpBitcast, word, {full});
    }
    const uint32_t halves = words.add(spv::OpBitcast, editor.vectorType(word, 2), {value});
    uint32_t mixed = 0;
    for (const uint32_t half : {0u, 1u}) {
        Node extract{spv::OpCompositeExtract, word, editor.newId(), {halves, half}, {true, false}};
        const uint32_t own = extract.result;
        before.push_back(std::move(extract));
        mixed =
            half == 0
                ? own
                : words.add(spv::OpBitwiseXor, word,
                            {words.add(spv::OpIMul, word, {mixed, editor.uintConstant(31)}), own});
    }
    return mixed;
}

void RaceChecks::checkAccess(const Node& node, AccessKind kind, std::vector<Node>& before) {
    const std::optional<AccessPath> path = pathOf(mContext, node.operand(0));
    const std::optional<Target> target = path ? targetOf(*path) : std::nullopt;
    if (!target)
        return;
    const std::optional<AccessedNumbers> numbers = numbersOf(mContext, *path, target->elementBytes);
    if (!numbers)
        return;
    CheckSite site = siteOf(mContext, *path, FaultKind::eRace);
    site.operation = kind == AccessKind::eRead    ? "read"
                     : kind == AccessKind::eWrite ? "written"
                                                  : "changed by an atomic";
    site.message = mFunctions.bySubgroups() ? "subgroup" : "invocation";
    std::string name = mContext.name(path->base);
    IndexWords words(mContext, before);
    const uint32_t index = words.shown(*path, name);
    site.indexed = {name};
    const uint32_t number = mContext.addSite(std::move(site));
    const uint32_t begin = words.sum(target->first + numbers->first, numbers->indices);
    const bool shared = target->elementBytes == 0;
    const uint32_t nothing = mContext.editor.voidType();
    for (size_t i = 0; i < numbers->offsets.size(); ++i) {
        const uint32_t at = words.plus(begin, numbers->offsets[i]);
        const uint32_t value = kind == AccessKind::eWrite
                                   ? bitsOf(before, node.operand(1), numbers->parts[i])
                                   : mContext.zero();
        std::vector<uint32_t> arguments{shared ? mFunctions.ofShared(kind, target->initialised)
                                               : mFunctions.ofBuffers(kind),
                                        number, at, index, value};
        if (!shared)
            arguments.push_back(mContext.editor.uintConstant(target->slot));
        words.add(spv::OpFunctionCall, nothing, std::move(arguments));
    }
}

} // namespace kp::shader
