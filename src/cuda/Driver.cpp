// SPDX-License-Identifier: Apache-2.0
#include "cuda/Driver.hpp"

#include <map>
#include <mutex>

#include <kompute/Error.hpp>
#include <kompute/logger/Logger.hpp>

#include "base/DynamicLibrary.hpp"
#include "base/Environment.hpp"
#include "base/Process.hpp"
#include "base/Text.hpp"

namespace kp::cuda {
namespace {

std::vector<DriverGpu> listGpus() {
    if (environment("KOMPUTE_CUDA") == "0")
        throw Unsupported("the environment variable KOMPUTE_CUDA=0 keeps CUDA's driver library "
                          "closed; unset it");
    if (!driver().handle)
        throw Unsupported("CUDA's driver library (libcuda.so.1) is not installed; it comes with "
                          "NVIDIA's display driver for Linux");
    if (!driver().missing.empty())
        fail<Unsupported>("CUDA's driver library is too old: it lacks{}; install a driver of CUDA "
                          "11.2 or newer",
                          driver().missing);
    driver().cuInit(0);
    int count = 0;
    driver().cuDeviceGetCount(&count);
    std::vector<DriverGpu> gpus(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
        DriverGpu& gpu = gpus[static_cast<size_t>(i)];
        driver().cuDeviceGet(&gpu.number, i);
        driver().cuDeviceGetUuid(gpu.uuid.data(), gpu.number);
    }
    return gpus;
}

} // namespace

DriverLibrary::DriverLibrary() {
#if defined(__unix__) && !defined(__APPLE__)
    std::string reason;
    handle = openLibrary("libcuda.so.1", reason);
#endif
    errorName = reinterpret_cast<decltype(errorName)>(find("cuGetErrorName"));
}

void* DriverLibrary::find(const char* function, bool optional) {
    if (void* const found = findFunction(handle, function))
        return found;
    if (!optional)
        missing += formatted(" {}", function);
    return nullptr;
}

void DriverLibrary::failOn(Result result, std::string_view function) const {
    const char* name = nullptr;
    errorName(result, &name);
    const std::string text =
        formatted("CUDA's driver: {} failed with {}", function.substr(0, function.rfind("_v2")),
                  name ? name : formatted("error {}", result));
    if (result == kOutOfMemory)
        throw OutOfMemory(text);
    throw Unsupported(text);
}

Driver& driver() {
    static auto* const instance = new Driver;
    return *instance;
}

Context DriverGpu::context() const {
    static auto& mutex = *new std::mutex;
    static auto& contexts = *new std::map<DeviceNumber, Context>;
    const std::lock_guard lock(mutex);
    Context& context = contexts[number];
    if (!context)
        driver().cuDevicePrimaryCtxRetain(&context, number);
    return context;
}

const std::vector<DriverGpu>& driverGpus() {
    // Never destroyed: at exit, the driver may be unloaded before the library's objects are gone.
    static const auto* const gpus = new std::vector<DriverGpu>(listGpus());
    return *gpus;
}

bool canAccess(const DriverGpu& user, const DriverGpu& owner) {
    if (user.number == owner.number)
        return true;
    int can = 0;
    return driver().cuDeviceCanAccessPeer.attempt(&can, user.number, owner.number) == 0 && can != 0;
}

MappedMemory::MappedMemory(const DriverGpu& gpu, const std::vector<MemoryAccess>& users,
                           uint64_t bytes)
    : mContext(gpu.context()) {
    const CurrentContext current(mContext);
    AllocationProperties properties;
    properties.location.id = gpu.number;
    size_t unit = 1;
    driver().cuMemGetAllocationGranularity(&unit, &properties, 0);
    mBytes = (bytes + unit - 1) / unit * unit;
    driver().cuMemCreate(&mAllocation, mBytes, &properties, 0);
    try {
        driver().cuMemAddressReserve(&mAddress, mBytes, 0, 0, 0);
        driver().cuMemMap(mAddress, mBytes, 0, mAllocation, 0);
        mMapped = true;
        driver().cuMemSetAccess(mAddress, mBytes, users.data(), users.size());
    } catch (...) {
        release();
        throw;
    }
}

MappedMemory::~MappedMemory() {
    if (driverGone())
        return; // it has freed everything
    try {
        const CurrentContext current(mContext);
        release();
    } catch (const std::exception& error) {
        KP_LOG_WARN("memory shared with CUDA stays allocated: {}", error.what());
    }
}

void MappedMemory::shareWith(const DriverGpu& user) {
    const CurrentContext current(mContext);
    const MemoryAccess access{{.id = user.number}};
    driver().cuMemSetAccess.attempt(mAddress, mBytes, &access, 1);
}

int MappedMemory::exportHandle() const {
    int fd = -1;
    driver().cuMemExportToShareableHandle(&fd, mAllocation, kFileDescriptor, 0);
    return fd;
}

void MappedMemory::release() {
    if (mMapped)
        driver().cuMemUnmap.attempt(mAddress, mBytes);
    if (mAddress != 0)
        driver().cuMemAddressFree.attempt(mAddress, mBytes);
    driver().cuMemRelease.attempt(mAllocation);
}

} // namespace kp::cuda
