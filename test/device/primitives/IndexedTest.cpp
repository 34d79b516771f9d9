// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <numeric>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/move/IndexedPlan.hpp"

namespace kp::test {
namespace {

using kp::TensorRange;

constexpr auto kInDevice = kp::Memory::MemoryTypes::eStorage;

using ThreeWords = std::array<uint32_t, 3>;

class IndexedTest : public DeviceTest {
protected:
    /// Indices in and around [0, limit), all of them different.
    template <typename Index>
    static std::vector<Index> someIndices(size_t count, uint64_t limit) {
        std::vector<Index> indices;
        const uint64_t step = (limit + 5) % 7 == 0 ? 11 : 7;
        for (uint64_t i = 0; i < count; ++i) {
            const uint64_t n = i * step % (limit + 5);
            indices.push_back(n < limit || std::is_unsigned_v<Index>
                                  ? static_cast<Index>(n)
                                  : static_cast<Index>(-1 - static_cast<int64_t>(n - limit)));
        }
        return indices;
    }

    template <typename T, typename Index>
    void expectGathered(const std::vector<uint64_t>& shape, int axis,
                        const std::vector<Index>& indices) {
        const auto at = static_cast<size_t>(axis);
        const uint64_t length = shape[at];
        uint64_t inner = 1;
        for (size_t i = at + 1; i < shape.size(); ++i)
            inner *= shape[i];
        const uint64_t count =
            std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<>());
        const uint64_t outer = count / length / inner;
        std::vector<T> array(count);
        const auto bytes = randomValues<uint8_t>(count * sizeof(T));
        std::memcpy(array.data(), bytes.data(), bytes.size());
        std::vector<T> list(outer * indices.size() * inner);
        const auto others = randomValues<uint8_t>(list.size() * sizeof(T), 5);
        std::memcpy(list.data(), others.data(), others.size());

        const auto arrayTensor = manager.tensorT<T>(array, kInDevice);
        const auto listTensor = manager.tensorT<T>(list, kInDevice);
        const auto indexTensor = manager.tensorT<Index>(indices, kInDevice);
        const auto forEach = [&](const auto& visit) {
            for (uint64_t o = 0; o < outer; ++o)
                for (uint64_t i = 0; i < indices.size(); ++i)
                    for (uint64_t j = 0; j < inner; ++j)
                        if (indices[i] >= 0 && static_cast<uint64_t>(indices[i]) < length)
                            visit((o * length + static_cast<uint64_t>(indices[i])) * inner + j,
                                  (o * indices.size() + i) * inner + j);
        };
        auto expected = array;
        forEach([&](uint64_t inArray, uint64_t inList) { expected[inArray] = list[inList]; });
        const auto scattered = manager.tensorT<T>(array, kInDevice);
        manager.sequence()->eval<kp::OpScatter>(listTensor, indexTensor, scattered, shape, axis);
        EXPECT_EQ(onDevice<T>(*scattered), expected)
            << "scattered " << ::testing::PrintToString(shape) << " along " << axis;
        expected = list;
        forEach([&](uint64_t inArray, uint64_t inList) { expected[inList] = array[inArray]; });
        manager.sequence()->eval<kp::OpGather>(arrayTensor, indexTensor, listTensor, shape, axis);
        EXPECT_EQ(onDevice<T>(*listTensor), expected)
            << "gathered " << ::testing::PrintToString(shape) << " along " << axis;
    }
};

TEST_F(IndexedTest, GathersAndScattersAnyNumberOfElements) {
    for (const size_t count : kSizes)
        expectGathered<uint32_t>({count}, 0, someIndices<uint32_t>(count, count));
}

TEST_F(IndexedTest, TakesElementsAndIndicesOfEveryType) {
    expectGathered<uint8_t>({1000}, 0, someIndices<int32_t>(777, 1000));
    expectGathered<uint16_t>({1000}, 0, someIndices<int64_t>(777, 1000));
    expectGathered<uint32_t>({1000}, 0, someIndices<uint64_t>(777, 1000));
    expectGathered<uint64_t>({1000}, 0, someIndices<int64_t>(777, 1000));
    expectGathered<ThreeWords>({1000}, 0, someIndices<int32_t>(777, 1000));
    expectGathered<std::array<uint8_t, 5>>({1000}, 0, someIndices<uint32_t>(777, 1000));
    expectGathered<std::array<uint32_t, 4>>({1000}, 0, someIndices<uint32_t>(777, 1000));
}

TEST_F(IndexedTest, WorksAlongEveryAxis) {
    for (int axis = 0; axis < 4; ++axis) {
        expectGathered<uint32_t>({5, 6, 7, 8}, axis, std::vector<int32_t>{4, 0, -1, 3, 9});
        expectGathered<uint8_t>({5, 6, 7, 16}, axis, std::vector<int64_t>{4, 0, -1, 3, 1 << 30});
        expectGathered<ThreeWords>({5, 8, 7, 6}, axis, std::vector<uint32_t>{2});
    }
}

TEST_F(IndexedTest, SkipsIndicesThatAreOutOfRange) {
    constexpr int64_t kLarge = int64_t{1} << 32;
    expectGathered<float>({10}, 0,
                          std::vector<int64_t>{3, -1, 10, kLarge, kLarge + 3, -kLarge, -kLarge + 3,
                                               9, std::numeric_limits<int64_t>::min()});
    expectGathered<float>({10}, 0, std::vector<uint64_t>{3, UINT64_MAX, uint64_t{5} << 32, 9});
    expectGathered<float>({10}, 0, std::vector<uint32_t>{3, UINT32_MAX, 10, 9});
}

TEST_F(IndexedTest, TakesPartsOfTensors) {
    const auto values = manager.tensorT<uint8_t>(ascending<uint8_t>(100), kInDevice);
    const auto indices = manager.tensorT<uint64_t>({99, 99, 3, 0, 5, 99}, kInDevice);
    const auto out = manager.tensorT<uint8_t>(std::vector<uint8_t>(8, 200), kInDevice);
    manager.sequence()->eval<kp::OpGather>(TensorRange(values, 13, 80), TensorRange(indices, 2, 3),
                                           TensorRange(out, 1, 3));
    EXPECT_EQ(onDevice<uint8_t>(*out), (std::vector<uint8_t>{200, 16, 13, 18, 200, 200, 200, 200}));
    manager.sequence()->eval<kp::OpScatter>(TensorRange(values, 50, 3), TensorRange(indices, 2, 3),
                                            TensorRange(out, 1, 6));
    EXPECT_EQ(onDevice<uint8_t>(*out), (std::vector<uint8_t>{200, 51, 13, 18, 50, 200, 52, 200}));
    manager.sequence()->eval<kp::OpGather>(values, TensorRange(indices, 2, 0),
                                           TensorRange(out, 1, 0));
}

// The views of a device are at most 2 GiB, and often less. Here they have a few elements.
TEST_F(IndexedTest, CutsWhatNoViewCanHold) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    const auto values = randomValues<uint32_t>(3 * 200 * 5);
    const auto indices = someIndices<int64_t>(300, 200);
    std::vector<uint32_t> expected(3 * 300 * 5, 7);
    for (size_t o = 0; o < 3; ++o)
        for (size_t i = 0; i < 300; ++i)
            for (size_t j = 0; j < 5; ++j)
                if (indices[i] >= 0 && indices[i] < 200)
                    expected[(o * 300 + i) * 5 + j] =
                        values[(o * 200 + static_cast<size_t>(indices[i])) * 5 + j];
    for (const uint64_t bytes : {16, 400, 4096, 12000}) {
        traits.maxViewBytes = bytes;
        kp::primitives::IndexedProblem problem;
        problem.array = {3, 200, 5};
        problem.indices = 300;
        problem.wideIndices = problem.signedIndices = true;
        const auto out = manager.tensorT<uint32_t>(std::vector<uint32_t>(expected.size(), 7));
        manager.sequence()->record<kp::OpSyncDevice>({out})->eval();
        if (bytes == 16)
            problem.indices = 2; // else there are too many dispatches
        const auto plan = kp::primitives::planIndexed(problem, traits);
        if (bytes == 16) {
            EXPECT_GT(plan.steps.size(), 1000u);
            continue;
        }
        EXPECT_GT(plan.steps.size(), 1u);
        manager.sequence()->eval(
            plannedOperation(plan, {manager.tensorT<uint32_t>(values, kInDevice),
                                    manager.tensorT<int64_t>(indices, kInDevice), out}));
        EXPECT_EQ(out->vector(), expected) << bytes;
    }
}

TEST_F(IndexedTest, RefusesArgumentsThatDoNotMatch) {
    const auto six = manager.tensorT<float>({1, 2, 3, 4, 5, 6});
    const auto two = manager.tensorT<float>(2);
    const auto indices = manager.tensorT<uint32_t>({0, 1});
    const auto gather = [&](const char* message, const TensorRange& in, const TensorRange& which,
                            const TensorRange& out, const std::vector<uint64_t>& shape = {},
                            int axis = 0) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpGather(in, which, out, shape, axis));
    };
    gather("the indices must be of eUnsignedInt, eInt, eUnsignedLong or eLong, not of eFloat", six,
           two, manager.tensorT<float>(2));
    gather("the input is of eFloat, but the output of eUnsignedInt", six, indices,
           manager.tensorT<uint32_t>(2));
    gather("2 indices need 1 element each in the output, which has 6", TensorRange(six, 0, 5),
           indices, manager.tensorT<float>(6));
    gather("2 indices need 3 elements each in the output, which has 2", six, indices, two, {2, 3});
    gather("overlap", six, indices, TensorRange(six, 1, 2));
    gather("overlap", indices, indices, indices);
    gather("axis 2 does not exist", six, indices, two, {2, 3}, 2);
    EXPECT_ERROR(kp::InvalidArgument,
                 "OpScatter: 2 indices need 1 element each in the input, which has 6",
                 kp::OpScatter(six, indices, two));
}

} // namespace
} // namespace kp::test
