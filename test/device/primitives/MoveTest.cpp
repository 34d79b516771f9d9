// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "device/CallCounter.hpp"
#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/move/MovePlan.hpp"

namespace kp::test {
namespace {

using kp::TensorRange;

constexpr auto kStorage = kp::Memory::MemoryTypes::eStorage;

using Triple = std::array<uint8_t, 3>;
using Vector3 = std::array<uint32_t, 3>;
using Vector6 = std::array<uint32_t, 6>;
using Block = std::array<uint32_t, 4>;
using Large = std::array<uint16_t, 37>;

/// Elements whose bytes all differ from their neighbours'.
template <typename T>
std::vector<T> distinctElements(size_t count) {
    std::vector<uint8_t> bytes = randomValues<uint8_t>(count * sizeof(T), count);
    std::vector<T> values(count);
    if (count > 0)
        std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

uint64_t elementsIn(const std::vector<uint64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<>());
}

/// Calls visit(n, indices) for each element of an array in C order.
template <typename Visit>
void forEachElement(const std::vector<uint64_t>& shape, const Visit& visit) {
    std::vector<uint64_t> indices(shape.size());
    const uint64_t count = elementsIn(shape);
    for (uint64_t n = 0; n < count; ++n) {
        uint64_t rest = n;
        for (size_t i = shape.size(); i-- > 0;) {
            indices[i] = rest % shape[i];
            rest /= shape[i];
        }
        visit(n, indices);
    }
}

uint64_t numberOf(const std::vector<uint64_t>& indices, const std::vector<uint64_t>& shape) {
    uint64_t number = 0;
    for (size_t i = 0; i < shape.size(); ++i)
        number = number * shape[i] + indices[i];
    return number;
}

template <typename T>
std::vector<T> transposedOnHost(const std::vector<T>& values, const std::vector<uint64_t>& shape,
                                const std::vector<int>& axes) {
    std::vector<uint64_t> outShape;
    for (const int axis : axes)
        outShape.push_back(shape[static_cast<size_t>(axis)]);
    std::vector<T> expected(values.size());
    forEachElement(outShape, [&](uint64_t n, const std::vector<uint64_t>& indices) {
        std::vector<uint64_t> from(shape.size());
        for (size_t i = 0; i < axes.size(); ++i)
            from[static_cast<size_t>(axes[i])] = indices[i];
        expected[n] = values[numberOf(from, shape)];
    });
    return expected;
}

class MoveTest : public DeviceTest {
protected:
    /// A tensor has at least one element, a range may have none.
    template <typename T>
    TensorRange rangeOf(std::vector<T> values) {
        const uint64_t count = values.size();
        values.resize(std::max<size_t>(count, 1));
        return TensorRange(manager.tensorT<T>(values, kStorage), 0, count);
    }
    template <typename T>
    std::vector<T> contentsOf(const TensorRange& range) {
        std::vector<T> values = onDevice<T>(*range.tensor);
        values.resize(range.count);
        return values;
    }

    template <typename T>
    void expectTransposed(const std::vector<uint64_t>& shape, const std::vector<int>& axes) {
        const auto values = distinctElements<T>(elementsIn(shape));
        const TensorRange in = rangeOf(values);
        const TensorRange out = rangeOf(std::vector<T>(values.size()));
        manager.sequence()->eval<kp::OpTranspose>(in, out, shape, axes);
        EXPECT_EQ(contentsOf<T>(out), transposedOnHost(values, shape, axes))
            << ::testing::PrintToString(shape) << " by " << ::testing::PrintToString(axes)
            << ", elements of " << sizeof(T);
    }

    /// The last two of three axes, from element `first` of a tensor on, to `target`.
    template <typename T>
    void expectPartTransposed(const std::vector<uint64_t>& shape, size_t first, size_t target) {
        constexpr size_t kMargin = 8;
        const auto values = distinctElements<T>(elementsIn(shape));
        std::vector<T> stored(first);
        stored.insert(stored.end(), values.begin(), values.end());
        std::vector<T> expected(values.size() + kMargin, T{9});
        const auto in = manager.tensorT<T>(stored, kStorage);
        const auto out = manager.tensorT<T>(expected, kStorage);
        const std::vector<int> axes = {0, 2, 1};
        manager.sequence()->eval<kp::OpTranspose>(TensorRange(in, first, values.size()),
                                                  TensorRange(out, target, values.size()), shape,
                                                  axes);
        std::ranges::copy(transposedOnHost(values, shape, axes),
                          expected.begin() + static_cast<std::ptrdiff_t>(target));
        EXPECT_EQ(onDevice<T>(*out), expected)
            << ::testing::PrintToString(shape) << " from " << first << " to " << target
            << ", elements of " << sizeof(T);
    }

    /// A matrix, in as many parts as the views of these traits need.
    template <typename T>
    void expectCutTranspose(const kp::primitives::DeviceTraits& traits, uint64_t rows,
                            uint64_t columns) {
        constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
        const auto values = distinctElements<T>(rows * columns);
        kp::primitives::MoveProblem problem;
        problem.elementBytes = sizeof(T);
        problem.axes = {{columns, kBytes, rows * sizeof(T)},
                        {rows, static_cast<int64_t>(columns) * kBytes, sizeof(T)}};
        kp::primitives::Plan plan(2);
        kp::primitives::planMove(plan, problem, traits);
        EXPECT_GT(plan.steps.size(), 3u);
        const auto in = manager.tensorT<T>(values, kStorage);
        const auto out = manager.tensorT<T>(values.size());
        manager.sequence()->eval(plannedOperation(plan, {in, out}));
        EXPECT_EQ(out->vector(), transposedOnHost(values, {rows, columns}, {1, 0}));
    }

    /// Every permutation of the axes of a shape.
    template <typename T>
    void expectEveryTranspose(const std::vector<uint64_t>& shape) {
        std::vector<int> axes(shape.size());
        std::iota(axes.begin(), axes.end(), 0);
        do
            expectTransposed<T>(shape, axes);
        while (std::ranges::next_permutation(axes).found);
    }

    template <typename T>
    void expectReversed(const std::vector<uint64_t>& shape, const std::vector<int>& axes) {
        const auto values = distinctElements<T>(elementsIn(shape));
        const TensorRange in = rangeOf(values);
        const TensorRange out = rangeOf(std::vector<T>(values.size()));
        manager.sequence()->eval<kp::OpReverse>(in, out, shape, axes);
        std::vector<T> expected(values.size());
        forEachElement(shape, [&](uint64_t n, std::vector<uint64_t> indices) {
            for (size_t i = 0; i < shape.size(); ++i)
                if (axes.empty() || std::ranges::count(axes, static_cast<int>(i)) ||
                    std::ranges::count(axes, static_cast<int>(i) - static_cast<int>(shape.size())))
                    indices[i] = shape[i] - 1 - indices[i];
            expected[n] = values[numberOf(indices, shape)];
        });
        EXPECT_EQ(contentsOf<T>(out), expected)
            << ::testing::PrintToString(shape) << " along " << ::testing::PrintToString(axes);
    }

    template <typename T>
    void expectConcatenated(const std::vector<uint64_t>& lengths, uint64_t outer, uint64_t inner) {
        std::vector<TensorRange> tensors;
        std::vector<std::vector<T>> parts;
        uint64_t total = 0;
        for (const uint64_t length : lengths) {
            parts.push_back(distinctElements<T>(outer * length * inner));
            tensors.push_back(rangeOf(parts.back()));
            total += length;
        }
        std::vector<T> expected;
        for (uint64_t i = 0; i < outer; ++i)
            for (size_t part = 0; part < parts.size(); ++part) {
                const auto row = static_cast<std::ptrdiff_t>(lengths[part] * inner);
                const auto begin = parts[part].begin() + static_cast<std::ptrdiff_t>(i) * row;
                expected.insert(expected.end(), begin, begin + row);
            }
        const TensorRange out = rangeOf(std::vector<T>(expected.size()));
        manager.sequence()->eval<kp::OpConcatenate>(tensors, out,
                                                    std::vector<uint64_t>{outer, total, inner}, 1);
        EXPECT_EQ(contentsOf<T>(out), expected) << ::testing::PrintToString(lengths);
    }
};

TEST_F(MoveTest, TransposesMatricesOfEverySize) {
    for (const std::vector<uint64_t>& shape : {std::vector<uint64_t>{1, 1},
                                               {1, 100},
                                               {100, 1},
                                               {2, 1000},
                                               {1000, 2},
                                               {3, 5},
                                               {31, 33},
                                               {32, 32},
                                               {64, 64},
                                               {65, 63},
                                               {127, 129},
                                               {256, 257},
                                               {1031, 97},
                                               {5000, 3},
                                               {7, 3001}})
        expectTransposed<uint32_t>(shape, {1, 0});
}

TEST_F(MoveTest, TransposesElementsOfEveryType) {
    for (const std::vector<uint64_t>& shape : casesInTurn<std::vector<uint64_t>>(
             manager, {{3, 5}, {65, 33}, {130, 129}, {16, 16}, {2, 300}}, 2)) {
        expectTransposed<int8_t>(shape, {1, 0});
        expectTransposed<uint16_t>(shape, {1, 0});
        expectTransposed<uint64_t>(shape, {1, 0});
        expectTransposed<Triple>(shape, {1, 0});
        expectTransposed<Vector3>(shape, {1, 0});
        expectTransposed<Vector6>(shape, {1, 0});
        expectTransposed<Block>(shape, {1, 0});
        expectTransposed<Large>(shape, {1, 0});
    }
}

// Elements of one or two bytes are read and written in words where rows begin and end at words.
TEST_F(MoveTest, TransposesNarrowElementsWhateverTheirRowsAreAlignedTo) {
    for (const uint64_t rows : {4, 66})
        for (const uint64_t columns : {8, 135})
            for (const size_t first : {0, 1, 4})
                for (const size_t target : {0, 2}) {
                    expectPartTransposed<uint8_t>({3, rows, columns}, first, target);
                    expectPartTransposed<uint16_t>({2, rows, columns}, first, target);
                }
}

TEST_F(MoveTest, PermutesUpToFourAxes) {
    expectEveryTranspose<uint32_t>({17});
    expectEveryTranspose<uint32_t>({5, 6, 7});
    expectEveryTranspose<uint32_t>({33, 2, 40});
    expectEveryTranspose<uint32_t>({3, 40, 5, 35});
    expectEveryTranspose<uint8_t>({6, 7, 33, 4});
    expectEveryTranspose<uint16_t>({2, 66, 3, 2});
    expectEveryTranspose<Vector3>({4, 1, 9, 5});
    expectEveryTranspose<uint32_t>({2, 0, 3});
}

TEST_F(MoveTest, TransposesByTheReversedAxesIfNoneAreGiven) {
    const std::vector<uint64_t> shape = {3, 4, 5};
    const auto in = manager.tensorT<float>(ascending<float>(60), kStorage);
    const auto out = manager.tensorT<float>(60);
    manager.sequence()->eval<kp::OpTranspose>(in, out, shape);
    EXPECT_EQ(out->vector(), transposedOnHost(ascending<float>(60), shape, {2, 1, 0}));
    manager.sequence()->eval<kp::OpTranspose>(in, out, shape, std::vector<int>{-1, 0, -2});
    EXPECT_EQ(out->vector(), transposedOnHost(ascending<float>(60), shape, {2, 0, 1}));
}

TEST_F(MoveTest, ReversesAlongAnyAxes) {
    for (const size_t count : kSizes)
        expectReversed<uint32_t>({count}, {});
    expectReversed<uint32_t>({0}, {});
    for (const std::vector<int>& axes :
         {std::vector<int>{}, {0}, {1}, {2}, {3}, {-1}, {-4, 2}, {0, 1}, {1, 2, 3}, {0, 1, 2, 3}}) {
        expectReversed<uint32_t>({3, 4, 5, 6}, axes);
        expectReversed<uint8_t>({7, 3, 16, 32}, axes);
        expectReversed<Triple>({2, 3, 33, 5}, axes);
        expectReversed<uint64_t>({2, 3, 33, 1}, axes);
    }
}

TEST_F(MoveTest, ConcatenatesInputsWithoutBarriersBetweenThem) {
    const auto out = manager.tensorT<uint32_t>(40, kp::Memory::MemoryTypes::eStorage);
    std::vector<kp::TensorRange> in;
    for (int i = 0; i < 4; ++i)
        in.emplace_back(manager.tensorT<uint32_t>(10, kp::Memory::MemoryTypes::eStorage));
    const auto barriersOf = [&](size_t operations) {
        auto sequence = manager.sequence();
        const CallCounter calls(manager);
        for (size_t i = 0; i < operations; ++i)
            sequence->record<kp::OpConcatenate>(in, out);
        sequence->eval();
        return calls.barriers();
    };
    EXPECT_EQ(barriersOf(3) - barriersOf(1), 2) << "one between two operations";
}

TEST_F(MoveTest, ConcatenatesAlongAnyAxis) {
    for (const auto& [outer, inner] :
         {std::pair<uint64_t, uint64_t>{1, 1}, {5, 1}, {1, 7}, {3, 4}, {100, 16}}) {
        expectConcatenated<uint32_t>({1}, outer, inner);
        expectConcatenated<uint32_t>({3, 1, 0, 40, 7}, outer, inner);
        expectConcatenated<uint8_t>({3, 1, 0, 40, 7}, outer, inner);
        expectConcatenated<uint16_t>({64, 128, 32}, outer, inner);
        expectConcatenated<Triple>({5, 6}, outer, inner);
        expectConcatenated<uint64_t>({1000, 1}, outer, inner);
    }
}

TEST_F(MoveTest, MovesPartsOfTensors) {
    for (const size_t first : {0, 1, 3, 16, 21})
        for (const size_t target : {0, 1, 2, 7, 16}) {
            const auto values = distinctElements<uint8_t>(2000);
            const auto in = manager.tensorT<uint8_t>(values, kStorage);
            const auto out = manager.tensorT<uint8_t>(std::vector<uint8_t>(2000, 9), kStorage);
            std::vector<uint8_t> expected(2000, 9);
            const std::vector<uint8_t> part(values.begin() + static_cast<std::ptrdiff_t>(first),
                                            values.begin() + static_cast<std::ptrdiff_t>(first) +
                                                1500);
            const auto expectPart = [&](const std::vector<uint8_t>& moved) {
                std::ranges::copy(moved, expected.begin() + static_cast<std::ptrdiff_t>(target));
                EXPECT_EQ(onDevice<uint8_t>(*out), expected) << first << " " << target;
            };
            const TensorRange source(in, first, 1500);
            const TensorRange destination(out, target, 1500);
            manager.sequence()->eval<kp::OpTranspose>(source, destination,
                                                      std::vector<uint64_t>{30, 50});
            expectPart(transposedOnHost(part, {30, 50}, {1, 0}));
            manager.sequence()->eval<kp::OpConcatenate>(
                std::vector<TensorRange>{TensorRange(in, first + 400, 1100),
                                         TensorRange(in, first, 400)},
                destination);
            std::vector<uint8_t> turned = part;
            std::rotate(turned.begin(), turned.begin() + 400, turned.end());
            expectPart(turned);
            manager.sequence()->eval<kp::OpReverse>(source, destination);
            expectPart(std::vector<uint8_t>(part.rbegin(), part.rend()));
        }
}

// The views of a device are at most 2 GiB, and often less. Here they have a few elements.
TEST_F(MoveTest, CutsWhatNoViewCanHold) {
    kp::primitives::DeviceTraits traits = traitsOf(manager);
    for (const uint64_t bytes : {128, 1000, 5000}) {
        traits.maxViewBytes = bytes;
        expectCutTranspose<uint32_t>(traits, 60, 41);
        expectCutTranspose<uint8_t>(traits, 124, 84);
        expectCutTranspose<uint8_t>(traits, 4, 3000);
        expectCutTranspose<uint16_t>(traits, 3000, 2);
        const auto values = distinctElements<uint32_t>(60 * 41);
        const auto in = manager.tensorT<uint32_t>(values, kStorage);
        const auto out = manager.tensorT<uint32_t>(values.size());
        kp::primitives::MoveProblem problem;
        problem.axes = {{60 * 41, -4, 4}};
        problem.inOffset = (60 * 41 - 1) * 4;
        kp::primitives::Plan plan(2);
        kp::primitives::planMove(plan, problem, traits);
        manager.sequence()->eval(plannedOperation(plan, {in, out}));
        EXPECT_EQ(out->vector(), std::vector<uint32_t>(values.rbegin(), values.rend()));
        problem.axes = {{60 * 41, 4, 4}};
        problem.inOffset = 0;
        plan = kp::primitives::Plan(2);
        kp::primitives::planMove(plan, problem, traits);
        manager.sequence()->eval(plannedOperation(plan, {in, out}));
        EXPECT_EQ(out->vector(), values);
    }
}

TEST_F(MoveTest, ShowsTheResultInTheHostViewAndInLaterOperations) {
    const auto a = manager.tensorT<float>({1, 2, 3, 4, 5, 6});
    const auto b = manager.tensorT<float>(6);
    const auto c = manager.tensorT<float>(12);
    manager.sequence()
        ->record<kp::OpSyncDevice>({a})
        ->record<kp::OpTranspose>(a, b, std::vector<uint64_t>{2, 3})
        ->record<kp::OpConcatenate>({a, b}, c)
        ->record<kp::OpReverse>(TensorRange(c, 6, 6), a)
        ->eval();
    EXPECT_EQ(b->vector(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(c->vector(), (std::vector<float>{1, 2, 3, 4, 5, 6, 1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(a->vector(), (std::vector<float>{6, 3, 5, 2, 4, 1}));
}

TEST_F(MoveTest, RefusesArgumentsThatDoNotMatch) {
    const auto six = manager.tensorT<float>({1, 2, 3, 4, 5, 6});
    const auto other = manager.tensorT<float>(6);
    const auto integers = manager.tensorT<int32_t>(6);
    using Shape = std::vector<uint64_t>;
    using Axes = std::vector<int>;
    const auto transpose = [&](const char* message, const TensorRange& out, const Shape& shape,
                               const Axes& axes) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpTranspose(six, out, shape, axes));
    };
    transpose("the input is of eFloat, but the output of eInt", integers, {2, 3}, {});
    transpose("the input has 6 elements, but the output has 5", TensorRange(other, 1), {2, 3}, {});
    transpose("overlap", six, {2, 3}, {});
    transpose("the output is null", {}, {2, 3}, {});
    transpose("the shape (2, 2) does not have the input's 6 elements", other, {2, 2}, {});
    transpose("up to 4 dimensions, not 5", other, {1, 1, 1, 2, 3}, {});
    transpose("2 dimensions needs as many axes, but 1 were given", other, {2, 3}, {0});
    transpose("axis 2 does not exist in an array of 2 dimensions", other, {2, 3}, {0, 2});
    transpose("axis -1 was given twice in (-1, 1)", other, {2, 3}, {-1, 1});
    EXPECT_ERROR(kp::InvalidArgument, "axis 1 does not exist in an array of 1 dimension",
                 kp::OpReverse(six, other, {}, {1}));
    EXPECT_ERROR(kp::InvalidArgument, "OpReverse: the input and the output overlap",
                 kp::OpReverse(six, six));
    const auto concatenate = [&](const char* message, const std::vector<TensorRange>& in,
                                 const TensorRange& out, const Shape& shape, int axis) {
        EXPECT_ERROR(kp::InvalidArgument, message, kp::OpConcatenate(in, out, shape, axis));
    };
    concatenate("at least one input is needed", {}, other, {}, 0);
    concatenate("the inputs have 7 elements together, but the output has 6",
                {six, TensorRange(six, 0, 1)}, other, {}, 0);
    concatenate("an input is of eInt, but the output of eFloat",
                {TensorRange(six, 0, 5), TensorRange(integers, 0, 1)}, other, {}, 0);
    concatenate("input 0 has 5 elements, which is not a multiple of the 2 at each index along axis "
                "1 of the output's shape (2, 3)",
                {TensorRange(six, 0, 5), TensorRange(six, 0, 1)}, other, {2, 3}, 1);
    concatenate("an input and the output overlap", {six}, six, {}, 0);
}

} // namespace
} // namespace kp::test
