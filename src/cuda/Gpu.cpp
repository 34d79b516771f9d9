// SPDX-License-Identifier: Apache-2.0
#include "cuda/Gpu.hpp"

#include <algorithm>
#include <mutex>

#if defined(__unix__)
#include <unistd.h>
#endif

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/Environment.hpp"
#include "base/Text.hpp"
#include "cuda/Driver.hpp"
#include "cuda/HostGpu.hpp"

namespace kp::cuda {
namespace {

void closeFile(int fd) {
#if defined(__unix__)
    if (fd >= 0)
        close(fd);
#else
    (void)fd;
#endif
}

class DriverRegion final : public Gpu::Region {
public:
    DriverRegion(const DriverGpu& gpu, uint64_t bytes)
        : mMemory(gpu, {MemoryAccess{{.id = gpu.number}}}, bytes) {
        for (const DriverGpu& other : driverGpus())
            if (other.number != gpu.number && canAccess(other, gpu))
                mMemory.shareWith(other);
    }

    uint64_t address() const override { return mMemory.address(); }
    uint64_t bytes() const override { return mMemory.bytes(); }
    std::shared_ptr<vulkan::Buffer> import(vulkan::Device& device) const override {
        const ExternalMemory memory{mMemory.exportHandle(), mMemory.bytes(),
                                    ExternalMemory::kAnyType, 0};
        try {
            std::shared_ptr<vulkan::Buffer> buffer =
                vulkan::Buffer::importMemory(device, memory, mMemory.bytes());
            closeFile(memory.fd);
            return buffer;
        } catch (...) {
            closeFile(memory.fd);
            throw;
        }
    }

private:
    MappedMemory mMemory;
};

class DriverSemaphore final : public Gpu::Semaphore {
public:
    DriverSemaphore(const vulkan::SharedSemaphore& semaphore, Context context) : mContext(context) {
        const CurrentContext current(mContext);
        SemaphoreDescription description;
        description.handle.fd = semaphore.exportHandle();
        try {
            driver().cuImportExternalSemaphore(&handle, &description); // takes the descriptor
        } catch (...) {
            closeFile(description.handle.fd);
            throw;
        }
    }
    ~DriverSemaphore() override {
        try {
            const CurrentContext current(mContext);
            driver().cuDestroyExternalSemaphore.attempt(handle);
        } catch (const std::exception&) { // the driver ended before, and freed it
        }
    }

    SemaphoreHandle handle = nullptr;

private:
    const Context mContext;
};

class DriverMark final : public Gpu::Mark {
public:
    explicit DriverMark(Context context) : mContext(context) {
        const CurrentContext current(mContext);
        if (!driver().cuCtxRecordEvent) { // a driver before CUDA 12.5
            driver().cuCtxSynchronize();
            return;
        }
        driver().cuEventCreate(&mHandle, kDisableTiming);
        if (driver().cuCtxRecordEvent.attempt(mContext, mHandle) == 0)
            return;
        driver().cuEventDestroy.attempt(mHandle);
        mHandle = nullptr;
        driver().cuCtxSynchronize();
    }
    ~DriverMark() override {
        if (!mHandle)
            return;
        try {
            const CurrentContext current(mContext);
            driver().cuEventDestroy.attempt(mHandle);
        } catch (const std::exception&) { // the driver ended before, and freed it
        }
    }

    bool reached() override {
        if (!mHandle)
            return true;
        const CurrentContext current(mContext);
        return driver().cuEventQuery.attempt(mHandle) != kNotReady;
    }

private:
    const Context mContext;
    MarkHandle mHandle = nullptr;
};

class CudaGpu final : public Gpu {
public:
    explicit CudaGpu(const DriverGpu& gpu) : mGpu(gpu), mContext(gpu.context()) {}

    int ordinal() const override { return mGpu.number; }
    bool importsExported() const override { return true; }

    int deviceOf(uint64_t address) const override {
        constexpr int kDeviceOrdinal = 9; // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        const CurrentContext current(mContext);
        int ordinal = -1;
        return driver().cuPointerGetAttribute.attempt(&ordinal, kDeviceOrdinal, address) == 0
                   ? ordinal
                   : -1;
    }

    uint64_t streamId(Stream stream) override {
        const CurrentContext current(mContext);
        Context context = nullptr;
        int capturing = 0;
        if (driver().cuStreamGetCtx.attempt(stream, &context) != 0 ||
            driver().cuStreamIsCapturing.attempt(stream, &capturing) != 0)
            fail<InvalidArgument>("{} is not a stream of CUDA device {}",
                                  reinterpret_cast<uintptr_t>(stream), mGpu.number);
        if (context != mContext)
            fail<InvalidArgument>("the CUDA stream belongs to another device or context than the "
                                  "primary context of CUDA device {}, which is the manager's GPU; "
                                  "make the stream on that device (torch.cuda.device({}))",
                                  mGpu.number, mGpu.number);
        if (capturing != 0)
            throw InvalidArgument("the CUDA stream is being captured into a CUDA graph, which "
                                  "cannot wait for Vulkan or be waited for; end the capture first");
        unsigned long long id = reinterpret_cast<uintptr_t>(stream);
        if (driver().cuStreamGetId)
            driver().cuStreamGetId(stream, &id);
        return id;
    }

    std::unique_ptr<Region> allocate(uint64_t bytes) override {
        return std::make_unique<DriverRegion>(mGpu, bytes);
    }
    std::unique_ptr<Semaphore> import(const vulkan::SharedSemaphore& semaphore) override {
        return std::make_unique<DriverSemaphore>(semaphore, mContext);
    }
    Stream makeStream() override {
        const CurrentContext current(mContext);
        Stream stream = nullptr;
        driver().cuStreamCreate(&stream, kStreamNonBlocking);
        return stream;
    }

    bool idle(Stream stream) override {
        const CurrentContext current(mContext);
        return driver().cuStreamQuery.attempt(stream) == 0;
    }

    void signal(Semaphore& semaphore, uint64_t value, Stream stream) override {
        const CurrentContext current(mContext);
        const SemaphoreValue parameters{value};
        driver().cuSignalExternalSemaphoresAsync(&static_cast<DriverSemaphore&>(semaphore).handle,
                                                 &parameters, 1, stream);
    }
    void wait(Semaphore& semaphore, uint64_t value, Stream stream) override {
        const CurrentContext current(mContext);
        const SemaphoreValue parameters{value};
        driver().cuWaitExternalSemaphoresAsync(&static_cast<DriverSemaphore&>(semaphore).handle,
                                               &parameters, 1, stream);
    }
    void copy(uint64_t to, uint64_t from, uint64_t bytes, Stream stream) override {
        const CurrentContext current(mContext);
        driver().cuMemcpyDtoDAsync(to, from, bytes, stream);
    }

    std::unique_ptr<Mark> mark() override { return std::make_unique<DriverMark>(mContext); }

private:
    const DriverGpu& mGpu;
    const Context mContext;
};

std::mutex gpuMutex;
std::shared_ptr<Gpu> replacementGpu; ///< guarded by gpuMutex

} // namespace

Gpu::Region::~Region() = default;
Gpu::Semaphore::~Semaphore() = default;
Gpu::Mark::~Mark() = default;
Gpu::~Gpu() = default;

std::shared_ptr<Gpu> Gpu::of(const vulkan::Device& device) {
    {
        const std::lock_guard lock(gpuMutex);
        if (replacementGpu)
            return replacementGpu;
    }
    if (environment("KOMPUTE_CUDA") == "host")
        return HostGpu::instance();
    if (!device.physical().isNvidia())
        fail<Unsupported>("{} is not an NVIDIA GPU, so CUDA memory cannot be used on it in place; "
                          "choose another device, or exchange data through the host (read(), "
                          "write())",
                          device.name());
    const std::vector<DriverGpu>& gpus = driverGpus();
    const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const DriverGpu& gpu) {
        return std::equal(gpu.uuid.begin(), gpu.uuid.end(),
                          std::begin(device.physical().deviceUuid));
    });
    if (found == gpus.end())
        fail<Unsupported>("CUDA does not see {}; check CUDA_VISIBLE_DEVICES, or choose the device "
                          "by its uuid",
                          device.name());
    return std::make_shared<CudaGpu>(*found);
}

void Gpu::replace(std::shared_ptr<Gpu> gpu) {
    const std::lock_guard lock(gpuMutex);
    replacementGpu.swap(gpu);
}

} // namespace kp::cuda
