// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kp::shader {

constexpr uint32_t kSpirvMagic = 0x07230203;
constexpr size_t kSpirvHeaderWords = 5;
constexpr uint32_t kExecutionModelCompute = 5;

/// One instruction of a module, a view into the module's words.
struct Instruction {
    uint32_t opcode = 0;
    std::span<const uint32_t> words; ///< all its words, the first (count and opcode) included

    /// Word @p index, or 0 (never a valid id) beyond the end, so that readers of damaged modules
    /// need no checks of their own.
    uint32_t word(size_t index) const { return index < words.size() ? words[index] : 0; }
    size_t size() const { return words.size(); }

    /// The literal string that starts at word @p first.
    std::string text(size_t first) const;
};

/// A module cut into instructions. Holds views: the words must outlive it.
struct SpirvModule {
    struct EntryPoint {
        uint32_t model = 0; ///< execution model, kExecutionModelCompute for a compute shader
        uint32_t function = 0;
        std::string name;
    };

    uint32_t version = 0; ///< as in the header: 0x00MMmm00
    uint32_t addressing = 0;
    std::vector<Instruction> instructions;
    std::vector<EntryPoint> entryPoints;

    /// The compute entry point of that name; null where there is none.
    const EntryPoint* compute(const std::string& name) const;

    /// "vertex 'main', compute 'fill'", for messages.
    std::string describeEntryPoints() const;
};

/// Cuts any words into instructions; reads nothing beyond them.
/// @throws ShaderError where there is no header or an instruction ends beyond the module
SpirvModule parseSpirv(std::span<const uint32_t> spirv);

/// "1.3" for 0x00010300.
std::string spirvVersionText(uint32_t version);

/// The module with the name of its compute entry point @p from changed to @p to.
std::vector<uint32_t> renameEntryPoint(std::span<const uint32_t> spirv, const std::string& from,
                                       const std::string& to);

} // namespace kp::shader
