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
    /// Shortens the module for drivers that take too long to compile it.
    void interpretLong();
    bool hasWordBuffers() const;
    std::vector<LoweredConstant> constants; ///< see LoweredModule

private:
    void lowerGlobals();
    void lowerGlobal(const Node& old);
    void lowerConstant(const Node& old);
    void lowerSpecialized(const Node& old);
    void lowerFunctions();
    bool isExactProduct(uint32_t function) const;
    /// Lowers such a function, at a place of the module as it was, to a product and a fused
    /// operation, which are far fewer instructions than the sums of products of halves.
    /// @return its end
    size_t lowerExactProduct(const std::vector<Node>& nodes, size_t at);
    void lowerDecorations();
    void lowerCapabilities();

    std::unordered_set<uint32_t> mUndecorated; ///< ids that lost their old decorations
    std::unordered_set<uint32_t> mGone;        ///< ids of removed values
    std::unique_ptr<NarrowStorage> mStorage;
};

} // namespace kp::shader
