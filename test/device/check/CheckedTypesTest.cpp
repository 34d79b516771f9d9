// SPDX-License-Identifier: Apache-2.0
//
// Checked mode where the device lacks the shader's number types: faults tell of the shader's own.
#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

#include "device/TestSupport.hpp"
#include "device/check/CheckSupport.hpp"
#include "unit/ScopedEnvironment.hpp"

namespace kp::test {
namespace {

constexpr const char* kWithout = "storageBuffer8BitAccess,storageBuffer16BitAccess,"
                                 "uniformAndStorageBuffer8BitAccess,shaderInt8,shaderInt16,"
                                 "uniformAndStorageBuffer16BitAccess,shaderInt64";

/// Arrays that end within a word.
class CheckedTypes : public ::testing::TestWithParam<const char*> {
protected:
    std::vector<CheckFault> run(const std::string& type, const std::string& statement,
                                const std::string& checks = "1") {
        AlgorithmOptions options = checkedOptions(checks);
        options.emulateTypes = true;
        const std::string glsl = "#version 450\n"
                                 "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
                                 "layout(local_size_x = 4) in;\n"
                                 "layout(binding = 0) buffer X { " +
                                 type +
                                 " x[]; };\n"
                                 "layout(binding = 1) buffer At { int at; };\n"
                                 "void main() {\n"
                                 "uint i = gl_GlobalInvocationID.x;\n" +
                                 statement + "\n}\n";
        const auto algorithm = manager.algorithm(reinterpreted({x, at}), spirvWithLines(glsl),
                                                 {1, 1, 1}, {}, {}, options);
        return faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    }

    const ScopedEnvironment without{"KOMPUTE_WITHOUT", GetParam()};
    Manager manager;
    std::shared_ptr<Tensor> x = manager.tensorT<uint8_t>(std::vector<uint8_t>(7));
    std::shared_ptr<TensorT<int>> at = manager.tensorT<int>({7});
};

TEST_P(CheckedTypes, ArraysOfBytesEndWithTheirLastElement) {
    const auto faults = run("uint8_t", "if (i == 3) x[at] = uint8_t(i);");
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "write");
    EXPECT_EQ(faults[0].line, 8u);
    EXPECT_EQ(faults[0].target, "x");
    EXPECT_EQ(faults[0].index, 7);
    EXPECT_EQ(faults[0].extent, 7u);
    EXPECT_TRUE(run("uint8_t", "if (i == 3) x[at - 1] = uint8_t(i);").empty());
}

TEST_P(CheckedTypes, ArraysOfHalvesEndWithTheirLastElement) {
    x = manager.tensorT<int16_t>(std::vector<int16_t>(3));
    const auto faults = run("int16_t", "if (i == 3) x[0] = x[at - 4];");
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "read");
    EXPECT_EQ(faults[0].index, 3);
    EXPECT_EQ(faults[0].extent, 3u);
}

TEST_P(CheckedTypes, IndicesOfSixtyFourBitsAreComparedWhole) {
    const auto faults =
        run("uint8_t",
            "int64_t wide = int64_t(at) << 32;\nif (i == 3) x[int(wide >> 30)] = uint8_t(1);");
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].index, 28);
}

TEST_P(CheckedTypes, NeighboursInAWordAreNoRace) {
    EXPECT_TRUE(run("uint8_t", "x[i] = uint8_t(i);", "races").empty());
    const auto faults = run("uint8_t", "x[i / 2] = uint8_t(i);", "races");
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].kind, "race");
}

INSTANTIATE_TEST_SUITE_P(, CheckedTypes, ::testing::Values("", kWithout),
                         [](const auto& info) { return info.index == 0 ? "Native" : "Emulated"; });

} // namespace
} // namespace kp::test
