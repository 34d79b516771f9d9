// SPDX-License-Identifier: Apache-2.0
#include "shader/interpret/InterpretLongFunctions.hpp"

#include <cstddef>
#include <vector>

#include "shader/interpret/FunctionCompiler.hpp"
#include "shader/interpret/InterpreterWriter.hpp"
#include "shader/module/StraightCode.hpp"

namespace kp::shader {
namespace {

/// Instructions of functions that are interpreted.
constexpr size_t kLong = 12'000;

/// Instructions of functions that are one instruction of an interpreter.
constexpr size_t kShort = 60;

/// Returns true for short functions of single values that use nothing but these.
bool isShort(Interpretation& all, uint32_t function) {
    if (all.functions.length(function) > kShort)
        return false;
    size_t parameters = 0;
    for (const Node& node : all.functions.find(function)) {
        switch (node.opcode) {
        case spv::OpFunction:
            if (!all.types.isSingle(node.type))
                return false;
            break;
        case spv::OpFunctionParameter:
            if (!all.types.isSingle(node.type) || ++parameters > Bytecode::kMaxValues)
                return false;
            break;
        case spv::OpFunctionCall:
            if (!all.computed.contains(node.operand(0)) && !isShort(all, node.operand(0)))
                return false;
            break;
        case spv::OpLabel:
        case spv::OpPhi:
        case spv::OpSelectionMerge:
        case spv::OpBranch:
        case spv::OpBranchConditional:
        case spv::OpReturnValue:
        case spv::OpFunctionEnd:
        case spv::OpLine:
        case spv::OpNoLine:
            break;
        case spv::OpVariable:
        case spv::OpLoad:
        case spv::OpStore: {
            const uint32_t pointer =
                node.opcode == spv::OpVariable ? node.type : all.functions.typeOf(node.operand(0));
            if (all.editor.global(pointer)->operand(0) != spv::StorageClassFunction)
                return false;
            break;
        }
        default:
            if (!isPureOperation(node.opcode))
                return false;
        }
    }
    return true;
}

/// Finds the functions to interpret, from the entry points on.
class LongFunctions {
public:
    explicit LongFunctions(Interpretation& interpretation) : mAll(interpretation) {}

    void visit(uint32_t function) {
        if (!mVisited.insert(function).second)
            return;
        for (const Node& node : mAll.functions.find(function)) {
            if (node.opcode != spv::OpFunctionCall)
                continue;
            const uint32_t callee = node.operand(0);
            if (mAll.functions.length(callee) >= kLong && compileFunction(mAll, callee))
                entrances.insert(callee);
            else
                visit(callee);
        }
    }

    std::unordered_set<uint32_t> entrances;

private:
    Interpretation& mAll;
    std::unordered_set<uint32_t> mVisited;
};

/// Adds a function and its callees to `called`, entrances without their callees.
void markCalled(const ModuleFunctions& functions, uint32_t function,
                const std::unordered_set<uint32_t>& entrances,
                std::unordered_set<uint32_t>& called) {
    if (!called.insert(function).second || entrances.contains(function))
        return;
    for (const Node& node : functions.find(function))
        if (node.opcode == spv::OpFunctionCall)
            markCalled(functions, node.operand(0), entrances, called);
}

void eraseMarks(ModuleEditor& editor, const std::unordered_set<uint32_t>& gone) {
    for (std::vector<Node>* section : {&editor.names, &editor.decorations})
        std::erase_if(*section, [&](const Node& node) {
            const bool hasTarget = node.opcode == spv::OpName || node.opcode == spv::OpDecorate;
            return hasTarget && gone.contains(node.operand(0));
        });
}

} // namespace

void interpretLongFunctions(ModuleEditor& editor, const std::unordered_set<uint32_t>& computed) {
    ModuleFunctions functions(editor);
    Interpretation all{editor, functions, RegisterTypes(editor), computed, {}};
    for (const uint32_t id : functions.ids())
        if (isShort(all, id))
            all.computed.insert(id);
    LongFunctions found(all);
    for (const Node& entry : editor.entryPoints)
        found.visit(entry.operand(1));
    if (!all.bytecode.place())
        found.entrances.clear();

    std::unordered_set<uint32_t> called;
    for (const Node& entry : editor.entryPoints)
        markCalled(functions, entry.operand(1), found.entrances, called);
    if (!found.entrances.empty())
        for (const Computation& each : all.bytecode.computations)
            if (each.node.opcode == spv::OpFunctionCall)
                markCalled(functions, each.node.operand(0), found.entrances, called);
    std::unordered_set<uint32_t> gone;
    for (const uint32_t id : functions.ids())
        for (const Node& node : functions.find(id))
            if (!called.contains(id) || found.entrances.contains(id)) {
                if (node.opcode != spv::OpFunctionParameter || !called.contains(id))
                    gone.insert(node.result);
            } else {
                editor.functions.push_back(node);
            }
    for (const uint32_t id : found.entrances)
        gone.erase(id);
    eraseMarks(editor, gone);
    if (found.entrances.empty())
        return;
    InterpreterWriter writer(all);
    const auto append = [&](std::vector<Node> nodes) {
        editor.functions.insert(editor.functions.end(), nodes.begin(), nodes.end());
    };
    append(writer.interpreter());
    for (const uint32_t id : functions.ids())
        if (found.entrances.contains(id))
            append(writer.entrance(id));
}

} // namespace kp::shader
