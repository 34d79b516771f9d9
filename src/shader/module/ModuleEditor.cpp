// SPDX-License-Identifier: Apache-2.0
#include "shader/module/ModuleEditor.hpp"

#include <algorithm>
#include <utility>

#include "shader/SpirvModule.hpp"
#include "shader/module/ParseNodes.hpp"

namespace kp::shader {
namespace {

/// Returns true for types and constants of which a module has at most one with equal operands.
bool isShared(uint32_t opcode) {
    switch (opcode) {
    case spv::OpTypeVoid:
    case spv::OpTypeBool:
    case spv::OpTypeInt:
    case spv::OpTypeFloat:
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
    case spv::OpTypePointer:
    case spv::OpTypeFunction:
    case spv::OpConstant:
    case spv::OpConstantTrue:
    case spv::OpConstantFalse:
    case spv::OpConstantComposite:
    case spv::OpConstantNull:
        return true;
    default:
        return false;
    }
}

/// Returns true for globals that have an id of their own.
bool definesId(uint32_t opcode) {
    return opcode != spv::OpTypeForwardPointer && opcode != spv::OpLine && opcode != spv::OpNoLine;
}

std::vector<uint32_t> contentOf(const Node& node) {
    std::vector<uint32_t> content{node.opcode, node.type};
    content.insert(content.end(), node.operands.begin(), node.operands.end());
    return content;
}

void append(std::vector<uint32_t>& words, const Node& node) {
    const size_t count = 1u + (node.type != 0) + (node.result != 0) + node.operands.size();
    words.push_back(static_cast<uint32_t>(count << 16) | node.opcode);
    if (node.type != 0)
        words.push_back(node.type);
    if (node.result != 0)
        words.push_back(node.result);
    words.insert(words.end(), node.operands.begin(), node.operands.end());
}

} // namespace

Node nodeOf(spv::Op opcode, uint32_t type, uint32_t result, std::vector<uint32_t> ids) {
    std::vector<bool> flags(ids.size(), true);
    return {static_cast<uint32_t>(opcode), type, result, std::move(ids), std::move(flags)};
}

Node literalNode(spv::Op opcode, uint32_t type, uint32_t result, std::vector<uint32_t> literals) {
    std::vector<bool> flags(literals.size(), false);
    return {static_cast<uint32_t>(opcode), type, result, std::move(literals), std::move(flags)};
}

std::vector<uint32_t> wordsOfText(std::string_view text) {
    std::vector<uint32_t> words(text.size() / 4 + 1);
    for (size_t i = 0; i < text.size(); ++i)
        words[i / 4] |= uint32_t{static_cast<unsigned char>(text[i])} << (8 * (i % 4));
    return words;
}

std::string textOf(const Node& node, size_t first) {
    return Instruction{node.opcode, node.operands}.text(first);
}

std::vector<Node>& ModuleEditor::sectionOf(uint32_t opcode, bool inFunctions) {
    if (inFunctions)
        return functions;
    switch (opcode) {
    case spv::OpCapability:
        return capabilities;
    case spv::OpExtension:
        return extensions;
    case spv::OpExtInstImport:
        return imports;
    case spv::OpMemoryModel:
        return memoryModel;
    case spv::OpEntryPoint:
        return entryPoints;
    case spv::OpExecutionMode:
    case spv::OpExecutionModeId:
        return executionModes;
    case spv::OpString:
    case spv::OpSource:
    case spv::OpSourceExtension:
    case spv::OpSourceContinued:
    case spv::OpName:
    case spv::OpMemberName:
    case spv::OpModuleProcessed:
        return names;
    case spv::OpDecorate:
    case spv::OpMemberDecorate:
    case spv::OpDecorationGroup:
    case spv::OpGroupDecorate:
    case spv::OpGroupMemberDecorate:
    case spv::OpDecorateId:
    case spv::OpDecorateString:
    case spv::OpMemberDecorateString:
        return decorations;
    default:
        return globals;
    }
}

ModuleEditor::ModuleEditor(std::span<const uint32_t> spirv) {
    requireSpirvHeader(spirv);
    version = spirv[1];
    mGenerator = spirv[2];
    mBound = spirv[3];
    bool inFunctions = false;
    parseNodes(spirv, [&](Node node) {
        inFunctions = inFunctions || node.opcode == spv::OpFunction;
        const bool isLine = node.opcode == spv::OpLine || node.opcode == spv::OpNoLine;
        if (!isLine || inFunctions)
            sectionOf(node.opcode, inFunctions).push_back(std::move(node));
    });
    for (size_t i = 0; i < globals.size(); ++i) {
        mPlaces[globals[i].result] = i;
        if (isShared(globals[i].opcode))
            mShared.emplace(contentOf(globals[i]), globals[i].result);
    }
}

std::vector<uint32_t> ModuleEditor::words() const {
    std::vector<uint32_t> words{spv::MagicNumber, version, mGenerator, mBound, 0};
    for (const std::vector<Node>* section :
         {&capabilities, &extensions, &imports, &memoryModel, &entryPoints, &executionModes, &names,
          &decorations, &globals, &functions})
        for (const Node& node : *section)
            append(words, node);
    return words;
}

std::vector<Node> ModuleEditor::takeGlobals() {
    mShared.clear();
    mPlaces.clear();
    return std::exchange(globals, {});
}

uint32_t ModuleEditor::define(Node node) {
    if (!definesId(node.opcode)) {
        globals.push_back(std::move(node));
        return 0;
    }
    if (isShared(node.opcode)) {
        const auto found = mShared.find(contentOf(node));
        if (found != mShared.end())
            return found->second;
    }
    if (node.result == 0)
        node.result = newId();
    const uint32_t id = node.result;
    if (isShared(node.opcode))
        mShared.emplace(contentOf(node), id);
    mPlaces[id] = globals.size();
    globals.push_back(std::move(node));
    return id;
}

const Node* ModuleEditor::global(uint32_t id) const {
    const auto found = mPlaces.find(id);
    return found == mPlaces.end() ? nullptr : &globals[found->second];
}

uint32_t ModuleEditor::voidType() {
    return define(literalNode(spv::OpTypeVoid, 0, 0, {}));
}

uint32_t ModuleEditor::boolType() {
    return define(literalNode(spv::OpTypeBool, 0, 0, {}));
}

uint32_t ModuleEditor::intType(uint32_t width, bool isSigned) {
    return define(literalNode(spv::OpTypeInt, 0, 0, {width, isSigned ? 1u : 0u}));
}

uint32_t ModuleEditor::floatType(uint32_t width) {
    return define(literalNode(spv::OpTypeFloat, 0, 0, {width}));
}

uint32_t ModuleEditor::vectorType(uint32_t component, uint32_t count) {
    return define({spv::OpTypeVector, 0, 0, {component, count}, {true, false}});
}

uint32_t ModuleEditor::pointerType(uint32_t storageClass, uint32_t pointee) {
    return define({spv::OpTypePointer, 0, 0, {storageClass, pointee}, {false, true}});
}

uint32_t ModuleEditor::constant(uint32_t type, uint32_t word) {
    return define(literalNode(spv::OpConstant, type, 0, {word}));
}

uint32_t ModuleEditor::instructionSet(const std::string& name) {
    const std::vector<uint32_t> text = wordsOfText(name);
    const auto found = std::ranges::find(imports, text, &Node::operands);
    if (found != imports.end())
        return found->result;
    imports.push_back(literalNode(spv::OpExtInstImport, 0, newId(), text));
    return imports.back().result;
}

bool ModuleEditor::hasCapability(uint32_t capability) const {
    return std::ranges::any_of(capabilities,
                               [&](const Node& node) { return node.operand(0) == capability; });
}

void ModuleEditor::removeCapability(uint32_t capability) {
    std::erase_if(capabilities, [&](const Node& node) { return node.operand(0) == capability; });
}

void ModuleEditor::decorate(uint32_t id, spv::Decoration decoration,
                            std::vector<uint32_t> literals) {
    Node node = literalNode(spv::OpDecorate, 0, 0, {id, static_cast<uint32_t>(decoration)});
    node.ids[0] = true;
    node.operands.insert(node.operands.end(), literals.begin(), literals.end());
    node.ids.resize(node.operands.size());
    decorations.push_back(std::move(node));
}

} // namespace kp::shader
