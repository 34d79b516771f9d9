// SPDX-License-Identifier: Apache-2.0
#include "shader/interpret/ModuleFunctions.hpp"

#include <utility>

namespace kp::shader {

ModuleFunctions::ModuleFunctions(ModuleEditor& editor)
    : mNodes(std::exchange(editor.functions, {})) {
    for (const std::vector<Node>* section :
         {&std::as_const(editor.globals), &std::as_const(mNodes)})
        for (const Node& node : *section)
            if (node.result != 0 && node.type != 0)
                mTypes[node.result] = node.type;
    for (size_t begin = 0; begin < mNodes.size(); ++begin) {
        if (mNodes[begin].opcode != spv::OpFunction)
            continue;
        size_t end = begin;
        while (mNodes[end].opcode != spv::OpFunctionEnd)
            ++end;
        mIds.push_back(mNodes[begin].result);
        mFunctions[mIds.back()] = {&mNodes[begin], end + 1 - begin};
    }
}

std::span<const Node> ModuleFunctions::find(uint32_t function) const {
    const auto found = mFunctions.find(function);
    return found == mFunctions.end() ? std::span<const Node>() : found->second;
}

uint32_t ModuleFunctions::typeOf(uint32_t value) const {
    const auto found = mTypes.find(value);
    return found == mTypes.end() ? 0 : found->second;
}

size_t ModuleFunctions::length(uint32_t function) {
    if (const auto known = mLengths.find(function); known != mLengths.end())
        return known->second;
    mLengths[function] = 0; // ends recursion, which shaders do not have
    size_t length = 0;
    for (const Node& node : find(function))
        length += node.opcode == spv::OpFunctionCall ? this->length(node.operand(0)) : 1;
    return mLengths[function] = length;
}

} // namespace kp::shader
