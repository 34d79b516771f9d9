// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <kompute/Array.hpp>
#include <kompute/primitives/random/Distribution.hpp>
#include <kompute/primitives/random/RandomState.hpp>

namespace kp {

// Arrays of random numbers, filled without waiting. A null manager is defaultManager().

/// Returns the numbers that OpRandom gives for a state, in C order.
/// @throws InvalidArgument, Unsupported as OpRandom
KOMPUTE_API Array randomNumbers(const Shape& shape, const Distribution& distribution,
                                const RandomState& state, DType dtype, Manager* manager = nullptr);

/// Returns the integers (eInt64) below a count in the random order that OpPermutation gives for a
/// state. @param count  not negative
KOMPUTE_API Array randomOrder(int64_t count, const RandomState& state, Manager* manager = nullptr);

/// Random numbers, one call after the other: each takes the next ones of the sequence of a seed and
/// a stream. Equal calls in equal order give equal arrays on every device, and the same as
/// kp.random.default_rng() in Python. For one thread at a time.
///
///     kp::RandomGenerator rng(42);
///     const kp::Array x = rng.normal({1000, 3});
///
/// The type of numbers, unless it is given, is defaultFloat() for floating-point numbers and eInt64
/// for integers. Functions throw as OpRandom.
class KOMPUTE_API RandomGenerator {
public:
    /// @param stream  for independent numbers of one seed
    /// @param manager  must outlive this
    explicit RandomGenerator(uint64_t seed, uint64_t stream = 0, Manager* manager = nullptr)
        : mState{seed, 0, stream}, mManager(manager) {}

    /// Returns numbers in [low, high).
    Array uniform(const Shape& shape, double low = 0, double high = 1,
                  std::optional<DType> dtype = {});
    Array normal(const Shape& shape, double mean = 0, double standardDeviation = 1,
                 std::optional<DType> dtype = {});
    Array exponential(const Shape& shape, double mean = 1, std::optional<DType> dtype = {});
    /// Returns integers from @p low up to, but without, @p high, all equally likely.
    /// @throws InvalidArgument if there are none, or if they do not fit the type
    Array integers(const Shape& shape, int64_t low, int64_t high, DType dtype = DType::eInt64);
    /// Returns integers with random bits.
    Array bits(const Shape& shape, DType dtype = DType::eUint32);
    /// Returns the integers (eInt64) below a count in random order, each order equally likely.
    Array permutation(int64_t count);

    /// Returns the position in the sequence, of which the counter is of the next number.
    const RandomState& state() const { return mState; }

private:
    Array next(const Shape& shape, const Distribution& distribution, std::optional<DType> dtype);

    RandomState mState;
    Manager* mManager;
};

} // namespace kp
