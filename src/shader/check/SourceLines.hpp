// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shader/module/ModuleEditor.hpp"

namespace kp::shader {

/// The source line of each instruction of a module, from OpLine or NonSemantic.Shader.DebugInfo.
/// Follows the instructions of functions in their order.
class SourceLines {
public:
    /// @param module  must outlive this
    explicit SourceLines(const ModuleEditor& module);

    /// Takes the next instruction.
    void follow(const Node& node);

    const std::string& file() const { return mFile; }
    uint32_t line() const { return mLine; }
    /// Returns the text of the line, without white space around it; "" if the module has none.
    std::string text() const;

private:
    void set(uint32_t file, uint32_t line);

    const ModuleEditor& mModule;
    uint32_t mDebugInfo = 0; ///< the instruction set
    std::unordered_map<uint32_t, std::string> mStrings;
    std::unordered_map<uint32_t, uint32_t> mFiles;      ///< strings of DebugSource
    std::unordered_map<std::string, std::string> mText; ///< by file
    std::string mFile;
    uint32_t mLine = 0;
};

/// Returns a line of a text, counted from 1, without white space around it; "" if it has none.
std::string lineOf(std::string_view text, uint32_t line);

} // namespace kp::shader
