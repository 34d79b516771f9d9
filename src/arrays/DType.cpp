// SPDX-License-Identifier: Apache-2.0
#include <kompute/arrays/DType.hpp>

#include <array>

#include "base/Text.hpp"

namespace kp {
namespace {

struct Entry {
    const char* name;
    size_t size;
    Memory::DataTypes stored;
};

using Stored = Memory::DataTypes;

/// By DType.
constexpr std::array<Entry, 14> kEntries{{{"bool", 1, Stored::eBool},
                                          {"int8", 1, Stored::eChar},
                                          {"uint8", 1, Stored::eUnsignedChar},
                                          {"int16", 2, Stored::eShort},
                                          {"uint16", 2, Stored::eUnsignedShort},
                                          {"int32", 4, Stored::eInt},
                                          {"uint32", 4, Stored::eUnsignedInt},
                                          {"int64", 8, Stored::eLong},
                                          {"uint64", 8, Stored::eUnsignedLong},
                                          {"float16", 2, Stored::eHalf},
                                          {"float32", 4, Stored::eFloat},
                                          {"float64", 8, Stored::eDouble},
                                          {"complex64", 8, Stored::eCustom},
                                          {"complex128", 16, Stored::eCustom}}};

const Entry& entryOf(DType dtype) {
    return kEntries[static_cast<size_t>(dtype)];
}

} // namespace

const char* toString(DType dtype) {
    return entryOf(dtype).name;
}

size_t itemSize(DType dtype) {
    return entryOf(dtype).size;
}

Memory::DataTypes dataTypeOf(DType dtype) {
    return entryOf(dtype).stored;
}

DType dtypeOf(Memory::DataTypes type) {
    for (size_t index = 0; index < kEntries.size(); ++index)
        if (kEntries[index].stored == type && type != Stored::eCustom)
            return static_cast<DType>(index);
    fail<InvalidArgument>("arrays hold bool, integers, floating-point and complex numbers up to 64 "
                          "bits each, not {}",
                          Memory::toString(type));
}

} // namespace kp
