// SPDX-License-Identifier: Apache-2.0
//
// What kompute::runtime has instead of the files that call glslang, SPIRV-Tools and SPIRV-Cross,
// or that make programs which need them: see compiler_sources in
// cmake/KomputeTargets.cmake.
#include "runtime/WithoutCompilers.hpp"

#include "c/Objects.hpp"
#include "shader/Validate.hpp"
#include "shader/compile/Compiler.hpp"
#include "shader/module/ParseNodes.hpp"
#include "shader/reflect/Reflection.hpp"

namespace kp {

void failWithoutCompilers(const std::string& what) {
    throw Unsupported(what + ", which kompute::runtime lacks; link kompute::kompute, or save the "
                             "work there by kp::Program::save() and load it here");
}

namespace {

kp_status refused() {
    return guarded([] { failWithoutCompilers("programs of primitives need the shader compiler"); });
}

} // namespace

namespace shader {

std::vector<uint32_t> runCompiler(const std::string&, const CompileOptions&, Includer&) {
    failWithoutCompilers("shader text needs the shader compiler");
}

std::string compilerVersion(ShaderLanguage) {
    failWithoutCompilers("shader text needs the shader compiler");
}

void validate(std::span<const uint32_t>, uint32_t, bool) {
    failWithoutCompilers("SPIR-V needs the validator");
}

void validate(std::span<const uint32_t>, const Hash&, uint32_t, bool) {
    failWithoutCompilers("SPIR-V needs the validator");
}

Reflection reflect(std::span<const uint32_t>, const std::string&) {
    failWithoutCompilers("SPIR-V needs reflection");
}

std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t>, const std::string&) {
    failWithoutCompilers("SPIR-V needs reflection");
}

std::shared_ptr<const Reflection> reflectCached(std::span<const uint32_t>, const Hash&,
                                                const std::string&) {
    failWithoutCompilers("SPIR-V needs reflection");
}

void parseNodes(std::span<const uint32_t>, const std::function<void(Node)>&) {
    failWithoutCompilers("changing SPIR-V needs SPIRV-Tools");
}

} // namespace shader

shader::Reflection reflect(const std::vector<uint32_t>&, const std::string&) {
    failWithoutCompilers("SPIR-V needs reflection");
}

} // namespace kp

extern "C" {

kp_status kp_program_sort(kp_manager*, kp_type, uint64_t, int, kp_program**) {
    return kp::refused();
}
kp_status kp_program_reduce(kp_manager*, kp_type, uint64_t, kp_operation, kp_program**) {
    return kp::refused();
}
kp_status kp_program_scan(kp_manager*, kp_type, uint64_t, kp_operation, int, kp_program**) {
    return kp::refused();
}
kp_status kp_program_fft(kp_manager*, kp_type, uint64_t, uint64_t, int, kp_program**) {
    return kp::refused();
}
kp_status kp_program_matmul(kp_manager*, kp_type, uint64_t, uint64_t, uint64_t, kp_program**) {
    return kp::refused();
}

} // extern "C"
