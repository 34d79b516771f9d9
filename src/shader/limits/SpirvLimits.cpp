// SPDX-License-Identifier: Apache-2.0
#include "shader/limits/SpirvLimits.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::shader {
namespace {

/// The size of a type or constant as a tree. Sums end at a value above all limits.
struct Tree {
    size_t parts = 1;
    size_t depth = 1;

    void add(const Tree& part) {
        parts = std::min(parts + part.parts, size_t{1} << 40);
        depth = std::max(depth, part.depth + 1);
    }
};

using Trees = std::unordered_map<uint32_t, Tree>;

void requireWithin(const char* what, uint32_t id, const Tree& tree, size_t maxParts,
                   const char* remedy) {
    if (tree.parts > maxParts)
        fail<ShaderError>(
            "the SPIR-V is too large to be checked: the {} with id {} has more than {} "
            "parts, counting the parts of its parts; {}",
            what, id, maxParts, remedy);
    if (tree.depth > kMaxSpirvNesting)
        fail<ShaderError>(
            "the SPIR-V is too large to be checked: the {} with id {} has more than {} "
            "levels inside each other; {}",
            what, id, kMaxSpirvNesting, remedy);
}

/// Adds the trees of the operands from word @p first on. An unknown id, such as the id of a
/// pointer's target further on, counts as one part.
Tree treeOf(const Trees& known, const Instruction& instruction, size_t first) {
    Tree tree;
    for (size_t i = first; i < instruction.size(); ++i) {
        const auto found = known.find(instruction.word(i));
        tree.add(found == known.end() ? Tree{1, 0} : found->second);
    }
    return tree;
}

/// Numbers may be mistaken for ids, which only makes the result larger; array lengths
/// and vector sizes are excluded.
void checkTypesAndConstants(const SpirvModule& module) {
    Trees types;
    Trees constants;
    for (const Instruction& each : module.instructions) {
        switch (each.opcode) {
        case spv::OpTypeStruct:
            types[each.word(1)] = treeOf(types, each, 2);
            break;
        case spv::OpTypeArray:
        case spv::OpTypeRuntimeArray: {
            Tree tree;
            const auto element = types.find(each.word(2));
            tree.add(element == types.end() ? Tree{1, 0} : element->second);
            types[each.word(1)] = tree;
            break;
        }
        case spv::OpConstantComposite:
        case spv::OpSpecConstantComposite:
            constants[each.word(2)] = treeOf(constants, each, 3);
            break;
        case spv::OpSpecConstantOp:
            constants[each.word(2)] = treeOf(constants, each, 4);
            break;
        default:
            continue;
        }
        const bool isType = each.opcode == spv::OpTypeStruct || each.opcode == spv::OpTypeArray ||
                            each.opcode == spv::OpTypeRuntimeArray;
        if (isType)
            requireWithin("type", each.word(1), types[each.word(1)], kMaxTypeMembers, "use arrays");
        else
            requireWithin("constant", each.word(2), constants[each.word(2)], kMaxConstantParts,
                          "compute it in a function");
    }
}

/// A construct begins with a merge instruction and ends with the block that it names.
void checkControlFlow(const SpirvModule& module) {
    std::vector<uint32_t> open;
    for (const Instruction& each : module.instructions) {
        if (each.opcode == spv::OpFunctionEnd) {
            open.clear();
        } else if (each.opcode == spv::OpSelectionMerge || each.opcode == spv::OpLoopMerge) {
            open.push_back(each.word(1));
            if (open.size() > kMaxControlNesting)
                fail<ShaderError>("the SPIR-V is too large to be checked: more than {} selections "
                                  "and loops are inside each other (a chain of else-if counts as "
                                  "such); use a switch or functions",
                                  kMaxControlNesting);
        } else if (each.opcode == spv::OpLabel) {
            if (const auto found = std::ranges::find(open, each.word(1)); found != open.end())
                open.erase(found, open.end());
        }
    }
}

struct CallNode {
    size_t instructions = 0;
    std::vector<uint32_t> calls;
    size_t state = 0; ///< 0: new, 1: its calls are being added, 2: done
    size_t next = 0;  ///< index of the next call to add
};

/// Without recursion, since a module may have a chain of a million functions.
void checkCalls(const SpirvModule& module) {
    std::unordered_map<uint32_t, CallNode> functions;
    CallNode* current = nullptr;
    for (const Instruction& each : module.instructions) {
        if (each.opcode == spv::OpFunction)
            current = &functions[each.word(2)];
        if (current == nullptr)
            continue;
        ++current->instructions;
        if (each.opcode == spv::OpFunctionCall)
            current->calls.push_back(each.word(3));
        else if (each.opcode == spv::OpFunctionEnd)
            current = nullptr;
    }
    std::vector<std::pair<uint32_t, CallNode*>> stack;
    for (auto& [first, function] : functions) {
        if (function.state == 0)
            stack.emplace_back(first, &function);
        while (!stack.empty()) {
            const auto [id, top] = stack.back();
            top->state = 1;
            if (stack.size() > kMaxSpirvNesting)
                fail<ShaderError>("the SPIR-V is too large to be checked: more than {} functions "
                                  "call each other in a chain",
                                  kMaxSpirvNesting);
            if (top->next == top->calls.size()) {
                top->state = 2;
                stack.pop_back();
                if (top->instructions > kMaxCalledInstructions)
                    fail<ShaderError>("the SPIR-V is too large to be checked: the function with id "
                                      "{} runs more than {} instructions, counting all of each "
                                      "call; use loops",
                                      id, kMaxCalledInstructions);
                continue;
            }
            const uint32_t called = top->calls[top->next];
            const auto found = functions.find(called);
            if (found == functions.end() || found->second.state == 1) {
                ++top->next; // the validator refuses unknown functions and recursion
            } else if (found->second.state == 0) {
                stack.emplace_back(called, &found->second);
            } else {
                top->instructions =
                    std::min(top->instructions + found->second.instructions, size_t{1} << 40);
                ++top->next;
            }
        }
    }
}

} // namespace

void requireModest(std::span<const uint32_t> spirv, const SpirvModule& module) {
    if (spirv.size() > kMaxModuleWords)
        fail<ShaderError>("the SPIR-V has {} words; the maximum is {}", spirv.size(),
                          kMaxModuleWords);
    if (spirv[3] > kMaxSpirvIds)
        fail<ShaderError>("the SPIR-V is damaged: its header says that ids are below {}; SPIR-V "
                          "allows at most {}",
                          spirv[3], kMaxSpirvIds);
    if (spirv[4] != 0)
        fail<ShaderError>("the SPIR-V is damaged, or of another schema: word 4 of its header is "
                          "{:#x}, expected 0",
                          spirv[4]);
    checkTypesAndConstants(module);
    checkControlFlow(module);
    checkCalls(module);
}

} // namespace kp::shader
