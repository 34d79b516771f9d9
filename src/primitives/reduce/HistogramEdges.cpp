// SPDX-License-Identifier: Apache-2.0
#include "primitives/reduce/HistogramEdges.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <kompute/memory/Half.hpp>

#include "primitives/source/OperatorSource.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;

bool isSignedInteger(DataTypes type) {
    return type == DataTypes::eChar || type == DataTypes::eShort || type == DataTypes::eInt ||
           type == DataTypes::eLong;
}

} // namespace

uint64_t roundedBits(double value, DataTypes type) {
    switch (type) {
    case DataTypes::eDouble:
        return std::bit_cast<uint64_t>(value);
    case DataTypes::eFloat:
        return std::bit_cast<uint32_t>(static_cast<float>(value));
    case DataTypes::eHalf:
        return std::bit_cast<uint16_t>(Half(value));
    default:
        return std::bit_cast<uint16_t>(BFloat16(value));
    }
}

bool isFiniteIn(double value, DataTypes type) {
    if (!std::isfinite(value))
        return false;
    // Halfway between the largest number and the next power of two.
    switch (type) {
    case DataTypes::eFloat:
        return std::fabs(value) < 0x1.ffffffp127;
    case DataTypes::eHalf:
        return std::fabs(value) < 65520;
    case DataTypes::eBFloat16:
        return std::fabs(value) < 0x1.ffp127;
    default:
        return true;
    }
}

EvenEdges::EvenEdges(double low, double high, uint64_t bins, DataTypes type)
    : mLow(low), mHigh(high), mStep((high - low) / static_cast<double>(bins)), mGiven(bins),
      mType(type), mBins(bins) {
    if (isFloatingPoint(type))
        return;
    const int bitCount = 8 * static_cast<int>(Memory::dataTypeMemorySize(type));
    mLowest = isSignedInteger(type) ? -std::ldexp(1.0, bitCount - 1) : 0;
    mAbove = std::ldexp(1.0, isSignedInteger(type) ? bitCount - 1 : bitCount);
    if (std::floor(high) < mLowest) {
        mBins = 0;
        return;
    }
    // Bins above all integers have no elements. The edges ascend, so that a binary search finds
    // them.
    uint64_t below = 0;
    while (below < mBins) {
        const uint64_t middle = below + (mBins - below) / 2;
        if (std::ceil(given(middle)) < mAbove)
            below = middle + 1;
        else
            mBins = middle;
    }
}

double EvenEdges::given(uint64_t i) const {
    return i == mGiven ? mHigh : static_cast<double>(i) * mStep + mLow;
}

double EvenEdges::value(uint64_t i) const {
    if (isFloatingPoint(mType))
        return given(i);
    // An edge above all integers stands for the largest one, which the last bin includes.
    if (i == mBins)
        return i == mGiven ? std::min(std::floor(mHigh), mAbove) : mAbove;
    return std::max(std::ceil(given(i)), mLowest);
}

uint64_t EvenEdges::bits(uint64_t i) const {
    const double edge = value(i);
    if (isFloatingPoint(mType))
        return roundedBits(edge, mType);
    if (edge >= mAbove) // the largest integer
        return (isSignedInteger(mType) ? uint64_t{INT64_MAX} : UINT64_MAX) >>
               (64 - 8 * Memory::dataTypeMemorySize(mType));
    return edge < 0 ? static_cast<uint64_t>(static_cast<int64_t>(edge))
                    : static_cast<uint64_t>(edge);
}

} // namespace kp::primitives
