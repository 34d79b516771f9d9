// SPDX-License-Identifier: Apache-2.0
//
// A program that only uses kompute: plain C++ of the standard CONSUMER_STANDARD, no Vulkan header.
// It compiles GLSL at run time, doubles four numbers on the device and checks them. If its build
// compiled double_shader.comp, it runs that shader, too.

#include <kompute/Kompute.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#ifdef WITH_BUILT_SHADER
#include "double_shader.hpp"
#endif

#ifndef CONSUMER_STANDARD
#define CONSUMER_STANDARD 17
#endif
// Compilers give their unfinished C++23 different numbers.
#if (CONSUMER_STANDARD == 17 && __cplusplus != 201703L) ||                                         \
    (CONSUMER_STANDARD == 20 && __cplusplus != 202002L) ||                                         \
    (CONSUMER_STANDARD == 23 && __cplusplus <= 202002L)
#error "the consumer must be compiled as the standard that CONSUMER_STANDARD names"
#endif
#ifdef VULKAN_CORE_H_
#error "kompute's public headers must not include a Vulkan header"
#endif

namespace {

const char* const kSource = R"(
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { float x[]; };
layout(set = 0, binding = 1) writeonly buffer Out { float y[]; };
void main() { y[gl_GlobalInvocationID.x] = 2.0 * x[gl_GlobalInvocationID.x]; }
)";

bool doubles(kp::Manager& manager, const std::vector<uint32_t>& spirv) {
    auto in = manager.tensor({1, 2, 3, 4});
    auto out = manager.tensor({0, 0, 0, 0});
    const std::vector<std::shared_ptr<kp::Memory>> memory = {in, out};
    auto algorithm = manager.algorithm(memory, spirv, kp::Workgroup({1}));
    manager.sequence()
        ->record<kp::OpSyncDevice>(memory)
        ->record<kp::OpAlgoDispatch>(algorithm)
        ->record<kp::OpSyncLocal>(memory)
        ->eval();
    return out->vector() == std::vector<float>{2, 4, 6, 8};
}

} // namespace

int main() {
    try {
        kp::Manager manager;
        if (!doubles(manager, kp::compile(kSource))) {
            std::puts("wrong result from the shader compiled at run time");
            return 1;
        }
#ifdef WITH_BUILT_SHADER
        const auto& words = consumer::DOUBLE_SHADER_COMP_SPV;
        if (!doubles(manager, std::vector<uint32_t>(words.begin(), words.end()))) {
            std::puts("wrong result from the shader compiled with the program");
            return 1;
        }
#endif
        try {
            static_cast<void>(kp::compile("#version 450\nvoid main() { nonsense }"));
            std::puts("an invalid shader was accepted");
            return 1;
        } catch (const kp::ShaderError&) {
            // Catching it shows that the library exports its type information.
        }
    } catch (const std::exception& error) {
        std::printf("failed: %s\n", error.what());
        return 1;
    }
    std::puts("the consumer works");
    return 0;
}
