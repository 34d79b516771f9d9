// SPDX-License-Identifier: Apache-2.0
#include "primitives/move/MoveUnit.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "vulkan/memory/Buffer.hpp"

namespace kp::primitives {

uint32_t moveUnit(uint64_t bytes) {
    const uint64_t lowestBit = bytes & (~bytes + 1);
    return bytes == 0 ? kMaxMoveUnit
                      : static_cast<uint32_t>(std::min<uint64_t>(lowestBit, kMaxMoveUnit));
}

uint32_t startUnit(const TensorRange& range) {
    const Memory::Impl& impl = implOf(*range.tensor);
    return moveUnit(impl.buffer->offset() + range.first * impl.elementSize);
}

std::string unitMacros(uint32_t unit) {
    const char* stored = "uvec4";
    const char* value = "uvec4";
    switch (unit) {
    case 1:
        stored = "uint8_t";
        value = "uint";
        break;
    case 2:
        stored = "uint16_t";
        value = "uint";
        break;
    case 4:
        stored = value = "uint";
        break;
    case 8:
        stored = value = "uvec2";
        break;
    default:
        break;
    }
    return formatted("#define UNIT_STORED {0}\n"
                     "#define UNIT_VALUE {1}\n"
                     "#define UNIT_LOAD(x) {1}(x)\n"
                     "#define UNIT_STORE(x) {0}(x)\n",
                     stored, value);
}

void requireSameElements(const Argument& a, const Argument& b, const char* operation) {
    const auto describe = [](const Tensor& tensor) {
        return tensor.dataType() == Memory::DataTypes::eCustom
                   ? formatted("eCustom ({} bytes)", implOf(tensor).elementSize)
                   : Memory::toString(tensor.dataType());
    };
    const std::string typeA = describe(*a.range.tensor);
    const std::string typeB = describe(*b.range.tensor);
    if (typeA != typeB)
        fail<InvalidArgument>("{}: {} is of {}, but {} of {}; they must have the same type",
                              operation, a.name, typeA, b.name, typeB);
}

} // namespace kp::primitives
