// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace kp::vulkan {

/// A dispatch that transforms arrays of `length` numbers, several per work group. It is Stockham's
/// algorithm: each invocation holds `points` numbers in registers, and between butterflies they
/// are exchanged through shared memory.
struct FftPass {
    enum class Kind {
        eRows,    ///< whole arrays, one after the other
        eColumns, ///< first of two passes: columns of a matrix of `length` rows
        eTurned   ///< second of two: its rows, whose transforms become columns
    };
    Kind kind = Kind::eRows;
    uint32_t length = 0;
    uint32_t points = 0; ///< of an invocation: 8, 16 or 32
    uint32_t arrays = 0; ///< of a work group
    uint32_t steps = 1;  ///< of an exchange, of which each moves a part of an array
    uint32_t radix = 0;  ///< of the butterflies after the first ones, which have `points` numbers
    uint32_t others = 1; ///< the matrix's other extent, in two passes

    uint32_t invocations() const { return length / points; } ///< of an array
    uint32_t groupSize() const { return invocations() * arrays; }
    /// Of the butterflies after `before` numbers of each array are transformed.
    uint32_t radixAfter(uint32_t before) const {
        return std::min(before == 1 ? points : radix, length / before);
    }
    /// Numbers that are exchanged in a step.
    uint32_t stepLength() const { return length / steps; }
    /// Places between arrays in shared memory.
    uint32_t arrayPlaces() const {
        uint32_t places = 0;
        for (uint32_t before = 1; before < length; before *= radixAfter(before))
            places = std::max(places, Gaps(*this, before).placeOf(stepLength()));
        // What neighbouring invocations access of neighbouring arrays is in different banks, too.
        if (kind != Kind::eRows)
            while (places % kBanks != std::max(1u, kBanks / arrays) % kBanks)
                ++places;
        return places;
    }
    uint32_t sharedBytes() const {
        return arrayPlaces() * arrays * static_cast<uint32_t>(sizeof(float));
    }

    static constexpr uint32_t kBanks = 32;

    /// The gaps between an array's numbers in shared memory: after `period` numbers, `size` places
    /// are empty. So a subgroup's simultaneous accesses are in different banks. Of rows,
    /// invocations write numbers that are `before` apart, to blocks of before * radix numbers, and
    /// read neighbours. Of columns, they write numbers that are `points` apart.
    ///
    /// All places that an invocation accesses are constants away from the first one.
    struct Gaps {
        uint32_t period = 1;
        uint32_t size = 0;

        Gaps(const FftPass& pass, uint32_t before) : period(pass.points), size(1) {
            if (pass.kind == Kind::eRows) {
                period = std::max(kBanks, before * pass.radixAfter(before));
                size = before < kBanks ? before : 0;
            }
        }
        uint32_t placeOf(uint32_t i) const { return i + i / period * size; }
    };
};

/// Returns the GLSL of a pass.
/// @param exact  there are as many arrays as all work groups have room for
std::string fftPassText(const FftPass& pass, bool inverse, double scale, bool exact);

} // namespace kp::vulkan
