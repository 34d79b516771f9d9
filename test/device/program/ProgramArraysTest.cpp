// SPDX-License-Identifier: Apache-2.0
//
// Programs of functions of arrays.
#include <kompute/Array.hpp>
#include <kompute/program/ArrayProgram.hpp>

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
