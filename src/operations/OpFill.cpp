// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpFill.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <ShaderFill64.hpp>

#include <kompute/memory/Half.hpp>

#include "base/Text.hpp"
#include "core/Native.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/sequence/Recorder.hpp"
#include "operations/BufferKernel.hpp"
#include "operations/ByteKernel.hpp"
#include "vulkan/queue/Commands.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp {
namespace {

/// Returns a dispatch that repeats two 32-bit words. If one dispatch cannot cover the memory, the
/// shader's invocations loop.
std::shared_ptr<OpAlgoDispatch> fill64(const std::shared_ptr<Memory>& memory, uint64_t pattern) {
    constexpr uint64_t kMaxThreads = 1u << 20;
    auto algorithm = Internals::make<Algorithm>(implOf(*memory).device);
    const std::vector<uint64_t> constants = {pattern};
    algorithm->rebuild(reinterpreted({memory}), SHADERFILL64_COMP_SPV, {}, std::vector<float>{},
                       constants);
    algorithm->setThreadCount(std::min(memory->size(), kMaxThreads));
    return std::make_shared<OpAlgoDispatch>(algorithm);
}

template <typename T>
uint64_t bitsOf(T value) {
    return ElementBits(value).bits;
}

/// Returns the bits of a number of a type. @p given is an int64_t, a uint64_t or a double.
template <typename Given>
uint64_t convert(Given given, Memory::DataTypes type) {
    using DataTypes = Memory::DataTypes;
    const auto integer = [&](auto lowest, auto highest) {
        bool fits;
        if constexpr (std::is_floating_point<Given>::value)
            // 2^63 and 2^64 are the first that do not fit; the highest integer is not a double.
            fits = given == std::trunc(given) && given >= static_cast<double>(lowest) &&
                   given < 2 * (static_cast<double>(highest / 2) + 1);
        else
            fits = std::cmp_greater_equal(given, lowest) && std::cmp_less_equal(given, highest);
        if (!fits)
            fail<InvalidArgument>("OpFill cannot fill elements of {} with {}, but with whole "
                                  "numbers from {} to {}; ElementBits takes bits as they are",
                                  Memory::toString(type), given, lowest, highest);
        return bitsOf(static_cast<decltype(highest)>(given));
    };
    const auto number = [&](auto rounded, double highest) {
        if (std::isfinite(static_cast<double>(given)) &&
            !std::isfinite(static_cast<float>(rounded)))
            fail<InvalidArgument>("OpFill cannot fill elements of {} with {}: the largest finite "
                                  "one is {}",
                                  Memory::toString(type), given, highest);
        return bitsOf(rounded);
    };
    switch (type) {
    case DataTypes::eBool:
        return integer(uint8_t{0}, uint8_t{1});
    case DataTypes::eChar:
        return integer(std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max());
    case DataTypes::eUnsignedChar:
        return integer(uint8_t{0}, std::numeric_limits<uint8_t>::max());
    case DataTypes::eShort:
        return integer(std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max());
    case DataTypes::eUnsignedShort:
        return integer(uint16_t{0}, std::numeric_limits<uint16_t>::max());
    case DataTypes::eInt:
        return integer(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
    case DataTypes::eUnsignedInt:
        return integer(uint32_t{0}, std::numeric_limits<uint32_t>::max());
    case DataTypes::eLong:
        return integer(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
    case DataTypes::eUnsignedLong:
        return integer(uint64_t{0}, std::numeric_limits<uint64_t>::max());
    case DataTypes::eHalf:
        return number(Half(given), 65504);
    case DataTypes::eBFloat16:
        return number(BFloat16(given), 0x1.fep127);
    case DataTypes::eFloat:
        return number(static_cast<float>(given), std::numeric_limits<float>::max());
    default:
        return bitsOf(static_cast<double>(given));
    }
}

/// Returns the bits of an element.
template <typename Value>
uint64_t elementOf(const Value& value, Memory::DataTypes type, uint32_t bytes) {
    using Kind = typename Value::Kind;
    if (value.kind == Kind::eBits || type == Memory::DataTypes::eCustom) {
        if (value.bytes != bytes)
            fail<InvalidArgument>(
                "OpFill was given a value of {} bytes for a tensor with elements of {} bytes",
                value.bytes, bytes);
        return value.kind == Kind::eFloating && bytes == 4
                   ? bitsOf(static_cast<float>(std::bit_cast<double>(value.bits)))
                   : value.bits & (UINT64_MAX >> (64 - 8 * bytes));
    }
    if (value.kind == Kind::eFloating)
        return convert(std::bit_cast<double>(value.bits), type);
    if (value.kind == Kind::eSigned)
        return convert(static_cast<int64_t>(value.bits), type);
    return convert(value.bits, type);
}

/// Returns the kernel that fills the tensor's memory, which is made anew if it is another's.
const std::shared_ptr<const ByteKernel>& kernelFor(std::shared_ptr<const ByteKernel>& kernel,
                                                   const Memory& tensor, uint64_t pattern) {
    const std::shared_ptr<vulkan::Buffer>& buffer = implOf(tensor).buffer;
    if (!kernel || !kernel->fills(buffer))
        kernel = std::make_shared<const ByteKernel>(pattern, tensor, 0, buffer->fillSize());
    return kernel;
}

} // namespace

OpFill::OpFill(const MemoryObjects& memObjects, const Value& value)
    : mMemObjects(distinctObjects(memObjects.get(), "OpFill")), mKernels(mMemObjects.size()) {
    makeSkippable();
    for (const std::shared_ptr<Memory>& memory : mMemObjects) {
        implOf(*memory).requireAlive();
        if (memory->type() != Memory::Type::eTensor)
            fail<InvalidArgument>("OpFill fills tensors, but was given an image");
        const uint32_t bytes = memory->dataTypeMemorySize();
        const uint64_t element = elementOf(value, memory->dataType(), bytes);
        uint64_t pattern = 0;
        for (uint32_t i = 0; i < sizeof pattern; i += bytes)
            pattern |= element << (8 * i);
        const bool words = static_cast<uint32_t>(pattern) == pattern >> 32;
        if (words && implOf(*memory).buffer->fillSize() % 4 != 0)
            fail<InvalidArgument>("OpFill of a wrapped buffer needs a multiple of 4 bytes, not {}",
                                  memory->memorySize());
        mPatterns.push_back(pattern);
        mDispatches.push_back(words ? nullptr : fill64(memory, pattern));
    }
}

OpFill::~OpFill() = default;

Accesses OpFill::accesses() {
    mByKernel = Recorder::choosesCommands() && !Recorder::predicates() &&
                std::all_of(mMemObjects.begin(), mMemObjects.end(),
                            [](const std::shared_ptr<Memory>& memory) {
                                const Memory::Impl& impl = implOf(*memory);
                                return impl.device &&
                                       impl.device->transfer().fillsByKernel(impl.bytes()) &&
                                       BufferKernel::takes(*memory);
                            });
    const bool kernels = mByKernel || Recorder::predicates();
    Accesses accesses;
    for (size_t i = 0; i < mMemObjects.size(); ++i) {
        accesses
            .write(mMemObjects[i],
                   kernels || mDispatches[i] ? Accesses::By::eDispatch : Accesses::By::eTransfer)
            .copied(true);
        if (mDispatches[i] || !Recorder::predicates())
            continue;
        implOf(*mMemObjects[i]).requireAlive();
        accesses.read(kernelFor(mKernels[i], *mMemObjects[i], mPatterns[i])->words());
    }
    return accesses;
}

void OpFill::record(const vk::CommandBuffer& commandBuffer) {
    const VkCommandBuffer commands = native::handleOf(commandBuffer);
    Recorder* const recorder = Recorder::active(commands);
    if (!Recorder::knowsAccesses(commands))
        for (const std::shared_ptr<Memory>& memory : mMemObjects)
            implOf(*memory).expose();
    if (mByKernel && recorder && recorder->records(*this)) {
        // All are made first, because recorded commands cannot be removed.
        std::vector<std::shared_ptr<const BufferKernel>> kernels;
        for (size_t i = 0; i < mMemObjects.size(); ++i) {
            implOf(*mMemObjects[i]).requireAlive();
            kernels.push_back(BufferKernel::fill(*mMemObjects[i], mPatterns[i]));
        }
        for (const std::shared_ptr<const BufferKernel>& kernel : kernels)
            BufferKernel::record(kernel, commands);
    } else {
        for (size_t i = 0; i < mMemObjects.size(); ++i) {
            if (mDispatches[i]) {
                mDispatches[i]->record(commandBuffer);
                continue;
            }
            implOf(*mMemObjects[i]).requireAlive();
            const std::shared_ptr<vulkan::Buffer>& buffer = implOf(*mMemObjects[i]).buffer;
            if (Recorder::predicates())
                ByteKernel::record(kernelFor(mKernels[i], *mMemObjects[i], mPatterns[i]), commands);
            else
                vulkan::recordFill(commands, *buffer, static_cast<uint32_t>(mPatterns[i]));
        }
    }
    Recorder::keepBindings(*this, commands);
}

void OpFill::postEval(const vk::CommandBuffer&) {
    for (const std::shared_ptr<Memory>& memory : mMemObjects)
        if (memory->isInit())
            implOf(*memory).noteEvaluated();
}

} // namespace kp
