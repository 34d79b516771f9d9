// SPDX-License-Identifier: Apache-2.0
#include "core/check/CheckReport.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <unordered_set>
#include <utility>

#include <kompute/logger/Logger.hpp>
#include <kompute/shader/Check.hpp>

#include "base/Process.hpp"
#include "core/check/FaultText.hpp"
#include "vulkan/queue/Barriers.hpp"
#include "vulkan/queue/Commands.hpp"

namespace kp {
namespace {

/// All reports that exist. Never destroyed: threads may outlive static objects.
struct Living {
    std::mutex mutex;
    std::vector<CheckReport*> reports;
    std::vector<std::pair<const vulkan::Device*, std::exception_ptr>> kept; ///< see keepFaults()
};

Living& living() {
    static auto& all = *new Living;
    return all;
}

std::atomic<size_t> gLiving{0}; ///< of both

/// Returns the first faults that are kept for a device, and forgets them; null if there are none.
std::exception_ptr takeKept(const vulkan::Device& device) {
    auto& kept = living().kept;
    const auto found =
        std::ranges::find(kept, &device, [](const auto& each) { return each.first; });
    if (found == kept.end())
        return nullptr;
    std::exception_ptr faults = std::move(found->second);
    kept.erase(found);
    gLiving.fetch_sub(1, std::memory_order_relaxed);
    return faults;
}

/// Logs the kept faults at the end of a device.
class KeptFaults final : public vulkan::DeviceCompanion {
public:
    explicit KeptFaults(const vulkan::Device& device) : mDevice(device) {}
    ~KeptFaults() override {
        while (true) {
            std::exception_ptr faults;
            {
                const std::lock_guard lock(living().mutex);
                faults = takeKept(mDevice);
            }
            if (!faults)
                return;
            try {
                std::rethrow_exception(faults);
            } catch (const std::exception& error) {
                try {
                    KP_LOG_ERROR("nothing waited for work whose shader made a mistake: {}",
                                 error.what());
                } catch (...) { // a log sink that throws; a destructor must not
                }
            }
        }
    }

private:
    const vulkan::Device& mDevice; ///< names the device only
};

/// Of the bound buffers. Elements beyond these are not compared, so that their shadow stays small.
constexpr uint64_t kMaxShadowElements = uint64_t{1} << 23;

bool sharesMemory(const BoundMemory& one, const BoundMemory* other) {
    return other && one.memory && one.memory == other->memory;
}

} // namespace

CheckReport::CheckReport(vulkan::Device& device, std::shared_ptr<const CheckedShader> shader,
                         std::vector<BoundMemory> bound, std::shared_ptr<const std::string> name,
                         std::shared_ptr<vulkan::Buffer>* shadow)
    : mDevice(&device), mShader(std::move(shader)), mBound(std::move(bound)),
      mBuffer(vulkan::Buffer::create(device, shader::kReportBufferWords * sizeof(uint32_t),
                                     vulkan::MemoryPlace::eHost)),
      mName(std::move(name)) {
    std::memset(mBuffer->mapped(), 0, mBuffer->size());
    static_cast<uint32_t*>(mBuffer->mapped())[shader::kAddressWord] = 1;
    auto* const lengths = static_cast<uint32_t*>(mBuffer->mapped()) + shader::kLengthWord;
    for (size_t i = 0; i < mShader->module.measured.size(); ++i) {
        const shader::MeasuredBuffer& each = mShader->module.measured[i];
        const BoundMemory* const memory = memoryAt(mBound, each.set, each.binding);
        const uint64_t bytes = memory ? memory->bytes : 0;
        lengths[i] = static_cast<uint32_t>(std::min<uint64_t>(
            (bytes - std::min<uint64_t>(bytes, each.offset)) / each.stride, UINT32_MAX));
    }
    if (!mShader->module.followed.empty()) {
        constexpr uint32_t kAllWritten = 0x01010101;
        mNothing = vulkan::Buffer::create(device, sizeof kAllWritten, vulkan::MemoryPlace::eHost);
        std::memcpy(mNothing->mapped(), &kAllWritten, sizeof kAllWritten);
    }
    if (mShader->module.hasShadow())
        makeShadow(device, shadow);
    const std::lock_guard lock(living().mutex);
    living().reports.push_back(this);
    gLiving.fetch_add(1, std::memory_order_relaxed);
}

CheckReport::~CheckReport() {
    {
        const std::lock_guard lock(living().mutex);
        std::erase(living().reports, this);
        gLiving.fetch_sub(1, std::memory_order_relaxed);
    }
    if (driverGone()) // and the memory with it
        return;
    if (std::exception_ptr faults = take())
        keepFaults(mBuffer->device(), std::move(faults));
}

void keepFaults(vulkan::Device& device, std::exception_ptr faults) noexcept {
    try {
        device.companion<KeptFaults>([&] { return std::make_shared<KeptFaults>(device); });
        const std::lock_guard lock(living().mutex);
        living().kept.emplace_back(&device, std::move(faults));
        gLiving.fetch_add(1, std::memory_order_relaxed);
    } catch (const std::bad_alloc&) { // no memory left to tell of it
    }
}

void CheckReport::setName(std::shared_ptr<const std::string> name) {
    const std::lock_guard lock(mMutex);
    mName = std::move(name);
}

const BoundMemory* memoryAt(std::span<const BoundMemory> bound, uint32_t set, uint32_t binding) {
    const auto found = std::ranges::find_if(
        bound, [&](const BoundMemory& each) { return each.set == set && each.binding == binding; });
    return found == bound.end() ? nullptr : &*found;
}

void CheckReport::makeShadow(vulkan::Device& device, std::shared_ptr<vulkan::Buffer>* shared) {
    constexpr uint64_t kBytes = shader::kShadowWords * sizeof(uint32_t);
    const uint64_t range = device.physical().properties.limits.maxStorageBufferRange / kBytes;
    uint64_t elements = mShader->module.shadowsShared ? shader::kSharedShadows : 0;
    const uint64_t limit = std::min(range, elements + kMaxShadowElements);
    auto* const table = static_cast<uint32_t*>(mBuffer->mapped()) + shader::kReportWords;
    const std::vector<shader::ShadowedBuffer>& all = mShader->module.shadowed;
    for (size_t i = 0; i < all.size(); ++i) {
        const BoundMemory* const bound = memoryAt(mBound, all[i].set, all[i].binding);
        uint64_t first = elements;
        uint64_t count = bound ? bound->bytes / all[i].elementBytes : 0;
        bool isWritten = all[i].isWritten;
        for (size_t j = 0; j < all.size() && bound; ++j) {
            const BoundMemory* const other = memoryAt(mBound, all[j].set, all[j].binding);
            if (i == j || !sharesMemory(*bound, other) ||
                all[i].elementBytes != all[j].elementBytes)
                continue;
            isWritten |= all[j].isWritten;
            if (j < i && bound->begin >= other->begin) { // one shadow for both
                const uint64_t skipped = (bound->begin - other->begin) / all[i].elementBytes;
                first = table[2 * j] + skipped;
                count = std::min(count,
                                 table[2 * j + 1] - std::min<uint64_t>(table[2 * j + 1], skipped));
            }
        }
        count = isWritten ? std::min(count, limit - std::min(limit, first)) : 0;
        table[2 * i] = static_cast<uint32_t>(first);
        table[2 * i + 1] = static_cast<uint32_t>(count);
        elements = std::max(elements, first + count);
    }
    mShadowBytes = std::max<uint64_t>(elements, 1) * kBytes;
    mShadow = shared ? *shared : nullptr;
    if (!mShadow || mShadow->size() < mShadowBytes)
        mShadow = vulkan::Buffer::create(device, mShadowBytes, vulkan::MemoryPlace::eDevice);
    if (shared)
        *shared = mShadow;
}

void CheckReport::allowAddresses(std::span<const AddressRange> ranges) {
    constexpr uint64_t kMost = UINT32_MAX;
    auto* const table = static_cast<uint32_t*>(mBuffer->mapped()) + shader::kAddressWord;
    uint32_t count = 0;
    for (const AddressRange& range : ranges) {
        if (count == shader::kMaxAddressed || range.bytes > kMost)
            return;
        uint32_t* const entry = table + 1 + size_t{3} * count++;
        entry[0] = static_cast<uint32_t>(range.address);
        entry[1] = static_cast<uint32_t>(range.address >> 32);
        entry[2] = static_cast<uint32_t>(range.bytes);
    }
    table[0] = 0;
}

std::shared_ptr<vulkan::DescriptorSet>
CheckReport::describe(const vulkan::PipelineLayout& layout) const {
    std::vector<vulkan::DescriptorWrite> writes(1);
    writes[0].buffer = {mBuffer->handle(), mBuffer->offset(), mBuffer->size()};
    if (mShadow) {
        writes.emplace_back().binding = 1;
        writes.back().buffer = {mShadow->handle(), mShadow->offset(), mShadowBytes};
    }
    for (uint32_t i = 0; i < mShader->module.followed.size(); ++i) {
        const shader::FollowedBuffer& followed = mShader->module.followed[i];
        writes.emplace_back().binding = shader::kFirstWrittenBinding + i;
        writes.back().buffer = {mNothing->handle(), mNothing->offset(), mNothing->size()};
        const BoundMemory* const memory = memoryAt(mBound, followed.set, followed.binding);
        if (memory && memory->written)
            writes.back().buffer = {memory->written->handle(),
                                    memory->written->offset() + memory->begin,
                                    (memory->bytes + 3) & ~uint64_t{3}};
    }
    return mBuffer->device().descriptors().create(layout, writes, mShader->module.reportSet);
}

void CheckReport::recordReset(const vulkan::DeviceHandle& device,
                              VkCommandBuffer commandBuffer) const {
    if (!mShadow)
        return;
    vulkan::recordFullBarrier(device, commandBuffer);
    vulkan::recordFillRange(commandBuffer, *mShadow, 0, mShadowBytes, 0);
    vulkan::recordFullBarrier(device, commandBuffer);
}

std::exception_ptr CheckReport::take() {
    const std::lock_guard lock(mMutex);
    auto* const words = static_cast<uint32_t*>(mBuffer->mapped());
    const uint32_t count = std::atomic_ref<uint32_t>(words[0]).load(std::memory_order_acquire);
    if (count == 0)
        return nullptr;
    const std::vector<uint32_t> copy(words + 1, words + shader::kReportWords);
    const std::span allAxes(words + shader::kAxesWord, shader::kAxesWords * shader::kMaxFaults);
    std::vector<CheckFault> faults;
    std::vector<CheckFault> again; // of sites that have a fault already
    std::unordered_set<uint32_t> seen;
    for (uint32_t i = 0; i < std::min(count, shader::kMaxFaults); ++i) {
        const std::span<const uint32_t> record =
            std::span(copy).subspan(size_t{i} * shader::kFaultWords, shader::kFaultWords);
        if (record[0] == 0 || record[0] > mShader->module.sites.size())
            continue;
        std::vector<CheckFault>& list = seen.insert(record[0]).second ? faults : again;
        list.push_back(faultOf(mShader->module.sites[record[0] - 1], record, mBound));
        addAxes(list.back(), allAxes.subspan(size_t{i} * shader::kAxesWords, shader::kAxesWords));
        if (mName)
            list.back().algorithm = *mName;
    }
    faults.insert(faults.end(), again.begin(), again.end());
    if (faults.empty())
        return nullptr; // an invocation has counted its fault, and not written it yet
    std::memset(words, 0, shader::kReportWords * sizeof(uint32_t));
    std::ranges::fill(allAxes, 0);
    return std::make_exception_ptr(CheckFailed(std::move(faults), count));
}

std::exception_ptr takeFaults(const CheckReports& reports) {
    std::exception_ptr first;
    for (const std::shared_ptr<CheckReport>& report : reports)
        if (std::exception_ptr faults = report->take(); faults && !first)
            first = std::move(faults);
    return first;
}

void throwFaults(const vulkan::Device& device) {
    if (gLiving.load(std::memory_order_relaxed) == 0) [[likely]]
        return;
    std::exception_ptr first;
    {
        const std::lock_guard lock(living().mutex);
        for (CheckReport* const report : living().reports)
            if (report->mDevice == &device && !first)
                first = report->take();
        if (!first)
            first = takeKept(device);
    }
    if (first)
        std::rethrow_exception(first);
}

} // namespace kp
