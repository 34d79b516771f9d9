// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/Arguments.hpp>

#include <algorithm>

#include "base/Text.hpp"
#include "launch/ConstantArguments.hpp"
#include "shader/reflect/MemberLayout.hpp"
#include "shader/reflect/Reflection.hpp"

namespace kp {
namespace {

std::string vectorName(shader::ScalarType type, uint32_t components) {
    return components == 1 ? shader::nameOf(type)
                           : formatted("{}[{}]", shader::nameOf(type), components);
}

} // namespace

KernelSignature::KernelSignature(const shader::Reflection& reflection) {
    const auto add = [&](KernelArgument argument) {
        argument.index = static_cast<uint32_t>(mArguments.size());
        mArguments.push_back(std::move(argument));
    };
    for (const shader::Binding& binding : reflection.bindings) {
        if (!binding.takesMemory())
            continue;
        KernelArgument argument;
        argument.name = binding.name;
        argument.kind = binding.isImage() ? ArgumentKind::eImage : ArgumentKind::eBuffer;
        argument.type =
            argument.kind == ArgumentKind::eImage ? binding.imageType : binding.elementType;
        argument.components = binding.elementComponents;
        argument.members = binding.members;
        argument.reads = binding.reads;
        argument.writes = binding.writes;
        for (uint32_t element = 0; element < binding.count; ++element) {
            if (binding.count > 1)
                argument.name = formatted("{}[{}]", binding.name, element);
            argument.place = binding.argument + element;
            add(argument);
        }
    }
    std::vector<shader::PushConstantMember> members = reflection.pushConstants;
    std::ranges::stable_sort(members, {}, &shader::PushConstantMember::offset);
    for (const shader::PushConstantMember& member : members) {
        KernelArgument argument;
        argument.name = member.name;
        argument.kind = ArgumentKind::ePushConstant;
        argument.type = member.type;
        argument.components = member.components;
        argument.bytes = member.size;
        argument.place = member.offset;
        argument.axes = member.axes;
        add(std::move(argument));
    }
    for (const shader::SpecConstant& constant : reflection.specConstants) {
        const auto& sizes = reflection.localSizeId;
        if (std::ranges::find(sizes, std::optional(constant.id)) != sizes.end())
            continue;
        KernelArgument argument;
        argument.name = constant.name;
        argument.kind = ArgumentKind::eSpecialization;
        argument.type = constant.type;
        argument.bytes = shader::sizeOf(constant.type);
        argument.place = constant.id;
        add(std::move(argument));
    }
}

const KernelArgument* KernelSignature::find(const std::string& name) const {
    if (name.empty())
        return nullptr;
    const auto found = std::ranges::find(mArguments, name, &KernelArgument::name);
    return found == mArguments.end() ? nullptr : &*found;
}

std::string typeName(const KernelArgument& argument) {
    using shader::ScalarType;
    const bool isNumber =
        argument.type != ScalarType::eUnknown && argument.type != ScalarType::eStruct;
    switch (argument.kind) {
    case ArgumentKind::eBuffer:
        return formatted("buffer of {}",
                         isNumber ? vectorName(argument.type, argument.components) : "structs");
    case ArgumentKind::eImage:
        return formatted("image of {}", isNumber ? shader::nameOf(argument.type) : "any type");
    default:
        return isNumber ? vectorName(argument.type, argument.components)
                        : formatted("struct of {} bytes", argument.bytes);
    }
}

bool takesValue(const KernelArgument& constant, const ArgumentValue& value) {
    if (value.kind() == ArgumentValue::Kind::eBytes)
        return value.size() == constant.bytes;
    return value.kind() == ArgumentValue::Kind::eNumbers && value.type() == constant.type &&
           value.components() == constant.components;
}

void writeConstant(const KernelArgument& constant, const ArgumentValue& value,
                   std::span<unsigned char> block) {
    const std::span<unsigned char> place = block.subspan(constant.place, constant.bytes);
    if (value.kind() == ArgumentValue::Kind::eNumbers)
        shader::placeNumbers(constant.axes, constant.type, value.data(), place);
    else
        std::memcpy(place.data(), value.data(), place.size());
}

std::vector<std::byte> pushConstantBlock(const shader::Reflection& reflection,
                                         const Arguments& values) {
    std::vector<KernelArgument> constants;
    std::vector<std::string> names;
    const KernelSignature signature(reflection);
    for (const KernelArgument& argument : signature.arguments())
        if (argument.kind == ArgumentKind::ePushConstant) {
            constants.push_back(argument);
            names.push_back(formatted("{} ({})", argument.name, typeName(argument)));
        }
    const std::string known = names.empty() ? "none" : join(names);
    std::vector<unsigned char> block((reflection.pushConstantSize + size_t{3}) / 4 * 4);
    std::vector<bool> given(constants.size());
    for (size_t i = 0; i < values.size(); ++i) {
        size_t index = values[i].index.value_or(static_cast<uint32_t>(i));
        if (!values[i].name.empty())
            index = static_cast<size_t>(
                std::ranges::find(constants, values[i].name, &KernelArgument::name) -
                constants.begin());
        const std::string called =
            values[i].name.empty() ? formatted("{}", index) : formatted("'{}'", values[i].name);
        if (index >= constants.size())
            fail<InvalidArgument>("push constant {} was given, but the shader's are: {}", called,
                                  known);
        if (given[index])
            fail<InvalidArgument>("push constant {} was given twice", called);
        if (!takesValue(constants[index], values[i].value))
            fail<InvalidArgument>("push constant {} is a {}, but was given {}", called,
                                  typeName(constants[index]), values[i].value.describe());
        writeConstant(constants[index], values[i].value, block);
        given[index] = true;
    }
    for (size_t i = 0; i < constants.size(); ++i)
        if (!given[i])
            fail<InvalidArgument>("push constant '{}' has no value; the shader's are: {}",
                                  constants[i].name, known);
    const auto* const first = reinterpret_cast<const std::byte*>(block.data());
    return {first, first + block.size()};
}

void ArgumentValue::store(const void* data, size_t bytes) {
    mSize = static_cast<uint32_t>(bytes);
    if (bytes <= mSmall.size()) {
        std::memcpy(mSmall.data(), data, bytes);
        return;
    }
    const auto* first = static_cast<const unsigned char*>(data);
    mLarge.assign(first, first + bytes);
}

ArgumentValue ArgumentValue::numbers(shader::ScalarType type, uint32_t components, const void* data,
                                     size_t bytes) {
    const size_t expected = size_t{shader::sizeOf(type)} * components;
    if (components == 0 || expected != bytes)
        fail<InvalidArgument>("{} numbers of type {} have {} bytes, but {} bytes were given",
                              components, shader::nameOf(type), expected, bytes);
    ArgumentValue value;
    value.mKind = Kind::eNumbers;
    value.mType = type;
    value.mComponents = components;
    value.store(data, bytes);
    return value;
}

ArgumentValue ArgumentValue::bytes(const void* data, size_t bytes) {
    ArgumentValue value;
    value.mKind = Kind::eBytes;
    value.store(data, bytes);
    return value;
}

std::string ArgumentValue::describe() const {
    switch (mKind) {
    case Kind::eNone:
        return "nothing";
    case Kind::eMemory:
        if (!mMemory)
            return "a null pointer";
        return formatted("{} of {} {}",
                         mMemory->type() == Memory::Type::eImage ? "image" : "tensor",
                         mMemory->size(), Memory::toString(mMemory->dataType()));
    case Kind::eNumbers:
        return vectorName(mType, mComponents);
    case Kind::eBytes:
        return mSize == 1 ? "1 byte" : formatted("{} bytes", mSize);
    }
    return {};
}

bool operator==(const ArgumentValue& a, const ArgumentValue& b) {
    return a.mKind == b.mKind && a.mSize == b.mSize && a.mMemory == b.mMemory &&
           a.mType == b.mType && a.mComponents == b.mComponents &&
           std::memcmp(a.data(), b.data(), a.mSize) == 0;
}

} // namespace kp
