// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/DenseArguments.hpp"

#include <numeric>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;

constexpr uint64_t kExtentLimit = uint64_t{1} << 31;

} // namespace

void requireDenseType(const Argument& argument, const char* operation, const Argument* like) {
    const DataTypes type = argument.range.tensor->dataType();
    if (like && type != like->range.tensor->dataType())
        fail<InvalidArgument>("{}: {} is of {}, but {} of {}; both must have the same type",
                              operation, argument.name, Memory::toString(type), like->name,
                              Memory::toString(like->range.tensor->dataType()));
    if (type != DataTypes::eFloat && type != DataTypes::eDouble)
        fail<InvalidArgument>("{}: {} is of {}, but must be of {} or {}", operation, argument.name,
                              Memory::toString(type), Memory::toString(DataTypes::eFloat),
                              Memory::toString(DataTypes::eDouble));
}

void requireMatrices(const Argument& argument, uint64_t rows, uint64_t columns, uint64_t batches,
                     const char* operation) {
    const uint64_t given = elementsOf(argument.range);
    if (rows != 0 && columns != 0 && batches > UINT64_MAX / rows / columns)
        fail<InvalidArgument>("{}: {} has more than 2^64 elements", operation, argument.name);
    const uint64_t needed = rows * columns * batches;
    if (given != needed)
        fail<InvalidArgument>("{}: {} is {} of {} x {} in {} elements, but {} were given",
                              operation, argument.name, counted(batches, "matrix"), rows, columns,
                              needed, given);
}

void requireIntegers(const Argument& argument, uint64_t count, uint64_t batches,
                     const char* operation) {
    const DataTypes type = argument.range.tensor->dataType();
    if (type != DataTypes::eInt && type != DataTypes::eUnsignedInt)
        fail<InvalidArgument>("{}: {} is of {}, but must be of {} or {}", operation, argument.name,
                              Memory::toString(type), Memory::toString(DataTypes::eInt),
                              Memory::toString(DataTypes::eUnsignedInt));
    const uint64_t given = elementsOf(argument.range);
    if (given != count * batches)
        fail<InvalidArgument>("{}: {} needs {} for each of {}, but has {}", operation,
                              argument.name, counted(count, "element"), counted(batches, "matrix"),
                              counted(given, "element"));
}

void requireExtents(std::initializer_list<uint64_t> extents, const char* operation) {
    for (const uint64_t extent : extents)
        if (extent >= kExtentLimit)
            fail<InvalidArgument>("{}: an extent is {}, but at most 2^31 - 1 are supported",
                                  operation, extent);
}

uint32_t alignmentOf(const Argument& argument) {
    const Memory::Impl& impl = implOf(*argument.range.tensor);
    const uint64_t start =
        impl.buffer->offset() + argument.range.first * uint64_t{impl.elementSize};
    return static_cast<uint32_t>(std::gcd(start / impl.elementSize, uint64_t{8}));
}

bool isInPlace(const Argument& in, const Argument& out, const char* operation) {
    if (isSameMemory(in, out))
        return true;
    requireDisjoint(in, out, operation);
    return false;
}

} // namespace kp::primitives
