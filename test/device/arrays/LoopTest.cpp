// SPDX-License-Identifier: Apache-2.0
//
// Loops of array functions that the device ends.
#include <kompute/arrays/Capture.hpp>

#include "ArraySupport.hpp"
#include "device/CallCounter.hpp"

namespace kp::test {
namespace {

using State = std::vector<Array>;

class LoopTest : public ArrayTest {
protected:
    Array row(std::vector<float> values) { return of(values); }
    Array number(float value) { return full({}, value, DType::eFloat32, &manager); }

    /// Doubles a row until its largest element is 100 or more, and counts.
    State doubled(const Array& x, uint32_t most = 50) {
        return whileLoop([](const State& s) { return max(s[0]) < 100; },
                         [](const State& s) {
                             return State{s[0] * 2, s[1] + 1};
                         },
                         {x, number(0)}, most);
    }
};

TEST_F(LoopTest, EndsOnceTheConditionDoesNotHold) {
    const Array x = row({1, 2, 3});
    const State found = doubled(x);
    expectRow<float>(found[0], {64, 128, 192});
    EXPECT_EQ(found[1].item<float>(), 6);
    expectRow<float>(x, {1, 2, 3});
}

TEST_F(LoopTest, RunsNoStepIfTheConditionDoesNotHoldAtTheStart) {
    const State found = doubled(row({1, 100}));
    expectRow<float>(found[0], {1, 100});
    EXPECT_EQ(found[1].item<float>(), 0);
}

TEST_F(LoopTest, EndsAfterTheMostSteps) {
    for (const uint32_t most : {1u, 15u, 16u, 17u, 40u}) {
        const State found =
            whileLoop([](const State& s) { return greaterEqual(s[0], 0); },
                      [](const State& s) { return State{s[0] + 1}; }, {number(0)}, most);
        EXPECT_EQ(found[0].item<float>(), static_cast<float>(most));
    }
}

TEST_F(LoopTest, ComputesTheNextStateFromTheOldOne) {
    const State found =
        whileLoop([](const State& s) { return s[3] < 3; },
                  [](const State& s) {
                      return State{s[1], s[0], s[2](Slice(begin, end, -1)), s[3] + 1};
                  },
                  {row({1, 2}), row({3, 4}), row({5, 6, 7}), number(0)}, 10);
    expectRow<float>(found[0], {3, 4});
    expectRow<float>(found[1], {1, 2});
    expectRow<float>(found[2], {7, 6, 5});
}

TEST_F(LoopTest, ComputesAStateOfSeveralShapes) {
    const Array b = row({10, 20});
    const State found = whileLoop([](const State& s) { return s[0] < 3; },
                                  [](const State& s) -> State {
                                      return {s[0] + 1, s[2] + 1, s[1] * 2, concat({s[2], s[1]})};
                                  },
                                  {number(0), b, b + 1, concat({b, b})}, 10);
    expectRow<float>(found[1], {25, 45});
    expectRow<float>(found[2], {42, 82});
    expectRow<float>(found[3], {24, 44, 21, 41});
}

TEST_F(LoopTest, ChangesTheStateInPlace) {
    const Array x = row({1, 2, 3});
    const State found = whileLoop([](const State& s) { return s[1] < 4; },
                                  [](const State& s) {
                                      s[0](Slice(0, 2)).assign(s[0](Slice(1, 3)) + 1);
                                      s[1].assign(s[1] + 1);
                                      return s;
                                  },
                                  {x, number(0)}, 10);
    expectRow<float>(found[0], {5, 4, 3});
    expectRow<float>(x, {1, 2, 3});
}

TEST_F(LoopTest, UsesArraysAndExpressionsFromOutside) {
    const Array weights = row({1, 10});
    const Array sum = weights + 1; // not computed yet
    const State found =
        whileLoop([](const State& s) { return s[0](0) < 10; },
                  [&](const State& s) { return State{s[0] + sum}; }, {row({0, 0})}, 10);
    expectRow<float>(found[0], {10, 55});
    expectRow<float>(sum, {2, 11});
}

TEST_F(LoopTest, IsAPartOfACapturedFunction) {
    const CapturedFunction f = capture([&](const State& in) {
        const Array scaled = in[0] * 0.5f; // computed for the loop
        const Array after = in[0] + in[0]; // and after it
        const State found = doubled(scaled);
        const State again = doubled(found[0] * 0.25f + scaled, 2);
        return State{found[0], found[1], again[0] + after, scaled};
    });
    for (const float first : {1.0f, 3.0f, 60.0f, 500.0f}) {
        const Array x = row({first, 2});
        const State found = f({x});
        const State expected = doubled(x * 0.5f);
        const State again = doubled(expected[0] * 0.25f + x * 0.5f, 2);
        EXPECT_EQ(found[0].vector<float>(), expected[0].vector<float>());
        EXPECT_EQ(found[1].item<float>(), expected[1].item<float>());
        EXPECT_EQ(found[2].vector<float>(), (again[0] + x + x).vector<float>());
        EXPECT_EQ(found[3].vector<float>(), (x * 0.5f).vector<float>());
    }
    EXPECT_EQ(f.traces(), 1u);
}

TEST_F(LoopTest, TakesOneSubmissionInACapturedFunction) {
    const CapturedFunction f = capture([&](const State& in) { return State{doubled(in[0])[0]}; });
    const Array x = row({1, 2});
    for (int i = 0; i < 3; ++i)
        f({x})[0].vector<float>();
    const CallCounter counter(manager);
    const Array found = f({x})[0];
    manager.defaultQueue()->finish();
    EXPECT_EQ(counter.submits(), 1u);
    expectRow<float>(found, {64, 128});
}

TEST_F(LoopTest, ChangesArgumentsOfACapturedFunction) {
    const CapturedFunction f = capture([&](const State& in) {
        const Array before = in[0] * 1;
        in[0].assign(doubled(in[0])[0]);
        return State{before};
    });
    for (int i = 0; i < 3; ++i) {
        const Array x = row({1, 2});
        expectRow<float>(f({x})[0], {1, 2});
        expectRow<float>(x, {64, 128});
    }
}

TEST_F(LoopTest, RunsPrimitivesInItsSteps) {
    const Array order = row({3, 1, 2, 0});
    const State found =
        whileLoop([](const State& s) { return any(s[0](Slice(1, end)) > 0.5f); },
                  [](const State& s) { return State{sort(s[0]) * 0.5f}; }, {order}, 20);
    expectRow<float>(found[0], {0, 0.125f, 0.25f, 0.375f});
}

TEST_F(LoopTest, RefusesWhatItCannotRepeat) {
    const Array x = row({1, 2});
    const auto same = [](const State& s) { return s; };
    const auto holds = [](const State& s) { return s[0](0) < 5; };
    EXPECT_ERROR(InvalidArgument, "one of them is empty", whileLoop(nullptr, same, {x}, 1));
    EXPECT_ERROR(InvalidArgument, "at least one array", whileLoop(holds, same, {}, 1));
    EXPECT_ERROR(InvalidArgument, "at least 1, not 0", whileLoop(holds, same, {x}, 0));
    EXPECT_ERROR(InvalidArgument, "one element, not an array of shape (2,)",
                 whileLoop([](const State& s) { return s[0] < 5; }, same, {x}, 1));
    EXPECT_ERROR(InvalidArgument, "has 1 array, but its body returns 2",
                 whileLoop(
                     holds,
                     [](const State& s) {
                         return State{s[0], s[0]};
                     },
                     {x}, 1));
    EXPECT_ERROR(
        InvalidArgument, "the body returns (2,) and int32",
        whileLoop(
            holds, [](const State& s) { return State{s[0].astype(DType::eInt32)}; }, {x}, 1));
    EXPECT_ERROR(
        InvalidArgument, "cannot be captured",
        whileLoop(
            holds, [](const State& s) { return State{s[0] + s[0](0).item<float>()}; }, {x}, 1));
    Array kept;
    EXPECT_ERROR(InvalidArgument, "keeps an array",
                 whileLoop(
                     holds,
                     [&](const State& s) {
                         kept = s[0] + 1;
                         return State{kept * 2};
                     },
                     {x}, 1));
    EXPECT_ERROR(InvalidArgument, "within another loop",
                 whileLoop(
                     holds, [&](const State& s) { return whileLoop(holds, same, s, 2); }, {x}, 1));
    expectRow<float>(x + 1, {2, 3}); // nothing is captured any more
}

} // namespace
} // namespace kp::test
