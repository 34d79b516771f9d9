// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kompute/Error.hpp>
#include <kompute/launch/Arguments.hpp>

namespace kp {
namespace {

using shader::ScalarType;

TEST(ArgumentsTest, SignatureHasBindingsThenPushConstantsThenConstants) {
    shader::Reflection reflection;
    reflection.bindings = {{.binding = 0,
                            .kind = shader::BindingKind::eStorageBuffer,
                            .name = "in",
                            .elementType = ScalarType::eFloat32},
                           {.binding = 3,
                            .kind = shader::BindingKind::eStorageImage,
                            .argument = 3,
                            .name = "out",
                            .imageType = ScalarType::eInt32}};
    reflection.pushConstants = {{"second", 8, 4, ScalarType::eInt32, 1},
                                {"first", 0, 8, ScalarType::eFloat32, 2}};
    reflection.specConstants = {{1, "size", ScalarType::eUint32, 0},
                                {4, "flag", ScalarType::eBool, 0}};
    reflection.localSizeId[0] = 1;
    const KernelSignature signature(reflection);
    std::vector<std::string> names;
    std::vector<std::string> types;
    for (const KernelArgument& argument : signature.arguments()) {
        EXPECT_EQ(argument.index, names.size());
        names.push_back(argument.name);
        types.push_back(typeName(argument));
    }
    EXPECT_EQ(names, (std::vector<std::string>{"in", "out", "first", "second", "flag"}));
    EXPECT_EQ(types, (std::vector<std::string>{"buffer of float", "image of int", "float[2]", "int",
                                               "bool"}));
    EXPECT_EQ(signature.find("second")->place, 8u);
    EXPECT_EQ(signature.find("out")->place, 3u);
    EXPECT_EQ(signature.find("size"), nullptr);
    EXPECT_EQ(signature.find(""), nullptr);
}

TEST(ArgumentsTest, ValuesKnowTheirTypes) {
    EXPECT_EQ(ArgumentValue(1).type(), ScalarType::eInt32);
    EXPECT_EQ(ArgumentValue(1u).type(), ScalarType::eUint32);
    EXPECT_EQ(ArgumentValue(uint64_t{1}).type(), ScalarType::eUint64);
    EXPECT_EQ(ArgumentValue(1.0).describe(), "double");
    EXPECT_EQ(ArgumentValue(true).size(), 4u);
    EXPECT_EQ(ArgumentValue(std::array<float, 16>{}).components(), 16u);
    EXPECT_EQ(ArgumentValue(std::array<float, 16>{}).size(), 64u);
    EXPECT_EQ(ArgumentValue().describe(), "nothing");
    EXPECT_THROW(ArgumentValue::numbers(ScalarType::eFloat32, 2, nullptr, 4), InvalidArgument);
}

TEST(ArgumentsTest, ValuesCompareByTypeAndBytes) {
    EXPECT_EQ(ArgumentValue(1), ArgumentValue(1));
    EXPECT_NE(ArgumentValue(1), ArgumentValue(2));
    EXPECT_NE(ArgumentValue(1), ArgumentValue(1u));
    std::array<float, 16> values{};
    const ArgumentValue before(values);
    values[15] = 1;
    EXPECT_NE(before, ArgumentValue(values));
    EXPECT_EQ(ArgumentValue(values), ArgumentValue(values));
}

} // namespace
} // namespace kp
