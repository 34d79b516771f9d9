// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/TunedAlgorithm.hpp>

#include <map>
#include <mutex>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>

#include "base/Text.hpp"
#include "core/manager/ManagerImpl.hpp"
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

    /// Returns the result for the arguments, tuned now if necessary, which is when it has an
    /// algorithm. The caller takes that: it would keep the memory of these arguments alive.
    /// Requires the mutex, so that no two threads tune for the same arguments.
    TuningResult& tuned(const TuningArguments& arguments) {
        const Key key = keyOf(arguments);
        const auto known = results.find(key);
        return known != results.end()
                   ? known->second
                   : results.emplace(key, tuner->tune(kernel, arguments)).first->second;
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
    TuningResult& result = mImpl->tuned(arguments);
    if (result.algorithm)
        return std::exchange(result.algorithm, nullptr);
    Manager& manager = mImpl->tuner->manager();
    // The number of threads may differ if the problem size was set separately.
    const tune::TuningBuild build =
        tune::buildConfiguration(mImpl->kernel, arguments, result.configuration, result.spirv,
                                 tune::limitsOf(*implOf(manager).device));
    return tune::makeAlgorithm(manager, arguments, build);
}

TuningResult TunedAlgorithm::result(const TuningArguments& arguments) {
    const std::lock_guard lock(mImpl->mutex);
    TuningResult& result = mImpl->tuned(arguments);
    result.algorithm.reset();
    return result;
}

Manager& TunedAlgorithm::manager() const {
    return mImpl->tuner->manager();
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
