// SPDX-License-Identifier: Apache-2.0
//
// Memory that was never written, and buffer addresses.
#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>
#include <kompute/Primitives.hpp>

#include "device/TestSupport.hpp"
#include "device/check/CheckSupport.hpp"

namespace kp::test {
namespace {

constexpr const char* kCopies = R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
void main() { y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x]; }
)";

class UnwrittenMemory : public ::testing::Test {
protected:
    static ManagerOptions options() {
        ManagerOptions made;
        made.check = "uninitialised";
        return made;
    }
    std::shared_ptr<TensorT<float>> fresh(size_t count = 8) {
        return manager.tensorT<float>(count, Memory::MemoryTypes::eStorage);
    }
    /// Returns the faults of a dispatch that reads the first 8 elements.
    std::vector<CheckFault> read(const std::shared_ptr<TensorT<float>>& x) {
        const auto algorithm = manager.algorithm({x, out}, manager.compile(kCopies), {1, 1, 1});
        return faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    }

    Manager manager{options()};
    std::shared_ptr<TensorT<float>> out = fresh();
};

TEST_F(UnwrittenMemory, IsFoundWithTensorElementAndLine) {
    const auto faults = read(fresh());
    ASSERT_EQ(faults.size(), 8u);
    EXPECT_EQ(faults[0].kind, "uninitialised");
    EXPECT_EQ(faults[0].line, 5u);
    EXPECT_EQ(faults[0].target, "x");
    EXPECT_EQ(faults[0].memory, "binding 0 'X', a tensor of 8 eFloat");
    EXPECT_EQ(faults[0].index, faults[0].globalInvocation[0]);
    EXPECT_EQ(faults[0].message, "element " + std::to_string(faults[0].index) +
                                     " of x was read, but it was never written");
}

TEST_F(UnwrittenMemory, IsWrittenByTheHost) {
    EXPECT_TRUE(read(manager.tensor({1, 2, 3, 4, 5, 6, 7, 8})).empty());
    const auto x = fresh();
    const std::vector<float> three{1, 2, 3};
    x->upload(three.data(), 12, 4);
    const auto faults = read(x);
    ASSERT_EQ(faults.size(), 5u);
    for (const CheckFault& fault : faults)
        EXPECT_TRUE(fault.index == 0 || fault.index > 3) << fault.index;
    for (const auto type : {Memory::MemoryTypes::eHost, Memory::MemoryTypes::eDevice,
                            Memory::MemoryTypes::eDeviceAndHost}) {
        const auto viewed = manager.tensorT<float>(8, type);
        viewed->setData(std::vector<float>(8));
        manager.sequence()->eval<OpSyncDevice>({viewed});
        EXPECT_TRUE(read(viewed).empty()) << Memory::toString(type);
    }
}

TEST_F(UnwrittenMemory, IsWrittenByShadersFillsAndCopies) {
    const auto x = fresh();
    EXPECT_EQ(read(x).size(), 8u);
    EXPECT_TRUE(read(out).empty()) << "the shader wrote it";
    const auto filled = fresh();
    manager.sequence()->eval<OpFill>({filled}, 2.0f);
    EXPECT_TRUE(read(filled).empty());
    const auto copied = fresh();
    manager.sequence()->eval<OpCopy>({filled, copied});
    EXPECT_TRUE(read(copied).empty());
}

TEST_F(UnwrittenMemory, StaysUnwrittenInCopies) {
    const auto x = fresh();
    const float one = 1;
    x->upload(&one, 4, 8);
    const auto copied = fresh();
    manager.sequence()->eval<OpCopy>({x, copied});
    EXPECT_EQ(read(copied).size(), 7u);
}

TEST_F(UnwrittenMemory, OfEachSizeOfNumbers) {
    for (const char* const feature : {"storageBuffer8BitAccess", "shaderInt8"})
        if (!hasFeature(manager, feature))
            GTEST_SKIP() << "the device lacks " << feature;
    const auto bytes = manager.tensorT<uint8_t>(8, Memory::MemoryTypes::eStorage);
    const uint8_t five = 5;
    bytes->upload(&five, 1, 3);
    const auto sums = manager.tensorT<uint32_t>(8, Memory::MemoryTypes::eStorage);
    const auto spirv =
        manager.compile("#version 450\n#extension GL_EXT_shader_8bit_storage : require\n"
                        "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
                        "layout(local_size_x = 8) in;\n"
                        "layout(binding = 0) buffer X { uint8_t x[]; };\n"
                        "layout(binding = 1) buffer Y { uint y[]; };\n"
                        "void main() { uint i = gl_LocalInvocationIndex; y[i] = x[i]; }");
    const auto algorithm = manager.algorithm(reinterpreted({bytes, sums}), spirv, {1, 1, 1});
    EXPECT_EQ(faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); }).size(), 7u);
}

TEST_F(UnwrittenMemory, IsWrittenByShadersThatAreNotChecked) {
    const auto x = fresh();
    const auto algorithm = manager.algorithm(
        {manager.tensor({1, 2, 3, 4, 5, 6, 7, 8}), x}, manager.compile(kCopies), {1, 1, 1},
        std::vector<float>{}, std::vector<float>{}, checkedOptions("off"));
    manager.sequence()->eval<OpAlgoDispatch>(algorithm);
    EXPECT_TRUE(read(x).empty());
}

TEST_F(UnwrittenMemory, IsFoundAndWrittenByPrimitives) {
    const auto x = fresh(100);
    const std::vector<float> most(93, 1.0f);
    x->upload(most.data(), most.size() * 4, 0);
    const auto scanned = fresh(100);
    const auto run = [&] {
        manager.sequence()->eval(std::make_shared<OpScan>(x, scanned, ReduceOperation::eSum));
    };
    const auto faults = faultsOf(run);
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults[0].kind, "uninitialised");
    EXPECT_GE(faults[0].index, 93);
    EXPECT_LT(faults[0].index, 100);
    EXPECT_EQ(faults[0].memory, "the input, a tensor of 100 eFloat");
    x->upload(most.data(), 7 * 4, 93 * 4);
    EXPECT_TRUE(faultsOf(run).empty());
    EXPECT_TRUE(read(scanned).empty());
}

TEST_F(UnwrittenMemory, FollowsSequencesInTheirOrder) {
    const auto x = fresh();
    const auto algorithm = manager.algorithm({x, out}, manager.compile(kCopies), {1, 1, 1});
    const auto sequence = manager.sequence();
    sequence->record<OpFill>({x}, 1.0f)->record<OpAlgoDispatch>(algorithm);
    EXPECT_NO_THROW(sequence->eval());
    const auto other = fresh();
    const auto early = manager.algorithm({other, out}, manager.compile(kCopies), {1, 1, 1});
    const auto wrong = manager.sequence();
    wrong->record<OpAlgoDispatch>(early)->record<OpFill>({other}, 1.0f);
    EXPECT_THROW(wrong->eval(), CheckFailed);
    EXPECT_NO_THROW(wrong->eval()) << "it is written now";
}

class CheckedAddress : public ::testing::Test {
protected:
    void SetUp() override {
        if (!hasFeature(manager, "bufferDeviceAddress"))
            GTEST_SKIP() << "the device has no buffer addresses";
    }
    /// Returns the faults of a statement on `numbers`, the address of x.
    std::vector<CheckFault> run(const std::string& statement, bool named = true) {
        AlgorithmOptions options = checkedOptions();
        if (named)
            options.addressed = {x, other};
        const auto algorithm = manager.algorithm<float, uint64_t>(
            {},
            spirvWithLines("#version 450\n#extension GL_EXT_buffer_reference : require\n"
                           "layout(buffer_reference, std430) buffer Numbers { uint v[]; };\n"
                           "layout(push_constant) uniform P { Numbers numbers; };\n"
                           "void main() {\n" +
                           statement + "\n}\n"),
            {1, 1, 1}, {}, {x->deviceAddress()}, options);
        return faultsOf([&] { manager.sequence()->eval<OpAlgoDispatch>(algorithm); });
    }

    Manager manager;
    std::shared_ptr<TensorT<uint32_t>> x = manager.tensorT<uint32_t>({0, 1, 2, 3});
    std::shared_ptr<TensorT<uint32_t>> other = manager.tensorT<uint32_t>({4, 5});
};

TEST_F(CheckedAddress, IsComparedWithTheMemoryInAddressed) {
    EXPECT_TRUE(run("numbers.v[3] = numbers.v[0] + 9u; atomicAdd(numbers.v[2], 1u);").empty());
    EXPECT_EQ(onDevice<uint32_t>(*x), (std::vector<uint32_t>{0, 1, 3, 9}));
    for (const auto& [statement, kind] :
         {std::pair{"numbers.v[40000] = 7u;", "write"},
          std::pair{"numbers.v[0] = numbers.v[numbers.v[1] + 40000u];", "read"},
          std::pair{"atomicAdd(numbers.v[50000], 1u);", "atomic"}}) {
        const auto faults = run(statement);
        ASSERT_EQ(faults.size(), 1u) << statement;
        EXPECT_EQ(faults[0].kind, kind);
        EXPECT_EQ(faults[0].line, 6u);
        EXPECT_EQ(faults[0].memory, "a buffer address");
        EXPECT_NE(faults[0].message.find("outside of the memory in addressed"), std::string::npos)
            << faults[0].message;
    }
    EXPECT_EQ(onDevice<uint32_t>(*x)[0], 0u) << "reads outside give 0";
}

TEST_F(CheckedAddress, NamesTheAddress) {
    const auto faults = run("numbers.v[40000] = 7u;");
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(static_cast<uint64_t>(faults[0].index), x->deviceAddress() + 160000);
    EXPECT_EQ(faults[0].value, "7");
}

} // namespace
} // namespace kp::test
