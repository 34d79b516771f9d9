// SPDX-License-Identifier: Apache-2.0
//
// Names of work: in captures and other tools, and in messages.
#include <kompute/Launch.hpp>

#include "../FaultyDriver.hpp"
#include "../TestSupport.hpp"
#include "unit/TestText.hpp"

#include <algorithm>

namespace kp::test {
namespace {

using Texts = std::vector<std::string>;

class ToolNames : public ::testing::Test {
protected:
    std::unique_ptr<kp::Manager> makeManager() {
        kp::ManagerOptions options;
        options.cacheFolder = "off";
        return mDriver.manager(options);
    }
    bool named(const std::string& name) const {
        const Texts names = mDriver.names();
        return std::find(names.begin(), names.end(), name) != names.end();
    }

    FaultyDriver mDriver;
};

TEST_F(ToolNames, AreLabelsOfSequencesAndOperationsIfAToolIsAttached) {
    mDriver.attachTool();
    const auto manager = makeManager();
    const auto x = manager->tensorT<uint32_t>({1, 2});
    const auto blur = manager->algorithm({x}, addShader(1));
    blur->setName("blur");
    const auto sequence = manager->sequence();
    sequence->setName("frame");
    sequence->record<kp::OpSyncDevice>({x})
        ->record<kp::OpAlgoDispatch>(blur)
        ->record<kp::OpAlgoDispatch>(manager->algorithm({x}, addShader(2)))
        ->eval();
    EXPECT_EQ(mDriver.labels(),
              (Texts{"frame", "kp::OpSyncDevice", "", "blur", "", "kp::OpAlgoDispatch", "", ""}));
    EXPECT_TRUE(named("frame")); // the command buffer
    EXPECT_TRUE(named("blur"));  // the pipeline
}

TEST_F(ToolNames, AreLabelsOfLaunchers) {
    mDriver.attachTool();
    const auto manager = makeManager();
    const auto x = manager->tensorT<uint32_t>({1, 2});
    kp::KernelOptions options;
    options.globalSize = kp::WorkSize(2);
    kp::KernelLauncher launcher("decay", kp::Kernel(*manager, addShader(1)), {x}, options);
    launcher()->wait();
    EXPECT_EQ(mDriver.labels(), (Texts{"decay", ""}));
    EXPECT_TRUE(named("decay"));
}

TEST_F(ToolNames, AreNoLabelsWithoutATool) {
    if (validating())
        GTEST_SKIP() << "the validation layer is a tool";
    const auto manager = makeManager();
    const auto x = manager->tensorT<uint32_t>({1, 2});
    manager->sequence()->eval<kp::OpFill>({x}, 3u);
    EXPECT_EQ(mDriver.labels(), Texts{});
}

TEST_F(ToolNames, FollowAnAlgorithmToItsNextPipeline) {
    mDriver.attachTool();
    const auto manager = makeManager();
    const auto x = manager->tensorT<uint32_t>({1, 2});
    const auto algorithm = manager->algorithm({x}, addShader(1));
    algorithm->setName("blur");
    const size_t before = mDriver.names().size();
    algorithm->rebuild({x}, addShader(2));
    EXPECT_GT(mDriver.names().size(), before);
    EXPECT_EQ(mDriver.names().back(), "blur");
}

class Names : public DeviceTest {};

TEST_F(Names, OfSequencesAreInErrors) {
    const auto x = manager.tensorT<uint32_t>({1, 2});
    const kp::UserEvent never;
    auto sequence = manager.sequence();
    sequence->setName("frame");
    sequence->record<kp::OpFill>({x}, 1u)->evalAsync({never});
    EXPECT_ERROR(kp::InvalidArgument, "the sequence 'frame' runs", sequence->eval());
    const kp::Event event = sequence->event();
    sequence->destroy();
    EXPECT_ERROR(kp::Cancelled, "its sequence 'frame' was destroyed", event.wait());
    EXPECT_ERROR(kp::InvalidArgument, "this sequence 'frame' was destroyed", sequence->eval());
}

TEST_F(Names, OfAlgorithmsAreInErrors) {
    const auto x = manager.tensorT<uint32_t>({1, 2});
    const auto algorithm = manager.algorithm(
        {x},
        spirv(shader(buffer(0, "", "uint", "v") + "layout(push_constant) uniform P { uint n; };",
                     "v[i] += n;")));
    algorithm->setName("blur");
    EXPECT_ERROR(kp::InvalidArgument, "'blur': ",
                 manager.sequence()->record<kp::OpAlgoDispatch>(algorithm, std::vector<float>{1}));
    algorithm->destroy();
    EXPECT_ERROR(kp::InvalidArgument, "the algorithm 'blur' was destroyed",
                 manager.sequence()->record<kp::OpAlgoDispatch>(algorithm));
}

TEST_F(Names, OfMemoryAreInErrors) {
    const auto x = manager.tensorT<float>({1, 2});
    x->setName("weights");
    EXPECT_ERROR(kp::ShaderError, "a tensor 'weights' of 2 eFloat",
                 manager.algorithm({x}, addShader(1)));
    x->rebuild(ascending<float>(5).data(), 5, sizeof(float));
    EXPECT_ERROR(kp::ShaderError, "a tensor 'weights' of 5 eFloat",
                 manager.algorithm({x}, addShader(1)));
}

TEST_F(Names, AreInCheckReports) {
    const auto x = manager.tensorT<uint32_t>({1, 2});
    x->setName("weights");
    kp::AlgorithmOptions options;
    options.check = "bounds";
    const auto algorithm =
        manager.algorithm({x}, addShader(1), kp::Workgroup{3, 1, 1}, {}, {}, options);
    for (const std::string name : {"blur", "sharpen"}) {
        algorithm->setName(name);
        try {
            manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm);
            FAIL() << "nothing was thrown";
        } catch (const kp::CheckFailed& error) {
            EXPECT_EQ(error.faults().at(0).algorithm, name);
            EXPECT_TRUE(contains(error.what(), "dispatch of '" + name + "'"));
            EXPECT_TRUE(contains(error.faults().at(0).memory, "a tensor 'weights' of 2"));
        }
    }
}

TEST_F(Names, OfLaunchersAreInCheckReports) {
    const auto x = manager.tensorT<uint32_t>({1, 2});
    kp::AlgorithmOptions checked;
    checked.check = "bounds";
    const kp::Kernel kernel(manager, addShader(1), checked);
    kp::KernelOptions options;
    options.globalSize = kp::WorkSize(3);
    for (const std::string name : {"blur", "sharpen"}) { // with one kernel and the same memory
        kp::KernelLauncher launcher(name, kernel, {x}, options);
        EXPECT_ERROR(kp::CheckFailed, "dispatch of '" + name + "'", launcher()->wait());
    }
}

} // namespace
} // namespace kp::test
