// SPDX-License-Identifier: Apache-2.0
//
// Programs: recorded operations that are saved, loaded and run with other tensors.
#include <kompute/Launch.hpp>
#include <kompute/program/LauncherProgram.hpp>

#include "device/program/ProgramSupport.hpp"

namespace kp::test {
namespace {

using Floats = std::vector<float>;

/// b[i] = a[i] * factor + offset, with specialization constant 0 and a push constant.
constexpr const char* kScale = R"(#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const float factor = 1;
layout(push_constant) uniform P { float offset; };
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) writeonly buffer B { float b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    b[i] = a[i] * factor + offset;
})";

TEST_F(ProgramTest, RunsASavedDispatchWithOtherTensors) {
    auto a = tensorOf<float>({1, 2, 3});
    auto b = tensorOf<float>({0, 0, 0});
    auto algorithm = manager.algorithm({a, b}, spirv(kScale), {}, {2}, {10});
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({a, b})
        ->record<kp::OpAlgoDispatch>(algorithm)
        ->record<kp::OpSyncLocal>({b});
    const kp::Program program = reloaded(kp::Program::of(*sequence, {{"a", a}}, {{"b", b}}));
    ASSERT_EQ(program.tensors().size(), 2u);
    EXPECT_EQ(program.tensors()[0].name, "a");
    EXPECT_TRUE(program.tensors()[0].input);
    EXPECT_FALSE(program.tensors()[0].output);
    EXPECT_EQ(program.tensors()[1].shape, std::vector<uint64_t>{3});

    auto x = tensorOf<float>({4, 5, 6});
    auto y = tensorOf<float>({0, 0, 0});
    program.run({{"a", x}, {"b", y}});
    EXPECT_EQ(y->vector(), (Floats{18, 20, 22}));
    EXPECT_EQ(b->vector(), (Floats{0, 0, 0}));
    x->setData({1, 1, 1});
    program.run({{"a", x}, {"b", y}});
    EXPECT_EQ(y->vector(), (Floats{12, 12, 12}));
}

TEST_F(ProgramTest, IsAnOperationAmongOthers) {
    auto a = tensorOf<float>({1, 2, 3});
    auto b = tensorOf<float>({0, 0, 0});
    auto sequence = manager.sequence();
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({a, b}, spirv(kScale), {}, {2}, {1}));
    const kp::Program program = reloaded(kp::Program::of(*sequence, {{"a", a}}, {{"b", b}}));
    auto x = tensorOf<float>({4, 5, 6});
    auto y = tensorOf<float>({0, 0, 0});
    auto z = tensorOf<float>({0, 0, 0});
    manager.sequence()
        ->record<kp::OpSyncDevice>({x})
        ->record(program.operation({{"a", x}, {"b", y}}))
        ->record(program.operation({{"a", y}, {"b", z}}))
        ->record<kp::OpSyncLocal>({y, z})
        ->eval();
    EXPECT_EQ(y->vector(), (Floats{9, 11, 13}));
    EXPECT_EQ(z->vector(), (Floats{19, 23, 27}));
    manager.queue()->launch(program.operation({{"a", z}, {"b", x}})).wait();
    manager.sequence()->eval<kp::OpSyncLocal>({x});
    EXPECT_EQ(x->vector(), (Floats{39, 47, 55}));
}

TEST_F(ProgramTest, IsAPartOfAnotherProgram) {
    auto a = tensorOf<float>({1, 2, 3});
    auto b = tensorOf<float>({0, 0, 0});
    auto sequence = manager.sequence();
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({a, b}, spirv(kScale), {}, {2}, {1}));
    const kp::Program inner = kp::Program::of(*sequence, {{"a", a}}, {{"b", b}});
    auto c = tensorOf<float>({0, 0, 0});
    auto twice = manager.sequence();
    twice->record(inner.operation({{"a", a}, {"b", b}}))
        ->record(inner.operation({{"a", b}, {"b", c}}));
    const kp::Program outer = reloaded(kp::Program::of(*twice, {{"a", a}}, {{"b", b}, {"c", c}}));
    auto x = tensorOf<float>({4, 5, 6});
    auto y = tensorOf<float>({0, 0, 0});
    auto z = tensorOf<float>({0, 0, 0});
    outer.run({{"a", x}, {"b", y}, {"c", z}});
    EXPECT_EQ(y->vector(), (Floats{9, 11, 13}));
    EXPECT_EQ(z->vector(), (Floats{19, 23, 27}));
}

TEST_F(ProgramTest, SavesFillsThatTheDeviceRepeats) {
    auto x = tensorOf<double>({1, 2, 3, 4, 5});
    auto bytes = tensorOf<uint8_t>({1, 2, 3, 4, 5, 6, 7, 8});
    auto flag = manager.tensorT<uint32_t>({0});
    auto sequence = manager.sequence();
    sequence->record(std::make_shared<kp::OpRepeat>(
        std::vector<std::shared_ptr<kp::OpBase>>{
            std::make_shared<kp::OpFill>(kp::MemoryObjects({x}), 2.5),
            std::make_shared<kp::OpFill>(kp::MemoryObjects({bytes}), 9)},
        flag, 3));
    const kp::Program program =
        reloaded(kp::Program::of(*sequence, {}, {{"x", x}, {"bytes", bytes}}));
    auto y = tensorOf<double>({0, 0, 0, 0, 0});
    auto z = tensorOf<uint8_t>({0, 0, 0, 0, 0, 0, 0, 0});
    program.run({{"x", y}, {"bytes", z}});
    EXPECT_EQ(y->vector(), std::vector<double>(5, 2.5));
    EXPECT_EQ(z->vector(), std::vector<uint8_t>(8, 9));
}

TEST_F(ProgramTest, SavesTheContentsOfTensorsWithoutAName) {
    auto x = tensorOf<float>({1, 2, 3});
    auto weights = tensorOf<float>({10, 20, 30});
    auto y = tensorOf<float>({0, 0, 0});
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({x, weights, y})
        ->record<kp::OpMult>({x, weights, y}, manager.algorithm());
    const kp::Program program = reloaded(kp::Program::of(*sequence, {{"x", x}}, {{"y", y}}));
    weights->setData({0, 0, 0});
    program.run({{"x", x}, {"y", y}});
    EXPECT_EQ(y->vector(), (Floats{10, 40, 90}));
}

TEST_F(ProgramTest, SavesDataThatOnlyTheHostHasSoFar) {
    auto used = tensorOf(Floats(4, 1234));
    manager.sequence()->eval<kp::OpSyncDevice>({used});
    used.reset(); // its memory comes again
    auto weights = tensorOf(Floats(4, 2));
    auto y = tensorOf(Floats(4, 0));
    auto sequence = manager.sequence();
    sequence->record<kp::OpCopy>({weights, y});
    const kp::Program program = reloaded(kp::Program::of(*sequence, {}, {{"y", y}}));
    program.run({{"y", y}});
    EXPECT_EQ(y->vector(), Floats(4, 2));
}

TEST_F(ProgramTest, ReadsItsOutputs) {
    auto x = tensorOf<float>({1, 2});
    auto t = tensorOf<float>({0, 0});
    auto y = tensorOf<float>({0, 0});
    auto sequence = manager.sequence();
    sequence->record<kp::OpCopy>({x, t})->record<kp::OpCopy>({t, y});
    const kp::Program program =
        reloaded(kp::Program::of(*sequence, {{"x", x}}, {{"t", t}, {"y", y}}));
    program.run({{"x", x}, {"t", t}, {"y", y}});
    EXPECT_EQ(y->vector(), (Floats{1, 2}));
}

TEST_F(ProgramTest, BeginsEachRunWithTheSavedState) {
    auto state = tensorOf<float>({5, 6});
    auto y = tensorOf<float>({0, 0});
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>({state})
        ->record<kp::OpAlgoDispatch>(manager.algorithm({state}, incrementFloats()))
        ->record<kp::OpCopy>({state, y});
    const kp::Program program = reloaded(kp::Program::of(*sequence, {}, {{"y", y}}));
    for (int run = 0; run < 3; ++run) {
        program.run({{"y", y}});
        EXPECT_EQ(y->vector(), (Floats{6, 7}));
    }
}

TEST_F(ProgramTest, ChangesATensorInPlace) {
    auto x = tensorOf<float>({1, 2});
    auto sequence = manager.sequence();
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({x}, incrementFloats()))
        ->record<kp::OpAlgoDispatch>(manager.algorithm({x}, incrementFloats()));
    const kp::Program program = reloaded(kp::Program::of(*sequence, {{"x", x}}, {{"x", x}}));
    ASSERT_EQ(program.tensors().size(), 1u);
    program.run({{"x", x}});
    program.run({{"x", x}});
    EXPECT_EQ(x->vector(), (Floats{5, 6}));
}

TEST_F(ProgramTest, SavesAListOfLaunchersWithTheParametersOfACall) {
    auto a = tensorOf<float>({1, 2, 3});
    auto b = tensorOf<float>({0, 0, 0});
    const kp::Kernel scale(manager, std::string(kScale));
    auto list = std::make_shared<kp::KernelListLauncher>("list");
    kp::KernelOptions options;
    options.globalSize = kp::WorkSize(3);
    list->push(std::make_shared<kp::ParametrizedKernelLauncher>(
        "scale", scale, kp::ParametersMap{{"offset", "offset"}}, kp::Arguments{{0, a}, {1, b}},
        options));
    const kp::Parameters call = {{"offset", 5.0f}};
    const kp::Program program = reloaded(kp::programOf(*list, {{"a", a}}, {{"b", b}}, call));
    program.run({{"a", a}, {"b", b}});
    EXPECT_EQ(b->vector(), (Floats{6, 7, 8}));
    list->push(std::make_shared<kp::HostLauncher>("print", [] {}));
    EXPECT_ERROR(kp::Unsupported, "'print' runs on the host",
                 kp::programOf(*list, {{"a", a}}, {{"b", b}}, call));
}

TEST_F(ProgramTest, JoinsSizes) {
    std::vector<kp::Program> programs;
    for (const size_t count : {2u, 5u}) {
        auto x = tensorOf(Floats(count, 1));
        auto sequence = manager.sequence();
        sequence->record<kp::OpAlgoDispatch>(manager.algorithm({x}, incrementFloats()));
        programs.push_back(kp::Program::of(*sequence, {{"x", x}}, {{"x", x}}));
    }
    const kp::Program program = reloaded(kp::Program::join(programs));
    EXPECT_EQ(program.variants(), 2u);
    for (const size_t count : {5u, 2u, 5u}) {
        auto x = tensorOf(Floats(count, 1));
        program.run({{"x", x}});
        EXPECT_EQ(x->vector(), Floats(count, 2));
    }
    EXPECT_ERROR(kp::InvalidArgument, "other sizes than 3 elements in 'x': for 2 elements in 'x'",
                 program.run({{"x", tensorOf(Floats(3, 1))}}));
}

} // namespace
} // namespace kp::test
