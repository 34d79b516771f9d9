// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/Autotuner.hpp>

#include <mutex>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>

#include "launch/TuningCache.hpp"
#include "launch/TuningDevice.hpp"
#include "launch/TuningRun.hpp"
#include "shader/CacheFolder.hpp"
#include "vulkan/Device.hpp"

namespace kp {
namespace {

void requireSensible(const AutotunerOptions& options) {
    const auto refuse = [](const std::string& what) {
        throw InvalidArgument("AutotunerOptions::" + what);
    };
    if (!(options.budgetSeconds >= 0))
        refuse("budgetSeconds is " + std::to_string(options.budgetSeconds) +
               "; it is 0 (no bound) or more");
    if (!(options.lockSeconds >= 0))
        refuse("lockSeconds is " + std::to_string(options.lockSeconds) + "; it is 0 or more");
    if (options.runs == 0 || options.runs > 100'000)
        refuse("runs is " + std::to_string(options.runs) + "; it is 1 to 100000");
}

launch::TuningKey keyOf(const vulkan::Device& device) {
    launch::TuningKey key;
    key.deviceUuid = vulkan::uuidToString(device.physical().deviceUuid);
    key.driverVersion = device.physical().properties.driverVersion;
    key.deviceName = device.name();
    return key;
}

} // namespace

struct Autotuner::Impl {
    Manager& manager;
    AutotunerOptions options;
    mutable std::mutex mutex;
    mutable launch::TuningCache cache;
};

Autotuner::Autotuner(Manager& manager, AutotunerOptions options) {
    requireSensible(options);
    launch::deviceOf(manager);
    const std::string folder = options.cacheFolder.empty()
                                   ? manager.cacheFolder()
                                   : shader::cacheFolder(options.cacheFolder);
    const double lockSeconds = options.lockSeconds;
    mImpl.reset(
        new Impl{manager, std::move(options), {}, launch::TuningCache(folder, lockSeconds)});
}

Autotuner::~Autotuner() = default;

TuningResult Autotuner::tune(const TunableKernel& kernel, const TuningArguments& arguments) {
    const std::lock_guard lock(mImpl->mutex);
    const std::shared_ptr<vulkan::Device> device = launch::deviceOf(mImpl->manager);
    launch::TuningKey key = keyOf(*device);
    key.kernel = kernel.name();
    key.key = arguments.tuningKey();
    const launch::TuningLimits limits = launch::limitsOf(*device);
    return launch::TuningRun(mImpl->manager, mImpl->options, mImpl->cache, key, limits, kernel,
                             arguments)
        .run();
}

size_t Autotuner::exportRecords(const std::string& path) const {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->cache.exportTo(path, keyOf(*launch::deviceOf(mImpl->manager)));
}

size_t Autotuner::importRecords(const std::string& path) {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->cache.importFrom(path);
}

std::string Autotuner::cacheFolder() const {
    return mImpl->cache.folder();
}

Manager& Autotuner::manager() const {
    return mImpl->manager;
}

const AutotunerOptions& Autotuner::options() const {
    return mImpl->options;
}

} // namespace kp
