// SPDX-License-Identifier: Apache-2.0
#include "shader/SpirvModule.hpp"

#include <algorithm>
#include <iterator>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::shader {
namespace {

const char* modelName(uint32_t model) {
    constexpr const char* kNames[] = {
        "vertex",  "tessellation control", "tessellation evaluation", "geometry", "fragment",
        "compute", "OpenCL kernel"};
    if (model < std::size(kNames))
        return kNames[model];
    if (model == spv::ExecutionModelTaskNV || model == spv::ExecutionModelTaskEXT)
        return "task";
    if (model == spv::ExecutionModelMeshNV || model == spv::ExecutionModelMeshEXT)
        return "mesh";
    const bool rays =
        model >= spv::ExecutionModelRayGenerationKHR && model <= spv::ExecutionModelCallableKHR;
    return rays ? "ray tracing" : "unknown";
}

void appendText(std::vector<uint32_t>& words, const std::string& text) {
    for (size_t at = 0; at <= text.size(); at += 4) {
        uint32_t word = 0;
        for (size_t i = 0; i < 4 && at + i < text.size(); ++i)
            word |= uint32_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
        words.push_back(word);
    }
}

} // namespace

std::string Instruction::text(size_t first) const {
    std::string result;
    for (size_t i = first; i < words.size(); ++i) {
        for (int shift = 0; shift < 32; shift += 8) {
            const auto letter = static_cast<char>((words[i] >> shift) & 0xff);
            if (letter == '\0')
                return result;
            result += letter;
        }
    }
    return result;
}

const SpirvModule::EntryPoint* SpirvModule::compute(const std::string& name) const {
    const auto found = std::ranges::find_if(entryPoints, [&](const EntryPoint& entry) {
        return entry.model == spv::ExecutionModelGLCompute && entry.name == name;
    });
    return found == entryPoints.end() ? nullptr : &*found;
}

std::string SpirvModule::describeEntryPoints() const {
    if (entryPoints.empty())
        return "none";
    std::vector<std::string> texts;
    for (const EntryPoint& entry : entryPoints)
        texts.push_back(formatted("{} '{}'", modelName(entry.model), entry.name));
    return join(texts);
}

void requireSpirvHeader(std::span<const uint32_t> spirv) {
    if (spirv.size() < kSpirvHeaderWords) {
        fail<ShaderError>("the SPIR-V is truncated: {} words were given, but the header alone has "
                          "{}",
                          spirv.size(), kSpirvHeaderWords);
    }
}

SpirvModule parseSpirv(std::span<const uint32_t> spirv) {
    requireSpirvHeader(spirv);
    SpirvModule module;
    module.version = spirv[1];
    for (size_t at = kSpirvHeaderWords; at < spirv.size();) {
        const size_t count = spirv[at] >> 16;
        if (count == 0 || count > spirv.size() - at) {
            fail<ShaderError>("the SPIR-V is truncated or damaged: the instruction at word {} has "
                              "{} words, but {} remain",
                              at, count, spirv.size() - at);
        }
        const Instruction& added = module.instructions.emplace_back(
            Instruction{spirv[at] & 0xffff, spirv.subspan(at, count)});
        if (added.opcode == spv::OpEntryPoint)
            module.entryPoints.push_back({added.word(1), added.word(2), added.text(3)});
        else if (added.opcode == spv::OpMemoryModel)
            module.addressing = added.word(1);
        at += count;
    }
    return module;
}

std::string spirvVersionText(uint32_t version) {
    return formatted("{}.{}", (version >> 16) & 0xff, (version >> 8) & 0xff);
}

std::vector<uint32_t> withKnownSourceLanguages(std::span<const uint32_t> spirv) {
    constexpr uint32_t kLastKnown = 6; // C++ for OpenCL
    std::vector<uint32_t> words(spirv.begin(), spirv.end());
    for (const Instruction& each : parseSpirv(spirv).instructions)
        if (each.opcode == spv::OpSource && each.word(1) > kLastKnown)
            words[static_cast<size_t>(&each.words[1] - spirv.data())] = 0;
    return words;
}

std::vector<uint32_t> renameEntryPoint(std::span<const uint32_t> spirv, const std::string& from,
                                       const std::string& to) {
    const SpirvModule module = parseSpirv(spirv);
    std::vector<uint32_t> words(spirv.begin(), spirv.begin() + kSpirvHeaderWords);
    words.reserve(spirv.size() + to.size() / 4 + 1);
    for (const Instruction& old : module.instructions) {
        if (old.opcode != spv::OpEntryPoint || old.word(1) != spv::ExecutionModelGLCompute ||
            old.text(3) != from) {
            words.insert(words.end(), old.words.begin(), old.words.end());
            continue;
        }
        const size_t first = words.size();
        words.insert(words.end(), {0, old.word(1), old.word(2)});
        appendText(words, to);
        const size_t afterName = std::min(3 + from.size() / 4 + 1, old.size());
        words.insert(words.end(), old.words.begin() + static_cast<std::ptrdiff_t>(afterName),
                     old.words.end());
        words[first] = static_cast<uint32_t>((words.size() - first) << 16) | old.opcode;
    }
    return words;
}

} // namespace kp::shader
