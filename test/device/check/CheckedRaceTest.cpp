// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

#include "device/TestSupport.hpp"
#include "device/check/CheckSupport.hpp"

namespace kp::test {
namespace {

class CheckedRace : public ::testing::Test {
protected:
    /// Dispatches groups of 32 invocations with a buffer `uint x[]` of 256 and the statements
    /// of main(), the first of which is in line 6. `i` and `t` are the indices of the invocation in
    /// the dispatch and in its group, and `s` is shared.
    std::vector<CheckFault> run(const std::string& body, uint32_t groups = 1,
                                const std::string& declarations = "shared uint s[64];") {
        const std::string glsl = "#version 450\n"
                                 "layout(local_size_x = 32) in;\n"
                                 "layout(binding = 0) buffer X { uint x[]; };\n" +
                                 declarations +
                                 "\nvoid main() { uint i = gl_GlobalInvocationID.x, "
                                 "t = gl_LocalInvocationID.x;\n" +
                                 body + "\n}\n";
        const auto algorithm =
            manager.algorithm({x}, spirvWithLines(glsl), {groups, 1, 1}, std::vector<float>{},
                              std::vector<float>{}, checkedOptions(checks));
        return faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    }

    std::string checks = "races";
    Manager manager;
    std::shared_ptr<TensorT<uint32_t>> x = manager.tensorT(std::vector<uint32_t>(256));
};

TEST_F(CheckedRace, NamesTheElementAndBothInvocations) {
    const std::vector<CheckFault> faults = run("x[i / 2u] = i;");
    ASSERT_FALSE(faults.empty());
    const CheckFault& fault = faults[0];
    EXPECT_EQ(fault.kind, "race");
    EXPECT_EQ(fault.line, 6u);
    EXPECT_EQ(fault.text, "x[i / 2u] = i;");
    EXPECT_EQ(fault.target, "x");
    EXPECT_EQ(fault.memory, "binding 0 'X', a tensor of 256 eUnsignedInt");
    EXPECT_EQ(fault.index, fault.globalInvocation[0] / 2);
    const uint32_t other = fault.globalInvocation[0] ^ 1u;
    EXPECT_EQ(fault.message, "element " + std::to_string(fault.index) +
                                 " of x was written, and also by invocation " +
                                 std::to_string(other) +
                                 " of group 0, with no barrier between them");
}

TEST_F(CheckedRace, FindsReadsOfWhatOthersWriteInSharedMemory) {
    std::vector<CheckFault> faults = run("s[t] = i;\nx[i] = s[t ^ 1u];");
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].memory, "shared memory");
    EXPECT_EQ(faults[0].target, "s");
    EXPECT_TRUE(run("s[t] = i;\nbarrier();\nx[i] = s[t ^ 1u];").empty());
    faults = run("s[t] = i;\nbarrier();\nuint a = s[t ^ 1u];\ns[t] = a;\nx[i] = a;");
    ASSERT_FALSE(faults.empty()) << "a barrier is missing between the read and the write";
    EXPECT_TRUE(run("s[t] = i;\nbarrier();\nuint a = s[t ^ 1u];\nbarrier();\ns[t] = a;\nx[i] = a;")
                    .empty());
}

TEST_F(CheckedRace, SharedMemoryBelongsToItsGroup) {
    EXPECT_TRUE(run("s[t] = i;\nbarrier();\nx[i % 256u] = s[t ^ 1u];", 8).empty());
}

TEST_F(CheckedRace, FindsAccessesOfOtherGroupsWhateverBarriersAreBetween) {
    EXPECT_FALSE(run("x[t] = i;", 2).empty());
    EXPECT_FALSE(run("x[i] = i;\nbarrier();\ns[t] = x[(i + 32u) % 64u];\nx[i] = s[t];", 2).empty());
    EXPECT_TRUE(
        run("x[i] = i;\nbarrier();\ns[t] = x[i ^ 1u];\nbarrier();\nx[i] = s[t];", 2).empty())
        << "a group reads its own elements after a barrier";
}

TEST_F(CheckedRace, AtomicsAreOrdered) {
    EXPECT_TRUE(run("atomicAdd(x[0], 1u);\natomicMax(s[3], t);", 4).empty());
    EXPECT_FALSE(run("atomicAdd(x[0], 1u);\nif (t == 5u) x[0] = 2u;").empty());
    EXPECT_FALSE(run("atomicAdd(x[0], 1u);\nif (t == 3u) x[1] = x[0];").empty());
}

TEST_F(CheckedRace, WritesOfOneValueAreNoFault) {
    EXPECT_TRUE(run("x[0] = 7u;\ns[1] = 3u;", 4).empty());
    EXPECT_FALSE(run("x[0] = t & 1u;").empty());
}

TEST_F(CheckedRace, ReadsOfAllAreNoFault) {
    EXPECT_TRUE(run("uint a = x[0] + x[1] + s[0];\nx[i + 2u] = a;", 4).empty());
    EXPECT_FALSE(run("uint a = x[0];\nif (t == 7u) x[0] = a + 1u;").empty());
}

TEST_F(CheckedRace, EachDispatchBeginsAnew) {
    const auto algorithm = manager.algorithm(
        {x},
        spirvWithLines("#version 450\nlayout(local_size_x = 32) in;\n"
                       "layout(binding = 0) buffer X { uint x[]; };\n"
                       "layout(push_constant) uniform P { uint shift; };\n"
                       "void main() { x[(gl_GlobalInvocationID.x + shift) % 64u] += 1u; }"),
        {2, 1, 1}, std::vector<float>{}, std::vector<uint32_t>{0}, checkedOptions("races"));
    const auto sequence = manager.sequence();
    sequence->record<OpAlgoDispatch>(algorithm, std::vector<uint32_t>{0})
        ->record<OpAlgoDispatch>(algorithm, std::vector<uint32_t>{1});
    EXPECT_NO_THROW(sequence->eval());
    EXPECT_NO_THROW(sequence->eval());
}

TEST_F(CheckedRace, PartsOfAnElementAreApart) {
    const char* const parts = "struct Pair { uint a; uvec3 b; mat2 m; };\n"
                              "shared Pair pairs[8];\nshared uint s[64];";
    EXPECT_TRUE(run("if (t == 0u) pairs[1].a = i; else if (t < 4u) pairs[1].b[t - 1u] = i;\n"
                    "else if (t < 8u) pairs[1].m[t / 2u - 2u][t % 2u] = t;",
                    1, parts)
                    .empty());
    EXPECT_FALSE(run("if (t < 2u) pairs[1].b[2] = i;", 1, parts).empty());
    EXPECT_FALSE(run("if (t == 0u) pairs[1].b = uvec3(1u, 2u, 3u);\n"
                     "if (t == 1u) pairs[1].b.y = 7u;",
                     1, parts)
                     .empty());
    const char* const rows = "shared uint tile[4][8];\nshared uint s[64];";
    EXPECT_TRUE(run("tile[t / 8u][t % 8u] = i;", 1, rows).empty());
    const std::vector<CheckFault> faults = run("tile[t / 16u][t % 8u] = i;", 1, rows);
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].target, "tile");
    EXPECT_LT(faults[0].index, 16);
}

TEST_F(CheckedRace, LeavesBuffersThatGroupsOrderThemselvesAlone) {
    const std::string last = "x[1u + gl_WorkGroupID.x] = gl_WorkGroupID.x;\n"
                             "memoryBarrierBuffer();\nif (t == 0u) s[0] = atomicAdd(x[0], 1u);\n"
                             "barrier();\nif (s[0] == 3u && t == 0u) x[9] = x[1] + x[2] + x[3];";
    EXPECT_TRUE(run(last, 4).empty()) << "the last group reads what the others wrote";
    EXPECT_FALSE(run(last + "\ns[t / 2u] = t;", 4).empty()) << "shared memory is compared";
}

TEST_F(CheckedRace, WorksBesideOtherChecks) {
    const auto algorithm = manager.algorithm(
        {x},
        spirvWithLines("#version 450\nlayout(local_size_x = 32) in;\n"
                       "layout(binding = 0) buffer X { uint x[]; };\n"
                       "void main() { uint i = gl_GlobalInvocationID.x; x[i / 2u + 250u] = i; }"),
        {1, 1, 1}, {}, {}, checkedOptions("bounds,races"));
    bool race = false;
    bool write = false;
    for (const CheckFault& fault :
         faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); })) {
        race |= fault.kind == "race";
        write |= fault.kind == "write";
    }
    EXPECT_TRUE(race);
    EXPECT_TRUE(write);
}

TEST_F(CheckedRace, FindsReadsOfSharedMemoryThatNobodyHasWritten) {
    for (const char* const each : {"uninitialised", "races,uninitialised"}) {
        checks = each;
        const std::vector<CheckFault> faults =
            run("if (t < 31u) s[t] = i;\nbarrier();\nx[i] = s[t];");
        ASSERT_EQ(faults.size(), 1u);
        EXPECT_EQ(faults[0].kind, "uninitialised");
        EXPECT_EQ(faults[0].line, 8u);
        EXPECT_EQ(faults[0].index, 31);
        EXPECT_EQ(faults[0].message, "element 31 of s was read before the group wrote it");
        EXPECT_FALSE(run("atomicAdd(s[1], 1u);\nbarrier();\nx[i] = s[1];").empty());
        EXPECT_TRUE(run("if (t == 0u) s[1] = 0u;\nbarrier();\natomicAdd(s[1], 1u);\nbarrier();\n"
                        "x[i] = s[1];",
                        4)
                        .empty());
    }
}

TEST_F(CheckedRace, FindsRacesBetweenBindingsOfOneTensor) {
    const auto spirv = spirvWithLines("#version 450\nlayout(local_size_x = 32) in;\n"
                                      "layout(binding = 0) buffer X { uint x[]; };\n"
                                      "layout(binding = 1) buffer Y { uint y[]; };\n"
                                      "layout(push_constant) uniform P { uint next; };\n"
                                      "void main() { uint i = gl_GlobalInvocationID.x;\n"
                                      "y[i] = x[i + next];\n}\n");
    const auto other = manager.tensorT(std::vector<uint32_t>(256));
    const auto faults = [&](const std::shared_ptr<Memory>& to, uint32_t next) {
        const auto algorithm =
            manager.algorithm({x, to}, spirv, {2, 1, 1}, std::vector<float>{},
                              std::vector<uint32_t>{next}, checkedOptions(checks));
        return faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    };
    const std::vector<CheckFault> found = faults(x, 1);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].kind, "race");
    EXPECT_EQ(found[0].line, 7u);
    EXPECT_TRUE(faults(x, 0).empty());
    EXPECT_TRUE(faults(x, 64).empty()) << "elements that no invocation writes";
    EXPECT_TRUE(faults(other, 1).empty());
}

} // namespace
} // namespace kp::test
