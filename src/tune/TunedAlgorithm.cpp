// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/TunedAlgorithm.hpp>

#include <map>
#include <mutex>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>

#include "base/Text.hpp"
#include "core/ManagerImpl.hpp"
#include "tune/TuningBuild.hpp"
#include "tune/TuningSpace.hpp"

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

    /// Returns the result for the arguments, tuned now if necessary. Requires the mutex, so that no
    /// two threads tune for the same arguments.
    /// @param fresh  set to the algorithm if it was tuned now; may be null
    const TuningResult& tuned(const TuningArguments& arguments, std::shared_ptr<Algorithm>* fresh) {
        const Key key = keyOf(arguments);
        const auto known = results.find(key);
        if (known != results.end())
            return known->second;
        TuningResult result = tuner->tune(kernel, arguments);
        if (fresh)
            *fresh = result.algorithm;
        // It would keep the memory of these arguments alive.
        result.algorithm.reset();
        return results.emplace(key, std::move(result)).first->second;
    }
};

TunedAlgorithm::TunedAlgorithm(std::shared_ptr<Autotuner> tuner, TunableKernel kernel) {
    if (!tuner) {
        fail<InvalidArgument>("the autotuner of TunedAlgorithm for kernel '{}' is null",
                              kernel.name());
    }
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
    // The number of threads may differ if the problem size was set separately.
    const tune::TuningBuild build =
        tune::buildConfiguration(mImpl->kernel, arguments, result.configuration, result.spirv,
                                 tune::limitsOf(*manager.impl().device));
    return tune::makeAlgorithm(manager, arguments, build);
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
