// SPDX-License-Identifier: Apache-2.0
//
// Takes any bytes as SPIR-V. Each step must succeed or throw ShaderError. Modules that validate()
// accepts are also reflected, and instrumented by checked mode, whose modules must be valid too.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "shader/SpirvModule.hpp"
#include "shader/Validate.hpp"
#include "shader/check/CheckedModule.hpp"
#include "shader/reflect/AccessAnalysis.hpp"
#include "shader/reflect/Reflection.hpp"

namespace {

constexpr uint32_t kVulkan13 = (1u << 22) | (3u << 12);

/// Calls the functions that accept modules without validation.
void readUnchecked(const std::vector<uint32_t>& words) {
    try {
        const kp::shader::SpirvModule module = kp::shader::parseSpirv(words);
        for (const auto& entry : module.entryPoints)
            kp::shader::analyzeAccess(module, entry.function);
    } catch (const kp::ShaderError&) {
    }
}

void readChecked(const std::vector<uint32_t>& words) {
    try {
        kp::shader::validate(words, kVulkan13);
    } catch (const kp::ShaderError&) {
        return;
    }
    try {
        for (const auto& entry : kp::shader::parseSpirv(words).entryPoints) {
            if (entry.model == spv::ExecutionModelGLCompute) {
                const auto reflection = kp::shader::reflect(words, entry.name);
                for (size_t i = 1; i < reflection.bindings.size(); ++i) {
                    const auto& before = reflection.bindings[i - 1];
                    const auto& after = reflection.bindings[i];
                    if (std::pair(before.set, before.binding) >=
                        std::pair(after.set, after.binding)) {
                        std::abort();
                    }
                }
            }
        }
    } catch (const kp::ShaderError&) {
    }
}

void instrument(const std::vector<uint32_t>& words) {
    kp::shader::CheckKinds all;
    all.bounds = all.arithmetic = all.nan = true;
    all.steps = 1000;
    try {
        kp::shader::validate(words, kVulkan13);
    } catch (const kp::ShaderError&) {
        return;
    }
    const kp::shader::CheckedModule checked = kp::shader::checkModule(words, all);
    try {
        kp::shader::validate(checked.spirv, kVulkan13);
    } catch (const kp::ShaderError& error) {
        std::fputs(error.what(), stderr);
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::vector<uint32_t> words(size / sizeof(uint32_t));
    if (!words.empty())
        std::memcpy(words.data(), data, words.size() * sizeof(uint32_t));
    readUnchecked(words);
    readChecked(words);
    instrument(words);
    return 0;
}
