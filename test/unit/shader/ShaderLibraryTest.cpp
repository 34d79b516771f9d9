// SPDX-License-Identifier: Apache-2.0
#include <kompute/shader/ShaderLibrary.hpp>

#include <filesystem>
#include <regex>

#include <gtest/gtest.h>

#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>

#include "base/files/Files.hpp"

namespace kp::shader {
namespace {

size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

std::string definitionsFor(const std::string& text, const std::string& computed) {
    LibraryText library;
    library.use(text, computed);
    return library.text();
}

TEST(ShaderLibrary, DefinesWhatATextNames) {
    const std::string text = definitionsFor("x = kp_sign(y) + kp_unknown(kp_signs);", "float");
    EXPECT_EQ(count(text, "float kp_sign(float x)"), 1u);
    EXPECT_EQ(count(text, "bool kp_isnan(float x)"), 1u);
    EXPECT_LT(text.find("kp_isnan(float"), text.find("kp_sign(float"));
    EXPECT_EQ(count(text, "double"), 0u);
    EXPECT_EQ(definitionsFor("a + b", "float"), "");
}

TEST(ShaderLibrary, DefinesOncePerType) {
    LibraryText library;
    library.use("kp_sign(x) kp_sign(y)", "float");
    library.use("kp_clip(x)", "float");
    library.use("kp_sign(x)", "double");
    EXPECT_EQ(count(library.text(), "bool kp_isnan(float x)"), 1u);
    EXPECT_EQ(count(library.text(), "bool kp_isnan(double x)"), 1u);
    EXPECT_EQ(count(library.text(), "double kp_sign(double x)"), 1u);
}

TEST(ShaderLibrary, KnowsTheTypesOfParts) {
    const std::string text = definitionsFor("kp_cdiv(x, y)", "dvec2");
    EXPECT_EQ(count(text, "dvec2 kp_cdiv(dvec2 x, dvec2 y)"), 1u);
    EXPECT_EQ(count(text, "double kp_over_zero(double x)"), 1u);
    EXPECT_EQ(count(text, "float"), 0u);
}

TEST(ShaderLibrary, DefinesByPart) {
    LibraryText library;
    library.useByPart("kp_copysign", "float", "vec2", "vec2", 2);
    library.useByPart("kp_copysign", "float", "vec2", "vec2", 2);
    EXPECT_EQ(count(library.text(),
                    "vec2 kp_copysign(vec2 x, vec2 y) { return vec2(kp_copysign(x[0], y[0]), "
                    "kp_copysign(x[1], y[1])); }"),
              1u);
    EXPECT_EQ(count(library.text(), "float kp_copysign(float x, float y)"), 1u);
    EXPECT_THROW(library.useByPart("kp_unknown", "float", "vec2", "vec2", 2), InvalidArgument);
}

/// Returns the names of the functions in a file of the library.
std::vector<std::string> namesIn(const std::filesystem::path& file) {
    const std::regex definition(R"((?:^|\n)\w+ (kp_\w+)\()");
    const std::string text = kp::readFile(file.string()).value();
    std::vector<std::string> names;
    for (std::sregex_iterator at(text.begin(), text.end(), definition), end; at != end; ++at)
        names.push_back((*at)[1]);
    return names;
}

TEST(ShaderLibrary, HasAllFilesAndAllFunctionsCompile) {
    for (const std::string type : {"float", "double", "int", "uint64_t"}) {
        LibraryText library;
        const bool isInteger = type == "int" || type == "uint64_t";
        for (const auto& file :
             std::filesystem::directory_iterator(KOMPUTE_SOURCE_FOLDER "/shaders/lib"))
            if (file.is_regular_file() && isInteger == (file.path().stem() == "Integers"))
                for (const std::string& name : namesIn(file.path())) {
                    library.use(name, type);
                    EXPECT_NE(library.text().find(name + "("), std::string::npos) << name;
                }
        EXPECT_NO_THROW(
            compile("#version 450\n"
                    "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
                    "layout(local_size_x = 1) in;\n" +
                    library.text() + "void main() {}\n"))
            << type;
    }
}

} // namespace
} // namespace kp::shader
