// SPDX-License-Identifier: Apache-2.0
#include "primitives/plan/BoundPlan.hpp"

#include <utility>

#include <kompute/primitives/Primitive.hpp>

#include "base/Text.hpp"
#include "core/check/CheckedShader.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "operations/OpCopyRange.hpp"
#include "operations/OpFillRange.hpp"
#include "primitives/plan/PlanDispatch.hpp"

namespace kp::primitives {
namespace {

/// @throws InvalidArgument if the tensor does not have the elements of the range
void requireRange(const Argument& argument, const char* operation) {
    const TensorRange& range = argument.range;
    const uint64_t size = implOf(*range.tensor).count;
    const bool whole = range.count == TensorRange::kToTheEnd;
    if (range.first > size || (!whole && range.count > size - range.first))
        fail<InvalidArgument>(
            "{}: {} begins at element {} and has {}, but its tensor has "
            "only {}",
            operation, argument.name, range.first,
            whole ? std::string("the remaining elements") : counted(range.count, "element"), size);
}

/// Returns the byte at which the argument starts in its tensor.
uint64_t startOf(const TensorRange& range) {
    return range.first * implOf(*range.tensor).elementSize;
}

/// The bytes of a range in a VkBuffer.
struct MemorySpan {
    VkBuffer buffer = VK_NULL_HANDLE;
    uint64_t begin = 0;
    uint64_t end = 0;
};

MemorySpan spanOf(const TensorRange& range) {
    const vulkan::Buffer& buffer = *implOf(*range.tensor).buffer;
    const uint64_t begin = buffer.offset() + startOf(range);
    return {buffer.handle(), begin, begin + elementsOf(range) * implOf(*range.tensor).elementSize};
}

std::unique_ptr<OpBase> copyPart(const Copy& copy, const PlanMemories& memories) {
    const PlanMemory& source = memories.all[copy.source];
    const PlanMemory& destination = memories.all[copy.destination];
    return std::make_unique<OpCopyRange>(source.tensor, source.start + copy.sourceOffset,
                                         destination.tensor,
                                         destination.start + copy.destinationOffset, copy.bytes);
}

} // namespace

std::shared_ptr<vulkan::Device> deviceOf(const std::vector<Argument>& arguments,
                                         const char* operation) {
    std::shared_ptr<vulkan::Device> device;
    for (const Argument& argument : arguments) {
        const std::shared_ptr<Tensor>& tensor = argument.range.tensor;
        if (!tensor)
            fail<InvalidArgument>("{}: {} is null", operation, argument.name);
        implOf(*tensor).requireAlive();
        if (!device)
            device = implOf(*tensor).device;
        requireSameDevice(*tensor, *device, operation);
        requireRange(argument, operation);
        const vulkan::Buffer& buffer = *implOf(*tensor).buffer;
        if (buffer.offset() % implOf(*tensor).elementSize != 0)
            fail<InvalidArgument>("{}: {} starts at byte {} of the buffer that it wraps, which is "
                                  "not a multiple of its elements' {} bytes",
                                  operation, argument.name, buffer.offset(),
                                  implOf(*tensor).elementSize);
    }
    return device;
}

shader::CheckKinds checksOf(const std::vector<Argument>& arguments) {
    std::shared_ptr<Queue> queue;
    for (size_t i = 0; !queue && i < arguments.size(); ++i)
        queue = implOf(*arguments[i].range.tensor).managerQueue.lock();
    return kp::checksOf(queue.get());
}

bool isSameMemory(const Argument& a, const Argument& b) {
    const MemorySpan first = spanOf(a.range);
    const MemorySpan second = spanOf(b.range);
    return first.buffer == second.buffer && first.begin == second.begin &&
           first.end == second.end &&
           implOf(*a.range.tensor).elementSize == implOf(*b.range.tensor).elementSize;
}

void requireDisjoint(const Argument& a, const Argument& b, const char* operation) {
    const MemorySpan first = spanOf(a.range);
    const MemorySpan second = spanOf(b.range);
    if (first.buffer == second.buffer && first.begin < second.end && second.begin < first.end)
        fail<InvalidArgument>("{}: {} and {} overlap; give them memory of their own", operation,
                              a.name, b.name);
}

uint64_t elementsOf(const TensorRange& range) {
    return range.count == TensorRange::kToTheEnd ? implOf(*range.tensor).count - range.first
                                                 : range.count;
}

BoundPlan::BoundPlan(std::shared_ptr<vulkan::Device> device,
                     std::shared_ptr<const PreparedPlan> plan, std::vector<Argument> arguments,
                     const char* operation, Pushes pushes)
    : mDevice(std::move(device)), mPlan(std::move(plan)), mArguments(std::move(arguments)),
      mOperation(operation), mPushes(std::move(pushes)) {
    mElements.reserve(mArguments.size());
    for (const Argument& argument : mArguments)
        mElements.push_back(elementsOf(argument.range));
}

BoundPlan::BoundPlan(std::shared_ptr<vulkan::Device> device, Plan plan,
                     std::vector<Argument> arguments, const char* operation)
    : BoundPlan(device,
                std::make_shared<const PreparedPlan>(device, std::move(plan), checksOf(arguments)),
                std::move(arguments), operation) {}

BoundPlan::~BoundPlan() = default;

bool BoundPlan::isBound() const {
    if (mBoundBuffers.size() != mArguments.size())
        return false;
    for (size_t i = 0; i < mArguments.size(); ++i)
        if (implOf(*mArguments[i].range.tensor).buffer != mBoundBuffers[i])
            return false;
    return true;
}

template <typename Take>
BoundPlan::Tensors BoundPlan::scratchOf(Take&& take) const {
    Tensors tensors;
    tensors.reserve(mPlan->scratch().size());
    for (const PreparedPlan::Scratch& scratch : mPlan->scratch())
        tensors.push_back(tensorOf(mDevice,
                                   scratch.constants ? scratch.constants : take(scratch.bytes),
                                   sizeof(uint32_t)));
    return tensors;
}

BoundPlan::Parts BoundPlan::bound(const Tensors& scratch) const {
    // A tensor may have another size now.
    deviceOf(mArguments, mOperation);
    for (size_t i = 0; i < mArguments.size(); ++i)
        if (elementsOf(mArguments[i].range) != mElements[i])
            fail<InvalidArgument>("{} was made when {} had {}, and now it has {}; make "
                                  "another operation",
                                  mOperation, mArguments[i].name, counted(mElements[i], "element"),
                                  elementsOf(mArguments[i].range));
    PlanMemories memories;
    memories.all.reserve(mArguments.size() + mPlan->tables().size() + scratch.size());
    for (const Argument& argument : mArguments) {
        const std::shared_ptr<Tensor>& tensor = argument.range.tensor;
        memories.all.push_back(
            {tensor, startOf(argument.range), argument.name,
             argument.replaced && elementsOf(argument.range) == implOf(*tensor).count});
    }
    for (const std::shared_ptr<vulkan::Buffer>& table : mPlan->tables())
        memories.all.push_back({tensorOf(mDevice, table, 1), 0, "a table"});
    for (const std::shared_ptr<Tensor>& tensor : scratch)
        memories.all.push_back({tensor, 0, "scratch memory"});

    Parts parts;
    parts.reserve(mPlan->steps().size());
    size_t number = 0;
    for (const Step& step : mPlan->steps()) {
        const auto* const dispatch = std::get_if<Dispatch>(&step);
        const std::vector<uint32_t>* const push = number < mPushes.size() ? &mPushes[number]
                                                  : dispatch              ? &dispatch->push
                                                                          : nullptr;
        ++number;
        if (dispatch)
            for (const Copy& copy : dispatch->copies)
                parts.push_back(copyPart(copy, memories));
        if (dispatch && dispatch->joined) {
            static_cast<PlanDispatch&>(*parts.back())
                .join(*dispatch, *push, mPlan->pipeline(dispatch->kernel), memories);
        } else if (dispatch) {
            parts.push_back(std::make_unique<PlanDispatch>(
                *mDevice, *dispatch, *push, mPlan->pipeline(dispatch->kernel), memories));
        } else if (const auto* const fill = std::get_if<Fill>(&step)) {
            const PlanMemory& memory = memories.all[fill->memory];
            parts.push_back(std::make_unique<OpFillRange>(
                memory.tensor, memory.start + fill->offset, fill->bytes,
                reinterpret_cast<const unsigned char*>(&fill->word), sizeof fill->word));
        } else {
            parts.push_back(copyPart(std::get<Copy>(step), memories));
        }
    }
    return parts;
}

const BoundPlan::Parts& BoundPlan::parts() {
    if (isBound())
        return mParts;
    if (mScratch.empty())
        mScratch = scratchOf(
            [&](uint64_t bytes) { return vulkan::Buffer::createScratch(*mDevice, bytes); });
    mParts = bound(mScratch);
    mBoundBuffers.clear();
    for (const Argument& argument : mArguments)
        mBoundBuffers.push_back(implOf(*argument.range.tensor).buffer);
    return mParts;
}

BoundPlan* BoundPlan::of(OpBase& operation) {
    auto* const primitive = dynamic_cast<Primitive*>(&operation);
    return primitive ? primitive->mPlan.get() : nullptr;
}

bool BoundPlan::appendIdentity(std::vector<uint64_t>& words) const {
    words.push_back(reinterpret_cast<uintptr_t>(mPlan.get()));
    for (const Argument& argument : mArguments) {
        const Memory::Impl& tensor = implOf(*argument.range.tensor);
        if (argument.range.tensor->memoryType() != Memory::MemoryTypes::eStorage)
            return false;
        words.insert(words.end(),
                     {reinterpret_cast<uintptr_t>(tensor.buffer.get()), startOf(argument.range),
                      elementsOf(argument.range), argument.replaced ? tensor.count : UINT64_MAX});
    }
    return mPushes.empty();
}

void BoundPlan::ownTensors() {
    for (Argument& argument : mArguments) {
        const Memory::Impl& tensor = implOf(*argument.range.tensor);
        argument.range.tensor = tensorOf(mDevice, tensor.buffer, tensor.elementSize);
    }
}

uint64_t BoundPlan::bytes() const {
    uint64_t bytes = 0;
    for (const Argument& argument : mArguments)
        bytes += elementsOf(argument.range) * implOf(*argument.range.tensor).elementSize;
    for (const PreparedPlan::Scratch& scratch : mPlan->scratch())
        bytes += scratch.constants ? 0 : scratch.bytes;
    return bytes;
}

BoundPlan::Parts BoundPlan::partsFor(vulkan::SharedScratch::Loan& scratch) const {
    return bound(scratchOf([&](uint64_t bytes) { return scratch.take(bytes); }));
}

} // namespace kp::primitives
