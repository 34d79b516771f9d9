// SPDX-License-Identifier: Apache-2.0
#include "shader/reflect/MemberLayout.hpp"

#include <cstring>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "shader/reflect/Reflection.hpp"

namespace kp::shader {
namespace {

const unsigned char* placeAxis(std::span<const MemberAxis> axes, size_t bytes,
                               const unsigned char* numbers, unsigned char* place) {
    if (axes.empty()) {
        std::memcpy(place, numbers, bytes);
        return numbers + bytes;
    }
    for (uint32_t i = 0; i < axes[0].count; ++i)
        numbers = placeAxis(axes.subspan(1), bytes, numbers, place + size_t{i} * axes[0].stride);
    return numbers;
}

} // namespace

void placeNumbers(std::span<const MemberAxis> axes, ScalarType type, const unsigned char* numbers,
                  std::span<unsigned char> member) {
    const size_t bytes = sizeOf(type);
    uint64_t end = bytes;
    for (const MemberAxis& axis : axes)
        end += uint64_t{axis.count - 1} * axis.stride;
    if (end > member.size())
        fail<ShaderError>("a push constant of {} bytes has numbers up to byte {}", member.size(),
                          end);
    placeAxis(axes, bytes, numbers, member.data());
}

uint64_t usedBytes(const Binding& binding) {
    if (binding.elementType != ScalarType::eStruct)
        return uint64_t{sizeOf(binding.elementType)} * binding.elementComponents;
    uint64_t used = 0;
    for (const Member& member : binding.members) {
        const uint64_t numbers = uint64_t{sizeOf(member.type)} * member.components;
        used += numbers != 0 ? numbers : member.size;
    }
    return used;
}

} // namespace kp::shader
