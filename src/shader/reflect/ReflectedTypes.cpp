// SPDX-License-Identifier: Apache-2.0
#include "shader/reflect/ReflectedTypes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "shader/reflect/Reflection.hpp"

namespace kp::shader {
namespace {

using spirv_cross::SPIRType;

struct Scalar {
    const char* name;
    uint32_t bytes;
    SPIRType::BaseType spirv;
};

/// By ScalarType.
constexpr Scalar kScalars[] = {{"unknown", 0, SPIRType::Unknown}, {"bool", 4, SPIRType::Boolean},
                               {"int8_t", 1, SPIRType::SByte},    {"uint8_t", 1, SPIRType::UByte},
                               {"int16_t", 2, SPIRType::Short},   {"uint16_t", 2, SPIRType::UShort},
                               {"int", 4, SPIRType::Int},         {"uint", 4, SPIRType::UInt},
                               {"int64_t", 8, SPIRType::Int64},   {"uint64_t", 8, SPIRType::UInt64},
                               {"float16_t", 2, SPIRType::Half},  {"float", 4, SPIRType::Float},
                               {"double", 8, SPIRType::Double},   {"struct", 0, SPIRType::Struct}};
static_assert(std::size(kScalars) == static_cast<size_t>(ScalarType::eStruct) + 1);

uint32_t dimension(const Inspector& inspector, const SPIRType& type, size_t index) {
    return type.array_size_literal[index] ? type.array[index]
                                          : inspector.evaluate_constant_u32(type.array[index]);
}

/// Returns the layout of a member's numbers; see Member::axes.
std::vector<MemberAxis> axesOf(const Inspector& inspector, const SPIRType& block, uint32_t index) {
    std::vector<MemberAxis> axes;
    const SPIRType* type = &inspector.get_type(block.member_types[index]);
    const ScalarType scalar = scalarOf(*type);
    if (type->pointer || scalar == ScalarType::eStruct)
        return axes;
    uint32_t id = block.member_types[index];
    while (!type->array.empty()) { // the outermost dimension is the last
        axes.push_back({std::max(1u, dimension(inspector, *type, type->array.size() - 1)),
                        inspector.get_decoration(id, spv::DecorationArrayStride)});
        id = type->parent_type;
        type = &inspector.get_type(id);
    }
    uint32_t within = sizeOf(scalar);
    if (type->columns > 1) {
        uint32_t between = inspector.type_struct_member_matrix_stride(block, index);
        if (inspector.has_member_decoration(block.self, index, spv::DecorationRowMajor))
            std::swap(within, between);
        axes.push_back({type->columns, between});
    }
    if (type->vecsize > 1)
        axes.push_back({type->vecsize, within});
    return axes;
}

} // namespace

uint32_t sizeOf(ScalarType type) {
    return kScalars[static_cast<size_t>(type)].bytes;
}

const char* nameOf(ScalarType type) {
    return kScalars[static_cast<size_t>(type)].name;
}

ScalarType scalarOf(const SPIRType& type) {
    if (type.pointer)
        return ScalarType::eUint64;
    const auto* found = std::ranges::find(kScalars, type.basetype, &Scalar::spirv);
    return found == std::end(kScalars) ? ScalarType::eUnknown
                                       : static_cast<ScalarType>(found - kScalars);
}

uint32_t componentsOf(const Inspector& inspector, const SPIRType& type, bool skipOutermost) {
    if (scalarOf(type) == ScalarType::eStruct)
        return 1;
    uint32_t count = std::max(1u, type.vecsize) * std::max(1u, type.columns);
    const size_t dimensions = type.array.size() - (skipOutermost && !type.array.empty() ? 1 : 0);
    for (size_t i = 0; i < dimensions; ++i)
        count *= std::max(1u, dimension(inspector, type, i));
    return count;
}

std::vector<Member> membersOf(const Inspector& inspector, const SPIRType& block) {
    std::vector<Member> members;
    for (uint32_t i = 0; i < block.member_types.size(); ++i) {
        const SPIRType& type = inspector.get_type(block.member_types[i]);
        members.push_back(
            {.name = inspector.get_member_name(block.self, i),
             .offset = inspector.type_struct_member_offset(block, i),
             .size = static_cast<uint32_t>(inspector.get_declared_struct_member_size(block, i)),
             .type = scalarOf(type),
             .components = componentsOf(inspector, type, false),
             .axes = axesOf(inspector, block, i)});
    }
    return members;
}

} // namespace kp::shader
