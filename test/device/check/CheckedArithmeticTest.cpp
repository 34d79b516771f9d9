// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

#include "device/TestSupport.hpp"
#include "device/check/CheckSupport.hpp"

namespace kp::test {
namespace {

constexpr uint32_t kLine = 9; ///< of a statement

/// Runs statements on `int a` to `int c`, the push constants, and the buffer `int y[8]`.
std::vector<CheckFault> faultsOfStatement(const std::string& statement, std::vector<int> values,
                                          const std::string& checks = "1") {
    Manager manager;
    const auto y = manager.tensorT<int>(std::vector<int>(8));
    const auto spirv = spirvWithLines("#version 450\n"
                                      "layout(binding = 0) buffer Y { int y[]; };\n"
                                      "layout(push_constant) uniform P { int a, b, c; };\n"
                                      "struct S { int at, value; };\n"
                                      "struct T { S s; int at; };\n"
                                      "int same(int v) { return v; }\n"
                                      "void put(out int to, int v) { to = v; }\n"
                                      "void main() {\n" +
                                      statement + "\n}\n");
    const auto algorithm = manager.algorithm({y}, spirv, {1, 1, 1}, std::vector<float>{}, values,
                                             checkedOptions(checks));
    return faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
}

TEST(CheckedArithmetic, FindsDivisionByZero) {
    for (const char* const statement :
         {"y[0] = a / b;", "y[0] = a % b;", "y[0] = int(uint(a) / uint(b));",
          "y[0] = (ivec3(a, a, a) / ivec3(1, b, 2)).y;"}) {
        const auto faults = faultsOfStatement(statement, {7, 0, 0});
        ASSERT_EQ(faults.size(), 1u) << statement;
        EXPECT_EQ(faults[0].kind, "division");
        EXPECT_EQ(faults[0].line, kLine);
        EXPECT_TRUE(faultsOfStatement(statement, {7, 2, 0}).empty()) << statement;
    }
}

TEST(CheckedArithmetic, FindsShiftsByTheWidth) {
    const auto faults = faultsOfStatement("y[0] = a << b;", {7, 32, 0});
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "shift");
    EXPECT_EQ(faults[0].index, 32);
    EXPECT_EQ(faults[0].extent, 32u);
    EXPECT_EQ(faultsOfStatement("y[0] = a >> b;", {7, -1, 0}).at(0).index, -1);
    EXPECT_TRUE(faultsOfStatement("y[0] = a >> b;", {7, 31, 0}).empty());
}

TEST(CheckedArithmetic, FindsOverflowOfIndices) {
    const auto product = faultsOfStatement("int i = a * b;\ny[i + c] = 1;", {65536, 65536, 3});
    ASSERT_EQ(product.size(), 1u);
    EXPECT_EQ(product[0].kind, "overflow");
    EXPECT_EQ(product[0].index, int64_t{1} << 32);
    EXPECT_EQ(product[0].line, kLine);
    const auto sum = faultsOfStatement("y[(a + b) & 7] = 1;", {2147483647, 1, 0});
    ASSERT_EQ(sum.size(), 0u) << "the result of & does not overflow an index";
    const auto difference = faultsOfStatement("y[a - b] = 1;", {-2147483647, 10, 0});
    ASSERT_EQ(difference.size(), 2u);
    EXPECT_EQ(difference[0].index, -2147483657);
    EXPECT_EQ(difference[1].kind, "write");
}

TEST(CheckedArithmetic, FollowsIndicesToWhereTheyAreComputed) {
    for (const char* const statement :
         {"y[same(a * b)] = 1;", "int k; put(k, a * b); y[k] = 1;",
          "ivec2 v = ivec2(0, a * b); y[v.y] = 1;", "ivec3 v = ivec3(0, a, c) * b; y[v.y] = 1;",
          "int l[2]; l[c] = a * b; y[l[c]] = 1;", "S s; s.at = a * b; y[s.at] = 1;",
          "S s = S(a * b, c); S t = s; put(t.value, c); y[t.at] = 1;",
          "S l[2] = S[2](S(c, a * b), S(c, c)); S s = l[c]; y[s.value] = 1;",
          "S s; put(s.at, a * b); y[s.at] = 1;", "T t; t.s = S(a * b, c); y[t.s.at] = 1;",
          "y[min(a * b, 7)] = 1;", "y[clamp(a * b, 0, 7)] = 1;", "y[abs(a * b)] = 1;",
          "y[-(a * b)] = 1;", "y[a * b / 2] = 1;", "y[c == 0 ? a * b : 3] = 1;"}) {
        const auto faults = faultsOfStatement(statement, {65536, 65536, 0});
        ASSERT_EQ(faults.size(), 1u) << statement;
        EXPECT_EQ(faults[0].kind, "overflow") << statement;
        EXPECT_EQ(faults[0].line, kLine) << statement;
        EXPECT_TRUE(faultsOfStatement(statement, {1, 0, 0}).empty()) << statement;
    }
}

TEST(CheckedArithmetic, LeavesHashesAlone) {
    for (const char* const statement : {"y[(a * b) & 7] = 1;", "y[abs(a * b % 8)] = 1;",
                                        "y[(a * b) >> 31] = 1;", "y[0] = a * b; y[y[0]] = 1;"})
        EXPECT_TRUE(faultsOfStatement(statement, {65536, 65536, 0}).empty()) << statement;
}

TEST(CheckedArithmetic, LeavesOtherMembersOfStructsAlone) {
    for (const char* const statement :
         {"S s = S(0, a * b); y[s.at] = 1; y[1] = s.value;",
          "S s; s.at = c; put(s.value, a * b); S t = s; y[t.at] = 1; y[1] = t.value;",
          "T t; t.at = c; t.s.value = a * b; y[t.at] = 1; y[1] = t.s.value;"})
        EXPECT_TRUE(faultsOfStatement(statement, {65536, 65536, 0}).empty()) << statement;
}

TEST(CheckedArithmetic, LeavesOtherArithmeticAlone) {
    EXPECT_TRUE(faultsOfStatement("y[0] = a * b;", {65536, 65536, 0}).empty());
    EXPECT_TRUE(faultsOfStatement("y[0] = a / b;", {7, 0, 0}, "bounds").empty());
}

} // namespace
} // namespace kp::test
