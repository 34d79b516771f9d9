// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/custom-operations.md. Each block of that page is a part of this file,
// apart from whitespace.
#include "../DocsSupport.hpp"
#include "../TestSupport.hpp"
#include "../UserVulkan.hpp"

#include <kompute/Kompute.hpp>
#include <vulkan/vulkan.hpp>

namespace kp::test {
namespace {

class CustomOperationDocsTest : public DeviceTest {
protected:
    void SetUp() override { loadUserVulkan(manager); }

    std::shared_ptr<kp::Sequence> sequence = manager.sequence();
};

TEST_F(CustomOperationDocsTest, RunsTheCodeOnAClassOfYourOwn) {
    auto a = manager.tensor({1, 2});
    auto b = manager.tensor({3, 4});
    sequence->eval<kp::OpSyncDevice>({a, b})->clear();
    // clang-format off
class OpUpdate : public kp::OpBase {
  public:
    OpUpdate(std::vector<std::shared_ptr<kp::Tensor>> tensors, float value)
        : mTensors(std::move(tensors)), mValue(value) {}

    kp::Accesses accesses() override {
        kp::Accesses accesses;
        for (const auto& tensor : mTensors)
            accesses.write(tensor, kp::Accesses::By::eTransfer);
        return accesses;
    }

    void record(const vk::CommandBuffer& commandBuffer) override {
        for (const auto& tensor : mTensors)
            commandBuffer.updateBuffer(vk::Buffer(tensor->nativeBuffer()), tensor->nativeOffset(),
                                       sizeof mValue, &mValue);
    }

    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

  private:
    std::vector<std::shared_ptr<kp::Tensor>> mTensors;
    float mValue;
};

sequence->record<OpUpdate>({a, b}, 1.5f)->eval();
    // clang-format on
    EXPECT_EQ(onDevice<float>(*a), (std::vector<float>{1.5f, 2}));
    EXPECT_EQ(onDevice<float>(*b), (std::vector<float>{1.5f, 4}));
}

TEST_F(CustomOperationDocsTest, RunsTheCodeOnAccesses) {
    auto input = manager.tensor({1});
    auto output = manager.tensor({2});
    auto counters = manager.tensor({3});
    auto source = manager.tensor({4});
    auto groups = manager.tensorT<uint32_t>({1, 1, 1});
    const auto accesses = [&] {
        // clang-format off
return kp::Accesses()
    .read(input)                                     // by a shader
    .write(output)
    .readWrite(counters)
    .read(source, kp::Accesses::By::eTransfer)       // by a copy or fill command
    .read(groups, kp::Accesses::By::eIndirect);      // as group counts of an indirect dispatch
                                                        // clang-format on
    };
    const kp::Accesses declared = accesses();
    EXPECT_FALSE(declared.isAnything());
    ASSERT_EQ(declared.entries().size(), 5u);
    EXPECT_FALSE(declared.entries()[1].reads);
    EXPECT_TRUE(declared.entries()[2].reads && declared.entries()[2].writes);
    EXPECT_EQ(declared.entries()[4].memory, groups);
}

TEST_F(CustomOperationDocsTest, RunsTheCodeOnAnOperationWithItsOwnShader) {
    static const std::string kSquare =
        shader(buffer(0, "readonly", "float", "a") + buffer(1, "writeonly", "float", "b"),
               "b[i] = a[i] * a[i];");
    auto numbers = manager.tensor({1, 2, 3});
    auto squares = manager.tensor({0, 0, 0});
    // clang-format off
class OpSquare : public kp::OpAlgoDispatch {
  public:
    OpSquare(const std::vector<std::shared_ptr<kp::Memory>>& memObjects,
             const std::shared_ptr<kp::Algorithm>& algorithm)
        : OpAlgoDispatch(algorithm), mMemObjects(memObjects) {
        algorithm->rebuild(mMemObjects, kp::compile(kSquare));
    }

    kp::Accesses accesses() override {
        return kp::Accesses().read(mMemObjects.at(0)).write(mMemObjects.at(1));
    }

  private:
    std::vector<std::shared_ptr<kp::Memory>> mMemObjects;
};

sequence->record<OpSquare>({numbers, squares}, manager.algorithm())->eval();
    // clang-format on
    EXPECT_EQ(squares->vector(), (std::vector<float>{1, 4, 9}));
}

TEST_F(CustomOperationDocsTest, RunsTheCodeOnAnOperationMadeOfOthers) {
    // clang-format off
class OpSquareTwice : public kp::OpBase {
  public:
    OpSquareTwice(std::shared_ptr<kp::Algorithm> first, std::shared_ptr<kp::Algorithm> second)
        : mFirst(std::move(first)), mSecond(std::move(second)) {}

    kp::Accesses accesses() override { return kp::Accesses(); }
    void record(const vk::CommandBuffer& commandBuffer) override {
        recordPart(commandBuffer, mFirst);
        recordPart(commandBuffer, mSecond);
    }
    void preEval(const vk::CommandBuffer&) override {}
    void postEval(const vk::CommandBuffer&) override {}

  private:
    kp::OpAlgoDispatch mFirst;
    kp::OpAlgoDispatch mSecond;
};
    // clang-format on
    const auto square =
        spirv(shader(buffer(0, "readonly", "float", "a") + buffer(1, "writeonly", "float", "b"),
                     "b[i] = a[i] * a[i];"));
    auto numbers = manager.tensor({1, 2, 3});
    auto squares = manager.tensor({0, 0, 0});
    auto fourth = manager.tensor({0, 0, 0});
    sequence
        ->record(std::make_shared<OpSquareTwice>(manager.algorithm({numbers, squares}, square),
                                                 manager.algorithm({squares, fourth}, square)))
        ->eval();
    EXPECT_EQ(fourth->vector(), (std::vector<float>{1, 16, 81}));
}

TEST_F(CustomOperationDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/custom-operations.md",
                     "test/device/docs/CustomOperationDocsTest.cpp", 4);
}

} // namespace
} // namespace kp::test
