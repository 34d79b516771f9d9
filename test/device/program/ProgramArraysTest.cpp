// SPDX-License-Identifier: Apache-2.0
//
// Programs of functions of arrays.
#include <kompute/Array.hpp>
#include <kompute/arrays/Capture.hpp>
#include <kompute/program/ArrayProgram.hpp>

#include "device/CallCounter.hpp"
#include "device/program/ProgramSupport.hpp"

namespace kp::test {
namespace {

using Floats = std::vector<float>;

class ProgramOfArrays : public ProgramTest {
protected:
    kp::Array floats(const Floats& values) { return kp::Array::of(values, &manager); }
};

TEST_F(ProgramOfArrays, RunsWithOtherArrays) {
    const kp::Program program = reloaded(kp::captureProgram(
        [](const kp::NamedArrays& in) {
            const kp::Array& x = in.at("x");
            return kp::NamedArrays{{"sorted", kp::sort(x * 2 + 1)}, {"total", kp::sum(x)}};
        },
        {{"x", floats({3, 1, 2})}}));
    const kp::NamedArrays results = kp::runProgram(program, {{"x", floats({9, 7, 8})}});
    EXPECT_EQ(results.at("sorted").vector<float>(), (Floats{15, 17, 19}));
    EXPECT_EQ(results.at("total").item<float>(), 24);
    EXPECT_TRUE(results.at("total").shape().empty());
}

TEST_F(ProgramOfArrays, SavesOtherArraysAndLeavesInputsAsTheyAre) {
    const kp::Array weights = floats({1, 10, 100});
    const kp::Program program = reloaded(kp::captureProgram(
        [&](const kp::NamedArrays& in) {
            const kp::Array& x = in.at("x");
            x.assign(x + weights);
            return kp::NamedArrays{{"y", x * weights}};
        },
        {{"x", floats({1, 1, 1})}}));
    const kp::Array x = floats({2, 3, 4});
    const kp::NamedArrays results = kp::runProgram(program, {{"x", x}});
    EXPECT_EQ(results.at("y").vector<float>(), (Floats{3, 130, 10400}));
    EXPECT_EQ(results.at("x").vector<float>(), (Floats{3, 13, 104}));
    EXPECT_EQ(x.vector<float>(), (Floats{2, 3, 4}));
}

TEST_F(ProgramOfArrays, GivesAnArgumentBackAsACopy) {
    const kp::Program program = reloaded(kp::captureProgram(
        [](const kp::NamedArrays& in) {
            return kp::NamedArrays{{"same", in.at("x")},
                                   {"reversed", in.at("x")(kp::Slice(kp::begin, kp::end, -1))}};
        },
        {{"x", floats({1, 2, 3})}}));
    const kp::NamedArrays results = kp::runProgram(program, {{"x", floats({4, 5, 6})}});
    EXPECT_EQ(results.at("same").vector<float>(), (Floats{4, 5, 6}));
    EXPECT_EQ(results.at("reversed").vector<float>(), (Floats{6, 5, 4}));
}

TEST_F(ProgramOfArrays, SavesElementsThatAreSetToNumbers) {
    const auto set = [](const kp::NamedArrays& in) {
        const kp::Array y = in.at("x").copy();
        y(1).assign(7);
        y(kp::Slice(3, 6)).assign(3);
        return kp::NamedArrays{{"y", y}};
    };
    for (const kp::DType dtype : {kp::DType::eInt8, kp::DType::eInt16, kp::DType::eFloat32,
                                  kp::DType::eFloat64, kp::DType::eInt64}) {
        SCOPED_TRACE(kp::toString(dtype));
        const kp::Array x = floats({9, 8, 7, 6, 5, 4, 3}).astype(dtype);
        const kp::Program program = reloaded(kp::captureProgram(set, {{"x", x}}));
        const kp::Array y = kp::runProgram(program, {{"x", x + 1}}).at("y");
        EXPECT_EQ(y.astype(kp::DType::eFloat32).vector<float>(), (Floats{10, 7, 8, 3, 3, 3, 4}));
    }
}

TEST_F(ProgramOfArrays, SubmitsWhatItHasRecordedInALoop) {
    const kp::Program program = kp::captureProgram(
        [](const kp::NamedArrays& in) {
            return kp::NamedArrays{{"y", kp::cumsum(in.at("x")) + 1}};
        },
        {{"x", floats({1, 1, 1})}});
    kp::Array x = floats({1, 1, 1});
    Floats expected{1, 1, 1};
    const auto step = [&] {
        x = kp::runProgram(program, {{"x", x}}).at("y");
        expected = {expected[0] + 1, expected[0] + expected[1] + 1,
                    expected[0] + expected[1] + expected[2] + 1};
        manager.defaultQueue()->finish();
    };
    for (int i = 0; i < 6; ++i)
        step();
    {
        const CallCounter counter(manager);
        for (int i = 0; i < 6; ++i)
            step();
        EXPECT_EQ(counter.of("vkBeginCommandBuffer"), 0u);
        EXPECT_EQ(counter.of("vkAllocateDescriptorSets"), 0u);
    }
    EXPECT_EQ(x.vector<float>(), expected);
}

TEST_F(ProgramOfArrays, KeepsTheResultsOfEarlierRuns) {
    const kp::Program program = kp::captureProgram(
        [](const kp::NamedArrays& in) {
            return kp::NamedArrays{{"y", kp::sum(in.at("x") * 2)}};
        },
        {{"x", floats({1, 2})}});
    std::vector<kp::Array> found;
    for (int i = 0; i < 20; ++i)
        found.push_back(
            kp::runProgram(program, {{"x", floats({static_cast<float>(i), 1})}}).at("y"));
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(found[static_cast<size_t>(i)].item<float>(), 2 * static_cast<float>(i) + 2);
}

TEST_F(ProgramOfArrays, IsAPartOfACapturedFunction) {
    const kp::Program program = kp::captureProgram(
        [](const kp::NamedArrays& in) {
            return kp::NamedArrays{{"y", kp::sort(in.at("x"))}};
        },
        {{"x", floats({3, 1, 2})}});
    const auto step = [&](const kp::Array& x) {
        return kp::runProgram(program, {{"x", x * 2}}).at("y") + 1;
    };
    const kp::CapturedFunction captured = kp::capture(
        [&](const std::vector<kp::Array>& in) { return std::vector<kp::Array>{step(in[0])}; });
    const kp::Program outer = reloaded(kp::captureProgram(
        [&](const kp::NamedArrays& in) {
            return kp::NamedArrays{{"z", step(in.at("x"))}};
        },
        {{"x", floats({0, 0, 0})}}));
    for (int i = 0; i < 3; ++i) {
        const auto shift = static_cast<float>(i);
        const kp::Array x = floats({5 + shift, 1, 3});
        const Floats expected{3, 7, 11 + 2 * shift};
        EXPECT_EQ(captured({x})[0].vector<float>(), expected);
        EXPECT_EQ(kp::runProgram(outer, {{"x", x}}).at("z").vector<float>(), expected);
    }
}

TEST_F(ProgramOfArrays, RunsWithoutInputs) {
    auto y = tensorOf<float>({0, 0});
    auto sequence = manager.sequence();
    sequence->record<kp::OpFill>({y}, 5);
    const kp::Program program = reloaded(kp::Program::of(*sequence, {}, {{"y", y}}));
    EXPECT_EQ(kp::runProgram(program, {}, &manager).at("y").vector<float>(), (Floats{5, 5}));
}

TEST_F(ProgramOfArrays, RefusesWhatItCannotMean) {
    const auto twice = [](const kp::NamedArrays& in) {
        return kp::NamedArrays{{"y", in.at("x") * 2}};
    };
    const kp::Program program = kp::captureProgram(twice, {{"x", floats({1, 2})}});
    EXPECT_ERROR(kp::InvalidArgument, "'x' (2)", kp::runProgram(program, {{"x", floats({1})}}));
    EXPECT_ERROR(kp::InvalidArgument, "also takes 'x'", kp::runProgram(program, {}));
    EXPECT_ERROR(kp::InvalidArgument, "no input 'z'",
                 kp::runProgram(program, {{"x", floats({1, 2})}, {"z", floats({1})}}));
    EXPECT_ERROR(kp::InvalidArgument, "float32, but int32",
                 kp::runProgram(program, {{"x", floats({1, 2}).astype(kp::DType::eInt32)}}));
    EXPECT_ERROR(kp::InvalidArgument, "uses the tensor 'unused'",
                 kp::captureProgram(twice, {{"x", floats({1})}, {"unused", floats({1})}}));
    EXPECT_ERROR(kp::InvalidArgument, "have the name 'x'",
                 kp::captureProgram(
                     [](const kp::NamedArrays& in) {
                         return kp::NamedArrays{{"x", in.at("x") * 2}};
                     },
                     {{"x", floats({1})}}));
    EXPECT_ERROR(kp::InvalidArgument, "cannot be captured",
                 kp::captureProgram(
                     [](const kp::NamedArrays& in) {
                         return kp::NamedArrays{{"y", in.at("x") * in.at("x").item<float>()}};
                     },
                     {{"x", floats({1})}}));
}

} // namespace
} // namespace kp::test
