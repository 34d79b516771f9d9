// SPDX-License-Identifier: Apache-2.0
//
// Planted faults. Each proves that its kind of validation checks finds them, and runs only with
// those checks. main() ignores the messages of suites with this name.
#include <functional>

#include "../TestSupport.hpp"
#include "../UserVulkan.hpp"

namespace kp::vulkan {
uint64_t validationMessageCount();
}

namespace kp::test {
namespace {

/// Records @p commands and declares no accesses, so that no barrier is placed.
struct CarelessOp : kp::OpBase {
    explicit CarelessOp(std::function<void(const vk::CommandBuffer&)> commands)
        : mCommands(std::move(commands)) {}
    kp::Accesses accesses() override { return {}; }
    void record(const vk::CommandBuffer& commandBuffer) override { mCommands(commandBuffer); }
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

private:
    std::function<void(const vk::CommandBuffer&)> mCommands;
};

class ValidationCanaryOfOperations : public DeviceTest {
protected:
    std::shared_ptr<kp::TensorT<uint32_t>> t = manager.tensorT<uint32_t>(64);
    uint64_t before = vulkan::validationMessageCount();

    std::shared_ptr<kp::OpBase> dispatch(const std::string& declarations, const std::string& body) {
        auto algorithm = manager.algorithm({t}, spirv(shader(declarations, body)));
        return std::make_shared<CarelessOp>([algorithm](const vk::CommandBuffer& commands) {
            algorithm->recordBindCore(commands);
            algorithm->recordDispatch(commands);
        });
    }
    std::shared_ptr<kp::OpBase> writing() {
        return dispatch(buffer(0, "writeonly", "uint", "v"), "v[i] = i;");
    }
    std::shared_ptr<kp::OpBase> reading() {
        return dispatch(buffer(0, "readonly", "uint", "v") + "shared uint s;", "s = v[i];");
    }
    void expectMessages(const std::string& part) {
        EXPECT_GT(vulkan::validationMessageCount(), before) << "the planted fault was not reported";
        EXPECT_NE(logText().find(part), std::string::npos) << logText();
    }
};

TEST_F(ValidationCanaryOfOperations, CoreSeesACopyPastTheEnd) {
    if (!validating("core"))
        GTEST_SKIP() << "KOMPUTE_VALIDATION has no core";
    loadUserVulkan(manager);
    auto u = manager.tensorT<uint32_t>(64);
    auto sq = manager.sequence();
    sq->record(std::make_shared<CarelessOp>([&](const vk::CommandBuffer& commands) {
        commands.copyBuffer(*t->getPrimaryBuffer(), *u->getPrimaryBuffer(),
                            vk::BufferCopy(0, 128, 256));
    }));
    expectMessages("vkCmdCopyBuffer");
}

TEST_F(ValidationCanaryOfOperations, SyncSeesAMissingBarrierInACommandBuffer) {
    if (!validating("sync"))
        GTEST_SKIP() << "KOMPUTE_VALIDATION has no sync";
    auto sq = manager.sequence();
    sq->record(writing())->record(reading())->eval();
    expectMessages("READ_AFTER_WRITE");
}

TEST_F(ValidationCanaryOfOperations, TheSameDoneRightIsQuiet) {
    if (!validating())
        GTEST_SKIP() << "KOMPUTE_VALIDATION is not set";
    auto write =
        manager.algorithm({t}, spirv(shader(buffer(0, "writeonly", "uint", "v"), "v[i] = i;")));
    auto read = manager.algorithm(
        {t}, spirv(shader(buffer(0, "readonly", "uint", "v") + "shared uint s;", "s = v[i];")));
    manager.sequence()->record<kp::OpAlgoDispatch>(write)->record<kp::OpAlgoDispatch>(read)->eval();
    manager.sequence()->eval<kp::OpAlgoDispatch>(write);
    EXPECT_EQ(vulkan::validationMessageCount(), before);
    EXPECT_EQ(onDevice<uint32_t>(*t), ascending<uint32_t>(64));
}

} // namespace
} // namespace kp::test
