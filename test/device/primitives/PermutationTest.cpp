// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "device/HostVulkan.hpp"
#include "device/primitives/PrimitiveSupport.hpp"

namespace kp::test {
namespace {

using kp::RandomState;
using kp::TensorRange;

constexpr auto kPermuted = kp::Memory::MemoryTypes::eStorage;

class PermutationTest : public DeviceTest {
protected:
    /// The permutation as its documentation defines it.
    template <typename Index>
    std::vector<Index> expectedOrder(size_t count, const RandomState& state) {
        const auto words = manager.tensorT<uint32_t>(std::max<size_t>(1, 2 * count), kPermuted);
        manager.sequence()->eval<kp::OpRandom>(words, kp::Distribution::bits(), state);
        const std::vector<uint32_t> halves = onDevice<uint32_t>(*words);
        std::vector<Index> order(count);
        std::iota(order.begin(), order.end(), Index{0});
        const auto keyOf = [&](Index i) {
            const auto at = 2 * static_cast<size_t>(i);
            return halves[at] | uint64_t{halves[at + 1]} << 32;
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](Index a, Index b) { return keyOf(a) < keyOf(b); });
        return order;
    }

    template <typename Index = uint32_t>
    void expectPermuted(size_t count, const RandomState& state) {
        const auto out = manager.tensorT<Index>(count, kPermuted);
        manager.sequence()->eval<kp::OpPermutation>(out, state);
        EXPECT_EQ(onDevice<Index>(*out), expectedOrder<Index>(count, state)) << count;
    }
};

TEST_F(PermutationTest, OrdersIndicesByRandomKeys) {
    for (const size_t count : {1, 2, 3, 31, 257, 1023, 1025, 4097, 10007})
        expectPermuted(count, {count, 0, 0});
    expectPermuted<int32_t>(1000, {1, UINT64_MAX - 999, 5});
    expectPermuted<uint64_t>(1000, {1, 7, 0});
    expectPermuted<int64_t>(5000, {UINT64_MAX, uint64_t{1} << 63, UINT64_MAX});
}

// Of three elements, all six orders are equally frequent.
TEST_F(PermutationTest, FavoursNoOrder) {
    constexpr size_t kDraws = 300;
    const auto out = manager.tensorT<uint32_t>(3 * kDraws, kPermuted);
    auto sequence = manager.sequence();
    for (size_t i = 0; i < kDraws; ++i)
        sequence->record<kp::OpPermutation>(TensorRange(out, 3 * i, 3), RandomState{1, 6 * i, 0});
    sequence->eval();
    const std::vector<uint32_t> orders = onDevice<uint32_t>(*out);
    size_t counts[6] = {};
    for (size_t i = 0; i < kDraws; ++i)
        ++counts[2 * orders[3 * i] + (orders[3 * i + 1] > orders[3 * i + 2] ? 1 : 0)];
    for (const size_t count : counts)
        EXPECT_NEAR(static_cast<double>(count), 50, 30); // 4.6 standard deviations
}

TEST_F(PermutationTest, ShufflesElementsWithAGather) {
    const std::vector<float> values = ascending<float>(999);
    const auto in = manager.tensorT<float>(values, kPermuted);
    const auto order = manager.tensorT<uint32_t>(999, kPermuted);
    const auto shuffled = manager.tensorT<float>(999, kPermuted);
    auto sequence = manager.sequence();
    sequence->record<kp::OpPermutation>(order, RandomState{3})
        ->record<kp::OpGather>(in, order, shuffled)
        ->eval();
    std::vector<float> found = onDevice<float>(*shuffled);
    EXPECT_NE(found, values);
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, values);
}

// No 64-bit integers, no subgroups.
TEST_F(PermutationTest, IsTheSameOnADeviceWithoutFeatures) {
    HostVulkan host(manager, HostVulkan::Kind::eBare);
    kp::Manager bare(host.description());
    const auto out = bare.tensorT<uint32_t>(3000, kPermuted);
    bare.sequence()->eval<kp::OpPermutation>(out, RandomState{5, 1, 2});
    EXPECT_EQ(onDevice<uint32_t>(*out), expectedOrder<uint32_t>(3000, {5, 1, 2}));
}

TEST_F(PermutationTest, WritesAPartOfATensor) {
    const auto out = manager.tensorT<uint32_t>(std::vector<uint32_t>(10, 77), kPermuted);
    manager.sequence()
        ->record<kp::OpPermutation>(TensorRange(out, 3, 5), RandomState{1})
        ->record<kp::OpPermutation>(TensorRange(out, 3, 0), RandomState{1})
        ->eval();
    std::vector<uint32_t> expected(10, 77);
    const auto order = expectedOrder<uint32_t>(5, {1});
    std::copy(order.begin(), order.end(), expected.begin() + 3);
    EXPECT_EQ(onDevice<uint32_t>(*out), expected);
}

TEST_F(PermutationTest, RefusesOtherTypes) {
    EXPECT_ERROR(kp::InvalidArgument, "the indices must be of eUnsignedInt",
                 kp::OpPermutation(manager.tensorT<float>(3)));
    EXPECT_ERROR(kp::InvalidArgument, "the indices is null", kp::OpPermutation(TensorRange{}));
}

} // namespace
} // namespace kp::test
