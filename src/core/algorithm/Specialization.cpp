// SPDX-License-Identifier: Apache-2.0
#include "core/algorithm/Specialization.hpp"

#include <algorithm>
#include <cstring>

#include <kompute/Algorithm.hpp>
#include <kompute/Error.hpp>
#include <kompute/shader/Reflection.hpp>

#include "base/Text.hpp"

namespace kp {

Specialization Specialization::inOrder(const void* values, size_t count, size_t elementSize,
                                       Memory::DataTypes type) {
    Specialization specialization;
    const auto* first = static_cast<const unsigned char*>(values);
    specialization.data.assign(first, first + count * elementSize);
    for (size_t i = 0; i < count; ++i)
        specialization.entries.push_back(
            {static_cast<uint32_t>(i), static_cast<uint32_t>(i * elementSize), elementSize});
    specialization.types.assign(count, type);
    return specialization;
}

Specialization Specialization::byId(const SpecializationConstant* constants, size_t count) {
    Specialization specialization;
    for (size_t i = 0; i < count; ++i) {
        const SpecializationConstant& constant = constants[i];
        if (specialization.find(constant.id))
            fail<InvalidArgument>("specialization constant {} was given twice", constant.id);
        if (constant.bytes == 0 || constant.bytes > constant.value.size())
            fail<InvalidArgument>(
                "specialization constant {} was given with {} bytes; it has 1 to 8", constant.id,
                constant.bytes);
        specialization.entries.push_back(
            {constant.id, static_cast<uint32_t>(specialization.data.size()), constant.bytes});
        specialization.types.push_back(constant.type);
        // Eight bytes each, so that every value is aligned.
        specialization.data.insert(specialization.data.end(), constant.value.begin(),
                                   constant.value.end());
    }
    return specialization;
}

const VkSpecializationMapEntry* Specialization::find(uint32_t id) const {
    // Entry i is constant i, unless they were given by id.
    if (id < entries.size() && entries[id].constantID == id)
        return &entries[id];
    for (const VkSpecializationMapEntry& entry : entries)
        if (entry.constantID == id)
            return &entry;
    return nullptr;
}

std::map<uint32_t, uint64_t> Specialization::bits() const {
    std::map<uint32_t, uint64_t> bits;
    for (const VkSpecializationMapEntry& entry : entries)
        std::memcpy(&bits[entry.constantID], data.data() + entry.offset,
                    std::min(entry.size, sizeof(uint64_t)));
    return bits;
}

std::array<uint32_t, 3> localSizeOf(const shader::Reflection& reflection,
                                    const Specialization& specialization) {
    std::array<uint32_t, 3> size = reflection.localSize;
    for (size_t i = 0; i < 3; ++i) {
        if (!reflection.localSizeId[i])
            continue;
        const VkSpecializationMapEntry* given = specialization.find(*reflection.localSizeId[i]);
        if (given && given->size == sizeof(uint32_t))
            std::memcpy(&size[i], specialization.data.data() + given->offset, sizeof(uint32_t));
    }
    return size;
}

} // namespace kp
