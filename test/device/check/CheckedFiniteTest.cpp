// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

#include "device/TestSupport.hpp"
#include "device/check/CheckSupport.hpp"

namespace kp::test {
namespace {

/// Runs statements on `float a` and `b`, the push constants, and the buffer `float y[8]`.
std::vector<CheckFault> finiteFaultsOf(const std::string& statement, std::vector<float> values) {
    Manager manager;
    const auto y = manager.tensorT<float>(std::vector<float>(8));
    const auto spirv = spirvWithLines(
        "#version 450\n"
        "layout(binding = 0) buffer Y { float y[]; };\n"
        "layout(push_constant) uniform P { float a, b; };\n"
        "float kp_limit(float x) { float far = x / (x - x); return 1.0 / far; }\n"
        "float kp_ratio(const float x, float y) { float given = y; y = 1.0; return x / given; }\n"
        "void main() {\n" +
        statement + "\n}\n");
    const auto algorithm = manager.algorithm({y}, spirv, {1, 1, 1}, std::vector<float>{}, values,
                                             checkedOptions("nan"));
    return faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
}

TEST(CheckedFinite, FindsInfinityOfVectorsAndMatrices) {
    for (const char* const statement :
         {"y[0] = (mat2(a, b, b, a) * vec2(a, b)).x;", "y[0] = (vec2(a, b) * mat2(a, b, b, a)).x;",
          "y[0] = (mat2(a, b, b, a) * mat2(a, b, b, a))[0].x;", "y[0] = (mat2(a) * a)[1].y;",
          "y[0] = outerProduct(vec2(a, b), vec2(a, b))[0].x;",
          "y[0] = determinant(mat2(a, b, b, a));", "y[0] = reflect(vec2(a, b), vec2(a, b)).x;",
          "y[0] = ldexp(a, 100);", "y[0] = cross(vec3(a, b, a), vec3(b, a, a)).x;",
          "y[0] = (vec2(b, a) * a).y;"}) {
        const auto faults = finiteFaultsOf(statement, {3e38f, 1});
        ASSERT_EQ(faults.size(), 1u) << statement;
        EXPECT_EQ(faults[0].kind, "nan") << statement;
        EXPECT_EQ(faults[0].line, 7u) << statement;
        EXPECT_TRUE(finiteFaultsOf(statement, {2, 1}).empty()) << statement;
        EXPECT_TRUE(finiteFaultsOf(statement, {INFINITY, 1}).empty()) << statement;
    }
    EXPECT_EQ(finiteFaultsOf("y[0] = inverse(mat2(a, a, a, a))[0].x;", {1, 0}).at(0).kind, "nan");
}

TEST(CheckedFinite, TakesAFunctionOfTheLibraryAsOneOperation) {
    EXPECT_TRUE(finiteFaultsOf("y[0] = kp_limit(a);", {3, 0}).empty());
    const auto faults = finiteFaultsOf("y[0] = kp_ratio(a, b);", {-2, 0});
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].line, 7u);
    EXPECT_EQ(faults[0].message, "ratio(-2, 0) is -inf");
    EXPECT_TRUE(finiteFaultsOf("y[0] = kp_ratio(a, b);", {-2, 1}).empty());
    EXPECT_TRUE(finiteFaultsOf("y[0] = kp_ratio(a, b);", {INFINITY, 0}).empty());
}

TEST(CheckedFinite, NamesTheOperationInASentence) {
    EXPECT_EQ(finiteFaultsOf("y[0] = a / b;", {1, 0}).at(0).message,
              "a quotient of 1 and 0 is inf");
    EXPECT_EQ(finiteFaultsOf("y[0] = exp(a);", {1000, 0}).at(0).message,
              "an exponential of 1000 is inf");
}

} // namespace
} // namespace kp::test
