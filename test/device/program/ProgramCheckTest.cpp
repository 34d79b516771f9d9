// SPDX-License-Identifier: Apache-2.0
//
// Programs in checked mode.
#include "device/check/CheckSupport.hpp"
#include "device/program/ProgramSupport.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::test {
namespace {

/// y[at[i]] = i + 1
constexpr const char* kPut = R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer At { uint at[]; };
layout(binding = 1) buffer Y { float y[]; };
void main() { y[at[gl_GlobalInvocationID.x]] = float(gl_GlobalInvocationID.x) + 1.0; }
)";

class CheckedProgramTest : public ProgramTest {
protected:
    std::shared_ptr<TensorT<uint32_t>> at = tensorOf<uint32_t>({0, 1, 2, 3});
    std::shared_ptr<TensorT<float>> y = tensorOf<float>({0, 0, 0, 0});

    /// Returns a program that writes an element of "y" for each index in "at".
    kp::Program put(const char* shader = kPut) {
        auto sequence = manager.sequence();
        sequence->record<kp::OpAlgoDispatch>(manager.algorithm({at, y}, spirv(shader), {4}));
        return kp::Program::of(*sequence, {{"at", at}}, {{"y", y}});
    }
    kp::Program checked(const kp::Program& program, const std::string& checks) {
        const CheckScope scope(checks);
        return reloaded(program);
    }
};

TEST_F(CheckedProgramTest, ReportsWhatItWasLoadedToFind) {
    const kp::Program program = checked(put(), "bounds");
    auto places = tensorOf<uint32_t>({3, 9, 1, 0});
    auto result = tensorOf<float>({0, 0, 0, 0});
    const auto faults = faultsOf([&] { program.run({{"at", places}, {"y", result}}); });
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, "write");
    EXPECT_EQ(faults[0].index, 9u);
    EXPECT_EQ(faults[0].extent, 4u);
    EXPECT_EQ(faults[0].globalInvocation[0], 1u);
    EXPECT_EQ(faults[0].memory, "'y' of a program, a tensor of 4 eFloat");
    manager.sequence()->eval<OpSyncLocal>({result});
    EXPECT_EQ(result->vector(), (std::vector<float>{4, 3, 0, 1}));

    places->setData({0, 1, 2, 3});
    EXPECT_TRUE(faultsOf([&] { program.run({{"at", places}, {"y", result}}); }).empty());
    EXPECT_EQ(result->vector(), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(CheckedProgramTest, FindsRaces) {
    if (!deviceOf(manager)->has(vulkan::Feature::eStorageBuffer8BitAccess))
        GTEST_SKIP() << "neighbours in a word would seem to be one element";
    const kp::Program program = checked(put(), "races");
    EXPECT_TRUE(faultsOf([&] { program.run({{"at", at}, {"y", y}}); }).empty());
    auto same = tensorOf<uint32_t>({2, 1, 2, 0});
    const auto faults = faultsOf([&] { program.run({{"at", same}, {"y", y}}); });
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].kind, "race");
    EXPECT_EQ(faults[0].index, 2u);
}

TEST_F(CheckedProgramTest, EachWaitHasTheMistakesOfItsOwnWork) {
    const kp::Program program = checked(put(), "bounds");
    const auto operation = program.operation({{"at", tensorOf<uint32_t>({7, 7, 7, 7})}, {"y", y}});
    auto wrong = manager.sequence();
    wrong->record(operation);
    auto other = manager.sequence();
    other->record(operation);
    wrong->evalAsync();
    EXPECT_EQ(faultsOf([&] { other->eval(); }).size(), 4u);
    EXPECT_EQ(faultsOf([&] { wrong->evalAwait(); }).size(), 4u);
}

TEST_F(CheckedProgramTest, IsMadeOfWorkWithFollowedMemory) {
    {
        const CheckScope scope("uninitialised");
        y = manager.tensorT<float>(4, Memory::MemoryTypes::eStorage);
    }
    const kp::Program program = reloaded(put());
    auto result = tensorOf<float>({0, 0, 0, 0});
    program.run({{"at", at}, {"y", result}});
    EXPECT_EQ(result->vector(), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(CheckedProgramTest, HasNoChecksUnlessItIsLoadedWithThem) {
    const kp::Program program = reloaded(put());
    const CheckScope scope("bounds,nan,races");
    EXPECT_TRUE(faultsOf([&] {
                    program.run({{"at", tensorOf<uint32_t>({1, 1, 1, 1})}, {"y", y}});
                }).empty());
}

TEST_F(CheckedProgramTest, IsLoadedWithoutChecksByLoadWhichSaysSo) {
    const std::vector<unsigned char> content = put().content();
    const CheckScope scope("bounds,races");
    const kp::Program program = kp::Program::parse(manager, content.data(), content.size());
    EXPECT_NE(logText().find("runs without checks"), std::string::npos) << logText();
    auto same = tensorOf<uint32_t>({1, 1, 1, 1});
    EXPECT_TRUE(faultsOf([&] { program.run({{"at", same}, {"y", y}}); }).empty());
}

TEST_F(CheckedProgramTest, WritesMemoryThatIsRead) {
    constexpr const char* kRead = R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
void main() { y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x]; }
)";
    for (const char* checks : {"off", "uninitialised"}) {
        const kp::Program program = checked(put(), checks);
        const CheckScope scope("uninitialised");
        auto fresh = manager.tensorT<float>(4, Memory::MemoryTypes::eStorage);
        auto algorithm = manager.algorithm({fresh, y}, spirv(kRead), {4});
        EXPECT_EQ(faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); }).size(),
                  4u);
        program.run({{"at", at}, {"y", fresh}});
        EXPECT_TRUE(faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); }).empty())
            << checks;
    }
}

} // namespace
} // namespace kp::test
