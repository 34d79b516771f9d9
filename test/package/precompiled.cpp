// SPDX-License-Identifier: Apache-2.0
//
// A program that only runs a shader that its build compiled. The linker must leave the shader
// compiler out of it, but not the validator: damaged SPIR-V must not reach the driver.

#include <kompute/Kompute.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

#include "double_shader.hpp"

int main() {
    try {
        kp::Manager manager;
        auto in = manager.tensor({1, 2, 3, 4});
        auto out = manager.tensor({0, 0, 0, 0});
        const std::vector<std::shared_ptr<kp::Memory>> memory = {in, out};
        const auto& words = consumer::DOUBLE_SHADER_COMP_SPV;
        std::vector<uint32_t> spirv(words.begin(), words.end());
        manager.sequence()
            ->record<kp::OpSyncDevice>(memory)
            ->record<kp::OpAlgoDispatch>(manager.algorithm(memory, spirv, kp::Workgroup({1})))
            ->record<kp::OpSyncLocal>(memory)
            ->eval();
        for (const float value : out->vector())
            std::printf("%g ", static_cast<double>(value));
        std::puts("");

        // The last instruction, OpFunctionEnd, becomes OpNop: a function without an end.
        spirv.back() = 0x00010000;
        try {
            manager.algorithm(memory, spirv);
            std::puts("damaged SPIR-V was accepted");
            return 1;
        } catch (const kp::ShaderError& error) {
            std::printf("refused: %s\n", error.what());
        }
    } catch (const std::exception& error) {
        std::printf("failed: %s\n", error.what());
        return 1;
    }
    return 0;
}
