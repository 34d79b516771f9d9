// SPDX-License-Identifier: Apache-2.0
#include "arrays/memory/Home.hpp"

#include <algorithm>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/Tensor.hpp>

#include "arrays/capture/CapturedLaunches.hpp"
#include "arrays/engine/KernelText.hpp"
#include "base/Text.hpp"
#include "core/check/CheckedShader.hpp"
#include "core/manager/ManagerImpl.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "vulkan/memory/WrittenMemory.hpp"

namespace kp::arrays {
namespace {

/// Views count elements in 32 bits.
constexpr int64_t kMostElements = (int64_t{1} << 31) - 1;

/// Bytes that freed memory may keep for new arrays, as a part of the device's memory.
constexpr uint64_t kKeptPart = 8;

/// Dropped arrays whose memory is kept until others, such as unfinished launches, drop it, too.
constexpr size_t kMaxLent = 64;

/// Bytes up to which the host takes more memory rather than wait for the device.
constexpr uint64_t kMostSpare = 1 << 20;

/// Memory objects that a kernel binds at most, on devices that allow more.
constexpr uint32_t kMaxBuffers = 7;

/// Returns a shader that loads, converts and stores an element.
std::string probeOf(DType dtype) {
    const NumberType& of = numberType(dtype);
    std::string extensions;
    if (!of.extension.empty())
        extensions = formatted("#extension {} : require\n", of.extension);
    return formatted("#version 450\n{}layout(local_size_x = 1) in;\n"
                     "layout(binding = 0) buffer Memory {{ {} memory[]; }};\n"
                     "void main() {{ {} v = {};\nmemory[0] = {}; }}\n",
                     extensions, of.stored, of.computed, filled(of.load, {"memory[1]"}),
                     filled(of.store, {"v"}));
}

const char* widerThan(DType dtype) {
    switch (dtype) {
    case DType::eFloat16:
    case DType::eFloat64:
        return "float32";
    case DType::eInt8:
    case DType::eInt16:
    case DType::eInt64:
        return "int32";
    case DType::eComplex128:
        return "complex64";
    default:
        return "uint32";
    }
}

Rules rulesOf(const vulkan::Device& device) {
    Rules rules = device.physical().isCpu() ? kCpuRules : kGpuRules;
    rules.doubles = device.has(vulkan::Feature::eShaderFloat64);
    return rules;
}

} // namespace

std::shared_ptr<Home> Home::of(Manager& manager) {
    Manager::Impl& impl = implOf(manager);
    const std::lock_guard lock(impl.mutex);
    if (!impl.attachment)
        impl.attachment = std::make_shared<Home>(manager);
    return std::static_pointer_cast<Home>(impl.attachment); // nothing else attaches
}

Home::Home(Manager& manager)
    : mManager(&manager), mDevice(manager.deviceInfo().name),
      mRules(rulesOf(*implOf(manager).device)),
      mDoubles(implOf(manager).device->has(vulkan::Feature::eShaderFloat64)),
      mRange(manager.deviceInfo().maxStorageBufferRange),
      mMaxBuffers(static_cast<int>(
          std::min(kMaxBuffers, implOf(manager)
                                    .device->physical()
                                    .properties.limits.maxPerStageDescriptorStorageBuffers))),
      mKeptLimit(manager.deviceInfo().memoryBytes / kKeptPart), mPlans(*this) {}

Manager& Home::manager() const {
    Manager* const manager = mManager.load(std::memory_order_acquire);
    if (!manager)
        throw InvalidArgument("this manager was destroyed, and with it the array's memory");
    return *manager;
}

std::shared_ptr<Tensor> Home::take(DType dtype, int64_t count, Memory::MemoryTypes type,
                                   Writer writer) {
    if (CapturedLaunches* const capture = CapturedLaunches::of(*this)) {
        require(dtype);
        return capture->memory(dtype, count, type);
    }
    std::vector<Lent> dropped; // outlives the lock
    // Used memory counts as written, so checked mode takes new memory.
    if (!checksOf(manager().defaultQueue().get()).uninitialised) {
        const std::lock_guard lock(mMutex);
        if (std::shared_ptr<Tensor> tensor = takeFreed(dtype, count, type, writer))
            return tensor;
        dropped = keepReturned();
        if (std::shared_ptr<Tensor> tensor = takeFreed(dtype, count, type, writer))
            return tensor;
    }
    require(dtype);
    try {
        return allocate(dtype, count, type);
    } catch (const OutOfMemory&) {
        clear();
        return allocate(dtype, count, type);
    }
}

std::shared_ptr<Tensor> Home::takeFreed(DType dtype, int64_t count, Memory::MemoryTypes type,
                                        Writer writer) {
    const auto found = mFreed.find(keyOf(dtype, count, type));
    if (found == mFreed.end() || found->second.empty())
        return nullptr;
    std::vector<std::shared_ptr<Tensor>>& kept = found->second;
    const uint64_t bytes = static_cast<uint64_t>(count) * itemSize(dtype);
    auto chosen = std::prev(kept.end());
    if (writer == Writer::eHost && bytes <= kMostSpare)
        while (!implOf(**chosen).buffer->idle()) {
            if (chosen == kept.begin())
                return nullptr;
            --chosen;
        }
    std::shared_ptr<Tensor> tensor = std::move(*chosen);
    kept.erase(chosen);
    mFreedBytes -= bytes;
    implOf(*tensor).entry.setCached(false);
    return tensor;
}

std::shared_ptr<Tensor> Home::allocate(DType dtype, int64_t count, Memory::MemoryTypes type) {
    std::shared_ptr<Tensor> tensor =
        manager().tensor(static_cast<uint64_t>(count), itemSize(dtype), dataTypeOf(dtype), type);
    implOf(*tensor).entry.setArray();
    return tensor;
}

void Home::giveBack(std::shared_ptr<Tensor> tensor, DType dtype, int64_t count) noexcept {
    CapturedLaunches* const capture = CapturedLaunches::of(*this);
    if (capture && capture->giveBack(tensor, dtype, count))
        return;
    Lent memory{std::move(tensor), dtype, count};
    // Launches that wait for the host have the tensor unseen.
    if (memory.bytes() > mKeptLimit || !mManager.load() || !memory.tensor->canBeReused() ||
        vulkan::WrittenMemory::follows(*implOf(*memory.tensor).buffer))
        return;
    std::unordered_map<uint64_t, std::vector<std::shared_ptr<Tensor>>> dropped;
    std::vector<Lent> returned;
    try {
        const std::lock_guard lock(mMutex);
        if (!isAlone(memory.tensor)) {
            if (mLent.size() == kMaxLent || mLentBytes + memory.bytes() > mKeptLimit)
                returned = keepReturned();
            if (mLent.size() < kMaxLent && mLentBytes + memory.bytes() <= mKeptLimit) {
                mLentBytes += memory.bytes();
                mLent.push_back(std::move(memory));
            }
            return;
        }
        if (mFreedBytes + memory.bytes() > mKeptLimit) {
            dropped.swap(mFreed);
            mFreedBytes = 0;
        }
        keep(std::move(memory));
    } catch (const std::bad_alloc&) { // then the memory is freed
    }
}

bool Home::isAlone(const std::shared_ptr<Tensor>& tensor) const {
    return tensor.use_count() - mPlans.usesOf(*tensor) == 1;
}

void Home::keep(Lent memory) {
    std::vector<std::shared_ptr<Tensor>>& kept =
        mFreed[keyOf(memory.dtype, memory.count, memory.tensor->memoryType())];
    kept.push_back(std::move(memory.tensor));
    implOf(*kept.back()).entry.setCached(true);
    implOf(*kept.back()).entry.setName({}); // the next array is another one
    implOf(*kept.back()).memory().setFollowsLaunches(false);
    mFreedBytes += memory.bytes();
}

std::vector<Home::Lent> Home::keepReturned() {
    std::vector<Lent> still, dropped;
    for (Lent& each : mLent) {
        if (!isAlone(each.tensor) || !each.tensor->canBeReused()) {
            still.push_back(std::move(each));
            continue;
        }
        mLentBytes -= each.bytes();
        if (mFreedBytes + each.bytes() <= mKeptLimit)
            keep(std::move(each));
        else
            dropped.push_back(std::move(each));
    }
    mLent.swap(still);
    return dropped;
}

std::string Home::unsupportedReason(DType dtype) {
    std::optional<std::string>& reason = mReasons[static_cast<size_t>(dtype)];
    {
        const std::lock_guard lock(mMutex);
        if (reason)
            return *reason;
    }
    std::string found;
    Manager& owner = manager();
    const auto spirv = owner.compile(probeOf(dtype), {}); // which kompute::runtime cannot
    try {
        const auto tensor = owner.tensor(nullptr, 4, itemSize(dtype), Memory::DataTypes::eCustom,
                                         Memory::MemoryTypes::eStorage);
        AlgorithmOptions options;
        options.emulateTypes = true;
        static_cast<void>(
            owner.algorithm(reinterpreted({tensor}), spirv, Workgroup{1, 1, 1}, {}, {}, options));
    } catch (const InvalidArgument&) {
        throw;
    } catch (const Error& error) {
        found = error.what();
    }
    const std::lock_guard lock(mMutex);
    if (!reason)
        reason = std::move(found);
    return *reason;
}

void Home::pretendLack(DType dtype, std::string reason) {
    const std::lock_guard lock(mMutex);
    if (dtype == DType::eFloat64)
        mDoubles = reason.empty();
    mReasons[static_cast<size_t>(dtype)] = std::move(reason);
}

void Home::require(DType dtype) {
    const std::string reason = unsupportedReason(dtype);
    if (!reason.empty())
        fail<Unsupported>("{} has no arrays of {}; convert to {} first. {}", mDevice,
                          toString(dtype), widerThan(dtype), reason);
}

void Home::clear() noexcept {
    mPlans.dropBindings();
    mPrimitives.clear();
    std::unordered_map<uint64_t, std::vector<std::shared_ptr<Tensor>>> dropped;
    std::vector<Lent> lent;
    const std::lock_guard lock(mMutex);
    dropped.swap(mFreed);
    mFreedBytes = 0;
    lent.swap(mLent);
    mLentBytes = 0;
}

void Home::detach() noexcept {
    mManager.store(nullptr, std::memory_order_release);
    mPlans.clear();
    clear();
}

void requireCountable(const Shape& shape) {
    double count = 1; // exact up to 2^53
    for (const int64_t extent : shape)
        count *= static_cast<double>(extent);
    if (count > static_cast<double>(kMostElements))
        fail<Unsupported>("an array{} has {:.0f} elements, but one has at most {}; use several",
                          shape.size() > 1 ? " of shape " + toString(shape) : "", count,
                          kMostElements);
}

} // namespace kp::arrays
