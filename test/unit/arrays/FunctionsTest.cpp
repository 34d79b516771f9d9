// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Functions.hpp>

#include <algorithm>

#include <gtest/gtest.h>

#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>
#include <kompute/arrays/NumberType.hpp>
#include <kompute/shader/Reflection.hpp>
#include <kompute/shader/ShaderLibrary.hpp>

namespace kp {
namespace {

constexpr size_t kTypes = 14;

/// Returns a shader with statements about two values x and y of a type.
std::string shaderWith(const NumberType& type, const std::string& statements) {
    shader::LibraryText library;
    library.use(statements, type.computed);
    const std::string computed(type.computed);
    std::string text = "#version 450\n"
                       "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
                       "#extension GL_EXT_shader_8bit_storage : require\n"
                       "#extension GL_EXT_shader_16bit_storage : require\n"
                       "layout(local_size_x = 1) in;\n"
                       "layout(push_constant) uniform Parameters { uint p[4]; };\n";
    text += "layout(binding = 0) buffer Memory { " + std::string(type.stored) + " memory[]; };\n";
    text += library.text() + "void main() {\n";
    text += computed + " x = " + filled(type.load, {"memory[0]"}) + ";\n";
    text += computed + " y = " + filled(type.constant, {"p[0]", "p[1]", "p[2]", "p[3]"}) + ";\n";
    return text + statements + "memory[0] = " + filled(type.store, {"x"}) + ";\n}\n";
}

TEST(ArrayFunctions, TextsCompileForAllTypes) {
    for (size_t index = 0; index < kTypes; ++index) {
        const auto dtype = static_cast<DType>(index);
        const NumberType& type = numberType(dtype);
        std::string statements;
        for (const Function& function : functions()) {
            const std::string_view text = function.textFor(dtype);
            EXPECT_EQ(text.find("T("), std::string_view::npos) << function.name;
            if (text.empty() || function.name == "ldexp")
                continue;
            const std::string call = filled(text, {"x", "y"});
            // Results have the type of the operand, of its parts, or bool.
            statements += "{ " + call + "; }\n";
        }
        std::vector<uint32_t> spirv;
        EXPECT_NO_THROW(spirv = compile(shaderWith(type, statements))) << toString(dtype);
        // Constants of the library are doubles; nothing else may need them.
        const bool isDouble = dtype == DType::eFloat64 || dtype == DType::eComplex128;
        const std::vector<std::string> capabilities = reflect(spirv).capabilities;
        EXPECT_EQ(std::ranges::count(capabilities, "Float64"), isDouble) << toString(dtype);
    }
}

TEST(ArrayFunctions, ConversionsCompileForAllTypes) {
    for (size_t index = 0; index < kTypes; ++index) {
        const auto from = static_cast<DType>(index);
        std::string statements;
        for (size_t other = 0; other < kTypes; ++other)
            for (const bool observed : {false, true}) {
                const auto to = static_cast<DType>(other);
                statements += "{ " + std::string(numberType(to).computed) +
                              " z = " + convert("x", from, to, observed) + "; }\n";
            }
        EXPECT_NO_THROW(compile(shaderWith(numberType(from), statements))) << toString(from);
    }
}

TEST(ArrayFunctions, ConversionsAreNumpys) {
    EXPECT_EQ(convert("x", DType::eFloat32, DType::eFloat32, true), "x");
    EXPECT_EQ(convert("x", DType::eInt32, DType::eBool, false), "(x != int(0))");
    EXPECT_EQ(convert("x", DType::eInt32, DType::eInt8, false), "bitfieldExtract(x, 0, 8)");
    EXPECT_EQ(convert("x", DType::eInt8, DType::eInt16, false), "x");
    EXPECT_EQ(convert("x", DType::eFloat64, DType::eFloat32, true), "kp_float_of_double(x)");
    EXPECT_EQ(convert("x", DType::eFloat64, DType::eFloat32, false), "float(x)");
    EXPECT_EQ(convert("x", DType::eFloat64, DType::eFloat16, false), "kp_half_of_double(x)");
    EXPECT_EQ(convert("z", DType::eComplex64, DType::eFloat32, false), "(z).x");
    EXPECT_EQ(convert("x", DType::eInt64, DType::eComplex128, true),
              "dvec2(kp_double_of_long(x), 0)");
    EXPECT_EQ(convert("x", DType::eFloat32, DType::eUint8, false),
              "((x < 0 ? uint(int(x)) : uint(x)) & 255u)");
}

TEST(ArrayFunctions, AreFoundByName) {
    ASSERT_NE(findFunction("sin"), nullptr);
    EXPECT_EQ(findFunction("sin")->textFor(DType::eFloat32), "kp_sin({0})");
    EXPECT_EQ(findFunction("sin")->textFor(DType::eInt32), "");
    EXPECT_EQ(findFunction("divide")->textFor(DType::eComplex128), "kp_cdiv({0}, {1})");
    EXPECT_EQ(findFunction("reciprocal")->textFor(DType::eFloat64), "double(1) / {0}");
    EXPECT_EQ(findFunction("sine"), nullptr);
}

TEST(ArrayFunctions, FilledNeedsAllValues) {
    EXPECT_EQ(filled("{0} + {1} + {}", {"a", "b"}), "a + b + a");
    EXPECT_THROW(static_cast<void>(filled("{0} + {1}", {"a"})), InvalidArgument);
}

} // namespace
} // namespace kp
