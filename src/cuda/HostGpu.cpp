// SPDX-License-Identifier: Apache-2.0
#include "cuda/HostGpu.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::cuda {
namespace {

constexpr uint64_t kHostGranule = uint64_t{2} << 20; // as CUDA's

class HostRegion final : public Gpu::Region {
public:
    explicit HostRegion(uint64_t bytes)
        : mBytes((bytes + kHostGranule - 1) / kHostGranule * kHostGranule),
          mMemory(std::malloc(mBytes + vulkan::Buffer::kPageBytes)) {
        if (!mMemory)
            fail<OutOfMemory>("there is no host memory of {} bytes", mBytes);
    }
    ~HostRegion() override { std::free(mMemory); }

    uint64_t address() const override {
        const auto start = reinterpret_cast<uintptr_t>(mMemory);
        constexpr uint64_t kPage = vulkan::Buffer::kPageBytes;
        return (start + kPage - 1) / kPage * kPage;
    }
    uint64_t bytes() const override { return mBytes; }
    std::shared_ptr<vulkan::Buffer> import(vulkan::Device& device) const override {
        return vulkan::Buffer::importHost(device, reinterpret_cast<void*>(address()), mBytes);
    }

private:
    const uint64_t mBytes;
    void* const mMemory;
};

class HostSemaphore final : public Gpu::Semaphore {
public:
    explicit HostSemaphore(const vulkan::SharedSemaphore& given) : semaphore(given) {}
    const vulkan::SharedSemaphore& semaphore;
};

} // namespace

class HostGpu::HostMark final : public Gpu::Mark {
public:
    std::vector<std::pair<Worker*, uint64_t>> counts;
    bool reached() override {
        for (const auto& [each, count] : counts)
            if (!each->done(count))
                return false;
        return true;
    }
};

const std::shared_ptr<HostGpu>& HostGpu::instance() {
    static const auto* const gpu = new std::shared_ptr<HostGpu>(std::make_shared<HostGpu>());
    return *gpu;
}

HostGpu::~HostGpu() = default;

HostGpu::Worker::~Worker() {
    {
        const std::lock_guard lock(mMutex);
        mEnds = true;
    }
    mChanged.notify_all();
    if (mThread.joinable())
        mThread.join();
}

void HostGpu::Worker::add(std::function<void()> function) {
    {
        const std::lock_guard lock(mMutex);
        mFunctions.push_back(std::move(function));
        ++mAdded;
        if (!mThread.joinable())
            mThread = std::thread([this] { work(); });
    }
    mChanged.notify_all();
}

uint64_t HostGpu::Worker::added() {
    const std::lock_guard lock(mMutex);
    return mAdded;
}

bool HostGpu::Worker::done(uint64_t count) {
    const std::lock_guard lock(mMutex);
    return mDone >= count;
}

void HostGpu::Worker::waitFor(uint64_t count) {
    std::unique_lock lock(mMutex);
    mChanged.wait(lock, [&] { return mDone >= count; });
}

void HostGpu::Worker::work() {
    std::unique_lock lock(mMutex);
    for (;;) {
        mChanged.wait(lock, [this] { return mEnds || !mFunctions.empty(); });
        if (mFunctions.empty())
            return;
        const std::function<void()> function = std::move(mFunctions.front());
        mFunctions.pop_front();
        lock.unlock();
        function();
        lock.lock();
        ++mDone;
        mChanged.notify_all();
    }
}

void HostGpu::failNext(std::string function) {
    const std::lock_guard lock(mMutex);
    mFailing = std::move(function);
}

template <typename Error>
void HostGpu::failIfAsked(const char* function) {
    const std::lock_guard lock(mMutex);
    if (mFailing != function)
        return;
    mFailing.clear();
    fail<Error>("the stand-in for CUDA was told to fail in {}", function);
}

HostGpu::Worker& HostGpu::worker(Stream stream) {
    const std::lock_guard lock(mMutex);
    return mWorkers[stream];
}

void HostGpu::run(Stream stream, std::function<void()> function) {
    worker(stream).add(std::move(function));
}

void HostGpu::synchronize(Stream stream) {
    Worker& each = worker(stream);
    each.waitFor(each.added());
}

int HostGpu::deviceOf(uint64_t address) const {
    return address != 0 ? 0 : -1;
}

uint64_t HostGpu::streamId(Stream stream) {
    const auto id = reinterpret_cast<uintptr_t>(stream);
    if (id == kForeignStream)
        throw InvalidArgument("the CUDA stream belongs to another device; make the stream on the "
                              "manager's device");
    return id;
}

std::unique_ptr<Gpu::Region> HostGpu::allocate(uint64_t bytes) {
    failIfAsked<OutOfMemory>("allocate");
    return std::make_unique<HostRegion>(bytes);
}

std::unique_ptr<Gpu::Semaphore> HostGpu::import(const vulkan::SharedSemaphore& semaphore) {
    failIfAsked<Unsupported>("import");
    return std::make_unique<HostSemaphore>(semaphore);
}

Gpu::Stream HostGpu::makeStream() {
    const std::lock_guard lock(mMutex);
    return reinterpret_cast<Stream>(++mStreams);
}

bool HostGpu::idle(Stream stream) {
    Worker& each = worker(stream);
    return each.done(each.added());
}

void HostGpu::signal(Semaphore& semaphore, uint64_t value, Stream stream) {
    failIfAsked<Unsupported>("signal");
    const vulkan::SharedSemaphore& signalled = static_cast<HostSemaphore&>(semaphore).semaphore;
    run(stream, [&signalled, value] { signalled.signal(value); });
}

void HostGpu::wait(Semaphore& semaphore, uint64_t value, Stream stream) {
    failIfAsked<Unsupported>("wait");
    const vulkan::SharedSemaphore& waited = static_cast<HostSemaphore&>(semaphore).semaphore;
    run(stream, [&waited, value] { (void)waited.wait(value, UINT64_MAX); });
}

void HostGpu::copy(uint64_t to, uint64_t from, uint64_t bytes, Stream stream) {
    failIfAsked<Unsupported>("copy");
    run(stream, [to, from, bytes] {
        std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    });
}

std::unique_ptr<Gpu::Mark> HostGpu::mark() {
    auto mark = std::make_unique<HostMark>();
    const std::lock_guard lock(mMutex);
    for (auto& [stream, each] : mWorkers)
        mark->counts.emplace_back(&each, each.added());
    return mark;
}

} // namespace kp::cuda
