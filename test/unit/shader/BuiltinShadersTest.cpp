// SPDX-License-Identifier: Apache-2.0
#include <ShaderLogisticRegression.hpp>
#include <ShaderOpMult.hpp>

#include "ShaderTestTools.hpp"
#include "shader/Validate.hpp"
#include "shader/reflect/Reflection.hpp"

namespace kp::shader {
namespace {

using test::vulkan;

std::string accessOf(const Binding& binding) {
    return std::string(binding.reads ? "r" : "") + (binding.writes ? "w" : "");
}

void expectFloatBuffers(const Reflection& reflection, const std::vector<std::string>& accesses,
                        uint32_t localSize = 1) {
    ASSERT_EQ(reflection.bindings.size(), accesses.size());
    for (uint32_t i = 0; i < accesses.size(); ++i) {
        const Binding& binding = reflection.bindings[i];
        EXPECT_EQ(binding.set, 0u);
        EXPECT_EQ(binding.binding, i);
        EXPECT_EQ(binding.kind, BindingKind::eStorageBuffer);
        EXPECT_EQ(binding.elementType, ScalarType::eFloat32);
        EXPECT_EQ(binding.arrayStride, 4u);
        EXPECT_EQ(accessOf(binding), accesses[i]) << i;
    }
    EXPECT_EQ(reflection.localSize, (std::array<uint32_t, 3>{localSize, 1, 1}));
    EXPECT_EQ(reflection.pushConstantSize, 0u);
    EXPECT_EQ(reflection.capabilities, std::vector<std::string>{"Shader"});
}

TEST(BuiltinShaders, MultiplyTakesTwoInputsAndOneOutput) {
    ASSERT_NO_THROW(validate(kp::SHADEROPMULT_COMP_SPV, vulkan(1), false));
    const Reflection reflection = reflect(kp::SHADEROPMULT_COMP_SPV);
    expectFloatBuffers(reflection, {"r", "r", "w"}, 64);
    EXPECT_TRUE(reflection.specConstants.empty());
}

TEST(BuiltinShaders, LogisticRegressionKeepsItsContract) {
    ASSERT_NO_THROW(validate(kp::SHADERLOGISTICREGRESSION_COMP_SPV, vulkan(1), false));
    const Reflection reflection = reflect(kp::SHADERLOGISTICREGRESSION_COMP_SPV);
    expectFloatBuffers(reflection, {"r", "r", "r", "r", "w", "w", "r", "w", "w"});
    ASSERT_EQ(reflection.specConstants.size(), 1u);
    EXPECT_EQ(reflection.specConstants[0].id, 0u);
    EXPECT_EQ(reflection.specConstants[0].type, ScalarType::eFloat32);
}

TEST(BuiltinShaders, CompileAtRunTime) {
    for (const char* name : {"ShaderOpMult.comp", "ShaderLogisticRegression.comp"}) {
        const auto spirv = compileFile(std::string(KOMPUTE_SOURCE_FOLDER "/shaders/") + name);
        EXPECT_NO_THROW(validate(spirv, vulkan(1), false)) << name;
    }
}

} // namespace
} // namespace kp::shader
