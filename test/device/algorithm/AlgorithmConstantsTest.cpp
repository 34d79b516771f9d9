// SPDX-License-Identifier: Apache-2.0
#include "device/algorithm/AlgorithmSupport.hpp"

namespace kp::test {
namespace {

TEST_F(AlgorithmTest, AppliesSpecializationConstants) {
    auto t = manager.tensor({0});
    auto algorithm = manager.algorithm({t}, specialized, {}, std::vector<float>{3, 4});
    EXPECT_EQ(algorithm->getSpecializationConstants<float>(), (std::vector<float>{3, 4}));
    EXPECT_ERROR(kp::InvalidArgument, "specialization constants were given as eFloat, but",
                 algorithm->getSpecializationConstants<uint32_t>());
    auto sq = manager.sequence();
    sq->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<float>(*t), std::vector<float>{304});
    algorithm->rebuild({t}, specialized); // keeps the previous constants
    sq->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<float>(*t), std::vector<float>{304});
    sq->eval<kp::OpAlgoDispatch>(manager.algorithm({t}, specialized));
    EXPECT_EQ(onDevice<float>(*t), std::vector<float>{102});
}

TEST_F(AlgorithmTest, TakesVectorsOfBool) {
    auto t = manager.tensorT<uint32_t>(4);
    const auto code = spirv(
        "#version 450\nlayout(constant_id = 0) const bool A = false;\n"
        "layout(constant_id = 1) const bool B = true;\n"
        "layout(push_constant) uniform P { bool c, d; };\n" +
        buffer(0, "", "uint", "v") +
        "void main() { v[0] = A ? 1 : 0; v[1] = B ? 1 : 0; v[2] = c ? 1 : 0; v[3] = d ? 1 : 0; }");
    const std::vector<bool> given = {true, false};
    auto algorithm = manager.algorithm({t}, code, {1}, given, given);
    EXPECT_EQ(algorithm->getSpecializationConstants<bool>(), given);
    EXPECT_EQ(algorithm->getPushConstants<bool>(), given);
    auto sq = manager.sequence();
    sq->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{1, 0, 1, 0}));
    sq->record<kp::OpAlgoDispatch>(algorithm, std::vector<bool>{false, true})->eval();
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{1, 0, 0, 1}));
    algorithm->setPushConstants(std::vector<bool>{true, true});
    sq->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{1, 0, 1, 1}));
}

TEST_F(AlgorithmTest, AppliesSpecializationConstantsById) {
    using Constant = kp::SpecializationConstant;
    auto t = manager.tensorT<uint32_t>(8);
    const auto code =
        spirv("#version 450\nlayout(local_size_x_id = 7) in;\n" + buffer(0, "", "uint", "v") +
              "layout(constant_id = 2) const uint two = 2;\n"
              "layout(constant_id = 40) const int forty = -40;\n"
              "void main() { v[gl_GlobalInvocationID.x] = "
              "two * 1000u + uint(forty) * 10u + gl_WorkGroupSize.x; }");
    const auto run = [&](const std::vector<Constant>& constants) {
        auto algorithm = manager.algorithm<Constant, float>({t}, code, {1}, constants, {});
        manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
        return onDevice<uint32_t>(*t)[0];
    };
    EXPECT_EQ(run({Constant::of(40, int32_t{5}), Constant::of(7, uint32_t{4})}), 2054u);
    EXPECT_EQ(run({Constant::of(2, 3u), Constant::of(40, 6), Constant::of(99, 1.0)}), 3061u);
    EXPECT_ERROR(kp::InvalidArgument, "given twice",
                 run({Constant::of(2, 3u), Constant::of(2, 3u)}));
    EXPECT_ERROR(kp::InvalidArgument, "1 to 8", run({Constant{2, 9, {}}}));
    EXPECT_ERROR(kp::ShaderError, "constant 40 'forty'", run({Constant::of(40, 6.0)}));
}

TEST_F(AlgorithmTest, AppliesBoolSpecializationConstants) {
    using Constant = kp::SpecializationConstant;
    auto t = manager.tensorT<uint32_t>(1);
    const auto code = spirv(shader("layout(constant_id = 0) const bool on = false;"
                                   "layout(constant_id = 1) const bool off = true;" +
                                       buffer(0, "writeonly", "uint", "v"),
                                   "v[i] = (on ? 10u : 0u) + (off ? 1u : 0u);"));
    const auto run = [&](const std::vector<Constant>& constants) {
        auto algorithm = manager.algorithm<Constant, float>({t}, code, {1}, constants, {});
        manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
        return onDevice<uint32_t>(*t)[0];
    };
    EXPECT_EQ(run({}), 1u);
    EXPECT_EQ(run({Constant::of(0, true), Constant::of(1, false)}), 10u);
    EXPECT_EQ(run({Constant::of(0, true), Constant::of(1, uint32_t{1})}), 11u);
}

TEST_F(AlgorithmTest, PassesPushConstantsPerDispatch) {
    auto t = manager.tensor({0});
    auto algorithm = manager.algorithm({t}, appendPush, {}, {}, {1.0});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpAlgoDispatch>(algorithm, kp::Constants{2});
    sq->record<kp::OpAlgoDispatch>(algorithm);
    sq->eval();
    EXPECT_EQ(onDevice<float>(*t), std::vector<float>{121});
    EXPECT_EQ(algorithm->getPushConstants<float>(), std::vector<float>{1});
}

TEST_F(AlgorithmTest, RerecordKeepsThePushConstantsOfEachDispatch) {
    auto t = manager.tensor({0});
    auto algorithm = manager.algorithm({t}, appendPush, {}, {}, {1.0});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpAlgoDispatch>(algorithm, kp::Constants{2});
    sq->rerecord();
    sq->eval();
    EXPECT_EQ(onDevice<float>(*t), std::vector<float>{12});
}

TEST_F(AlgorithmTest, SetPushConstantsChangesTheDefault) {
    auto t = manager.tensor({0});
    auto algorithm = manager.algorithm({t}, storePush, {}, {}, {1.0});
    algorithm->setPushConstants(std::vector<float>{5});
    float six = 6;
    auto sq = manager.sequence();
    sq->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<float>(*t), std::vector<float>{5});
    algorithm->setPushConstants(&six, 1, sizeof six);
    sq->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<float>(*t), std::vector<float>{6});
    EXPECT_THROW(algorithm->setPushConstants(std::vector<float>{1, 2}), kp::InvalidArgument);
    EXPECT_EQ(algorithm->getPushConstants<float>(), std::vector<float>{6});
    EXPECT_THROW(algorithm->getPushConstants<double>(), kp::InvalidArgument);
    EXPECT_EQ(algorithm->getPushConstants<int32_t>().size(), 1u); // bytes have no type
    algorithm->setPushConstants(std::vector<float>{6});
    EXPECT_ERROR(kp::InvalidArgument,
                 "push constants were given as eFloat, but asked for as eInt; ask for the type",
                 algorithm->getPushConstants<int32_t>());
    EXPECT_EQ(algorithm->getPushConstants<uint8_t>().size(), sizeof(float));
}

TEST_F(AlgorithmTest, RejectsAWrongPushConstantSizeWhenRecorded) {
    auto t = manager.tensor({0});
    auto algorithm = manager.algorithm({t}, storePush, {}, {}, {1.0});
    auto sq = manager.sequence();
    const auto op = std::make_shared<kp::OpAlgoDispatch>(algorithm, kp::Constants{1, 2, 3});
    EXPECT_ERROR(kp::InvalidArgument, "12", sq->record(op));
    sq->clear();
    sq->eval<kp::OpAlgoDispatch>(algorithm, kp::Constants{4});
    EXPECT_EQ(onDevice<float>(*t), std::vector<float>{4});
}

TEST_F(AlgorithmTest, RefusesConstantsOfAnotherTypeThanTheShaderDeclares) {
    const auto t = manager.tensorT<uint32_t>(2);
    const auto code =
        spirv("#version 450\nlayout(local_size_x = 1) in;\n" + buffer(0, "", "uint", "v") +
              "layout(constant_id = 0) const uint factor = 1;\n"
              "layout(push_constant) uniform Push { uint count; float scale; };\n"
              "void main() { v[0] = count * factor; v[1] = uint(scale); }");
    struct Push {
        uint32_t count;
        float scale;
    };
    const auto algorithm = manager.algorithm<int32_t, Push>({t}, code, {1}, {2}, {{3, 4}});
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{6, 4}));

    const auto refuses = [&](const auto& constants, const char* message) {
        EXPECT_ERROR(kp::InvalidArgument, message,
                     manager.sequence()->record<kp::OpAlgoDispatch>(algorithm, constants));
        EXPECT_ERROR(kp::InvalidArgument, message, algorithm->setPushConstants(constants));
    };
    refuses(std::vector<float>{3, 4}, "push constant 'count' is declared as uint, but was given as "
                                      "float; give numbers of the declared type, or a struct");
    refuses(std::vector<uint32_t>{3, 4}, "push constant 'scale' is declared as float, but was");
    refuses(std::vector<double>{3}, "push constant 'count' is declared as uint, but was given as");
    refuses(std::vector<uint64_t>{3}, "push constant 'count' is declared as uint, but was given");
    EXPECT_THROW(manager.algorithm<float>({t}, code, {1}, {2}), kp::ShaderError);
    EXPECT_THROW((manager.algorithm<kp::SpecializationConstant, float>(
                     {t}, code, {1}, {kp::SpecializationConstant::of(0, 2.0f)})),
                 kp::ShaderError);
}

TEST_F(AlgorithmTest, AcceptsStructsAsPushConstants) {
    struct Mixed {
        float x;
        uint32_t y;
    };
    auto t = manager.tensor({0});
    const auto code = spirv(shader(buffer(0, "writeonly", "float", "v") +
                                       "layout(push_constant) uniform P { float x; uint y; };",
                                   "v[i] = x + float(y);"));
    auto algorithm = manager.algorithm<float, Mixed>({t}, code, {1}, {}, {{0.5f, 3}});
    auto sq = manager.sequence();
    sq->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<float>(*t), std::vector<float>{3.5});
    sq->eval<kp::OpAlgoDispatch>(algorithm, std::vector<Mixed>{{0.25f, 7}});
    EXPECT_EQ(onDevice<float>(*t), std::vector<float>{7.25});
}

} // namespace
} // namespace kp::test
