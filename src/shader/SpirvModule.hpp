// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <spirv_cross/spirv.hpp>

namespace kp::shader {

constexpr size_t kSpirvHeaderWords = 5;

// Opcodes that the oldest supported <spirv_cross/spirv.hpp>, of Vulkan SDK 1.3.239, lacks.
constexpr uint32_t kOpUntypedVariableKHR = 4418;
constexpr uint32_t kOpUntypedAccessChainKHR = 4419;
constexpr uint32_t kOpUntypedInBoundsAccessChainKHR = 4420;
constexpr uint32_t kOpUntypedPtrAccessChainKHR = 4423;
constexpr uint32_t kOpUntypedInBoundsPtrAccessChainKHR = 4424;
constexpr uint32_t kOpUntypedArrayLengthKHR = 4425;
constexpr uint32_t kOpCooperativeMatrixLoadKHR = 4457;
constexpr uint32_t kOpCooperativeMatrixStoreKHR = 4458;
constexpr uint32_t kOpCooperativeMatrixMulAddKHR = 4459;
constexpr uint32_t kOpCooperativeMatrixLoadTensorNV = 5367;
constexpr uint32_t kOpCooperativeMatrixStoreTensorNV = 5368;
constexpr uint32_t kOpRawAccessChainNV = 5398;

/// Returns true for the instructions that access memory atomically.
inline bool isAtomic(uint32_t opcode) {
    return (opcode >= spv::OpAtomicLoad && opcode <= spv::OpAtomicXor) ||
           opcode == spv::OpAtomicFAddEXT || opcode == spv::OpAtomicFMinEXT ||
           opcode == spv::OpAtomicFMaxEXT;
}

/// One instruction of a module: a view of the module's words.
struct Instruction {
    uint32_t opcode = 0;
    std::span<const uint32_t> words; ///< including the first one, with count and opcode

    /// Returns a word; 0, which is never a valid id, beyond the end. Readers of damaged modules
    /// thus need no checks.
    uint32_t word(size_t index) const { return index < words.size() ? words[index] : 0; }
    size_t size() const { return words.size(); }

    /// Returns the literal string that starts at word @p first.
    std::string text(size_t first) const;
};

/// A module as a list of instructions. The module's words must outlive it.
struct SpirvModule {
    struct EntryPoint {
        uint32_t model = 0; ///< spv::ExecutionModel
        uint32_t function = 0;
        std::string name;
    };

    uint32_t version = 0;    ///< as in the header: 0x00MMmm00
    uint32_t addressing = 0; ///< spv::AddressingModel
    std::vector<Instruction> instructions;
    std::vector<EntryPoint> entryPoints;

    /// Returns the compute entry point of a name; null if there is none.
    const EntryPoint* compute(const std::string& name) const;

    /// Lists the entry points for messages, such as "vertex 'main', compute 'fill'".
    std::string describeEntryPoints() const;
};

/// @throws ShaderError if the module is shorter than its header
void requireSpirvHeader(std::span<const uint32_t> spirv);

/// Splits arbitrary words into instructions.
/// @throws ShaderError if the header is missing or an instruction ends beyond the module
SpirvModule parseSpirv(std::span<const uint32_t> spirv);

/// Returns "1.3" for 0x00010300.
std::string spirvVersionText(uint32_t version);

/// Returns the module with new source languages replaced by "unknown". Validators and validation
/// layers reject a module whose OpSource names a language newer than they know, such as Slang,
/// although OpSource has no effect.
std::vector<uint32_t> withKnownSourceLanguages(std::span<const uint32_t> spirv);

/// Returns the module with its compute entry point @p from renamed to @p to.
std::vector<uint32_t> renameEntryPoint(std::span<const uint32_t> spirv, const std::string& from,
                                       const std::string& to);

} // namespace kp::shader
