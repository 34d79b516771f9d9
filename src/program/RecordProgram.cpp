// SPDX-License-Identifier: Apache-2.0
#include "program/RecordProgram.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/operations/OpSyncDevice.hpp>
#include <kompute/operations/OpSyncLocal.hpp>
#include <kompute/queue/Queue.hpp>
#include <kompute/shader/Reflection.hpp>

#include "base/Hash.hpp"
#include "base/Text.hpp"
#include "core/algorithm/BindingText.hpp"
#include "core/algorithm/Specialization.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/queue/QueueImpl.hpp"
#include "core/sequence/OperationClass.hpp"
#include "core/sequence/Recorder.hpp"
#include "core/sequence/Recording.hpp"
#include "core/sequence/SequenceImpl.hpp"
#include "program/CheckProgram.hpp"
#include "program/ProgramImpl.hpp"
#include "program/ValidateKernels.hpp"
#include "shader/reflect/Reflection.hpp"
#include "shader/reflect/VariableSizes.hpp"
#include "vulkan/memory/SharedScratch.hpp"
#include "vulkan/queue/CommandTape.hpp"
#include "vulkan/queue/Queue.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp::program {
namespace {

using vulkan::CommandTape;

/// A part of a VkBuffer that a slot stands for.
struct Place {
    uint64_t begin;
    uint64_t end;
    uint32_t slot;
};

/// Turns a tape into the data of a program.
class Writer {
public:
    /// @param ends  the operations, with the numbers of commands until their ends
    Writer(vulkan::Device& device, const vulkan::AccessList& accesses, const CommandTape& tape,
           const std::vector<std::pair<const OpBase*, size_t>>& ends)
        : mDevice(device), mAccesses(accesses), mTape(tape), mEnds(ends) {
        mData.subgroupSize = device.physical().subgroupSize;
        mData.vendor = device.physical().properties.vendorID;
        mData.device = device.physical().properties.deviceID;
        mData.variants.emplace_back();
    }

    Data write(const std::vector<Given>& given, const std::set<const vulkan::Buffer*>& scratch) {
        for (const Given& each : given)
            addGiven(each);
        for (const vulkan::ResourceAccess& access : mAccesses.resources())
            addMemory(access, scratch);
        for (const CommandTape::Command& command : mTape.commands()) {
            add(command);
            ++mAdded;
        }
        return std::move(mData);
    }

private:
    Variant& variant() { return mData.variants.front(); }
    const Kernel& kernel(const Command& dispatch) const { return mData.kernels[dispatch.kernel]; }

    void addGiven(const Given& given) {
        const vulkan::Buffer& buffer = *implOf(*given.tensor).buffer;
        Slot slot{.kind = Slot::Kind::eGiven, .bytes = implOf(*given.tensor).bytes()};
        const auto used =
            std::ranges::find(mAccesses.resources(), static_cast<const vulkan::Resource*>(&buffer),
                              [](const auto& access) { return access.resource.get(); });
        if (used == mAccesses.resources().end())
            fail<InvalidArgument>("no operation of the program uses {}; leave it out",
                                  program::describe(given.described));
        const CommandTape::Use use = mTape.useOf(used->memory);
        if (use.writes && !given.described.output && !given.mayChange)
            fail<InvalidArgument>("operations of the program write {}, which was given as an input "
                                  "alone; give it as an output, too",
                                  program::describe(given.described));
        if (use.readsFirst && !given.described.input)
            fail<InvalidArgument>("operations of the program read {} before they write it, but it "
                                  "was given as an output alone; give it as an input, too",
                                  program::describe(given.described));
        slot.reads = given.described.input || use.reads;
        slot.writes = use.writes;
        const uint64_t begin = buffer.offset();
        const auto [place, isNew] = mPlaces.try_emplace(
            buffer.handle(), Place{begin, begin + std::max(slot.bytes, buffer.fillSize()),
                                   static_cast<uint32_t>(variant().slots.size())});
        if (!isNew)
            fail<InvalidArgument>("{} shares memory with another tensor of the program; give "
                                  "each tensor memory of its own",
                                  program::describe(given.described));
        variant().tensors.push_back(given.described);
        variant().tensors.back().output |= use.writes;
        variant().slotOf.push_back(place->second.slot);
        variant().slots.push_back(slot);
    }

    void addMemory(const vulkan::ResourceAccess& access,
                   const std::set<const vulkan::Buffer*>& scratch) {
        const auto* const buffer = dynamic_cast<const vulkan::Buffer*>(access.resource.get());
        if (!buffer)
            fail<Unsupported>("operations that use images cannot be saved in a program");
        const uint64_t begin = buffer->offset();
        const uint64_t end = begin + wholeWords(buffer->size());
        const auto [known, isNew] = mPlaces.try_emplace(
            buffer->handle(), Place{begin, end, static_cast<uint32_t>(variant().slots.size())});
        const CommandTape::Use use = mTape.useOf(access.memory);
        if (!isNew) {
            requireInside(known->second, begin, end);
            Slot& view = variant().slots[known->second.slot];
            view.reads |= use.reads;
            view.writes |= use.writes;
            if (view.kind == Slot::Kind::eConstant && view.writes)
                view.kind = Slot::Kind::eState;
            return;
        }
        Slot slot{.bytes = end - begin, .reads = use.reads, .writes = use.writes};
        if (!scratch.contains(buffer)) {
            slot.kind = use.writes ? Slot::Kind::eState : Slot::Kind::eConstant;
            slot.saved = static_cast<uint32_t>(mData.contents.size());
            std::vector<std::byte> contents(slot.bytes);
            vulkan::bringToDevice(*access.resource, {}); // what only the host has so far
            const std::shared_ptr<vulkan::Buffer> held =
                std::static_pointer_cast<vulkan::Buffer>(access.resource);
            mDevice.transfer().download(held, 0, contents.data(), buffer->size());
            mData.contents.push_back(std::move(contents));
        }
        variant().slots.push_back(slot);
    }

    static void requireInside(const Place& place, uint64_t begin, uint64_t end) {
        if (begin < place.begin || end > wholeWords(place.end))
            throw Unsupported("operations of the program use overlapping parts of a buffer, as "
                              "different tensors; give each tensor memory of its own");
    }

    const Place& placeOf(VkBuffer buffer) const {
        const auto place = mPlaces.find(buffer);
        if (place == mPlaces.end())
            fail<Unsupported>(
                "{} cannot be saved in a program, because it uses memory that its "
                "accesses() do not name",
                launchNameOf(*std::ranges::upper_bound(mEnds, mAdded, {},
                                                       &std::pair<const OpBase*, size_t>::second)
                                  ->first));
        return place->second;
    }

    void add(const CommandTape::Command& command) {
        Command made;
        switch (command.kind) {
        case CommandTape::Command::Kind::eDispatch:
            made.kind = Command::Kind::eDispatch;
            made.groups = command.groups;
            addDispatch(command, made);
            break;
        case CommandTape::Command::Kind::eDispatchIndirect: {
            made.kind = Command::Kind::eDispatchIndirect;
            const Place& counts = placeOf(command.source);
            made.source = counts.slot;
            made.countsOffset = command.sourceOffset - counts.begin;
            addDispatch(command, made);
            break;
        }
        case CommandTape::Command::Kind::eCopy: {
            made.kind = Command::Kind::eCopy;
            const Place& source = placeOf(command.source);
            const Place& destination = placeOf(command.destination);
            made.source = source.slot;
            made.destination = destination.slot;
            variant().slots[source.slot].reads = true;
            for (const VkBufferCopy& region : command.regions)
                made.regions.push_back({region.srcOffset - source.begin,
                                        region.dstOffset - destination.begin, region.size});
            break;
        }
        case CommandTape::Command::Kind::eFill: {
            made.kind = Command::Kind::eFill;
            const Place& destination = placeOf(command.destination);
            made.destination = destination.slot;
            made.pattern = command.pattern;
            const VkBufferCopy& region = command.regions.front();
            made.regions.push_back({0, region.dstOffset - destination.begin, region.size});
            break;
        }
        case CommandTape::Command::Kind::eBarrier:
            made.before = command.barrier.before;
            made.after = command.barrier.after;
            made.everything = command.barrier.everything;
            break;
        }
        variant().commands.push_back(std::move(made));
    }

    void addDispatch(const CommandTape::Command& command, Command& made) {
        made.kernel = kernelOf(*command.pipeline);
        made.boundFirst = static_cast<uint32_t>(variant().bounds.size());
        for (uint32_t set = 0; set < command.sets.size(); ++set) {
            if (!command.sets[set])
                continue;
            for (const vulkan::DescriptorWrite& write : command.sets[set]->writes()) {
                const Place& place = placeOf(write.buffer.buffer);
                variant().bounds.push_back({set, write.binding, write.element, place.slot,
                                            write.buffer.offset - place.begin, write.buffer.range});
            }
        }
        made.boundCount = static_cast<uint32_t>(variant().bounds.size()) - made.boundFirst;
        std::vector<unsigned char> constants = command.push;
        constants.resize(kernel(made).pushBytes);
        if (constants != mLastPush) {
            std::vector<unsigned char>& push = variant().push;
            mLastPushFirst = static_cast<uint32_t>(push.size());
            push.insert(push.end(), constants.begin(), constants.end());
            mLastPush = std::move(constants);
        }
        made.pushFirst = mLastPushFirst;
    }

    uint32_t kernelOf(const vulkan::Pipeline& pipeline) {
        const auto known = mKernels.find(&pipeline);
        if (known != mKernels.end())
            return known->second;
        const vulkan::PipelineSource& source = pipeline.source();
        Kernel kernel;
        kernel.module = moduleOf(source);
        kernel.entryPoint = source.entryPoint;
        for (const VkSpecializationMapEntry& entry : source.specializationEntries)
            kernel.constants.push_back(
                {entry.constantID, entry.offset, static_cast<uint32_t>(entry.size)});
        kernel.constantBytes = source.specializationData;
        const Specialization specialization = specializationOf(kernel);
        kernel.pushBytes = pipeline.layout().pushConstantBytes();
        for (const vulkan::DescriptorBinding& binding : pipeline.layout().bindings()) {
            const bool uniform = binding.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
            if (!uniform && binding.type != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
                fail<Unsupported>("shaders with images or samplers cannot be saved in a program");
            kernel.bindings.push_back({binding.set, binding.binding, binding.count, uniform});
        }
        const Hash key{source.spirvKey[0], source.spirvKey[1]};
        const auto reflection = shader::reflectCached(*source.spirv, key);
        if (reflection->usesBufferAddresses)
            fail<Unsupported>("shaders with buffer addresses cannot be saved in a program; bind "
                              "the memory");
        kernel.localSize = localSizeOf(*reflection, specialization);
        kernel.sharedBytes = shader::variableBytesCached(*source.spirv, key, kernel.entryPoint,
                                                         specialization.bits())
                                 .shared.value_or(0);
        kernel.capabilities = reflection->capabilities;
        kernel.subgroupSize = source.subgroupSize;
        kernel.fullSubgroups = source.fullSubgroups;
        kernel.robustAccess = source.robustAccess;
        const auto number = static_cast<uint32_t>(mData.kernels.size());
        mData.kernels.push_back(std::move(kernel));
        mKernels.emplace(&pipeline, number);
        return number;
    }

    uint32_t moduleOf(const vulkan::PipelineSource& source) {
        const auto [known, isNew] =
            mModules.try_emplace(source.spirvKey, static_cast<uint32_t>(mData.modules.size()));
        if (isNew)
            mData.modules.push_back(*source.spirv);
        return known->second;
    }

    vulkan::Device& mDevice;
    const vulkan::AccessList& mAccesses;
    const CommandTape& mTape;
    const std::vector<std::pair<const OpBase*, size_t>>& mEnds;
    size_t mAdded = 0; ///< commands
    Data mData;
    std::map<VkBuffer, Place> mPlaces;
    std::map<const vulkan::Pipeline*, uint32_t> mKernels;
    std::map<std::array<uint64_t, 2>, uint32_t> mModules;
    std::vector<unsigned char> mLastPush; ///< of the last dispatch
    uint32_t mLastPushFirst = 0;          ///< its place in Variant::push
};

/// Checks that copies from the host and to it may be left out: they are first and last.
class SyncChecks {
public:
    SyncChecks(const Recording& recording, const CommandTape& tape)
        : mRecording(recording), mTape(tape) {}

    /// Returns false if an operation is not such a copy. @throws Unsupported
    bool leaveOut(OpBase& operation) {
        const bool toDevice = dynamic_cast<const OpSyncDevice*>(&operation);
        if (!toDevice && !dynamic_cast<const OpSyncLocal*>(&operation))
            return false;
        const Accesses accesses = operation.accesses();
        for (const Accesses::Entry& entry : accesses.entries()) {
            if (!toDevice)
                mToHost.push_back({entry.memory, mTape.commands().size()});
            else if (const CommandTape::Use use = useOf(*entry.memory); use.reads || use.writes)
                failOrder("OpSyncDevice", *entry.memory, "after operations that use it");
        }
        return true;
    }
    /// Call it after the last operation. @throws Unsupported
    void finish() const {
        for (const auto& [memory, commands] : mToHost)
            if (const CommandTape::Use use = useOf(*memory);
                use.writes && use.lastWrite >= commands)
                failOrder("OpSyncLocal", *memory, "before an operation that writes it");
    }

private:
    CommandTape::Use useOf(const Memory& memory) const {
        for (const vulkan::ResourceAccess& access : mRecording.accesses.resources())
            if (access.resource == implOf(memory).primary())
                return mTape.useOf(access.memory);
        return {};
    }
    [[noreturn]] static void failOrder(const char* operation, const Memory& memory,
                                       const char* where) {
        fail<Unsupported>("{} of {} comes {}, which a program cannot repeat, because it has no "
                          "copies from the host or to it; make a program of each part",
                          operation, describeMemory(implOf(memory)), where);
    }

    const Recording& mRecording;
    const CommandTape& mTape;
    std::vector<std::pair<std::shared_ptr<Memory>, size_t>> mToHost;
};

void addGiven(std::vector<Given>& all, const NamedTensors& tensors, bool ProgramTensor::*use,
              const vulkan::Device& device) {
    for (const auto& [name, tensor] : tensors) {
        if (name.empty())
            throw InvalidArgument("a tensor of a program has a name, but an empty one was given");
        if (!tensor)
            fail<InvalidArgument>("the tensor '{}' of a program is null", name);
        implOf(*tensor).requireAlive();
        requireSameDevice(*tensor, device, "a program");
        auto known =
            std::ranges::find(all, name, [](const Given& each) { return each.described.name; });
        if (known == all.end()) {
            Given made{.tensor = tensor};
            made.described.name = name;
            made.described.type = tensor->dataType();
            made.described.elementSize = tensor->dataTypeMemorySize();
            made.described.shape = {tensor->size()};
            all.push_back(std::move(made));
            known = std::prev(all.end());
        } else if (known->tensor != tensor) {
            fail<InvalidArgument>("two tensors of a program have the name '{}'", name);
        }
        known->described.*use = true;
    }
}

/// Returns the tensors of Program::of(): inputs first, each by name.
std::vector<Given> givenOf(const NamedTensors& inputs, const NamedTensors& outputs,
                           const vulkan::Device& device) {
    std::vector<Given> given;
    addGiven(given, inputs, &ProgramTensor::input, device);
    addGiven(given, outputs, &ProgramTensor::output, device);
    return given;
}

} // namespace

Specialization specializationOf(const Kernel& kernel) {
    Specialization specialization;
    for (const Kernel::Constant& constant : kernel.constants)
        specialization.entries.push_back({constant.id, constant.offset, constant.size});
    for (const std::byte byte : kernel.constantBytes)
        specialization.data.push_back(static_cast<unsigned char>(byte));
    return specialization;
}

bool usesSubgroups(const Kernel& kernel) {
    return std::ranges::any_of(kernel.capabilities, [](const std::string& name) {
        return name.starts_with("GroupNonUniform") || name.starts_with("Subgroup");
    });
}

std::string describe(const ProgramTensor& tensor) {
    return formatted("the tensor '{}'", tensor.name);
}

Data recordProgram(vulkan::Device& device, std::span<const std::shared_ptr<OpBase>> operations,
                   const std::vector<Given>& given,
                   const std::set<const vulkan::Buffer*>& scratch) {
    const vulkan::Queue& queue = computeQueue(device);
    vulkan::SharedScratch::Loan loan(device.sharedScratch(), queue);
    Recording recording;
    recording.begin(device, queue, [] { return std::string("a program"); });
    CommandTape tape(recording.commandBuffer.handle());
    Recorder recorder(device, recording, recording.commandBuffer.handle());
    recorder.lend(loan);
    std::vector<std::pair<const OpBase*, size_t>> ends;
    SyncChecks syncs(recording, tape);
    for (const std::shared_ptr<OpBase>& operation : operations) {
        if (syncs.leaveOut(*operation))
            continue;
        recorder.record(*operation);
        ends.emplace_back(operation.get(), tape.commands().size());
    }
    syncs.finish();
    if (ends.empty())
        throw InvalidArgument("there are no operations to make a program of; record some first");
    if (!recording.reports.empty())
        throw Unsupported("a program has no checks: make its operations under "
                          "kp::CheckScope(\"off\"), or without KOMPUTE_CHECK");
    if (recording.accesses.unknown() || !tape.unknown().empty())
        fail<Unsupported>("{} cannot be saved in a program, which has dispatches, copies and fills "
                          "of tensors alone",
                          tape.unknown().empty() ? std::string("an operation that may access "
                                                               "any memory")
                                                 : tape.unknown());
    std::set<const vulkan::Buffer*> undefined = scratch;
    for (const std::shared_ptr<vulkan::Buffer>& buffer : loan.buffers())
        undefined.insert(buffer.get());
    Data data = Writer(device, recording.accesses, tape, ends).write(given, undefined);
    requireSound(data);
    return data;
}

} // namespace kp::program

namespace kp {

Program Program::of(const Sequence& sequence, const NamedTensors& inputs,
                    const NamedTensors& outputs) {
    const Sequence::Impl& impl = implOf(sequence);
    impl.requireIdle("Program::of()");
    const std::shared_ptr<Queue> queue = impl.managerQueue.lock();
    if (!queue)
        throw InvalidArgument("the sequence's manager was destroyed");
    return of(impl.operations, inputs, outputs, queue);
}

Program Program::of(const std::vector<std::shared_ptr<OpBase>>& operations,
                    const NamedTensors& inputs, const NamedTensors& outputs,
                    const std::shared_ptr<Queue>& queue) {
    if (!queue)
        throw InvalidArgument("the queue of a program is null");
    for (const std::shared_ptr<OpBase>& operation : operations)
        if (!operation)
            throw InvalidArgument("an operation of a program is null");
    const std::shared_ptr<vulkan::Device>& device = implOf(*queue).device;
    const std::vector<program::Given> given = program::givenOf(inputs, outputs, *device);
    queue->finish(); // arrays may have launched what the contents of memory come from
    return Impl::make(device, queue, program::recordProgram(*device, operations, given),
                      &program::checkedKernel);
}

} // namespace kp
