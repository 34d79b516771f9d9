// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <kompute/Memory.hpp>

namespace kp::primitives {

/// The edges of even bins in a type, such that comparisons with them are exact. An integer is below
/// an edge exactly if it is below the next integer, which is the edge then.
class EvenEdges {
public:
    /// @param low, high  finite, in ascending order
    /// @param bins       not 0
    EvenEdges(double low, double high, uint64_t bins, Memory::DataTypes type);

    /// Returns the number of bins that numbers of the type can be in: the first of those asked for,
    /// maybe none.
    uint64_t bins() const { return mBins; }
    /// Returns edge @p i, from 0 up to bins(). The last bin includes its upper edge.
    double value(uint64_t i) const;
    /// Returns the bits of value() in the type.
    uint64_t bits(uint64_t i) const;

private:
    double given(uint64_t i) const;

    double mLow;
    double mHigh;
    double mStep;
    uint64_t mGiven;
    Memory::DataTypes mType;
    double mLowest = 0; ///< of an integer type, and its largest integer plus 1
    double mAbove = 0;
    uint64_t mBins;
};

/// Returns the bits of the number of a floating-point type that is nearest, ties to even.
/// @param value  not so large that it would become infinity
uint64_t roundedBits(double value, Memory::DataTypes type);

/// Returns true if a number of the type is nearest to a value, and not infinity. For integer types,
/// whether the value is finite.
bool isFiniteIn(double value, Memory::DataTypes type);

} // namespace kp::primitives
