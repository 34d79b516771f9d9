// SPDX-License-Identifier: Apache-2.0
#include "device/algorithm/AlgorithmSupport.hpp"

namespace kp::test {
namespace {

TEST_F(AlgorithmTest, IsUninitializedWithoutAShader) {
    auto t = manager.tensor({1, 2, 3});
    EXPECT_FALSE(manager.algorithm()->isInit());
    auto algorithm = manager.algorithm({t});
    EXPECT_FALSE(algorithm->isInit());
    auto sq = manager.sequence();
    EXPECT_ERROR(kp::InvalidArgument, "shader", sq->record<kp::OpAlgoDispatch>(algorithm));
    EXPECT_THROW(sq->record<kp::OpAlgoDispatch>(std::shared_ptr<kp::Algorithm>()),
                 kp::InvalidArgument);
    algorithm->rebuild({t}, incrementFloats());
    EXPECT_TRUE(algorithm->isInit());
    sq->clear();
    sq->eval<kp::OpSyncDevice>({t});
    sq->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<float>(*t), (std::vector<float>{2, 3, 4}));
}

TEST_F(AlgorithmTest, TakesDefaultGroupsFromTheFirstObject) {
    auto three = manager.tensor({1, 2, 3});
    EXPECT_EQ(manager.algorithm({three}, incrementFloats())->getWorkgroup(),
              (kp::Workgroup{3, 1, 1}));
    auto algorithm = manager.algorithm({three}, incrementFloats(), {7, 0, 2});
    EXPECT_EQ(algorithm->getWorkgroup(), (kp::Workgroup{7, 1, 2}));
    algorithm->setWorkgroup({0, 5, 5}, 4);
    EXPECT_EQ(algorithm->getWorkgroup(), (kp::Workgroup{4, 1, 1}));
    algorithm->setWorkgroup({2});
    EXPECT_EQ(algorithm->getWorkgroup(), (kp::Workgroup{2, 1, 1}));
}

TEST_F(AlgorithmTest, RoundsThreadCountsUpToGroups) {
    auto t = manager.tensorT<uint32_t>(1000);
    const auto code = spirv("#version 450\nlayout(local_size_x = 64, local_size_y = 2) in;\n" +
                            buffer(0, "", "uint", "v") +
                            "void main() { uint i = gl_GlobalInvocationID.x;"
                            " if (gl_GlobalInvocationID.y == 0u && i < v.length()) v[i] = i; }");
    auto algorithm = manager.algorithm({t}, code);
    EXPECT_EQ(algorithm->getLocalSize(), (kp::Workgroup{64, 2, 1}));
    algorithm->setThreadCount(1000, 3);
    EXPECT_EQ(algorithm->getWorkgroup(), (kp::Workgroup{16, 2, 1}));
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*t), ascending<uint32_t>(1000));
    EXPECT_THROW(algorithm->setThreadCount(0), kp::InvalidArgument);
    EXPECT_THROW(manager.algorithm()->setThreadCount(1), kp::InvalidArgument);
    EXPECT_THROW(algorithm->setThreadCount(UINT64_MAX), kp::InvalidArgument);
}

TEST_F(AlgorithmTest, SpreadsThreadsOverDimensionsIfTheShaderNumbersItself) {
    const auto limit = manager.deviceInfo().maxWorkgroupCount[0];
    if (limit > 1u << 20)
        GTEST_SKIP() << "the work would not fit in memory";
    if (!hasFeature(manager, "storageBuffer8BitAccess") || !hasFeature(manager, "shaderInt8"))
        GTEST_SKIP() << "the device has no 8-bit numbers";
    const uint64_t count = uint64_t{limit} * 64 + 1;
    const std::string body = "layout(local_size_x = 64) in;\n" + buffer(0, "", "uint8_t", "v") +
                             "void main() { uint i = INDEX; if (i < N) v[i] = uint8_t(7); }";
    const std::string head = "#version 450\n"
                             "#extension GL_EXT_shader_8bit_storage : require\n"
                             "#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require\n"
                             "#include <kompute/index.glsl>\n#define N " +
                             std::to_string(count) + "u\n";
    const auto t = manager.tensorT<uint8_t>(count, kp::Memory::MemoryTypes::eStorage);
    manager.sequence()->eval<kp::OpFill>({t}, uint8_t{0});
    const auto counted = manager.algorithm({t}, spirv(head + "#define INDEX kp_index()\n" + body));
    EXPECT_EQ(counted->getWorkgroup()[1], 2u) << "the default covers the tensor";
    counted->setThreadCount(count);
    manager.sequence()->eval<kp::OpAlgoDispatch>(counted);
    EXPECT_EQ(onDevice<uint8_t>(*t), std::vector<uint8_t>(count, 7));
    const auto plain =
        manager.algorithm({t}, spirv(head + "#define INDEX gl_GlobalInvocationID.x\n" + body), {1});
    EXPECT_ERROR(kp::InvalidArgument, "kp_index()", plain->setThreadCount(count));
    EXPECT_ERROR(kp::InvalidArgument, "2^32", counted->setThreadCount(uint64_t{1} << 33));
}

TEST_F(AlgorithmTest, WarnsIfTheDefaultDoesNotCoverWhatTheShaderWrites) {
    const auto few = manager.tensorT<uint32_t>(64);
    const auto many = manager.tensorT<uint32_t>(1000);
    auto sequence = manager.sequence();
    sequence->record<kp::OpAlgoDispatch>(manager.algorithm({many, few}, copyShader()));
    const auto algorithm = manager.algorithm({few, many}, copyShader());
    EXPECT_EQ(algorithm->getWorkgroup(), (kp::Workgroup{64, 1, 1})) << "as in Kompute";
    EXPECT_EQ(logText().find("by default"), std::string::npos) << logText();
    sequence->record<kp::OpAlgoDispatch>(algorithm);
    EXPECT_NE(logText().find("binding 1 with 1000 elements"), std::string::npos) << logText();
}

TEST_F(AlgorithmTest, WarnsOfConstantsThatTheShaderDoesNotDeclare) {
    const auto few = manager.tensorT<uint32_t>(64);
    const auto warned = [](const char* text) { return logText().find(text) != std::string::npos; };
    const auto plain =
        manager.algorithm<uint32_t, float>({few, few}, copyShader(), {1}, {7, 8}, {1.5f});
    EXPECT_TRUE(warned("no specialization constants with the ids 0, 1;")) << logText();
    EXPECT_TRUE(warned("no push constants; the 4 bytes given are ignored")) << logText();
    manager.sequence()->eval<kp::OpAlgoDispatch>(plain); // as in Kompute
    const auto named =
        manager.algorithm({manager.tensor({0})}, specialized, {1}, std::vector<float>{3, 4, 5});
    EXPECT_TRUE(warned("no specialization constants with the ids 2;")) << logText();
}

TEST_F(AlgorithmTest, TakesItsLocalSizeFromSpecializationConstants) {
    auto t = manager.tensorT<uint32_t>(8);
    const auto code =
        spirv("#version 450\nlayout(local_size_x_id = 0) in;\n" + buffer(0, "", "uint", "v") +
              "void main() { v[gl_GlobalInvocationID.x] = gl_WorkGroupSize.x; }");
    auto algorithm = manager.algorithm<uint32_t, float>({t}, code, {2}, {4}, {});
    EXPECT_EQ(algorithm->getLocalSize(), (kp::Workgroup{4, 1, 1}));
    manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<uint32_t>(*t), std::vector<uint32_t>(8, 4));
}

TEST_F(AlgorithmTest, RefusesMoreSharedMemoryThanTheDeviceHas) {
    auto t = manager.tensorT<uint32_t>(8);
    const auto sharing = [](const std::string& size) {
        return spirv("#version 450\nlayout(constant_id = 0) const uint N = " + size +
                     ";\nshared uint s[N];\n" + buffer(0, "", "uint", "v") +
                     "void main() { s[v[0]] = v[1]; v[2] = s[v[3]]; }");
    };
    const auto withSize = [&](const std::vector<uint32_t>& code, uint32_t size) {
        manager.algorithm<uint32_t, float>({t}, code, {1}, {size}, {});
    };
    EXPECT_ERROR(kp::ShaderError, "share 67108864 bytes, which is over ",
                 (void)manager.algorithm({t}, sharing("1 << 24")));
    EXPECT_ERROR(kp::ShaderError, "'s maxComputeSharedMemorySize of ",
                 withSize(sharing("4"), 1u << 24));
    withSize(sharing("1 << 24"), 4);
}

TEST_F(AlgorithmTest, RefusesBigPrivateArraysUnlessAllowed) {
    auto t = manager.tensorT<uint32_t>(8);
    const auto withArray = [](const std::string& size) {
        return spirv("#version 450\nlayout(constant_id = 0) const uint N = " + size + ";\n" +
                     buffer(0, "", "uint", "v") +
                     "void main() { uint a[N]; a[v[0]] = v[1]; v[2] = a[v[3]]; }");
    };
    const auto withSize = [&](const std::vector<uint32_t>& code, uint32_t size,
                              const kp::AlgorithmOptions& options = {}) {
        return manager.algorithm<uint32_t, float>({t}, code, {1}, {size}, {}, options);
    };
    EXPECT_ERROR(kp::ShaderError, "arrays of 4000000000 bytes for itself, and the maximum is 65536",
                 (void)manager.algorithm({t}, withArray("1000000000")));
    EXPECT_ERROR(kp::ShaderError, "arrays of 65540 bytes", withSize(withArray("4"), 16385));
    if (manager.deviceInfo().type != kp::DeviceType::eCpu)
        GTEST_SKIP() << "some GPUs' drivers refuse arrays of 64 KiB themselves";
    withSize(withArray("1000000000"), 16384);

    kp::AlgorithmOptions options;
    options.maxPrivateBytes = 128 << 10;
    auto algorithm = withSize(withArray("4"), 16385, options);
    EXPECT_ERROR(kp::ShaderError, "the maximum is 131072 bytes",
                 algorithm->rebuild<uint32_t, float>({t}, withArray("4"), {1}, {32769}, {}));
    kp::KernelLauncher launcher("array", kp::Kernel(manager, withArray("1000000000")), {t});
    EXPECT_ERROR(kp::ShaderError, "AlgorithmOptions::maxPrivateBytes",
                 launcher({nullptr, {}, kp::WorkSize(1)}));
}

TEST_F(AlgorithmTest, RerecordUsesTheRebuiltAlgorithm) {
    auto a = manager.tensor({1, 2, 3});
    auto b = manager.tensor({10, 20, 30});
    auto algorithm = manager.algorithm({a}, incrementFloats());
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({a, b})->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpSyncLocal>({a, b})->eval();
    EXPECT_EQ(a->vector(), (std::vector<float>{2, 3, 4}));
    algorithm->rebuild({b}, incrementFloats());
    EXPECT_EQ(algorithm->getMemObjects()[0], b);
    sq->rerecord();
    EXPECT_TRUE(sq->isRecording());
    sq->eval();
    EXPECT_EQ(a->vector(), (std::vector<float>{2, 3, 4}));
    EXPECT_EQ(b->vector(), (std::vector<float>{11, 21, 31}));
}

TEST_F(AlgorithmTest, KeepsRecordedDispatchesAfterDestroy) {
    auto a = manager.tensor({1, 2, 3});
    auto algorithm = manager.algorithm({a}, incrementFloats());
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({a})->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpSyncLocal>({a})->eval();
    algorithm->destroy();
    EXPECT_FALSE(algorithm->isInit());
    sq->eval();
    EXPECT_EQ(a->vector(), (std::vector<float>{3, 4, 5}));
    EXPECT_THROW(manager.sequence()->record<kp::OpAlgoDispatch>(algorithm), kp::InvalidArgument);
    algorithm->destroy();
}

TEST_F(AlgorithmTest, SetMemObjectsKeepsThePipeline) {
    auto a = manager.tensor({1, 2, 3});
    auto b = manager.tensor({10, 20, 30});
    auto algorithm = manager.algorithm({a}, incrementFloats());
    const VkPipeline pipeline = algorithm->nativePipeline();
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({a, b});
    sq->record<kp::OpAlgoDispatch>(algorithm);
    algorithm->setMemObjects({b});
    EXPECT_EQ(algorithm->nativePipeline(), pipeline);
    EXPECT_EQ(algorithm->getWorkgroup(), (kp::Workgroup{3, 1, 1}));
    sq->eval();
    EXPECT_EQ(onDevice<float>(*a), (std::vector<float>{2, 3, 4})); // as recorded
    sq->rerecord();
    sq->eval();
    EXPECT_EQ(onDevice<float>(*b), (std::vector<float>{11, 21, 31}));
    EXPECT_THROW(algorithm->setMemObjects({}), kp::Error);
    EXPECT_THROW(algorithm->setMemObjects({manager.image(3, 1, 1)}), kp::Error);
    EXPECT_EQ(algorithm->getMemObjects()[0], b);
}

TEST_F(AlgorithmTest, KeepsItsStateIfRebuildFails) {
    auto a = manager.tensor({1, 2, 3});
    auto algorithm = manager.algorithm({a}, incrementFloats());
    EXPECT_THROW(algorithm->rebuild({a}, std::vector<uint32_t>{1, 2, 3}), kp::ShaderError);
    EXPECT_TRUE(algorithm->isInit());
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({a});
    sq->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(onDevice<float>(*a), (std::vector<float>{2, 3, 4}));
}

TEST_F(AlgorithmTest, RunsAShaderWithoutBuffers) {
    const auto code = spirv("#version 450\nlayout(local_size_x = 1) in;\n"
                            "layout(push_constant) uniform P { float x; };\n"
                            "shared float s; void main() { s = x; }");
    auto algorithm = manager.algorithm({}, code, {4}, {}, {1.0});
    EXPECT_TRUE(algorithm->isInit());
    EXPECT_TRUE(algorithm->getMemObjects().empty());
    auto sq = manager.sequence();
    sq->eval<kp::OpAlgoDispatch>(algorithm);
    EXPECT_FALSE(sq->isRunning());
    auto bare = manager.algorithm({}, spirv("#version 450\nvoid main() {}"));
    EXPECT_EQ(bare->getWorkgroup(), (kp::Workgroup{1, 1, 1}));
    sq->eval<kp::OpAlgoDispatch>(bare);
}

TEST_F(AlgorithmTest, SharesThePipelineOfTheSameShader) {
    auto a = manager.tensor({1, 2, 3});
    auto b = manager.tensor({1, 2, 3});
    const auto code = incrementFloats();
    EXPECT_EQ(manager.algorithm({a}, code)->nativePipeline(),
              manager.algorithm({b}, code)->nativePipeline());
    EXPECT_NE(manager.algorithm({a}, specialized, {}, {1, 1})->nativePipeline(),
              manager.algorithm({a}, specialized, {}, {1, 2})->nativePipeline());
}

TEST_F(AlgorithmTest, BindsOneObjectTwice) {
    auto t = manager.tensorT<uint32_t>({1, 2, 3});
    const auto code = spirv(shader(buffer(0, "readonly", "uint", "a") + buffer(1, "", "uint", "b"),
                                   "b[i] = a[i] + 1u;"));
    auto algorithm = manager.algorithm({t, t}, code, {1});
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(algorithm)->record<kp::OpAlgoDispatch>(algorithm)->eval();
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 3u);
}

TEST_F(AlgorithmTest, OpMultTakesExactlyThreeTensorsOfOneSize) {
    auto a = manager.tensor({1, 2, 3});
    auto b = manager.tensor({2, 2, 2});
    auto c = manager.tensor({0, 0, 0});
    auto sq = manager.sequence();
    EXPECT_ERROR(kp::InvalidArgument, "2", sq->record<kp::OpMult>({a, b}, manager.algorithm()));
    EXPECT_THROW(sq->record<kp::OpMult>({a, b, c, c}, manager.algorithm()), std::runtime_error);
    EXPECT_THROW(sq->record<kp::OpMult>({a, b, manager.tensor({1})}, manager.algorithm()),
                 kp::Error);
    EXPECT_THROW(sq->record<kp::OpMult>({a, b, manager.tensorT<uint32_t>(3)}, manager.algorithm()),
                 kp::Error);
    EXPECT_THROW(sq->record<kp::OpMult>({a, b, c}, std::shared_ptr<kp::Algorithm>()), kp::Error);
    sq->clear();
    sq->record<kp::OpSyncDevice>({a, b, c})->record<kp::OpMult>({a, b, c}, manager.algorithm());
    sq->record<kp::OpSyncLocal>({c})->eval();
    EXPECT_EQ(c->vector(), (std::vector<float>{2, 4, 6}));
}

TEST_F(AlgorithmTest, OpMultRunsMoreElementsThanOneDimensionHolds) {
    const size_t count = 64 * 65535 + 4 * 64 + 1;
    auto a = manager.tensor(std::vector<float>(count, 3));
    auto b = manager.tensor(ascending<float>(count));
    auto c = manager.tensorT<float>(count);
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({a, b})->record<kp::OpMult>({a, b, c}, manager.algorithm());
    sq->record<kp::OpSyncLocal>({c})->eval();
    EXPECT_EQ(c->vector()[count - 1], 3.0f * (count - 1));
    EXPECT_EQ(c->vector()[65536], 3.0f * 65536);
}

TEST_F(AlgorithmTest, OpMultUsesWholeSubgroups) {
    auto a = manager.tensorT<float>(1000);
    auto algorithm = manager.algorithm();
    manager.sequence()->record<kp::OpMult>({a, a, manager.tensorT<float>(1000)}, algorithm);
    EXPECT_EQ(algorithm->getLocalSize(), (kp::Workgroup{64, 1, 1}));
    EXPECT_EQ(algorithm->getWorkgroup(), (kp::Workgroup{16, 1, 1}));
}

TEST_F(AlgorithmTest, CountsTheThreadsOfItsOptions) {
    auto t = manager.tensorT<float>(1000);
    const auto code =
        spirv("#version 450\nlayout(local_size_x = 8, local_size_y = 4) in;\n" +
              buffer(0, "", "float", "v") + "void main() { v[gl_GlobalInvocationID.x] = 1.0; }");
    kp::AlgorithmOptions options;
    options.threads = {1000};
    auto algorithm = manager.algorithm<float, float>({t}, code, {}, {}, {}, options);
    EXPECT_EQ(algorithm->getWorkgroup(), (kp::Workgroup{125, 1, 1}));
    options.threads = {17, 5, 2};
    algorithm->rebuild<float, float>({t}, code, {}, {}, {}, options);
    EXPECT_EQ(algorithm->getWorkgroup(), (kp::Workgroup{3, 2, 2}));
    algorithm->rebuild({t}, code);
    EXPECT_EQ(algorithm->getWorkgroup(), (kp::Workgroup{1000, 1, 1})) << "the size is not kept";
    const auto withBoth = [&] {
        algorithm->rebuild<float, float>({t}, code, {3}, {}, {}, options);
    };
    EXPECT_ERROR(kp::InvalidArgument, "3 work groups in x and 17 threads were given", withBoth());
    EXPECT_ERROR(kp::InvalidArgument, "KernelOptions::globalSize",
                 kp::Kernel(manager, code, options));
}

TEST_F(AlgorithmTest, WarnsOnceBeforeTheFirstDispatchOfAnUnsuitableDefault) {
    const auto code = [](int local) {
        return spirv("#version 450\nlayout(local_size_x = " + std::to_string(local) + ") in;\n" +
                     buffer(0, "", "float", "v") +
                     "void main() { uint i = gl_GlobalInvocationID.x; "
                     "if (i < v.length()) v[i] = 1.0; }");
    };
    const auto dispatched = [&](const std::shared_ptr<kp::Algorithm>& algorithm) {
        const size_t before = logText().size();
        manager.sequence()->record<kp::OpAlgoDispatch>(algorithm)->eval();
        return logText().substr(before);
    };
    auto t = manager.tensorT<float>(1000);
    auto algorithm = manager.algorithm({t}, code(64));
    EXPECT_EQ(logText(), "") << "the size may still be set";
    const std::string warning = dispatched(algorithm);
    EXPECT_NE(warning.find("1000 work groups of 64 invocations each are launched, for 1000 "
                           "elements; call Algorithm::setThreadCount()"),
              std::string::npos)
        << warning;
    EXPECT_EQ(dispatched(algorithm), "");
    EXPECT_EQ(dispatched(manager.algorithm({t}, code(16))), "");
    EXPECT_EQ(dispatched(manager.algorithm({t}, code(64), {1000})), "") << "it was asked for";
    algorithm = manager.algorithm({t}, code(64));
    algorithm->setThreadCount(1000);
    EXPECT_EQ(dispatched(algorithm), "");
}

} // namespace
} // namespace kp::test
