// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "../TestSupport.hpp"

namespace kp::test {
namespace {

class FillTest : public DeviceTest {
protected:
    /// Fills tensors of many lengths in every memory type.
    template <typename T>
    void expectFills(T value) {
        auto sq = manager.sequence();
        for (const auto type : kMemoryTypes)
            for (const size_t count : {1, 2, 3, 4, 5, 7, 8, 9, 1000, 4097}) {
                const auto t = manager.tensorT<T>(count, type);
                sq->eval<kp::OpFill>({t}, value);
                EXPECT_TRUE(onDevice<T>(*t) == std::vector<T>(count, value))
                    << count << " elements, " << kp::Memory::toString(type);
            }
    }
};

TEST_F(FillTest, FillsOneByteElements) {
    expectFills<uint8_t>(0xa5);
    expectFills<int8_t>(-1);
}

TEST_F(FillTest, FillsTwoByteElements) {
    expectFills<uint16_t>(0x1234);
    expectFills<kp::Half>(kp::Half(1.5f));
}

TEST_F(FillTest, FillsFourByteElements) {
    expectFills<float>(-2.5f);
    expectFills<uint32_t>(0x12345678);
}

TEST_F(FillTest, FillsEightByteElements) {
    expectFills<double>(3.141592653589793);
    expectFills<uint64_t>(0x0123456789abcdef);
    expectFills<uint64_t>(0x1111111111111111);
    expectFills<int64_t>(0);
}

TEST_F(FillTest, FillsSeveralTensorsInOrderWithOtherOperations) {
    const auto a = manager.tensorT<uint32_t>(5);
    const auto b = manager.tensorT<uint32_t>(3);
    auto sq = manager.sequence();
    sq->record<kp::OpFill>({a, b}, 7u);
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({a}, addShader(1)));
    sq->record<kp::OpSyncLocal>({a, b});
    for (int round = 0; round < 3; ++round) {
        sq->eval();
        EXPECT_EQ(a->vector(), std::vector<uint32_t>(5, 8));
        EXPECT_EQ(b->vector(), std::vector<uint32_t>(3, 7));
    }
}

TEST_F(FillTest, RejectsWrongArguments) {
    const auto t = manager.tensor({1, 2});
    auto sq = manager.sequence();
    const std::vector<std::shared_ptr<kp::Memory>> none;
    EXPECT_THROW(sq->record<kp::OpFill>(none, 1.0f), kp::InvalidArgument);
    EXPECT_ERROR(kp::InvalidArgument, "8", sq->record<kp::OpFill>({t}, kp::ElementBits(1.0)));
    EXPECT_ERROR(kp::InvalidArgument, "image",
                 sq->record<kp::OpFill>({manager.image(2, 2, 1)}, 1.0f));
}

TEST_F(FillTest, ConvertsNumbersToTheTypeOfTheElements) {
    const auto floats = manager.tensorT<float>(5);
    const auto longs = manager.tensorT<int64_t>(3);
    const auto halves = manager.tensorT<kp::Half>(2);
    auto sq = manager.sequence();
    sq->eval<kp::OpFill>({floats, longs, halves}, -3);
    EXPECT_EQ(onDevice<float>(*floats), std::vector<float>(5, -3.0f));
    EXPECT_EQ(onDevice<int64_t>(*longs), std::vector<int64_t>(3, -3));
    EXPECT_TRUE(onDevice<kp::Half>(*halves) == std::vector<kp::Half>(2, kp::Half(-3.0f)));
    sq->eval<kp::OpFill>({halves}, 65519.999); // rounds to the largest half
    EXPECT_TRUE(onDevice<kp::Half>(*halves) == std::vector<kp::Half>(2, kp::Half(65504.0f)));
    sq->eval<kp::OpFill>({floats, longs}, 7.0); // the types differ, in size as well
    EXPECT_EQ(onDevice<float>(*floats), std::vector<float>(5, 7.0f));
    EXPECT_EQ(onDevice<int64_t>(*longs), std::vector<int64_t>(3, 7));
    sq->eval<kp::OpFill>({floats}, 0.1);
    EXPECT_EQ(onDevice<float>(*floats), std::vector<float>(5, 0.1f));
    sq->eval<kp::OpFill>({floats}, INFINITY);
    EXPECT_EQ(onDevice<float>(*floats), std::vector<float>(5, INFINITY));
    const auto bytes = manager.tensorT<int8_t>(3);
    sq->eval<kp::OpFill>({bytes}, -128.0f);
    EXPECT_EQ(onDevice<int8_t>(*bytes), std::vector<int8_t>(3, -128));
}

TEST_F(FillTest, RejectsNumbersThatDoNotFit) {
    auto sq = manager.sequence();
    const auto bytes = manager.tensorT<uint8_t>(4);
    EXPECT_ERROR(kp::InvalidArgument, "0 to 255", sq->record<kp::OpFill>({bytes}, 256));
    EXPECT_ERROR(kp::InvalidArgument, "-1", sq->record<kp::OpFill>({bytes}, -1));
    EXPECT_ERROR(kp::InvalidArgument, "1.5", sq->record<kp::OpFill>({bytes}, 1.5));
    EXPECT_THROW(sq->record<kp::OpFill>({bytes}, NAN), kp::InvalidArgument);
    const auto longs = manager.tensorT<int64_t>(1);
    EXPECT_THROW(sq->record<kp::OpFill>({longs}, 0x1p63), kp::InvalidArgument);
    EXPECT_THROW(sq->record<kp::OpFill>({longs}, uint64_t{1} << 63), kp::InvalidArgument);
    sq->record<kp::OpFill>({longs}, -0x1p63);
    EXPECT_ERROR(kp::InvalidArgument, "eFloat",
                 sq->record<kp::OpFill>({manager.tensorT<float>(1)}, 1e39));
    EXPECT_ERROR(kp::InvalidArgument, "65504",
                 sq->record<kp::OpFill>({manager.tensorT<kp::Half>(1)}, 65520));
}

TEST_F(FillTest, TakesElementsByTheirBits) {
    const auto floats = manager.tensorT<float>(3);
    const auto words = manager.tensorT<int32_t>(2);
    manager.sequence()->eval<kp::OpFill>({floats, words}, kp::ElementBits(0x3fc00000u));
    EXPECT_EQ(onDevice<float>(*floats), std::vector<float>(3, 1.5f));
    EXPECT_EQ(onDevice<int32_t>(*words), std::vector<int32_t>(2, 0x3fc00000));
}

class IndirectTest : public DeviceTest {
protected:
    std::vector<uint32_t> countGroups = spirv(
        "#version 450\nlayout(local_size_x = 1) in;\n" + buffer(0, "", "uint", "v") +
        "void main() { atomicAdd(v[0], 1u); if (gl_WorkGroupID.y == 1u) atomicAdd(v[1], 1u); }");
};

TEST_F(IndirectTest, TakesGroupCountsFromMemory) {
    auto result = manager.tensorT<uint32_t>({0, 0});
    auto groups = manager.tensorT<uint32_t>({9, 9, 9, 5, 2, 1});
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({groups, result});
    auto algorithm = manager.algorithm({result}, countGroups, {1, 1, 1});
    sq->eval<kp::OpAlgoDispatch>(algorithm, std::static_pointer_cast<kp::Tensor>(groups), 12);
    EXPECT_EQ(onDevice<uint32_t>(*result), (std::vector<uint32_t>{10, 5}));
}

TEST_F(IndirectTest, TakesGroupCountsWrittenByAnEarlierDispatch) {
    auto result = manager.tensorT<uint32_t>({0, 0});
    std::shared_ptr<kp::Tensor> groups = manager.tensorT<uint32_t>({1, 1, 1});
    auto makeCounts = manager.algorithm(
        {groups},
        spirv(shader(buffer(0, "", "uint", "v"), "v[0] = v[0] + 2u; v[1] = 1u; v[2] = 1u;")),
        {1, 1, 1});
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({groups, result});
    sq->record<kp::OpAlgoDispatch>(makeCounts);
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({result}, countGroups, {1, 1, 1}), groups, 0);
    sq->record<kp::OpAlgoDispatch>(makeCounts);
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({result}, countGroups, {1, 1, 1}), groups, 0);
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*result)[0], 3u + 5u);
    sq->eval();
    EXPECT_EQ(onDevice<uint32_t>(*result)[0], 3u + 5u + 7u + 9u);
}

TEST_F(IndirectTest, RejectsWrongOffsetsAndMemory) {
    auto result = manager.tensorT<uint32_t>({0, 0});
    std::shared_ptr<kp::Tensor> groups = manager.tensorT<uint32_t>({1, 1, 1, 1});
    auto algorithm = manager.algorithm({result}, countGroups, {1, 1, 1});
    auto sq = manager.sequence();
    EXPECT_ERROR(kp::InvalidArgument, "4", sq->record<kp::OpAlgoDispatch>(algorithm, groups, 2));
    EXPECT_THROW(sq->record<kp::OpAlgoDispatch>(algorithm, groups, 8), kp::InvalidArgument);
    EXPECT_THROW(sq->record<kp::OpAlgoDispatch>(algorithm, std::shared_ptr<kp::Tensor>(), 0),
                 kp::InvalidArgument);
    const std::shared_ptr<kp::Tensor> floats = manager.tensorT<float>({1, 1, 1});
    EXPECT_ERROR(kp::InvalidArgument, "three eUnsignedInt, not eFloat",
                 sq->record<kp::OpAlgoDispatch>(algorithm, floats, 0));
    groups->destroy();
    EXPECT_THROW(sq->record<kp::OpAlgoDispatch>(algorithm, groups, 0), kp::InvalidArgument);
}

} // namespace
} // namespace kp::test
