// SPDX-License-Identifier: Apache-2.0
//
// Operations that programs derive from OpBase and OpAlgoDispatch and write with vulkan.hpp.
#include <functional>
#include <thread>

#include "../CallCounter.hpp"
#include "../TestSupport.hpp"
#include "../UserVulkan.hpp"
#include "../WithoutRtti.hpp"

namespace kp::test {
namespace {

using CommandBuffer = vk::CommandBuffer;

/// Its hooks are functions. By default it declares that it may access anything.
struct LambdaOp : kp::OpBase {
    std::function<void(const CommandBuffer&)> onRecord = [](const CommandBuffer&) {};
    std::function<void()> onInit = [] {}, onPre = [] {}, onPost = [] {};
    std::function<kp::Accesses()> onAccesses = [] { return kp::Accesses::anything(); };

    void init() override { onInit(); }
    kp::Accesses accesses() override { return onAccesses(); }
    void record(const CommandBuffer& commands) override { onRecord(commands); }
    void preEval(const CommandBuffer&) override { onPre(); }
    void postEval(const CommandBuffer&) override { onPost(); }
};

class CustomOperation : public DeviceTest {
protected:
    void SetUp() override { loadUserVulkan(manager); }

    std::shared_ptr<kp::TensorT<uint32_t>> t = manager.tensorT<uint32_t>({1, 2, 3, 4});
    std::shared_ptr<kp::TensorT<uint32_t>> u = manager.tensorT<uint32_t>({0, 0, 0, 0});
    std::shared_ptr<LambdaOp> op = std::make_shared<LambdaOp>();

    std::function<void(const CommandBuffer&)> fill(const std::shared_ptr<kp::Tensor>& tensor,
                                                   uint32_t value) {
        return [tensor, value](const CommandBuffer& commands) {
            commands.fillBuffer(*tensor->getPrimaryBuffer(), 0, VK_WHOLE_SIZE, value);
        };
    }
};

TEST_F(CustomOperation, NeedsNoRttiInTheProgram) {
    EXPECT_EQ(runWithoutRtti(manager, incrementFloats()), 4.0f);
}

TEST_F(CustomOperation, CallsItsHooksInOrder) {
    std::string calls;
    auto other = std::make_shared<LambdaOp>();
    op->onInit = [&] { calls += "i"; };
    op->onRecord = [&](const CommandBuffer& commands) {
        EXPECT_TRUE(commands);
        calls += "r";
    };
    op->onPre = [&] { calls += "<"; };
    op->onPost = [&] { calls += ">"; };
    other->onInit = [&] { calls += "I"; };
    other->onRecord = [&](const CommandBuffer&) { calls += "R"; };
    other->onPre = [&] { calls += "["; };
    other->onPost = [&] { calls += "]"; };
    auto sq = manager.sequence();
    sq->record(op)->record(other);
    EXPECT_EQ(calls, "irIR");
    sq->evalAsync();
    EXPECT_EQ(calls, "irIR<[");
    sq->evalAwait();
    EXPECT_EQ(calls, "irIR<[>]");
    sq->eval();
    EXPECT_EQ(calls, "irIR<[>]<[>]");
    sq->rerecord();
    EXPECT_EQ(calls, "irIR<[>]<[>]rR");
    sq->eval();
    EXPECT_EQ(calls, "irIR<[>]<[>]rR<[>]");
    calls.clear();
    sq->clear();
    sq->eval();
    EXPECT_EQ(calls, "");
    sq->record(other)->eval();
    EXPECT_EQ(calls, "R[]"); // init() was called before
}

TEST_F(CustomOperation, CannotChangeItsSequence) {
    auto sq = manager.sequence();
    const auto other = std::make_shared<LambdaOp>();
    // A raw pointer, so that no operation keeps its sequence.
    const auto refused = [sequence = sq.get(), &manager = manager, other] {
        const char* part = "by an operation of the same sequence";
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->record(other));
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->eval(other));
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->clear());
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->begin());
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->end());
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->rerecord());
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->eval());
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->evalAsync(other));
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->evalAwait());
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->preEval());
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->postEval());
        EXPECT_ERROR(kp::InvalidArgument, part, sequence->destroy());
        EXPECT_ERROR(kp::InvalidArgument, part, manager.destroy());
    };
    const auto neither = std::make_shared<LambdaOp>();
    for (const auto& hook : {&LambdaOp::onInit, &LambdaOp::onPre, &LambdaOp::onPost}) {
        op = std::make_shared<LambdaOp>();
        (*op).*hook = refused;
        sq->record(op)->record(neither)->eval()->eval();
        sq->rerecord();
        kp::evalAll({sq});
        sq->clear();
    }
    op = std::make_shared<LambdaOp>();
    op->onRecord = [&](const CommandBuffer&) { refused(); };
    op->onAccesses = [&] {
        refused();
        return kp::Accesses();
    };
    sq->record(op)->record(op)->eval();
    sq->rerecord();
    sq->eval();
}

TEST_F(CustomOperation, CannotChangeSequencesThatAreEvaluatedWithItsOwn) {
    auto first = manager.sequence(), second = manager.sequence();
    second->record<kp::OpAlgoDispatch>(manager.algorithm({t}, addShader(1)));
    op->onPre = [&] {
        EXPECT_ERROR(kp::InvalidArgument, "destroy()", second->destroy());
        EXPECT_ERROR(kp::InvalidArgument, "clear()", second->clear());
    };
    first->record(op);
    kp::evalAll({first, second});
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 2u);
}

TEST_F(CustomOperation, MayDropTheLastReferenceToItsSequence) {
    for (int hook = 0; hook < 3; ++hook) {
        auto sq = manager.sequence();
        kp::Sequence* const raw = sq.get();
        op = std::make_shared<LambdaOp>();
        op->onRecord = [&](const CommandBuffer&) { hook == 0 ? sq.reset() : void(); };
        op->onPre = [&] { hook == 1 ? sq.reset() : void(); };
        op->onPost = [&] { hook == 2 ? sq.reset() : void(); };
        auto kept = raw->record(op);
        if (!sq)
            continue;
        kept.reset();
        kept = raw->evalAsync();
        if (sq) {
            EXPECT_EQ(raw->evalAwait(), kept);
        }
    }
}

TEST_F(CustomOperation, IsNotCalledAfterItsRecordingIsReplaced) {
    int first = 0, second = 0;
    auto other = std::make_shared<LambdaOp>();
    op->onPost = [&] { ++first; };
    other->onPost = [&] { ++second; };
    auto sq = manager.sequence();
    sq->record(op)->eval();
    sq->record(other)->eval();
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 1);
}

TEST_F(CustomOperation, IsOrderedAgainstEverythingByDefault) {
    op->onRecord = fill(t, 10);
    auto step = manager.algorithm({t}, addShader(1));
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(step)->record(op)->record<kp::OpAlgoDispatch>(step);
    sq->record<kp::OpSyncLocal>({t});
    for (int round = 0; round < 5; ++round) {
        sq->eval();
        EXPECT_EQ(t->vector(), std::vector<uint32_t>(4, 11));
    }
}

TEST_F(CustomOperation, NeedsBarriersOnlyForItsDeclaredAccesses) {
    using By = kp::Accesses::By;
    auto sq = manager.sequence();
    sq->eval<kp::OpSyncDevice>({t, u});
    auto other = std::make_shared<LambdaOp>();
    op->onRecord = fill(t, 5);
    op->onAccesses = [this] { return kp::Accesses().write(t, By::eTransfer); };
    other->onRecord = fill(u, 6);
    other->onAccesses = [this] { return kp::Accesses().write(u, By::eTransfer); };
    {
        CallCounter calls(manager);
        sq->record(op)->record(other)->eval();
        EXPECT_LE(calls.barriers(), 1u) << "the two operations access different memory";
    }
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 5u);
    EXPECT_EQ(onDevice<uint32_t>(*u)[0], 6u);
    {
        CallCounter calls(manager);
        sq->record(op)->record(op)->record<kp::OpAlgoDispatch>(
            manager.algorithm({t}, addShader(1)));
        sq->eval();
        EXPECT_GE(calls.barriers(), 2u);
        EXPECT_LE(calls.barriers(), 3u);
    }
    EXPECT_EQ(onDevice<uint32_t>(*t), std::vector<uint32_t>(4, 6));
}

TEST_F(CustomOperation, KeepsItsDeclaredAccesses) {
    const kp::Accesses accesses =
        kp::Accesses()
            .read(t)
            .write(u, kp::Accesses::By::eTransfer)
            .readWrite(t, kp::Accesses::By::eTransfer, kp::Accesses::Part::eMirror);
    EXPECT_FALSE(accesses.isAnything());
    ASSERT_EQ(accesses.entries().size(), 3u);
    EXPECT_TRUE(accesses.entries()[0].reads);
    EXPECT_FALSE(accesses.entries()[0].writes);
    EXPECT_EQ(accesses.entries()[1].memory, u);
    EXPECT_TRUE(accesses.entries()[1].writes);
    EXPECT_EQ(accesses.entries()[2].part, kp::Accesses::Part::eMirror);
    EXPECT_TRUE(kp::Accesses::anything().isAnything());
    EXPECT_TRUE(LambdaOp().accesses().isAnything());
}

TEST_F(CustomOperation, LeavesTheSequenceUsableIfAHookThrows) {
    auto sq = manager.sequence();
    op->onPre = [] { throw std::logic_error("before"); };
    sq->record(op);
    EXPECT_THROW(sq->eval(), std::logic_error);
    EXPECT_FALSE(sq->isRunning());
    op->onPre = [] {};
    op->onPost = [] { throw std::logic_error("after"); };
    EXPECT_THROW(sq->eval(), std::logic_error);
    EXPECT_FALSE(sq->isRunning());
    op->onPost = [] {};
    sq->eval();
    op->onRecord = [](const CommandBuffer&) { throw std::logic_error("recording"); };
    EXPECT_THROW(sq->record(op), std::logic_error);
    op->onRecord = [](const CommandBuffer&) {};
    auto initFails = std::make_shared<LambdaOp>();
    initFails->onInit = [] { throw std::logic_error("init"); };
    EXPECT_THROW(sq->record(initFails), std::logic_error);
    sq->clear();
    sq->eval<kp::OpSyncDevice>({t});
    EXPECT_EQ(onDevice<uint32_t>(*t)[3], 4u);
}

/// Dispatches twice, with an explicit barrier in between.
struct TwiceOp : kp::OpAlgoDispatch {
    explicit TwiceOp(std::shared_ptr<kp::Algorithm> algorithm) : OpAlgoDispatch(algorithm) {}
    void record(const CommandBuffer& commands) override {
        OpAlgoDispatch::record(commands);
        const vk::MemoryBarrier barrier(vk::AccessFlagBits::eShaderWrite,
                                        vk::AccessFlagBits::eShaderRead |
                                            vk::AccessFlagBits::eShaderWrite);
        commands.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader,
                                 vk::PipelineStageFlagBits::eComputeShader, {}, barrier, {}, {});
        algorithm()->recordBindCore(commands);
        algorithm()->recordBindPush(commands);
        algorithm()->recordDispatch(commands);
    }
};

TEST_F(CustomOperation, CanRecordOtherOperations) {
    auto one = manager.algorithm({t}, addShader(1));
    auto hundred = manager.algorithm({t}, addShader(100));
    kp::OpFill fillU({u}, 7u);
    kp::OpAlgoDispatch add(hundred);
    int calls = 0;
    op->onRecord = [&](const CommandBuffer& commands) {
        add.record(commands);
        commands.bindPipeline(vk::PipelineBindPoint::eCompute, hundred->nativePipeline());
        fillU.record(commands);
    };
    op->onPost = [&] { ++calls; };
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t})->record<kp::OpAlgoDispatch>(one);
    sq->record(op)->record<kp::OpAlgoDispatch>(one)->eval();
    EXPECT_EQ(onDevice<uint32_t>(*t), (std::vector<uint32_t>{103, 104, 105, 106}));
    EXPECT_EQ(onDevice<uint32_t>(*u), std::vector<uint32_t>(4, 7));
    EXPECT_EQ(calls, 1);
}

TEST_F(CustomOperation, CanDeriveFromADispatch) {
    auto twice = std::make_shared<TwiceOp>(manager.algorithm({t}, addShader(1)));
    EXPECT_TRUE(twice->accesses().isAnything());
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({t})->record(twice)->record(twice);
    sq->record<kp::OpSyncLocal>({t});
    for (int round = 0; round < 3; ++round) {
        sq->eval();
        EXPECT_EQ(t->vector(), (std::vector<uint32_t>{5, 6, 7, 8}));
        t->setData({1, 2, 3, 4});
    }
    EXPECT_FALSE(kp::OpAlgoDispatch(manager.algorithm({t}, addShader(1))).accesses().isAnything());
}

TEST_F(CustomOperation, CanRecordCopiesAndBarriersOfMemory) {
    op->onRecord = [this](const CommandBuffer& commands) {
        t->recordCopyFromStagingToDevice(commands);
        t->recordPrimaryMemoryBarrier(
            commands, vk::AccessFlagBits::eTransferWrite, vk::AccessFlagBits::eTransferRead,
            vk::PipelineStageFlagBits::eTransfer, vk::PipelineStageFlagBits::eTransfer);
        u->recordCopyFrom(commands, t);
        u->recordPrimaryMemoryBarrier(
            commands, vk::AccessFlagBits::eTransferWrite, vk::AccessFlagBits::eTransferRead,
            vk::PipelineStageFlagBits::eTransfer, vk::PipelineStageFlagBits::eTransfer);
        u->recordCopyFromDeviceToStaging(commands);
        u->recordStagingMemoryBarrier(
            commands, vk::AccessFlagBits::eTransferWrite, vk::AccessFlagBits::eHostRead,
            vk::PipelineStageFlagBits::eTransfer, vk::PipelineStageFlagBits::eHost);
        const auto write = t->constructDescriptorSet(vk::DescriptorSet(), 3);
        EXPECT_EQ(write.dstBinding, 3u);
        EXPECT_EQ(write.descriptorType, vk::DescriptorType::eStorageBuffer);
        ASSERT_NE(write.pBufferInfo, nullptr);
        EXPECT_EQ(write.pBufferInfo->buffer, *t->getPrimaryBuffer());
        EXPECT_EQ(write.pBufferInfo->range, 16u);
    };
    manager.sequence()->eval(op);
    EXPECT_EQ(u->vector(), (std::vector<uint32_t>{1, 2, 3, 4}));
    EXPECT_EQ(t->getDescriptorType(), vk::DescriptorType::eStorageBuffer);

    auto floats = manager.tensor({1, 2, 3, 4});
    auto shorter = manager.tensorT<uint32_t>(3);
    op->onRecord = [&](const CommandBuffer& commands) {
        EXPECT_THROW(t->recordCopyFrom(commands, floats), std::runtime_error);
        EXPECT_THROW(t->recordCopyFrom(commands, shorter), std::runtime_error);
    };
    manager.sequence()->eval(op);
}

TEST_F(CustomOperation, RefusesOtherThreadsMeanwhileByThatReason) {
    auto sq = manager.sequence();
    op->onRecord = [&](const CommandBuffer&) {
        EXPECT_ERROR(kp::InvalidArgument, "called by an operation of the same sequence",
                     sq->eval());
        std::thread([&] {
            EXPECT_ERROR(kp::InvalidArgument,
                         "eval() was called while another thread uses the sequence; a sequence "
                         "belongs to one thread at a time: make one for each thread",
                         sq->eval());
            EXPECT_ERROR(kp::InvalidArgument, "record() was called while another thread",
                         sq->record(op));
        }).join();
    };
    sq->eval(op);
}

TEST_F(CustomOperation, AllowsExplicitBarriersOnEveryKindOfMemory) {
    auto storage = manager.tensorT<uint32_t>(4, kp::Memory::MemoryTypes::eStorage);
    auto image = manager.image(2, 2, 1);
    std::vector<std::shared_ptr<kp::Memory>> objects{t, storage, image};
    auto sq = manager.sequence();
    for (const bool primary : {true, false})
        sq->record(std::make_shared<kp::OpMemoryBarrier>(
            objects, vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eTransferRead,
            vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eTransfer,
            primary));
    sq->record<kp::OpSyncDevice>({t})->eval();
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 1u);
}

TEST_F(CustomOperation, RestoresImageLayoutsThatItChanged) {
    auto image = manager.image({1, 2, 3, 4}, 2, 2, 1);
    op->onRecord = [&](const CommandBuffer& commands) {
        image->recordPrimaryImageBarrier(
            commands, vk::AccessFlagBits::eMemoryWrite, vk::AccessFlagBits::eTransferWrite,
            vk::PipelineStageFlagBits::eAllCommands, vk::PipelineStageFlagBits::eTransfer,
            vk::ImageLayout::eTransferDstOptimal);
        EXPECT_EQ(image->getPrimaryImageLayout(), vk::ImageLayout::eTransferDstOptimal);
        commands.clearColorImage(
            *image->getPrimaryImage(), vk::ImageLayout::eTransferDstOptimal,
            vk::ClearColorValue(std::array<float, 4>{9, 9, 9, 9}),
            vk::ImageSubresourceRange(vk::ImageAspectFlagBits::eColor, 0, 1, 0, 1));
    };
    auto sq = manager.sequence();
    sq->record<kp::OpSyncDevice>({image})->record(op)->record<kp::OpSyncLocal>({image});
    for (int round = 0; round < 3; ++round) {
        sq->eval();
        EXPECT_EQ(image->getPrimaryImageLayout(), vk::ImageLayout::eGeneral);
        EXPECT_EQ(image->vector(), std::vector<float>(4, 9));
    }
}

TEST_F(CustomOperation, WorksOnObjectsConstructedWithoutAManager) {
    auto physical = std::make_shared<vk::PhysicalDevice>(manager.nativePhysicalDevice());
    auto device = std::make_shared<vk::Device>(manager.nativeDevice());
    auto queue = std::make_shared<vk::Queue>(manager.nativeQueue());
    auto mine = std::make_shared<kp::TensorT<float>>(physical, device, std::vector<float>{1, 2});
    auto sized = std::make_shared<kp::TensorT<float>>(physical, device, size_t{2});
    auto raw = std::make_shared<kp::Tensor>(physical, device, 2, sizeof(float),
                                            kp::Memory::DataTypes::eFloat);
    auto image =
        std::make_shared<kp::ImageT<float>>(physical, device, std::vector<float>{5, 6}, 2, 1, 1);
    std::vector<std::shared_ptr<kp::Memory>> objects{mine};
    auto algorithm =
        std::make_shared<kp::Algorithm>(device, objects, incrementFloats(), kp::Workgroup{2, 1, 1});
    auto sq = std::make_shared<kp::Sequence>(physical, device, queue, manager.queueFamily());
    sq->record<kp::OpSyncDevice>({mine, image})->record<kp::OpAlgoDispatch>(algorithm);
    sq->record<kp::OpCopy>({mine, sized})->record<kp::OpCopy>({image, raw})->eval();
    EXPECT_EQ(sized->vector(), (std::vector<float>{2, 3}));
    EXPECT_EQ(raw->vector<float>(), (std::vector<float>{5, 6}));
    EXPECT_THROW(kp::TensorT<float>(physical, device, std::vector<float>{}), std::runtime_error);
}

TEST_F(CustomOperation, GetsPropertiesAndDevicesAsVulkanHppTypes) {
    const vk::PhysicalDeviceProperties properties = manager.getDeviceProperties();
    EXPECT_EQ(manager.deviceInfo().name, properties.deviceName.data());
    const auto devices = manager.listDevices();
    ASSERT_FALSE(devices.empty());
    EXPECT_EQ(static_cast<VkPhysicalDevice>(devices.at(manager.deviceInfo().index)),
              manager.nativePhysicalDevice());
    EXPECT_EQ(static_cast<VkInstance>(*manager.getVkInstance()), manager.nativeInstance());
}

} // namespace
} // namespace kp::test
