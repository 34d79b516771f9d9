// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "primitives/plan/BoundPlan.hpp"

namespace kp::primitives {

/// An array in C order, seen along one axis: outer x length x inner elements.
struct AxisExtents {
    uint64_t outer = 1;
    uint64_t length = 1;
    uint64_t inner = 1;
    bool operator==(const AxisExtents&) const = default;
};

/// @param axis  negative ones count from the last
/// @throws InvalidArgument if the axis does not exist
size_t axisNumber(int axis, size_t dimensions, const char* operation);

/// @param axis      negative ones count from the last
/// @param elements  of the input
/// @throws InvalidArgument if the axis does not exist, or as requireShape()
AxisExtents axisExtents(const std::vector<uint64_t>& shape, int axis, uint64_t elements,
                        const char* operation);

/// @param shape  empty for one dimension
/// @throws InvalidArgument for more than 4 dimensions, and if the shape does not have @p elements
void requireShape(const std::vector<uint64_t>& shape, uint64_t elements, const char* operation);

/// Returns axisExtents(), or all elements as one row if no axis is given.
/// @throws InvalidArgument as axisExtents()
AxisExtents rowsOf(const std::vector<uint64_t>& shape, std::optional<int> axis, uint64_t elements,
                   const char* operation);

struct IndexType {
    bool wide = false; ///< 64 bits
    bool isSigned = false;
};

/// @throws InvalidArgument unless the indices are 32-bit or 64-bit integers
IndexType indexTypeOf(const Argument& indices, const char* operation);

/// Segments given by their offsets.
struct Segments {
    uint64_t count = 0;
    bool wide = false; ///< offsets of 64 bits
    bool isSigned = false;
    bool operator==(const Segments&) const = default;
};

/// The macros of Offsets.glsl.
std::string offsetMacros(const Segments& segments, uint32_t binding);

/// @throws InvalidArgument unless the offsets are 32-bit or 64-bit integers, at least one
Segments segmentsOf(const Argument& offsets, const char* operation);

/// Checks the segments of an input without shape or axis.
/// @throws InvalidArgument as segmentsOf(), if a shape or an axis is given, or if the offsets
///         overlap with the output
Segments segmentsAlone(const Argument& offsets, const Argument& out,
                       const std::vector<uint64_t>& shape, std::optional<int> axis,
                       const char* operation);

/// Returns the bytes of an index, 4 or 8.
/// @param count  of the indexed elements
/// @throws InvalidArgument unless the tensor has 32-bit or 64-bit integers, which hold the indices
uint32_t indexBytes(const Argument& indices, uint64_t count, const char* operation);

/// Returns true if the tensor's integers have 64 bits.
/// @throws InvalidArgument unless the tensor has 32-bit or 64-bit integers, which can count
///         @p elements
bool isWideCount(const Argument& counts, uint64_t elements, const char* operation);

} // namespace kp::primitives
