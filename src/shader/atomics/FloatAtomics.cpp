// SPDX-License-Identifier: Apache-2.0
#include "shader/atomics/FloatAtomics.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shader/SpirvModule.hpp"
#include "shader/atomics/FloatWords.hpp"

namespace kp::shader {
namespace {

// Of GLSL.std.450: the ones that prefer numbers to NaN.
constexpr uint32_t kNMin = 79;
constexpr uint32_t kNMax = 80;

bool isExtremum(uint32_t opcode) {
    return opcode == spv::OpAtomicFMinEXT || opcode == spv::OpAtomicFMaxEXT;
}

/// Returns true for atomics that exist for floats.
bool takesFloats(uint32_t opcode) {
    return opcode == spv::OpAtomicLoad || opcode == spv::OpAtomicStore ||
           opcode == spv::OpAtomicExchange || opcode == spv::OpAtomicFAddEXT || isExtremum(opcode);
}

class FloatAtomics {
public:
    FloatAtomics(ModuleEditor& editor, const FloatAtomicSupport& support)
        : mEditor(editor), mSupport(support) {
        for (const Node& node : editor.functions)
            if (node.result != 0)
                mResults.emplace(node.result, node);
    }

    void run() {
        for (const Node& node : mEditor.functions)
            if (isMemoryAtomic(node) && isLacking(node))
                if (const uint32_t root = rootOf(node.operand(0)); root != 0)
                    mVariables.insert(root);
        const std::vector<Node> old = std::exchange(mEditor.functions, {});
        FloatWords words(mEditor, mVariables);
        for (const Node& node : old)
            if (isReplaced(node))
                replace(node, words);
            else
                words.append(node);
        mEditor.functions = std::move(words.code);
        mEditor.functions.insert(mEditor.functions.end(), mLoops.begin(), mLoops.end());
        removeCapabilities();
    }

private:
    const Node* definition(uint32_t id) const {
        const auto found = mResults.find(id);
        return found != mResults.end() ? &found->second : mEditor.global(id);
    }
    uint32_t storageClassOf(uint32_t pointer) const {
        return mEditor.global(definition(pointer)->type)->operand(0);
    }

    bool isFloat(const Node& atomic) const {
        const uint32_t value =
            atomic.opcode == spv::OpAtomicStore ? definition(atomic.operand(3))->type : atomic.type;
        const Node* const type = mEditor.global(value);
        return type && type->opcode == spv::OpTypeFloat && type->operand(0) == 32;
    }

    /// Returns true for atomics of floats in buffers and shared memory.
    bool isMemoryAtomic(const Node& node) const {
        if (!takesFloats(node.opcode) || !isFloat(node))
            return false;
        const uint32_t storage = storageClassOf(node.operand(0));
        return storage == spv::StorageClassWorkgroup || storage == spv::StorageClassStorageBuffer ||
               storage == spv::StorageClassUniform ||
               storage == spv::StorageClassPhysicalStorageBuffer;
    }

    bool isLacking(const Node& node) const {
        const bool isShared = storageClassOf(node.operand(0)) == spv::StorageClassWorkgroup;
        return isExtremum(node.opcode) || !(isShared ? mSupport.shared : mSupport.buffers);
    }

    /// The device may have an atomic, but not of words.
    bool isReplaced(const Node& node) const {
        return isMemoryAtomic(node) &&
               (isLacking(node) || mVariables.contains(rootOf(node.operand(0))));
    }

    /// Returns the variable that a pointer leads into; 0 for a buffer's address.
    uint32_t rootOf(uint32_t pointer) const {
        if (storageClassOf(pointer) == spv::StorageClassPhysicalStorageBuffer)
            return 0;
        const Node* node = definition(pointer);
        while (node->opcode == spv::OpAccessChain || node->opcode == spv::OpInBoundsAccessChain ||
               node->opcode == spv::OpCopyObject)
            node = definition(node->operand(0));
        if (node->opcode != spv::OpVariable)
            refuseFloatAtomic("a pointer to them that was given to a function");
        return node->result;
    }

    /// The way from a variable, or from an address, to an element.
    struct Path {
        uint32_t base = 0;
        std::vector<uint32_t> indices;
    };

    Path pathOf(uint32_t pointer) const {
        if (rootOf(pointer) == 0)
            return {pointer, {}};
        Path path{pointer, {}};
        for (const Node* node = definition(pointer); node->opcode != spv::OpVariable;
             node = definition(path.base)) {
            path.base = node->operand(0);
            path.indices.insert(path.indices.begin(), node->operands.begin() + 1,
                                node->operands.end());
        }
        return path;
    }

    void replace(const Node& node, FloatWords& words) {
        const uint32_t word = words.wordType();
        if (node.opcode == spv::OpAtomicFAddEXT || isExtremum(node.opcode))
            return change(node, words);
        Node made = node;
        if (rootOf(node.operand(0)) == 0)
            made.operands[0] = words.add(
                spv::OpBitcast, mEditor.pointerType(spv::StorageClassPhysicalStorageBuffer, word),
                {node.operand(0)});
        if (node.opcode != spv::OpAtomicLoad)
            made.operands[3] = words.add(spv::OpBitcast, word, {node.operand(3)});
        if (node.opcode == spv::OpAtomicStore)
            return words.code.push_back(std::move(made));
        made.type = word;
        made.result = mEditor.newId();
        const uint32_t found = made.result;
        words.code.push_back(std::move(made));
        words.code.push_back(nodeOf(spv::OpBitcast, node.type, node.result, {found}));
    }

    /// Calls a function that changes the element. Its parameters are the indices that vary,
    /// because functions cannot take pointers.
    void change(const Node& node, FloatWords& words) {
        Path path = pathOf(node.operand(0));
        std::vector<uint32_t> arguments;
        std::vector<uint32_t> types;
        std::vector<Node> parameters;
        const auto pass = [&](uint32_t& id) {
            const auto local = mResults.find(id);
            if (local == mResults.end())
                return; // global
            arguments.push_back(id);
            types.push_back(local->second.type);
            id = mEditor.newId();
            parameters.push_back(nodeOf(spv::OpFunctionParameter, types.back(), id, {}));
        };
        uint32_t value = node.operand(3);
        pass(path.base);
        if (!parameters.empty()) // an address
            mEditor.decorate(parameters.front().result, spv::DecorationAliased);
        for (uint32_t& index : path.indices)
            pass(index);
        pass(value);

        std::vector<uint32_t> signature{node.type};
        signature.insert(signature.end(), types.begin(), types.end());
        const uint32_t type = mEditor.define(nodeOf(spv::OpTypeFunction, 0, 0, signature));
        const uint32_t function = mEditor.newId();
        mLoops.push_back({spv::OpFunction, node.type, function, {0, type}, {false, true}});
        std::ranges::move(parameters, std::back_inserter(mLoops));
        writeLoop(node, path, value, words.wordType());

        arguments.insert(arguments.begin(), function);
        words.code.push_back(nodeOf(spv::OpFunctionCall, node.type, node.result, arguments));
    }

    uint32_t emit(spv::Op opcode, uint32_t type, std::vector<uint32_t> ids) {
        mLoops.push_back(nodeOf(opcode, type, type != 0 ? mEditor.newId() : 0, std::move(ids)));
        return mLoops.back().result;
    }
    void label(uint32_t id) { mLoops.push_back(nodeOf(spv::OpLabel, 0, id, {})); }

    void writeLoop(const Node& node, const Path& path, uint32_t value, uint32_t word) {
        const uint32_t scope = node.operand(1);
        const uint32_t relaxed = mEditor.uintConstant(0);
        const uint32_t entry = mEditor.newId(), header = mEditor.newId(), body = mEditor.newId();
        const uint32_t again = mEditor.newId(), end = mEditor.newId(), seen = mEditor.newId();
        label(entry);
        const uint32_t element = elementOf(path, storageClassOf(node.operand(0)), word);
        const uint32_t first = emit(spv::OpAtomicLoad, word, {element, scope, relaxed});
        emit(spv::OpBranch, 0, {header});
        label(header);
        const uint32_t expected = emit(spv::OpPhi, word, {first, entry, seen, again});
        mLoops.push_back({spv::OpLoopMerge, 0, 0, {end, again, 0}, {true, true, false}});
        emit(spv::OpBranch, 0, {body});
        label(body);
        const uint32_t made = combined(node, emit(spv::OpBitcast, node.type, {expected}), value);
        const uint32_t wanted = emit(spv::OpBitcast, word, {made});
        mLoops.push_back(nodeOf(spv::OpAtomicCompareExchange, word, seen,
                                {element, scope, node.operand(2), relaxed, wanted, expected}));
        const uint32_t done = emit(spv::OpIEqual, mEditor.boolType(), {seen, expected});
        emit(spv::OpBranchConditional, 0, {done, end, again});
        label(again);
        emit(spv::OpBranch, 0, {header});
        label(end);
        // Not the equal value that was seen: SwiftShader keeps only phis of invocations that have
        // left a loop.
        emit(spv::OpReturnValue, 0, {emit(spv::OpBitcast, node.type, {expected})});
        emit(spv::OpFunctionEnd, 0, {});
    }

    uint32_t elementOf(const Path& path, uint32_t storage, uint32_t word) {
        const uint32_t type = mEditor.pointerType(storage, word);
        if (storage == spv::StorageClassPhysicalStorageBuffer)
            return emit(spv::OpBitcast, type, {path.base});
        if (path.indices.empty())
            return path.base;
        std::vector<uint32_t> chain{path.base};
        chain.insert(chain.end(), path.indices.begin(), path.indices.end());
        return emit(spv::OpAccessChain, type, std::move(chain));
    }

    uint32_t combined(const Node& node, uint32_t x, uint32_t value) {
        if (!isExtremum(node.opcode))
            return emit(spv::OpFAdd, node.type, {x, value});
        const uint32_t result = mEditor.newId();
        mLoops.push_back({spv::OpExtInst,
                          node.type,
                          result,
                          {mEditor.instructionSet("GLSL.std.450"),
                           node.opcode == spv::OpAtomicFMinEXT ? kNMin : kNMax, x, value},
                          {true, false, true, true}});
        return result;
    }

    void removeCapabilities() {
        const auto uses = [&](auto predicate) {
            return std::ranges::any_of(mEditor.functions, predicate, &Node::opcode);
        };
        const auto without = [&](spv::Capability capability, const char* extension) {
            mEditor.removeCapability(capability);
            std::erase_if(mEditor.extensions, [&](const Node& node) {
                return Instruction{node.opcode, node.operands}.text(0) == extension;
            });
        };
        if (!uses(isExtremum))
            without(spv::CapabilityAtomicFloat32MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max");
        if (!uses([](uint32_t opcode) { return opcode == spv::OpAtomicFAddEXT; }))
            without(spv::CapabilityAtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add");
    }

    ModuleEditor& mEditor;
    const FloatAtomicSupport mSupport;
    std::unordered_map<uint32_t, Node> mResults; ///< of functions, as they were
    std::unordered_set<uint32_t> mVariables;     ///< whose floats become words
    std::vector<Node> mLoops;                    ///< the functions that change an element
};

} // namespace

bool needsFloatAtomics(std::span<const uint32_t> spirv, const FloatAtomicSupport& support) {
    const bool lacksAny = support != FloatAtomicSupport();
    std::unordered_set<uint32_t> floats;
    for (size_t at = kSpirvHeaderWords; at < spirv.size();) {
        const uint32_t opcode = spirv[at] & 0xffff;
        const uint32_t count = spirv[at] >> 16;
        if (count == 0 || at + count > spirv.size())
            return false;
        if (opcode == spv::OpCapability) {
            const uint32_t capability = spirv[at + 1];
            if (capability == spv::CapabilityAtomicFloat32MinMaxEXT ||
                (lacksAny && capability == spv::CapabilityAtomicFloat32AddEXT))
                return true;
        } else if (!lacksAny) {
            return false; // capabilities come first
        } else if (opcode == spv::OpTypeFloat) {
            floats.insert(spirv[at + 1]);
        } else if ((opcode == spv::OpAtomicExchange || opcode == spv::OpAtomicLoad) &&
                   floats.contains(spirv[at + 1])) {
            return true;
        }
        at += count;
    }
    return false;
}

void replaceFloatAtomics(ModuleEditor& editor, const FloatAtomicSupport& support) {
    FloatAtomics(editor, support).run();
}

} // namespace kp::shader
