// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// Appends instructions to a new function.
class CodeWriter {
public:
    explicit CodeWriter(ModuleEditor& module) : editor(module) {}

    ModuleEditor& editor;
    std::vector<Node> nodes;

    uint32_t word() { return editor.intType(32, false); }
    uint32_t pair() { return editor.vectorType(word(), 2); }

    /// Appends an instruction with a new result. @return its id
    uint32_t emit(Node node) {
        node.result = editor.newId();
        nodes.push_back(std::move(node));
        return nodes.back().result;
    }
    uint32_t emit(spv::Op opcode, uint32_t type, std::vector<uint32_t> ids) {
        return emit(nodeOf(opcode, type, 0, std::move(ids)));
    }
    /// Appends an instruction without a result.
    void add(spv::Op opcode, std::vector<uint32_t> ids) {
        nodes.push_back(nodeOf(opcode, 0, 0, std::move(ids)));
    }
    void label(uint32_t id) { nodes.push_back(nodeOf(spv::OpLabel, 0, id, {})); }
    uint32_t extract(uint32_t type, uint32_t composite, uint32_t index) {
        return emit({spv::OpCompositeExtract, type, 0, {composite, index}, {true, false}});
    }
    uint32_t construct(uint32_t type, std::vector<uint32_t> parts) {
        return emit(spv::OpCompositeConstruct, type, std::move(parts));
    }
    uint32_t load(uint32_t type, uint32_t pointer) { return emit(spv::OpLoad, type, {pointer}); }
    void store(uint32_t pointer, uint32_t value) { add(spv::OpStore, {pointer, value}); }
};

} // namespace kp::shader
