// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/Random.hpp>

#include <memory>

#include <kompute/Error.hpp>
#include <kompute/arrays/Creation.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/primitives/random/OpPermutation.hpp>
#include <kompute/primitives/random/OpRandom.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/Primitives.hpp"
#include "base/Text.hpp"
#include "core/queue/LaunchCapture.hpp"

namespace kp {
namespace {

using arrays::View;

/// Returns a new array that an operation fills.
template <typename Operation, typename... Arguments>
Array filledBy(const Shape& shape, DType dtype, Manager* manager, const Arguments&... arguments) {
    Array made = empty(shape, dtype, manager);
    if (made.size() != 0) {
        const View& view = arrays::stateOf(made).evaluated();
        view.storage->home()->launch(
            std::make_shared<Operation>(arrays::rangeOf(view), arguments...));
    }
    return made;
}

} // namespace

Array randomNumbers(const Shape& shape, const Distribution& distribution, const RandomState& state,
                    DType dtype, Manager* manager) {
    return filledBy<OpRandom>(shape, dtype, manager, distribution, state);
}

Array randomOrder(int64_t count, const RandomState& state, Manager* manager) {
    return filledBy<OpPermutation>({count}, DType::eInt64, manager, state);
}

void arrays::refuseCapturedRandom() {
    LaunchCapture::refuseRandom();
}

Array RandomGenerator::next(const Shape& shape, const Distribution& distribution,
                            std::optional<DType> dtype) {
    Manager& manager = mManager ? *mManager : defaultManager();
    Array made = randomNumbers(shape, distribution, mState, dtype ? *dtype : defaultFloat(manager),
                               &manager);
    mState.counter += static_cast<uint64_t>(made.size());
    return made;
}

Array RandomGenerator::uniform(const Shape& shape, double low, double high,
                               std::optional<DType> dtype) {
    return next(shape, Distribution::uniform(low, high), dtype);
}

Array RandomGenerator::normal(const Shape& shape, double mean, double standardDeviation,
                              std::optional<DType> dtype) {
    return next(shape, Distribution::normal(mean, standardDeviation), dtype);
}

Array RandomGenerator::exponential(const Shape& shape, double mean, std::optional<DType> dtype) {
    return next(shape, Distribution::exponential(mean), dtype);
}

Array RandomGenerator::integers(const Shape& shape, int64_t low, int64_t high, DType dtype) {
    if (high <= low)
        fail<InvalidArgument>("there are no integers from low={} to high={}, which is left out",
                              low, high);
    return next(shape, Distribution::integers(low, high - 1), dtype);
}

Array RandomGenerator::bits(const Shape& shape, DType dtype) {
    return next(shape, Distribution::bits(), dtype);
}

Array RandomGenerator::permutation(int64_t count) {
    Array made = randomOrder(count, mState, mManager);
    mState.counter += 2 * static_cast<uint64_t>(count);
    return made;
}

} // namespace kp
