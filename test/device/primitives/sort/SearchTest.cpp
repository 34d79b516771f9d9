// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/sort/SearchPlan.hpp"

namespace kp::test {
namespace {

using kp::SearchSide;
using kp::TensorRange;

constexpr auto kSearched = kp::Memory::MemoryTypes::eStorage;

/// The order of OpSearchSorted: NaN after everything. Of the bits, as the CPU may flush denormals.
template <typename T>
bool comesBefore(T left, T right) {
    if constexpr (std::is_integral_v<T>) {
        return left < right;
    } else {
        using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
        const Real a = static_cast<Real>(left);
        const Real b = static_cast<Real>(right);
        return std::isnan(b) ? !std::isnan(a) : a < b;
    }
}

/// Few different numbers, so that many are equal, and special ones.
template <typename T>
std::vector<T> numbersOf(size_t count, uint64_t seed) {
    std::vector<T> numbers = randomValues<T>(count, seed);
    for (size_t i = 0; i < count; ++i) {
        if (i % 2 == 1)
            numbers[i] = numbers[i / 2];
        if constexpr (!std::is_integral_v<T>) {
            const float infinity = std::numeric_limits<float>::infinity();
            const float nan = std::numeric_limits<float>::quiet_NaN();
            const float special[] = {0.0f, -0.0f, infinity, -infinity, nan, -nan, 1e-40f, -1e-40f};
            if (i % 5 == 3)
                numbers[i] = static_cast<T>(special[i / 5 % 8]);
        } else if (i % 7 == 3) {
            numbers[i] = i % 2 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
        }
    }
    return numbers;
}

class SearchTest : public DeviceTest {
protected:
    template <typename Place, typename T>
    static std::vector<Place> placesOf(const std::vector<T>& sorted, const std::vector<T>& needles,
                                       SearchSide side) {
        std::vector<Place> places;
        for (const T needle : needles) {
            const auto found =
                side == SearchSide::eLeft
                    ? std::lower_bound(sorted.begin(), sorted.end(), needle, comesBefore<T>)
                    : std::upper_bound(sorted.begin(), sorted.end(), needle, comesBefore<T>);
            places.push_back(static_cast<Place>(found - sorted.begin()));
        }
        return places;
    }

    template <typename T, typename Place = uint32_t>
    void expectFound(size_t count, size_t needleCount) {
        std::vector<T> sorted = numbersOf<T>(count, count + 1);
        std::stable_sort(sorted.begin(), sorted.end(), comesBefore<T>);
        std::vector<T> needles = numbersOf<T>(needleCount, 7);
        std::copy_n(sorted.begin(), std::min(count, needleCount / 2), needles.begin());
        const auto among = manager.tensorT<T>(sorted, kSearched);
        const auto wanted = manager.tensorT<T>(needles, kSearched);
        for (const SearchSide side : {SearchSide::eLeft, SearchSide::eRight}) {
            const auto places = manager.tensorT<Place>(needleCount, kSearched);
            manager.sequence()->eval<kp::OpSearchSorted>(among, wanted, places, side);
            EXPECT_EQ(onDevice<Place>(*places), placesOf<Place>(sorted, needles, side))
                << needleCount << " needles among " << count;
        }
    }
};

TEST_F(SearchTest, FindsPlacesAmongAnyNumberOfElements) {
    for (const size_t count : kSizes)
        if (count <= 10007)
            expectFound<float>(count, 300);
    for (const size_t needles : {1, 2, 255, 256, 257, 1023, 1024, 1025, 4099})
        expectFound<float>(100, needles);
}

TEST_F(SearchTest, FindsNumbersOfEveryType) {
    expectFound<int8_t>(200, 300);
    expectFound<uint8_t>(200, 300);
    expectFound<uint16_t>(200, 300);
    expectFound<uint32_t, int32_t>(200, 300);
    expectFound<int64_t, uint64_t>(200, 300);
    expectFound<uint64_t, int64_t>(200, 300);
    expectFound<kp::Half>(200, 300);
    expectFound<kp::BFloat16>(200, 300);
    expectFound<double>(200, 300);
}

TEST_F(SearchTest, FindsPlacesInPartsOfTensors) {
    std::vector<uint8_t> bytes = ascending<uint8_t>(250, 1);
    const auto tensor = manager.tensorT<uint8_t>(bytes, kSearched);
    const auto places = manager.tensorT<uint64_t>(std::vector<uint64_t>(20, 99), kSearched);
    // Elements 3 to 103 are 4 to 104.
    manager.sequence()->eval<kp::OpSearchSorted>(TensorRange(tensor, 3, 101),
                                                 TensorRange(tensor, 1, 5),
                                                 TensorRange(places, 7, 5), SearchSide::eRight);
    std::vector<uint64_t> expected(20, 99);
    const uint64_t found[] = {0, 0, 1, 2, 3};
    std::copy(std::begin(found), std::end(found), expected.begin() + 7);
    EXPECT_EQ(onDevice<uint64_t>(*places), expected);
}

TEST_F(SearchTest, OfNothingAndAmongNothing) {
    const auto some = manager.tensorT<float>({1, 2, 3}, kSearched);
    const auto places = manager.tensorT<uint32_t>({7, 7, 7}, kSearched);
    manager.sequence()
        ->record<kp::OpSearchSorted>(some, TensorRange(some, 3, 0), TensorRange(places, 0, 0))
        ->record<kp::OpSearchSorted>(TensorRange(some, 0, 0), TensorRange(some, 0, 2),
                                     TensorRange(places, 0, 2))
        ->eval();
    EXPECT_EQ(onDevice<uint32_t>(*places), (std::vector<uint32_t>{0, 0, 7}));
}

// Devices with small storage buffers search part by part.
TEST_F(SearchTest, FindsPlacesAmongElementsThatNoViewCanHold) {
    std::vector<float> sorted = numbersOf<float>(5000, 3);
    std::stable_sort(sorted.begin(), sorted.end(), comesBefore<float>);
    const std::vector<float> needles = numbersOf<float>(700, 4);
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    traits.maxViewBytes = 1600;
    kp::primitives::SearchProblem problem;
    problem.sorted = sorted.size();
    problem.needles = needles.size();
    for (const SearchSide side : {SearchSide::eLeft, SearchSide::eRight}) {
        problem.right = side == SearchSide::eRight;
        const auto places = manager.tensorT<uint32_t>(needles.size(), kSearched);
        manager.sequence()->eval(
            plannedOperation(kp::primitives::planSearch(problem, traits),
                             {manager.tensorT<float>(sorted, kSearched),
                              manager.tensorT<float>(needles, kSearched), places}));
        EXPECT_EQ(onDevice<uint32_t>(*places), placesOf<uint32_t>(sorted, needles, side));
    }
}

TEST_F(SearchTest, FollowsASortInOneSequence) {
    std::vector<double> values = numbersOf<double>(3000, 9);
    const auto keys = manager.tensorT<double>(values);
    const auto places = manager.tensorT<uint32_t>(3000);
    const auto largest = manager.tensorT<uint32_t>(1);
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({keys})
        ->record<kp::OpSort>(keys)
        ->record<kp::OpSearchSorted>(keys, keys, places)
        ->record<kp::OpReduce>(places, largest, kp::ReduceOperation::eMaximum);
    for (int i = 0; i < 2; ++i) {
        sequence->eval();
        std::stable_sort(values.begin(), values.end(), comesBefore<double>);
        const auto expected = placesOf<uint32_t>(values, values, SearchSide::eLeft);
        EXPECT_EQ(places->vector(), expected);
        EXPECT_EQ(largest->vector()[0], expected.back());
    }
}

TEST_F(SearchTest, RefusesArgumentsThatDoNotMatch) {
    const auto floats = manager.tensorT<float>({1, 2, 3});
    const auto ints = manager.tensorT<int32_t>({1, 2, 3});
    const auto places = manager.tensorT<uint32_t>(3);
    const auto bytes = manager.tensorT<uint8_t>(3);
    EXPECT_ERROR(kp::InvalidArgument, "must have the same type",
                 kp::OpSearchSorted(floats, ints, places));
    EXPECT_ERROR(kp::InvalidArgument, "there are 2 needles, but 3 places",
                 kp::OpSearchSorted(floats, TensorRange(floats, 0, 2), places));
    EXPECT_ERROR(kp::InvalidArgument, "the places must be of eUnsignedInt",
                 kp::OpSearchSorted(floats, floats, bytes));
    EXPECT_ERROR(kp::InvalidArgument, "overlap", kp::OpSearchSorted(places, places, places));
    EXPECT_ERROR(kp::InvalidArgument, "the needles is null",
                 kp::OpSearchSorted(floats, TensorRange(), places));
    const auto structs = manager.tensor(uint64_t{3}, uint64_t{12}, kp::Memory::DataTypes::eCustom);
    EXPECT_ERROR(kp::InvalidArgument, "cannot be searched",
                 kp::OpSearchSorted(structs, structs, places));
}

} // namespace
} // namespace kp::test
