// SPDX-License-Identifier: Apache-2.0
#include <kompute/Cuda.hpp>

#include <map>
#include <mutex>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>
#include <kompute/logger/Logger.hpp>
#include <kompute/queue/Queue.hpp>

#include "base/Text.hpp"
#include "core/manager/ManagerImpl.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/queue/EventState.hpp"
#include "cuda/Interop.hpp"

namespace kp {
namespace {

cuda::Interop& interopOf(const Manager& manager) {
    return cuda::Interop::of(*implOf(manager).device);
}

/// @throws InvalidArgument unless the tensor is shared
const Memory::Impl& sharedImpl(const Tensor& tensor) {
    const Memory::Impl& impl = implOf(tensor);
    impl.requireAlive();
    if (impl.cudaAddress == 0)
        throw InvalidArgument("CUDA does not see the memory of this tensor; create it by "
                              "Manager::sharedTensor (shared_tensor() in Python)");
    return impl;
}

/// Records a point as a write of memory, so that all later uses wait for it.
void noteWrite(const Memory::Impl& impl, const vulkan::TimelinePoint& point) {
    if (impl.mirrored)
        impl.mirror().noteDeviceWrite();
    if (!point.queue)
        return;
    const std::lock_guard lock(impl.device->submissionMutex());
    vulkan::ResourceUse& use = impl.buffer->use();
    use.prepare(*point.queue);
    use.note(point, true);
}

std::shared_ptr<Tensor> newSharedTensor(const std::shared_ptr<vulkan::Device>& device,
                                        std::shared_ptr<vulkan::Buffer> buffer, uint64_t address,
                                        uint64_t count, uint64_t elementSize,
                                        Memory::DataTypes dataType, Memory::MemoryTypes type) {
    auto tensor =
        Internals::make<Tensor>(device, std::move(buffer), count, elementSize, dataType, type);
    implOf(*tensor).cudaAddress = address;
    return tensor;
}

/// GPUs whose memory cudaPoolAllocate() gives out, by CUDA's number. Never destroyed, since other
/// libraries free their memory late.
struct PoolGpus {
    std::mutex mutex;
    std::map<int, std::shared_ptr<cuda::Gpu>> gpus;
};
PoolGpus& poolGpus() {
    static auto* const all = new PoolGpus;
    return *all;
}

} // namespace

std::shared_ptr<Tensor> Manager::sharedTensor(uint64_t elementTotalCount,
                                              uint64_t elementMemorySize,
                                              Memory::DataTypes dataType,
                                              Memory::MemoryTypes tensorType) {
    requireDeviceMemory(tensorType, "a shared tensor");
    const uint64_t bytes = checkedBytes(elementTotalCount, elementMemorySize, "tensor");
    cuda::SharedPool::Piece piece = interopOf(*this).pool().make(bytes);
    return manage(newSharedTensor(device(), std::move(piece.buffer), piece.address,
                                  elementTotalCount, elementMemorySize, dataType, tensorType));
}

std::shared_ptr<Tensor> Manager::tensorAtCuda(uint64_t address, uint64_t elementTotalCount,
                                              uint64_t elementMemorySize,
                                              Memory::DataTypes dataType,
                                              std::shared_ptr<void> owner) {
    const uint64_t bytes = checkedBytes(elementTotalCount, elementMemorySize, "tensor");
    std::shared_ptr<vulkan::Buffer> buffer =
        interopOf(*this).pool().view(address, bytes, std::move(owner));
    if (!buffer)
        return nullptr;
    return manage(newSharedTensor(device(), std::move(buffer), address, elementTotalCount,
                                  elementMemorySize, dataType, Memory::MemoryTypes::eStorage));
}

void Manager::copyFromCuda(const std::shared_ptr<Tensor>& tensor, uint64_t address,
                           std::shared_ptr<void> owner) {
    cuda::Interop& interop = interopOf(*this);
    const Memory::Impl& impl = sharedImpl(*tensor);
    const int owning = interop.gpu().deviceOf(address);
    if (owning != interop.gpu().ordinal())
        fail<InvalidArgument>(
            "the memory at {} belongs to CUDA device {}, but the manager's GPU is "
            "CUDA device {}; move the array there first",
            address, owning, interop.gpu().ordinal());
    const cuda::Interop::Stream stream = interop.stream();
    tensor->letCudaWait(stream);
    interop.gpu().copy(impl.cudaAddress, address, impl.bytes(), stream);
    const vulkan::TimelinePoint point = interop.pointOf(stream);
    noteWrite(impl, point);
    if (owner && point.queue)
        whenDone(Internals::event<Event>(impl.device, point.queue, point.value,
                                         impl.device->defaultWaitMode()),
                 [owner] {});
}

Event Manager::cudaEvent(void* stream) {
    const vulkan::TimelinePoint point = interopOf(*this).pointOf(stream);
    if (!point.queue)
        return {};
    return Internals::event<Event>(mImpl->device, point.queue, point.value, mImpl->rules.waitMode);
}

void* Manager::cudaStream() {
    return interopOf(*this).stream();
}

int Manager::cudaDevice() const {
    return interopOf(*this).gpu().ordinal();
}

CudaMemory Tensor::cudaMemory() const {
    const Memory::Impl& impl = sharedImpl(*this);
    impl.expose();
    cuda::Interop& interop = cuda::Interop::of(*impl.device);
    interop.pool().noteCudaUse(impl.cudaAddress);
    struct Kept {
        std::shared_ptr<vulkan::Device> device; // declared first, so destroyed last
        std::shared_ptr<vulkan::Buffer> buffer;
    };
    return {impl.cudaAddress, interop.gpu().ordinal(),
            std::make_shared<Kept>(Kept{impl.device, impl.buffer})};
}

void Tensor::waitForCuda(void* stream) {
    const Memory::Impl& impl = sharedImpl(*this);
    noteWrite(impl, cuda::Interop::of(*impl.device).pointOf(stream));
}

void Tensor::letCudaWait(void* stream) const {
    const Memory::Impl& impl = sharedImpl(*this);
    impl.bringToDevice();
    cuda::Interop& interop = cuda::Interop::of(*impl.device);
    static_cast<void>(interop.gpu().streamId(stream)); // throws for a wrong stream in any case
    for (const vulkan::TimelinePoint& point : impl.buffer->usesBefore(true))
        interop.wait(stream, point);
}

void letCudaWait(void* stream, const Event& event) {
    if (const std::shared_ptr<EventState>& state = Internals::state(event)) {
        switch (state->phase()) {
        case EventState::Phase::eQueued:
            throw InvalidArgument("a CUDA stream cannot wait for work that is not submitted yet, "
                                  "because that work waits for the host (a user event, a host "
                                  "function or another device); wait for the event instead");
        case EventState::Phase::eFailed:
            std::rethrow_exception(state->error());
        case EventState::Phase::eDone:
            return;
        case EventState::Phase::eSubmitted:
            cuda::Interop::of(*state->device()).wait(stream, state->point());
            return;
        }
    }
    if (vulkan::Queue* const queue = Internals::queue(event))
        cuda::Interop::of(*Internals::device(event)).wait(stream, {queue, event.value()});
}

int enableCudaPool(const Manager& manager) {
    const std::shared_ptr<cuda::Gpu> gpu = interopOf(manager).sharedGpu();
    PoolGpus& all = poolGpus();
    const std::lock_guard lock(all.mutex);
    all.gpus[gpu->ordinal()] = gpu;
    return gpu->ordinal();
}

void* cudaPoolAllocate(uint64_t bytes, int device) noexcept {
    try {
        std::shared_ptr<cuda::Gpu> gpu;
        {
            PoolGpus& all = poolGpus();
            const std::lock_guard lock(all.mutex);
            const auto found = all.gpus.find(device);
            if (found == all.gpus.end())
                return nullptr;
            gpu = found->second;
        }
        std::shared_ptr<cuda::Gpu::Region> region = gpu->allocate(bytes);
        const uint64_t address = region->address();
        cuda::Regions::instance().add(std::move(region));
        return reinterpret_cast<void*>(address);
    } catch (const std::exception& error) {
        KP_LOG_WARN("{} bytes of CUDA memory for a pool: {}", bytes, error.what());
        return nullptr;
    }
}

void cudaPoolFree(void* memory) noexcept {
    if (memory && !cuda::Regions::instance().close(reinterpret_cast<uintptr_t>(memory)))
        KP_LOG_WARN("memory that cudaPoolAllocate() did not return was given to cudaPoolFree()");
}

} // namespace kp
