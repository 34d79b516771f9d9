// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/random/RandomState.hpp>

namespace kp {

/// Writes the indices 0, 1, ..., n - 1 in random order. With OpGather, they shuffle elements or
/// rows.
///
///     sequence->record<kp::OpPermutation>(order, kp::RandomState{42});
///     sequence->record<kp::OpGather>(values, order, shuffled);
///
/// The permutation depends on n, seed, counter and stream, and on nothing else: not on the device,
/// and not on the type of the indices. Index i has a key of 64 bits: number `counter + 2 i` of
/// OpRandom's Distribution::bits of eUnsignedInt (lower half), and the number after it. The
/// permutation sorts the indices by their keys, and equal keys by index. Add 2 n to the counter for
/// the next permutation of a seed and stream.
///
/// Every order has the same probability, except for equal keys: some two of n keys are equal with a
/// probability of less than n^2 / 2^65.
///
/// **Method.** OpRandom and a stable OpArgSort. Scratch memory: 24 bytes per index, the index
/// itself once more, and about a quarter.
class KOMPUTE_API OpPermutation : public Primitive {
public:
    /// @param out  any number of eUnsignedInt, eInt, eUnsignedLong or eLong
    /// @throws InvalidArgument if the type is not one of these, or too small for the indices;
    ///         OutOfMemory
    explicit OpPermutation(const TensorRange& out, const RandomState& state = {});
    ~OpPermutation() override;
};

} // namespace kp
