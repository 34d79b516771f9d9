// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "shader/lower/LowerModule.hpp"
#include "shader/lower/LoweringContext.hpp"

namespace kp::shader {

class NarrowStorage;

/// Lowers a module: first the globals, then instruction by instruction.
class Lowering : public LoweringContext {
public:
    Lowering(ModuleEditor& editor, const LoweredTypes& lowered);
    ~Lowering();

    /// @throws ShaderError as lowerModule()
    void run();
    bool hasWordBuffers() const;
    std::vector<LoweredConstant> constants; ///< see LoweredModule

private:
    void lowerGlobals();
    void lowerGlobal(const Node& old);
    void lowerConstant(const Node& old);
    void lowerSpecialized(const Node& old);
    void lowerFunctions();
    void lowerDecorations();
    void lowerCapabilities();

    std::unordered_set<uint32_t> mUndecorated; ///< ids that lost their old decorations
    std::unique_ptr<NarrowStorage> mStorage;
};

} // namespace kp::shader
