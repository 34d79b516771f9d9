// SPDX-License-Identifier: Apache-2.0
#include "shader/module/FunctionImport.hpp"

#include <utility>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "shader/SpirvModule.hpp"

namespace kp::shader {

FunctionImport::FunctionImport(std::span<const uint32_t> library, ModuleEditor& target)
    : mLibrary(library), mTarget(target) {
    for (const Node& name : mLibrary.names) {
        if (name.opcode != spv::OpName)
            continue;
        const std::string text = Instruction{name.opcode, name.operands}.text(1);
        if (const size_t bracket = text.find('('); bracket != std::string::npos)
            mByName.emplace(text.substr(0, bracket), name.operand(0));
    }
    for (size_t i = 0; i < mLibrary.functions.size(); ++i)
        if (mLibrary.functions[i].opcode == spv::OpFunction)
            mBegins[mLibrary.functions[i].result] = i;
    for (const Node& mark : mLibrary.decorations)
        if (mark.opcode == spv::OpDecorate)
            mMarks[mark.operand(0)].push_back(mark);
}

uint32_t FunctionImport::use(std::string_view name) {
    const auto found = mByName.find(std::string(name));
    if (found == mByName.end() || !mBegins.contains(found->second))
        fail<ShaderError>("the library has no function {} to compute with on this device", name);
    return useFunction(found->second);
}

uint32_t FunctionImport::useFunction(uint32_t id) {
    const auto known = mIds.find(id);
    if (known != mIds.end())
        return known->second;
    const uint32_t made = mTarget.newId();
    mIds[id] = made;
    const size_t begin = mBegins.at(id);
    mResultTypes[made] = idOf(mLibrary.functions[begin].type);
    std::vector<Node> body;
    for (size_t i = begin;; ++i) {
        const Node& node = mLibrary.functions[i];
        if (node.opcode != spv::OpLine && node.opcode != spv::OpNoLine)
            body.push_back(remapped(node));
        if (node.opcode == spv::OpFunctionEnd)
            break;
    }
    mBodies.insert(mBodies.end(), body.begin(), body.end());
    return made;
}

uint32_t FunctionImport::idOf(uint32_t id) {
    if (const auto known = mIds.find(id); known != mIds.end())
        return known->second;
    if (mBegins.contains(id))
        return useFunction(id);
    if (const Node* node = mLibrary.global(id)) {
        const Node source = *node;
        Node copy = remapped(source);
        copy.result = 0;
        const uint32_t made = mTarget.define(std::move(copy));
        mIds[id] = made;
        if (source.opcode == spv::OpVariable && mTarget.version >= 0x00010400)
            for (Node& entry : mTarget.entryPoints) {
                entry.operands.push_back(made);
                entry.ids.push_back(true);
            }
        return made;
    }
    for (const Node& set : mLibrary.imports)
        if (set.result == id)
            return mIds[id] = mTarget.instructionSet(Instruction{set.opcode, set.operands}.text(0));
    const uint32_t made = mTarget.newId();
    mIds[id] = made;
    if (const auto marks = mMarks.find(id); marks != mMarks.end())
        for (Node mark : marks->second) {
            mark.operands[0] = made;
            mTarget.decorations.push_back(std::move(mark));
        }
    return made;
}

Node FunctionImport::remapped(const Node& node) {
    Node copy = node;
    if (copy.type != 0)
        copy.type = idOf(copy.type);
    for (size_t i = 0; i < copy.operands.size(); ++i)
        if (copy.ids[i])
            copy.operands[i] = idOf(copy.operands[i]);
    const bool isGlobal = mLibrary.global(node.result) != nullptr;
    if (copy.result != 0 && !isGlobal)
        copy.result = idOf(copy.result);
    return copy;
}

std::unordered_set<uint32_t> FunctionImport::used() const {
    std::unordered_set<uint32_t> ids;
    for (const auto& [id, type] : mResultTypes)
        ids.insert(id);
    return ids;
}

void FunctionImport::finish() {
    mTarget.functions.insert(mTarget.functions.end(), mBodies.begin(), mBodies.end());
    mBodies.clear();
}

} // namespace kp::shader
