// SPDX-License-Identifier: Apache-2.0
//
// Kernel launchers: arguments, sizes, parameters.
#include "device/launch/LaunchSupport.hpp"

namespace kp::test {
namespace {

using KernelLauncherTest = LaunchTest;

TEST_F(KernelLauncherTest, CallOptionsOverrideDefaults) {
    auto tensor = floats({1, 1, 1, 1});
    kp::KernelOptions options = sized(2);
    options.queue = queue;
    kp::KernelLauncher launcher("x3", scale, {tensor, 3.0f, 0.0f}, options);
    EXPECT_TRUE(launcher.queueConfigured());
    EXPECT_TRUE(launcher.globalSizeConfigured());
    launcher()->wait();
    EXPECT_EQ(tensor->vector(), (std::vector<float>{3, 3, 1, 1}));
    kp::LaunchOptions call;
    call.globalSize = kp::WorkSize(4);
    call.localSize = kp::WorkSize(2);
    call.queue = manager.queue(1);
    launcher(call)->wait();
    EXPECT_EQ(tensor->vector(), (std::vector<float>{9, 9, 3, 3}));
    launcher()->wait();
    EXPECT_EQ(tensor->vector(), (std::vector<float>{27, 27, 3, 3}));
}

TEST_F(KernelLauncherTest, ReportsMissingOrInvalidSizes) {
    auto tensor = floats({1, 1, 1});
    kp::KernelLauncher launcher("bare", scale, {tensor, 3.0f, 0.0f});
    EXPECT_FALSE(launcher.queueConfigured());
    EXPECT_FALSE(launcher.globalSizeConfigured());
    EXPECT_ERROR(InvalidArgument, "launcher 'bare': no global size", launcher());
    kp::LaunchOptions call = on(queue);
    call.globalSize = kp::WorkSize(3);
    call.localSize = kp::WorkSize(2);
    EXPECT_ERROR(InvalidArgument, "global size 3 in x is not a multiple of the local size 2",
                 launcher(call));
    call.globalSize = kp::WorkSize(0);
    EXPECT_ERROR(InvalidArgument, "has a 0", launcher(call));
    call.globalSize = kp::WorkSize(4);
    call.localSize = kp::WorkSize(1, 1, 1u << 20);
    EXPECT_ERROR(InvalidArgument, "maxComputeWorkGroupSize", launcher(call));
    call.localSize.reset();
    call.globalSize = kp::WorkSize(uint64_t{1} << 40);
    EXPECT_ERROR(InvalidArgument, "work groups, over", launcher(call));
    call.globalSize = kp::WorkSize(3);
    launcher(call)->wait();
    EXPECT_EQ(tensor->vector(), (std::vector<float>{3, 3, 3}));
}

TEST_F(KernelLauncherTest, RoundsUpOnRequest) {
    auto tensor = floats({1, 1, 1, 1});
    const char* guarded = R"(#version 450
layout(local_size_x = 2) in;
layout(set = 0, binding = 0) buffer V { float v[]; };
layout(push_constant) uniform P { uvec3 kp_global_size; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < kp_global_size.x) v[i] += 1.0;
})";
    kp::Kernel kernel(manager, std::string(guarded));
    kp::KernelOptions options = sized(3);
    kp::KernelLauncher strict("strict", kernel, {tensor}, options);
    EXPECT_ERROR(InvalidArgument, "not a multiple", strict(on(queue)));
    options.roundUp = true;
    kp::KernelLauncher launcher("rounding", kernel, {tensor}, options);
    launcher(on(queue))->wait();
    EXPECT_EQ(tensor->vector(), (std::vector<float>{2, 2, 2, 1}));
    kp::LaunchOptions call = on(queue);
    call.globalSize = kp::WorkSize(4);
    launcher(call)->wait();
    EXPECT_EQ(tensor->vector(), (std::vector<float>{3, 3, 3, 2}));
}

TEST_F(KernelLauncherTest, FillsInTheGlobalSizeOnlyAsWholeNumbers) {
    for (const auto& [type, isFilled] :
         {std::pair("int", true), {"uvec2", true}, {"float", false}}) {
        auto tensor = floats({0});
        const std::string source =
            std::string("#version 450\nlayout(set = 0, binding = 0) buffer V { float v[]; };\n"
                        "layout(push_constant) uniform P { ") +
            type + " kp_global_size; };\nvoid main() { v[0] = float(" +
            (std::string(type) == "uvec2" ? "kp_global_size.x" : "kp_global_size") + "); }";
        const auto launch = [&] {
            kp::KernelLauncher("size", kp::Kernel(manager, source), {tensor}, sized(3))(on(queue))
                ->wait();
        };
        if (isFilled) {
            launch();
            EXPECT_EQ(tensor->vector(), std::vector<float>{3}) << type;
        } else {
            EXPECT_ERROR(InvalidArgument, "'kp_global_size' (float) is missing", launch());
        }
    }
}

TEST_F(KernelLauncherTest, RejectsAnotherLocalSizeThanTheShaders) {
    auto a = manager.tensorT<uint32_t>({1, 2}, kp::Memory::MemoryTypes::eHost);
    auto b = manager.tensorT<uint32_t>({0, 0}, kp::Memory::MemoryTypes::eHost);
    kp::KernelOptions options = sized(2);
    options.localSize = kp::WorkSize(2);
    kp::KernelLauncher launcher("fixed", kp::Kernel(manager, std::string(kAddTo)), {a, b}, options);
    EXPECT_ERROR(InvalidArgument, "the shader fixes it to 1", launcher(on(queue)));
}

TEST_F(KernelLauncherTest, AcceptsArgumentsByPositionIndexOrName) {
    for (const int way : {0, 1, 2}) {
        auto tensor = floats({1, 2});
        const kp::Arguments arguments =
            way == 0   ? kp::Arguments{tensor, 3.0f, 0.5f}
            : way == 1 ? kp::Arguments{{2, 0.5f}, {0, tensor}, {1, 3.0f}}
                       : kp::Arguments{{"offset", 0.5f}, {"scale", 3.0f}, {0, tensor}};
        kp::KernelLauncher launcher("any", scale, arguments, sized(2));
        launcher(on(queue))->wait();
        EXPECT_EQ(tensor->vector(), (std::vector<float>{3.5f, 6.5f})) << way;
        EXPECT_EQ(launcher.arguments().size(), 3u);
        EXPECT_EQ(launcher.arguments()[1].value, kp::ArgumentValue(3.0f));
    }
    auto tensor = floats({1});
    EXPECT_ERROR(InvalidArgument, "all by position, or all",
                 kp::KernelLauncher("mixed", scale, {tensor, {1, 3.0f}, {2, 0.5f}}));
    EXPECT_ERROR(InvalidArgument, "argument 2 'offset' (float) is missing",
                 kp::KernelLauncher("short", scale, {tensor, 3.0f}));
    EXPECT_ERROR(InvalidArgument, "4 arguments were given, but the kernel has 3",
                 kp::KernelLauncher("long", scale, {tensor, 3.0f, 1.0f, 1.0f}));
    EXPECT_ERROR(InvalidArgument, "given twice",
                 kp::KernelLauncher("twice", scale, {{0, tensor}, {1, 3.0f}, {1, 1.0f}}));
    EXPECT_ERROR(
        InvalidArgument, "no argument 'nope'",
        kp::KernelLauncher("unknown", scale, {{"nope", 3.0f}, {"scale", 3.0f}, {"offset", 1.0f}}));
    EXPECT_ERROR(InvalidArgument, "argument 7 was given",
                 kp::KernelLauncher("past", scale, {{7, 3.0f}}));
}

TEST_F(KernelLauncherTest, NamesWrongArguments) {
    auto tensor = floats({1});
    EXPECT_ERROR(InvalidArgument, "launcher 'x': argument 1 'scale' is a float, but was given int",
                 kp::KernelLauncher("x", scale, {tensor, 3, 1.0f}));
    EXPECT_ERROR(InvalidArgument, "argument 1 'scale' is a float, but was given double",
                 kp::KernelLauncher("x", scale, {tensor, 3.0, 1.0f}));
    EXPECT_ERROR(InvalidArgument,
                 "is a float, but was given tensor of 1 eFloat; give the value itself",
                 kp::KernelLauncher("x", scale, {tensor, tensor, 1.0f}));
    EXPECT_ERROR(InvalidArgument,
                 "is a buffer of float, but was given float, which is not memory; give a tensor",
                 kp::KernelLauncher("x", scale, {1.0f, 1.0f, 1.0f}));
    EXPECT_ERROR(InvalidArgument, "was given float[4], which is not memory; give a tensor",
                 kp::KernelLauncher("x", scale, {std::array<float, 4>{}, 1.0f, 1.0f}));
    EXPECT_ERROR(InvalidArgument, "a null pointer",
                 kp::KernelLauncher("x", scale, {std::shared_ptr<kp::Tensor>(), 1.0f, 1.0f}));
    auto doubles = manager.tensorT<double>({1.0});
    EXPECT_ERROR(InvalidArgument, "buffer of float, but was given tensor of 1 eDouble",
                 kp::KernelLauncher("x", scale, {doubles, 1.0f, 1.0f}));
    auto image = manager.image(2, 2, 1);
    EXPECT_ERROR(InvalidArgument, "but was given image of 4 eFloat; give a tensor",
                 kp::KernelLauncher("x", scale, {image, 1.0f, 1.0f}));
    auto gone = floats({1});
    gone->destroy();
    EXPECT_ERROR(InvalidArgument, "destroyed", kp::KernelLauncher("x", scale, {gone, 1.0f, 1.0f}));
}

TEST_F(KernelLauncherTest, ComparesElementTypes) {
    const auto ints = manager.tensorT<int32_t>({1});
    const kp::Kernel kernel(manager, std::string(kScaleShader));
    EXPECT_ERROR(InvalidArgument, "eInt",
                 kp::KernelLauncher("scale", kernel, {ints, 1.0f, 1.0f}, sized(1)));
    kp::KernelOptions options = sized(1);
    options.reinterpret = true;
    EXPECT_NO_THROW(kp::KernelLauncher("scale", kernel, {ints, 1.0f, 1.0f}, options)()->wait());
    const auto algorithm =
        manager.algorithm(kp::reinterpreted({manager.tensorT<int32_t>({1})}), incrementFloats());
    EXPECT_NO_THROW(kp::KernelLauncher("same", kp::Kernel(algorithm), {ints}, sized(1))()->wait());
}

TEST_F(KernelLauncherTest, SpreadsWorkOverDimensionsIfTheShaderNumbersItself) {
    const auto limit = manager.deviceInfo().maxWorkgroupCount[0];
    if (limit > 1u << 20)
        GTEST_SKIP() << "the work would not fit in memory";
    const uint64_t count = uint64_t{limit} * 8 + 3;
    const std::string body = "layout(local_size_x = 8) in;\n" + buffer(0, "", "uint", "v") +
                             "void main() { uint i = INDEX; if (i < v.length()) v[i] = i; }";
    const auto numbered =
        "#version 450\n#include <kompute/index.glsl>\n#define INDEX kp_index()\n" + body;
    const auto plain = "#version 450\n#define INDEX gl_GlobalInvocationID.x\n" + body;
    const auto included =
        "#version 450\n#include <kompute/index.glsl>\n#define INDEX gl_GlobalInvocationID.x\n" +
        body;
    const auto tensor = manager.tensorT<uint32_t>(count, kp::Memory::MemoryTypes::eStorage);
    kp::KernelOptions options = sized(count);
    options.roundUp = true;
    kp::KernelLauncher("count", kp::Kernel(manager, numbered), {tensor}, options)()->wait();
    EXPECT_EQ(onDevice<uint32_t>(*tensor), ascending<uint32_t>(count));
    for (const std::string& other : {plain, included}) {
        kp::KernelLauncher launcher("count", kp::Kernel(manager, other), {tensor}, options);
        EXPECT_ERROR(InvalidArgument, "kp_index()", launcher());
        EXPECT_ERROR(InvalidArgument, std::to_string(uint64_t{limit} * 8), launcher());
    }
}

TEST_F(KernelLauncherTest, TreatsSpecializationConstantsAsOptional) {
    auto a = manager.tensorT<uint32_t>({1, 2}, kp::Memory::MemoryTypes::eHost);
    auto b = manager.tensorT<uint32_t>({0, 0}, kp::Memory::MemoryTypes::eHost);
    kp::Kernel kernel(manager, std::string(kAddTo));
    EXPECT_EQ(kernel.signature().arguments().size(), 3u);
    kp::KernelLauncher("default", kernel, {a, b}, sized(2))(on(queue))->wait();
    EXPECT_EQ(b->vector(), (std::vector<uint32_t>{2, 3}));
    kp::KernelLauncher("ten", kernel, {a, b, 10u}, sized(2))(on(queue))->wait();
    EXPECT_EQ(b->vector(), (std::vector<uint32_t>{11, 12}));
    kp::ParametrizedKernelLauncher launcher("any", kernel, {{"amount", 2}}, {{0, a}, {1, b}},
                                            sized(2));
    for (const uint32_t amount : {20u, 30u, 20u}) {
        launcher(on(queue, {}, {{"amount", amount}}))->wait();
        EXPECT_EQ(b->vector()[0], 1 + amount);
    }
}

TEST_F(KernelLauncherTest, AcceptsImagesAndVectorsAsArguments) {
    if (isSwiftShader(manager))
        GTEST_SKIP() << "SwiftShader stores to no linear image of one channel";
    const char* glsl = R"(#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, r32f) uniform writeonly image2D picture;
layout(push_constant) uniform P { vec2 weights; ivec3 extra; };
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(picture, at, vec4(float(at.x) * weights.x + float(at.y) * weights.y +
                                 float(extra.z)));
})";
    auto image = manager.image(2, 2, 1, kp::Memory::MemoryTypes::eHost);
    kp::Kernel kernel(manager, std::string(glsl));
    kp::KernelOptions options;
    options.globalSize = kp::WorkSize(2, 2);
    kp::KernelLauncher launcher("paint", kernel,
                                {image, std::array<float, 2>{1, 10}, std::array<int, 3>{0, 0, 5}},
                                options);
    launcher(on(queue))->wait();
    EXPECT_EQ(image->vector(), (std::vector<float>{5, 6, 15, 16}));
    EXPECT_ERROR(
        InvalidArgument, "is a float[2], but was given float[3]",
        kp::KernelLauncher("x", kernel, {image, std::array<float, 3>{}, std::array<int, 3>{}}));
}

TEST_F(KernelLauncherTest, RejectsWrongParameters) {
    auto tensor = floats({1});
    auto launcher = parametrized("step", tensor);
    (*launcher)(on(queue, {}, {{"scale", 2.0f}, {"offset", 1.0f}}))->wait();
    EXPECT_EQ(tensor->vector()[0], 3.0f);
    EXPECT_ERROR(InvalidArgument,
                 "launcher 'step': parameter 'offset' is missing; it is argument 2 'offset'",
                 (*launcher)(on(queue, {}, {{"scale", 2.0f}})));
    EXPECT_ERROR(InvalidArgument, "parameter 'dt' is unknown; it takes offset, scale",
                 (*launcher)(on(queue, {}, {{"scale", 2.0f}, {"offset", 1.0f}, {"dt", 1.0f}})));
    EXPECT_ERROR(InvalidArgument, "is a float, but was given int",
                 (*launcher)(on(queue, {}, {{"scale", 7.0f}, {"offset", 1}})));
    (*launcher)(on(queue, {}, {{"scale", 2.0f}, {"offset", 1.0f}}))->wait();
    EXPECT_EQ(tensor->vector()[0], 7.0f);

    const kp::Arguments rest{{0, tensor}, {2, 1.0f}};
    EXPECT_ERROR(InvalidArgument, "argument 2 'offset' (float) was given, but parameter 'offset'",
                 kp::ParametrizedKernelLauncher("x", scale, {{"scale", 1}, {"offset", 2}}, rest));
    EXPECT_ERROR(InvalidArgument, "both stand for argument 1",
                 kp::ParametrizedKernelLauncher("x", scale, {{"a", 1}, {"b", "scale"}}, rest));
    EXPECT_ERROR(InvalidArgument, "argument 0 'V' (buffer of float) is missing",
                 kp::ParametrizedKernelLauncher("x", scale, {{"scale", 1}}, {{2, 1.0f}}));
    EXPECT_ERROR(InvalidArgument, "none of that index",
                 kp::ParametrizedKernelLauncher("x", scale, {{"scale", 9}}, rest));
    EXPECT_ERROR(InvalidArgument, "expected to be a int",
                 kp::ParametrizedKernelLauncher(
                     "x", scale, {{"scale", {1, kp::shader::ScalarType::eInt32}}}, rest));
}

TEST_F(KernelLauncherTest, AcceptsTensorsAsParameters) {
    auto a = floats({1});
    auto b = floats({1});
    kp::ParametrizedKernelLauncher launcher("x2", scale, {{"field", 0}}, {{1, 2.0f}, {2, 0.0f}},
                                            sized(1));
    for (const auto& field : {a, b, a})
        launcher(on(queue, {}, {{"field", field}}));
    queue->finish();
    EXPECT_EQ(a->vector()[0], 4.0f);
    EXPECT_EQ(b->vector()[0], 2.0f);
}

TEST_F(KernelLauncherTest, BindsRebuiltTensors) {
    auto tensor = floats({1});
    auto launcher = fixed("x2", tensor, 2, 0);
    (*launcher)(on(queue))->wait();
    std::vector<float> data{5};
    tensor->rebuild(data.data(), 1, sizeof(float));
    (*launcher)(on(queue))->wait();
    EXPECT_EQ(tensor->vector()[0], 10.0f);
    tensor->destroy();
    EXPECT_ERROR(InvalidArgument, "launcher 'x2'", (*launcher)(on(queue)));
}

TEST_F(KernelLauncherTest, DoesNotAffectOtherLaunchersOfItsAlgorithm) {
    auto a = floats({1, 1});
    auto b = floats({1, 1});
    auto algorithm =
        manager.algorithm<float, float>({a}, manager.compile(kScaleShader), {1}, {}, {2.0f, 0.5f});
    const kp::Kernel kernel(algorithm);
    kp::KernelLauncher own("own", kernel, {}, sized(2));
    kp::KernelLauncher other("other", kernel, {b, 10.0f, 0.0f}, sized(1));
    for (int i = 0; i < 2; ++i) {
        own(on(queue));
        other(on(queue));
    }
    algorithm->setMemObjects({b});
    own(on(queue))->wait();
    EXPECT_EQ(a->vector(), (std::vector<float>{11.5f, 11.5f}));
    EXPECT_EQ(b->vector(), (std::vector<float>{100, 1}));
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(b->vector(), (std::vector<float>{200.5f, 1}));
    kp::LaunchOptions call = on(queue);
    call.localSize = kp::WorkSize(2);
    EXPECT_ERROR(InvalidArgument, "the algorithm fixes it to", own(call));
}

TEST_F(KernelLauncherTest, BecomesAListOfOne) {
    auto tensor = floats({1});
    auto list = fixed("x2", tensor, 2, 0)->asListLauncher("list of one");
    EXPECT_EQ(list->name(), "list of one");
    EXPECT_EQ(list->size(), 1u);
    (*list)(queue).wait();
    EXPECT_EQ(tensor->vector()[0], 2.0f);
}

TEST_F(KernelLauncherTest, WaitsForEventsAndFailsWithThem) {
    auto tensor = floats({1});
    auto launcher = fixed("x2", tensor, 2, 0);
    kp::UserEvent gate;
    const kp::Event held = *(*launcher)(on(queue, {gate}));
    const kp::Event behind = *(*launcher)(on(queue));
    EXPECT_EQ(held.status(), kp::EventStatus::eQueued);
    EXPECT_FALSE(behind.done());
    gate.set();
    behind.wait();
    EXPECT_TRUE(held.done());
    EXPECT_EQ(tensor->vector()[0], 4.0f);
    kp::UserEvent failing;
    const kp::Event failed = *(*launcher)(on(queue, {failing}));
    const kp::Event dependent = *(*launcher)(on(queue, {failed}));
    const kp::Event independent = *(*launcher)(on(queue));
    failing.fail(std::domain_error("planted"));
    EXPECT_THROW(failed.wait(), std::domain_error);
    EXPECT_THROW(dependent.wait(), std::domain_error);
    EXPECT_NO_THROW(independent.wait());
    EXPECT_EQ(tensor->vector()[0], 8.0f);
}

TEST_F(KernelLauncherTest, RunsManyLaunchesInFlight) {
    auto tensor = floats({0});
    auto launcher = parametrized("count", tensor);
    for (int i = 0; i < 200; ++i)
        (*launcher)(on(queue, {}, {{"scale", 1.0f}, {"offset", static_cast<float>(i % 3)}}));
    queue->finish();
    EXPECT_EQ(tensor->vector()[0], 199.0f);
}

TEST_F(KernelLauncherTest, TellsWhenTheNextCallWouldWait) {
    kp::ManagerOptions options;
    options.coalesce = false; // each launch is a submission
    kp::Manager single(options);
    auto tensor = single.tensorT<float>({1}, kp::Memory::MemoryTypes::eHost);
    kp::KernelLauncher launcher("+1", kp::Kernel(single, std::string(kScaleShader)),
                                {tensor, 1.0f, 1.0f}, sized(1));
    EXPECT_TRUE(launcher.ready().done());
    launcher()->wait();
    EXPECT_TRUE(launcher.ready().done());
    auto slow = single.sequence();
    recordSlowWork(single, *slow, single.tensorT<uint32_t>({0}));
    slow->evalAsync();
    int launches = 0;
    while (launcher.ready().done() && launches < 100) {
        launcher();
        ++launches;
    }
    EXPECT_EQ(launches, 32);
    launcher.ready().wait();
    EXPECT_TRUE(launcher.ready().done());
    launcher()->wait();
    slow->evalAwait();
    EXPECT_EQ(tensor->vector()[0], 1.0f + 1 + 32 + 1);
}

/// GLSL that writes the numbers of its push constants, whose layout has gaps, to floats.
constexpr const char* kPadded = R"(#version 450
layout(local_size_x = 1) in;
layout(binding = 0) writeonly buffer Result { float result[]; };
layout(push_constant, std140) uniform P { float first; mat2x3 turn; ivec3 v[2]; float last; };
void main() {
    result[0] = first;
    for (int i = 0; i < 6; ++i) {
        result[1 + i] = turn[i / 3][i % 3];
        result[7 + i] = v[i / 3][i % 3];
    }
    result[13] = last;
})";
constexpr std::array<float, 6> kTurn = {1, 2, 3, 4, 5, 6};
constexpr std::array<int32_t, 6> kVectors = {7, 8, 9, 10, 11, 12};

TEST_F(KernelLauncherTest, LaysOutMatricesAndArrays) {
    auto result = manager.tensorT<float>(14, kp::Memory::MemoryTypes::eHost);
    const kp::Kernel kernel(manager, kPadded);
    kp::KernelLauncher fixed("fixed", kernel, {result, 0.0f, kTurn, kVectors, 13.0f}, sized(1));
    fixed(on(queue))->wait();
    EXPECT_EQ(result->vector(), ascending<float>(14));
    kp::ParametrizedKernelLauncher named(
        "named", kernel, {{"turn", "turn"}},
        {{"Result", result}, {"first", 0.0f}, {"v", kVectors}, {"last", 13.0f}}, sized(1));
    named(on(queue, {}, {{"turn", std::array<float, 6>{-1, -2, -3, -4, -5, -6}}}))->wait();
    EXPECT_EQ(result->vector()[6], -6);
    EXPECT_EQ(result->vector()[7], 7);
    EXPECT_ERROR(InvalidArgument, "'turn' is a float[6], but was given float[9]",
                 kp::KernelLauncher("wrong", kernel,
                                    {result, 0.0f, std::array<float, 9>{}, kVectors, 13.0f}));
}

TEST_F(KernelLauncherTest, MakesPushConstantBlocksByName) {
    auto result = manager.tensorT<float>(14);
    const std::vector<uint32_t> code = spirv(kPadded);
    const kp::shader::Reflection reflection = kp::reflect(code);
    const auto block = kp::pushConstantBlock(
        reflection, {{"v", kVectors}, {"last", 13.0f}, {"turn", kTurn}, {"first", 0.0f}});
    EXPECT_EQ(block.size(), reflection.pushConstantSize);
    EXPECT_EQ(kp::pushConstantBlock(reflection, {0.0f, kTurn, kVectors, 13.0f}), block);
    const auto algorithm = manager.algorithm({result}, code, {1}, std::vector<float>{}, block);
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<float>(*result), ascending<float>(14));
    EXPECT_ERROR(InvalidArgument, "'last' has no value",
                 (void)kp::pushConstantBlock(reflection, {0.0f, kTurn, kVectors}));
    EXPECT_ERROR(InvalidArgument, "'tern' was given, but the shader's are: first (float), turn",
                 (void)kp::pushConstantBlock(reflection, {{"tern", kTurn}}));
    EXPECT_ERROR(InvalidArgument, "0 was given twice",
                 (void)kp::pushConstantBlock(reflection, {{0, 1.0f}, {0, 1.0f}}));
    EXPECT_ERROR(InvalidArgument, "1 is a float[6], but was given int[6]",
                 (void)kp::pushConstantBlock(reflection, {0.0f, kVectors}));
}

} // namespace
} // namespace kp::test
