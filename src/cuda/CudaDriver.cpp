// SPDX-License-Identifier: Apache-2.0
#include "cuda/CudaDriver.hpp"

#include <string>

#if defined(__unix__) && !defined(__APPLE__)
#include <dlfcn.h>
#endif

#include <kompute/logger/Logger.hpp>

#include "base/Text.hpp"

namespace kp::cuda {

std::optional<CudaDriver> CudaDriver::open() {
#if defined(__unix__) && !defined(__APPLE__)
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return std::nullopt;
    CudaDriver driver;
    std::string missing;
    const auto load = [&]<typename Function>(Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(dlsym(library, name));
        if (!function)
            missing += formatted(" {}", name);
    };
    load(driver.cuInit, "cuInit");
    load(driver.cuGetErrorName, "cuGetErrorName");
    load(driver.cuDeviceGetCount, "cuDeviceGetCount");
    load(driver.cuDeviceGet, "cuDeviceGet");
    load(driver.cuDeviceGetUuid, "cuDeviceGetUuid");
    load(driver.cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer");
    load(driver.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    load(driver.cuCtxPushCurrent, "cuCtxPushCurrent_v2");
    load(driver.cuCtxPopCurrent, "cuCtxPopCurrent_v2");
    load(driver.cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity");
    load(driver.cuMemCreate, "cuMemCreate");
    load(driver.cuMemRelease, "cuMemRelease");
    load(driver.cuMemExportToShareableHandle, "cuMemExportToShareableHandle");
    load(driver.cuMemAddressReserve, "cuMemAddressReserve");
    load(driver.cuMemAddressFree, "cuMemAddressFree");
    load(driver.cuMemMap, "cuMemMap");
    load(driver.cuMemUnmap, "cuMemUnmap");
    load(driver.cuMemSetAccess, "cuMemSetAccess");
    load(driver.cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
    load(driver.cuStreamCreate, "cuStreamCreate");
    load(driver.cuStreamDestroy, "cuStreamDestroy_v2");
    load(driver.cuStreamSynchronize, "cuStreamSynchronize");
    if (missing.empty())
        return driver;
    KP_LOG_INFO("GPUs exchange data through the host, because CUDA's driver library lacks{}",
                missing);
#endif
    return std::nullopt;
}

void CudaDriver::check(Result result, const char* function) const {
    constexpr Result kSuccess = 0;
    constexpr Result kOutOfMemory = 2;
    if (result == kSuccess)
        return;
    const char* name = nullptr;
    cuGetErrorName(result, &name);
    const std::string text = formatted("CUDA's driver: {} failed with {}", function,
                                       name ? name : formatted("error {}", result));
    if (result == kOutOfMemory)
        throw OutOfMemory(text);
    throw Unsupported(text);
}

} // namespace kp::cuda
