// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/primitives/Primitive.hpp>
#include <kompute/primitives/TensorRange.hpp>
#include <kompute/primitives/random/Distribution.hpp>
#include <kompute/primitives/random/RandomState.hpp>

namespace kp {

/// Fills a tensor with random numbers.
///
///     sequence->record<kp::OpRandom>(values, kp::Distribution::normal(), kp::RandomState{42});
///
/// A number depends on the distribution, the type, seed, stream and its position in the sequence,
/// and on nothing else: it is the same on every device, and no matter how a sequence is cut into
/// tensors. The generator is Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1,
/// 2, 3", 2011). It passes TestU01's BigCrush. It is not for cryptography.
///
/// **Words.** Block b is Philox of the 128-bit counter (b, stream) with the key seed: four words.
/// Number n is made of word n mod 4 of block n / 4; for types of 64 bits, of words 2 (n mod 2)
/// (lower half) and 2 (n mod 2) + 1 of block n / 2. These are the words of cuRAND's
/// curandStatePhilox4_32_10_t after curand_init(seed, stream, counter), and of Random123. NumPy's
/// Philox is the variant 4x64-10, with other numbers.
///
/// **Distributions.** Integers in a range of r: the upper half of word times r (Lemire, 2019). If
/// the lower half is less than 2^32 mod r, which would favour some integers, the word is replaced
/// by the word of Philox of the block. Uniform: the upper bits of the word, times the step. With u
/// = word / 2^32, cut to 24 significant bits (of 64 bits: word / 2^64, cut to 53; word 0 counts as
/// 1), exponential: -mean ln u. Normal: with the lower 31 bits w of the word, the x >= 0 that a
/// standard normal number exceeds with the probability (2 w + 1) / 2^33, and -x if the highest bit
/// is set; at most 6.34, by polynomials with errors of less than 6e-7. Normal of eDouble: numbers n
/// and n + 1, n even, are r cos a and r sin a with r = sqrt(-2 ln u) of the word of n and a = 2 pi
/// u of the word of n + 1 (Box and Muller, 1958). Polynomials, logarithm, root, sine and cosine use
/// only additions and multiplications, which all devices round alike. Errors of the logarithm are
/// less than 2e-6, and of eDouble less than 1e-14, relative to r or to the number. eHalf and
/// eBFloat16 are the nearest to the numbers of eFloat.
///
/// A counter that is not a multiple of 4 (of 2 for types of 64 bits) takes up to twice the time.
class KOMPUTE_API OpRandom : public Primitive {
public:
    /// @param out           any number of elements. Bits: integers; integers: also eBool; the
    ///                      others: floating-point numbers
    /// @param distribution of the numbers
    /// @throws InvalidArgument if type and distribution do not match, or if its limits are not
    ///         finite, in the wrong order or not in the type; Unsupported if the device lacks the
    ///         type
    OpRandom(const TensorRange& out, const Distribution& distribution,
             const RandomState& state = {});
    ~OpRandom() override;
};

} // namespace kp
