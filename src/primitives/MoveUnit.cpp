// SPDX-License-Identifier: Apache-2.0
#include "primitives/MoveUnit.hpp"

#include <algorithm>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/MemoryImpl.hpp"
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

void requireMovable(const vulkan::Device& device, const Tensor& tensor, const char* verb) {
    using vulkan::Feature;
    const uint32_t bytes = implOf(tensor).elementSize;
    const uint32_t unit = moveUnit(bytes);
    const Feature feature =
        unit == 1 ? Feature::eStorageBuffer8BitAccess : Feature::eStorageBuffer16BitAccess;
    if (unit <= 2 && !device.has(feature))
        fail<Unsupported>("{} cannot {} elements of {} bytes: it {} {}", device.name(), verb, bytes,
                          device.wrapped() ? "was created without" : "has no",
                          vulkan::nameOf(feature));
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
