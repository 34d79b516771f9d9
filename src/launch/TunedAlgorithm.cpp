// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/TunedAlgorithm.hpp>

#include <map>
#include <mutex>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>

#include "launch/TuningBuild.hpp"
#include "launch/TuningDevice.hpp"

namespace kp {

struct TunedAlgorithm::Impl {
    using Key = std::pair<std::vector<int64_t>, std::string>;

    std::shared_ptr<Autotuner> tuner;
    TunableKernel kernel;
    mutable std::mutex mutex;
    std::map<Key, TuningResult> results;

    static Key keyOf(const TuningArguments& arguments) {
        return {arguments.problemSize(), arguments.tuningKey()};
    }

    /// With the mutex held, so that two threads do not tune the same at once.
    /// @param fresh  set where it was tuned now; null: not wanted
    const TuningResult& tuned(const TuningArguments& arguments, std::shared_ptr<Algorithm>* fresh) {
        const Key key = keyOf(arguments);
        const auto known = results.find(key);
        if (known != results.end())
            return known->second;
        TuningResult result = tuner->tune(kernel, arguments);
        if (fresh)
            *fresh = result.algorithm;
        result.algorithm.reset(); // it would keep the memory of these arguments alive
        return results.emplace(key, std::move(result)).first->second;
    }
};

TunedAlgorithm::TunedAlgorithm(std::shared_ptr<Autotuner> tuner, TunableKernel kernel) {
    if (!tuner)
        throw InvalidArgument("TunedAlgorithm of kernel '" + kernel.name() +
                              "' was given no autotuner");
    mImpl.reset(new Impl{std::move(tuner), std::move(kernel), {}, {}});
}

TunedAlgorithm::~TunedAlgorithm() = default;

std::shared_ptr<Algorithm> TunedAlgorithm::algorithm(const TuningArguments& arguments) {
    const std::lock_guard lock(mImpl->mutex);
    std::shared_ptr<Algorithm> algorithm;
    const TuningResult& result = mImpl->tuned(arguments, &algorithm);
    if (algorithm)
        return algorithm;
    Manager& manager = mImpl->tuner->manager();
    // The number of threads may differ where the problem size is given by itself.
    const launch::TuningBuild build = launch::buildConfiguration(
        mImpl->kernel, arguments, result.configuration, result.spirv,
        launch::limitsOf(*launch::deviceOf(manager)));
    return manager.algorithm<SpecializationConstant, unsigned char>(
        arguments.memObjects(), build.spirv, build.workgroup, build.specialization,
        arguments.pushConstantBytes());
}

TuningResult TunedAlgorithm::result(const TuningArguments& arguments) {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->tuned(arguments, nullptr);
}

bool TunedAlgorithm::isTuned(const TuningArguments& arguments) const {
    const std::lock_guard lock(mImpl->mutex);
    return mImpl->results.count(Impl::keyOf(arguments)) > 0;
}

void TunedAlgorithm::forget() {
    const std::lock_guard lock(mImpl->mutex);
    mImpl->results.clear();
}

const TunableKernel& TunedAlgorithm::kernel() const {
    return mImpl->kernel;
}

} // namespace kp
