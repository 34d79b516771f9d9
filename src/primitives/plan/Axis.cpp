// SPDX-License-Identifier: Apache-2.0
#include "primitives/plan/Axis.hpp"

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;

} // namespace

void requireShape(const std::vector<uint64_t>& shape, uint64_t elements, const char* operation) {
    if (shape.size() > 4)
        fail<InvalidArgument>("{}: an array has up to 4 dimensions, not {}", operation,
                              shape.size());
    uint64_t product = 1;
    bool fits = true;
    for (const uint64_t extent : shape) {
        if (extent != 0 && product > UINT64_MAX / extent)
            fits = false;
        product *= extent;
    }
    if (!shape.empty() && (!fits || product != elements))
        fail<InvalidArgument>("{}: the shape ({}) does not have the input's {} elements", operation,
                              join(shape), elements);
}

size_t axisNumber(int axis, size_t dimensions, const char* operation) {
    const int count = static_cast<int>(dimensions);
    if (axis < -count || axis >= count)
        fail<InvalidArgument>("{}: axis {} does not exist in an array of {} dimension{}", operation,
                              axis, count, count == 1 ? "" : "s");
    return static_cast<size_t>(axis < 0 ? axis + count : axis);
}

AxisExtents axisExtents(const std::vector<uint64_t>& shape, int axis, uint64_t elements,
                        const char* operation) {
    requireShape(shape, elements, operation);
    const std::vector<uint64_t> whole = shape.empty() ? std::vector<uint64_t>{elements} : shape;
    const size_t chosen = axisNumber(axis, whole.size(), operation);
    AxisExtents extents;
    for (size_t i = 0; i < chosen; ++i)
        extents.outer *= whole[i];
    extents.length = whole[chosen];
    for (size_t i = chosen + 1; i < whole.size(); ++i)
        extents.inner *= whole[i];
    return extents;
}

AxisExtents rowsOf(const std::vector<uint64_t>& shape, std::optional<int> axis, uint64_t elements,
                   const char* operation) {
    if (axis)
        return axisExtents(shape, *axis, elements, operation);
    requireShape(shape, elements, operation);
    return {1, elements, 1};
}

IndexType indexTypeOf(const Argument& indices, const char* operation) {
    const DataTypes type = indices.range.tensor->dataType();
    const bool wide = type == DataTypes::eLong || type == DataTypes::eUnsignedLong;
    if (!wide && type != DataTypes::eInt && type != DataTypes::eUnsignedInt)
        fail<InvalidArgument>(
            "{}: {} must be of eUnsignedInt, eInt, eUnsignedLong or eLong, not of {}", operation,
            indices.name, Memory::toString(type));
    return {wide, type == DataTypes::eInt || type == DataTypes::eLong};
}

Segments segmentsOf(const Argument& offsets, const char* operation) {
    const IndexType type = indexTypeOf(offsets, operation);
    const uint64_t count = elementsOf(offsets.range);
    if (count == 0)
        fail<InvalidArgument>("{}: n segments have n + 1 offsets, at least one; none were given",
                              operation);
    return {count - 1, type.wide, type.isSigned};
}

std::string offsetMacros(const Segments& segments, uint32_t binding) {
    return formatted("#define OFFSETS_BINDING {}\n#define OFFSET_WORDS {}\n{}", binding,
                     segments.wide ? 2 : 1, segments.isSigned ? "#define OFFSET_SIGNED\n" : "");
}

Segments segmentsAlone(const Argument& offsets, const Argument& out,
                       const std::vector<uint64_t>& shape, std::optional<int> axis,
                       const char* operation) {
    if (!shape.empty() || axis)
        fail<InvalidArgument>("{}: segments need a one-dimensional input; give either "
                              "segments, or shape and axis",
                              operation);
    requireDisjoint(offsets, out, operation);
    return segmentsOf(offsets, operation);
}

uint32_t indexBytes(const Argument& indices, uint64_t count, const char* operation) {
    if (indexTypeOf(indices, operation).wide)
        return 8;
    const DataTypes type = indices.range.tensor->dataType();
    if (count > uint64_t{1} << (type == DataTypes::eInt ? 31 : 32))
        fail<InvalidArgument>("{}: indices of {} elements do not fit {}; take {}", operation, count,
                              Memory::toString(type),
                              type == DataTypes::eInt ? "eLong" : "eUnsignedLong");
    return 4;
}

bool isWideCount(const Argument& counts, uint64_t elements, const char* operation) {
    const IndexType type = indexTypeOf(counts, operation);
    const uint64_t most = type.isSigned ? uint64_t{INT32_MAX} : uint64_t{UINT32_MAX};
    if (!type.wide && elements > most)
        fail<InvalidArgument>("{}: {} of {} cannot count {} elements; use 64-bit integers",
                              operation, counts.name,
                              Memory::toString(counts.range.tensor->dataType()), elements);
    return type.wide;
}

} // namespace kp::primitives
