// SPDX-License-Identifier: Apache-2.0
//
// Every function of every object that was destroyed: it returns or throws InvalidArgument.
#include <functional>
#include <utility>

#include <kompute/Group.hpp>
#include <kompute/Launch.hpp>
#include <kompute/queue/Queue.hpp>

#include "device/TestSupport.hpp"
#include "device/VulkanHpp.hpp"

namespace kp::test {
namespace {

using Call = std::pair<const char*, std::function<void()>>;

void expectSurvives(const std::vector<Call>& calls) {
    for (const auto& [name, call] : calls) {
        SCOPED_TRACE(name);
        try {
            call();
        } catch (const kp::InvalidArgument&) {
        } catch (const std::exception& error) {
            ADD_FAILURE() << "threw another error: " << error.what();
        }
    }
}

#define CALL(...)                                                                                  \
    Call {                                                                                         \
#__VA_ARGS__, [&] { (void)(__VA_ARGS__); }                                                 \
    }

class DestroyedObject : public DeviceTest {
protected:
    /// The functions of all memory.
    std::vector<Call> callsOf(kp::Memory& m) {
        return {CALL(m.memoryType()),
                CALL(m.dataType()),
                CALL(m.type()),
                CALL(m.isInit()),
                CALL(m.setName("name")),
                CALL(m.size()),
                CALL(m.dataTypeMemorySize()),
                CALL(m.memorySize()),
                CALL(m.getX()),
                CALL(m.getY()),
                CALL(m.rawData()),
                CALL(m.data<float>()),
                CALL(m.keepHostView()),
                CALL(m.noteHostChange()),
                CALL(m.hostViewReady()),
                CALL(m.deviceHasContents()),
                CALL(m.vector<float>()),
                CALL(m.setData(values)),
                CALL(m.upload(values)),
                CALL(m.upload(values.data(), 0)),
                CALL(m.download(values)),
                CALL(m.download(values.data(), 0)),
                CALL(m.recordCopyFromStagingToDevice(commands)),
                CALL(m.recordCopyFromDeviceToStaging(commands)),
                CALL(m.recordCopyFrom(commands, alive)),
                CALL(m.recordPrimaryMemoryBarrier(commands, kRead, kRead, kStage, kStage)),
                CALL(m.recordStagingMemoryBarrier(commands, kRead, kRead, kStage, kStage)),
                CALL(m.constructDescriptorSet(vk::DescriptorSet(), 0)),
                CALL(m.getDescriptorType()),
                CALL(m.destroy())};
    }

    static constexpr auto kRead = vk::AccessFlagBits::eMemoryRead;
    static constexpr auto kStage = vk::PipelineStageFlagBits::eAllCommands;
    vk::CommandBuffer commands;
    std::vector<float> values{1, 2};
    std::shared_ptr<kp::Tensor> alive = manager.tensor({3, 4});
};

TEST_F(DestroyedObject, TensorsReturnOrThrow) {
    for (const auto type : kMemoryTypes) {
        auto t = manager.tensor({1, 2}, type);
        auto algorithm = manager.algorithm({t}, incrementFloats());
        t->destroy();
        expectSurvives(callsOf(*t));
        expectSurvives({CALL(t->rebuild(values.data(), 2, 4)), CALL(t->setRawData(values.data())),
                        CALL((*t)[0]), CALL(t->constructDescriptorBufferInfo()),
                        CALL(t->getPrimaryBuffer()), CALL(t->nativeBuffer()),
                        CALL(t->nativeOffset()), CALL(t->deviceAddress()),
                        CALL(t->exportMemory())});
        t->destroy();
        expectSurvives(
            {CALL(manager.algorithm({t}, incrementFloats())), CALL(algorithm->setMemObjects({t})),
             CALL(manager.sequence()->record<kp::OpSyncDevice>({t})),
             CALL(manager.sequence()->record<kp::OpSyncLocal>({t})),
             CALL(manager.sequence()->record<kp::OpCopy>({t, alive})),
             CALL(manager.sequence()->record<kp::OpCopy>({alive, t})),
             CALL(manager.sequence()->record<kp::OpFill>({t}, 0u)),
             CALL(manager.sequence()->eval<kp::OpAlgoDispatch>(algorithm)),
             CALL(kp::Accesses().write(t).read(t)),
             CALL(kp::KernelLauncher("k", kp::Kernel(manager, incrementFloats()), {t}))});
    }
}

TEST_F(DestroyedObject, ImagesReturnOrThrow) {
    for (const auto type : kMemoryTypes) {
        auto image = manager.image({1, 2}, 2, 1, 1, type);
        image->destroy();
        expectSurvives(callsOf(*image));
        expectSurvives({CALL(image->getNumChannels()), CALL(image->getPrimaryImage()),
                        CALL(image->nativeImage()), CALL(image->nativeView()),
                        CALL(image->getPrimaryImageLayout()),
                        CALL(image->recordPrimaryImageBarrier(commands, kRead, kRead, kStage,
                                                              kStage, vk::ImageLayout::eGeneral)),
                        CALL(manager.sequence()->record<kp::OpSyncDevice>({image})),
                        CALL(manager.sequence()->record<kp::OpCopy>({image, alive}))});
    }
}

TEST_F(DestroyedObject, AlgorithmsReturnOrThrow) {
    auto a = manager.algorithm({alive}, incrementFloats());
    auto sq = manager.sequence();
    sq->record<kp::OpAlgoDispatch>(a);
    a->destroy();
    expectSurvives({CALL(a->isInit()),
                    CALL(a->setMemObjects({alive})),
                    CALL(a->rebuild({alive}, incrementFloats())),
                    CALL(a->setWorkgroup({1, 1, 1})),
                    CALL(a->getWorkgroup()),
                    CALL(a->setThreadCount(4)),
                    CALL(a->getLocalSize()),
                    CALL(a->setPushConstants(values)),
                    CALL(a->getSpecializationConstants<float>()),
                    CALL(a->getPushConstants<float>()),
                    CALL(a->getMemObjects()),
                    CALL(a->getTensors()),
                    CALL(a->recordDispatch(commands)),
                    CALL(a->recordBindCore(commands)),
                    CALL(a->recordBindPush(commands)),
                    CALL(a->nativePipeline()),
                    CALL(a->nativePipelineLayout()),
                    CALL(a->nativeDescriptorSet()),
                    CALL(sq->eval()),
                    CALL(sq->rerecord()),
                    CALL(manager.sequence()->record<kp::OpAlgoDispatch>(a)),
                    CALL(kp::Kernel(a)),
                    CALL(kp::KernelLauncher("k", kp::Kernel(a), {alive}, {})),
                    CALL(a->destroy())});
}

TEST_F(DestroyedObject, SequencesReturnOrThrow) {
    auto op = std::make_shared<kp::OpSyncDevice>(std::vector<std::shared_ptr<kp::Memory>>{alive});
    for (const bool timed : {false, true}) {
        auto sq = manager.sequence(0, timed ? 4 : 0);
        sq->record(op)->eval();
        const kp::Event event = sq->event();
        sq->destroy();
        expectSurvives(
            {CALL(sq->record(op)),
             CALL(sq->record<kp::OpAlgoDispatch>(manager.algorithm({alive}, incrementFloats()))),
             CALL(sq->eval()),
             CALL(sq->eval(op)),
             CALL(sq->evalAsync()),
             CALL(sq->evalAsync(std::vector<kp::Event>{event})),
             CALL(sq->evalAsync(op)),
             CALL(sq->evalAwait()),
             CALL(sq->evalAwait(5)),
             CALL(sq->event().wait()),
             CALL(event.wait()),
             CALL(sq->clear()),
             CALL(sq->rerecord()),
             CALL(sq->begin()),
             CALL(sq->end()),
             CALL(sq->isRecording()),
             CALL(sq->isRunning()),
             CALL(sq->isInit()),
             CALL(sq->getTimestamps()),
             CALL(sq->getTimestampsNs()),
             CALL(sq->recordInto(VkCommandBuffer{})),
             CALL(sq->recordInto(reinterpret_cast<VkCommandBuffer>(this))),
             CALL(sq->preEval()),
             CALL(sq->postEval()),
             CALL(sq->nativeCommandBuffer()),
             CALL(kp::evalAllAsync({sq})),
             CALL(kp::evalAll({sq})),
             CALL(sq->destroy())});
    }
}

TEST_F(DestroyedObject, ManagersReturnOrThrow) {
    auto m = std::make_shared<kp::Manager>();
    const auto queue = m->queue();
    const auto tensor = m->tensor({1});
    const auto launcher = std::make_shared<kp::KernelLauncher>(
        "k", kp::Kernel(*m, incrementFloats()), kp::Arguments{tensor},
        kp::KernelOptions{kp::WorkSize(1)});
    auto group = kp::DeviceGroup::of({m, m});
    auto buffer = std::make_shared<kp::Buffer>(group, std::vector<uint64_t>{4});
    m->destroy();
    expectSurvives({CALL(m->sequence()),
                    CALL(m->tensor({1})),
                    CALL(m->tensor(4, 4, kp::Memory::DataTypes::eFloat)),
                    CALL(m->wrapBuffer(VkBuffer{}, 1, 4, kp::Memory::DataTypes::eFloat)),
                    CALL(m->wrapHostMemory(values.data(), 2, 4, kp::Memory::DataTypes::eFloat)),
                    CALL(m->exportableTensor(1, 4, kp::Memory::DataTypes::eFloat)),
                    CALL(m->importMemory({}, 1, 4, kp::Memory::DataTypes::eFloat)),
                    CALL(m->image(1, 1, 1)),
                    CALL(m->algorithm({alive}, incrementFloats())),
                    CALL(m->queue()),
                    CALL(m->defaultQueue()),
                    CALL(m->pinnedArray<float>(4)),
                    CALL(m->importHost(values)),
                    CALL(m->compile("void main() {}")),
                    CALL(m->waitIdle()),
                    CALL(m->clear()),
                    CALL(m->isInit()),
                    CALL(m->deviceInfo()),
                    CALL(m->queueCount()),
                    CALL(m->objectCount()),
                    CALL(m->allocatedBytes()),
                    CALL(m->cacheFolder()),
                    CALL(m->compileOptions()),
                    CALL(m->getDeviceProperties()),
                    CALL(m->listDevices()),
                    CALL(m->getVkInstance()),
                    CALL(m->nativeInstance()),
                    CALL(m->nativePhysicalDevice()),
                    CALL(m->nativeDevice()),
                    CALL(m->nativeQueue()),
                    CALL(m->queueFamily()),
                    CALL(m->lockQueue()),
                    CALL(m->unlockQueue()),
                    CALL(kp::Kernel(*m, incrementFloats())),
                    CALL(kp::DeviceGroup::of({m})),
                    CALL((*launcher)()),
                    CALL(launcher->ready().wait()),
                    CALL(launcher->statistics()),
                    CALL(launcher->arguments()),
                    CALL(launcher->asListLauncher("list"))});
    expectSurvives({CALL(queue->index()), CALL(queue->inOrder()), CALL(queue->isVirtual()),
                    CALL(queue->name()), CALL(queue->deviceName()), CALL(queue->queueFamily()),
                    CALL(queue->profiling()), CALL(queue->setProfiling(true)),
                    CALL(queue->barrier()), CALL(queue->hostFunction([] {})),
                    CALL(queue->finish())});
    for (int round = 0; round < 2; ++round) {
        expectSurvives({CALL(group.size()), CALL(group[0].deviceInfo()), CALL(group.manager(1)),
                        CALL(group.deviceIds()), CALL(group.queueCount()), CALL(group.queue(0)),
                        CALL(group.deviceOfQueue(0)), CALL(group.firstQueueOf(1)),
                        CALL(group.limits()), CALL(group.exchangePath(0, 1)),
                        CALL(group.launch(std::vector<std::shared_ptr<kp::Launcher>>{launcher})),
                        CALL(group.waitIdle()), CALL(group.isInit()),
                        CALL(kp::Buffer(group, {4}))});
        expectSurvives({CALL(buffer->shape()),
                        CALL(buffer->type()),
                        CALL(buffer->size()),
                        CALL(buffer->memSize()),
                        CALL(buffer->placement()),
                        CALL(buffer->writable()),
                        CALL(buffer->copyCount()),
                        CALL(buffer->copyOf(0)),
                        CALL(buffer->shard(0)),
                        CALL(buffer->tensor()),
                        CALL(buffer->readBytes()),
                        CALL(buffer->read<float>()),
                        CALL(buffer->write(values)),
                        CALL(buffer->readAsync(values.data(), 8)),
                        CALL(buffer->writeAsync(values.data(), 8)),
                        CALL(buffer->copy(0, 1)),
                        CALL(buffer->copyTo(*buffer)),
                        CALL(buffer->broadcast()),
                        CALL(buffer->allReduce()),
                        CALL(buffer->reduce()),
                        CALL(buffer->gather(*buffer)),
                        CALL(buffer->scatter(*buffer)),
                        CALL(buffer->allGather(*buffer)),
                        CALL(buffer->reduceScatter(*buffer)),
                        CALL(buffer->isInit()),
                        CALL(buffer->destroy())});
        group.destroy();
    }
    expectSurvives({CALL(m->destroy())});
}

} // namespace
} // namespace kp::test
