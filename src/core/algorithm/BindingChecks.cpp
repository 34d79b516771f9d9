// SPDX-License-Identifier: Apache-2.0
#include "core/algorithm/BindingChecks.hpp"

#include <algorithm>
#include <string>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/algorithm/BindingText.hpp"
#include "core/image/ImageChecks.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/memory/ScalarTypes.hpp"
#include "shader/reflect/MemberLayout.hpp"
#include "shader/reflect/Reflection.hpp"

namespace kp {
namespace {

using shader::BindingKind;
using shader::ScalarType;

/// Small numbers packed into 32-bit integers are a common way to read them.
bool canUnpack(ScalarType declared, uint32_t givenBytes) {
    return (declared == ScalarType::eUint32 || declared == ScalarType::eInt32) && givenBytes < 4;
}

/// Returns a shader's declaration: "an array of structs of 32 bytes (pos at 0, vel at 16)".
std::string describeElements(const shader::Binding& binding, uint64_t stride, bool array) {
    std::string element = "structs";
    if (binding.elementType != ScalarType::eStruct)
        element = binding.elementComponents == 1
                      ? formatted("{}s", shader::nameOf(binding.elementType))
                      : formatted("{} x {}", binding.elementComponents,
                                  shader::nameOf(binding.elementType));
    std::vector<std::string> members;
    for (const shader::Member& member : binding.members)
        members.push_back(formatted("'{}' at {}", member.name, member.offset));
    return formatted("{}{}, {} bytes{}{}", array ? "an array of " : "", element, stride,
                     array ? " each" : "",
                     members.empty() ? std::string() : formatted(" ({})", join(members)));
}

/// Checks the elements of a tensor against their layout in the shader. Numbers cannot
/// fill elements with padding, and structs must be as large as the shader's.
void checkElements(const shader::Binding& binding, uint32_t descriptor,
                   const Memory::Impl& memory) {
    const bool runtime = binding.arrayStride != 0;
    const bool array = runtime || binding.fixedStride != 0;
    const uint64_t stride = runtime ? binding.arrayStride
                            : array ? binding.fixedStride
                                    : binding.fixedSize;
    const uint64_t used = shader::usedBytes(binding);
    const uint64_t given = memory.elementSize;
    const bool structs = binding.elementType == ScalarType::eStruct;
    // Without a runtime array, memory of the block's size has the block's layout.
    const bool exact = !runtime && memory.bytes() == binding.fixedSize;
    // Bytes are storage for anything, and so is memory of which the shader's type is not known.
    if (used == 0 || stride == 0 || exact || (given == 1 && structs))
        return;
    const bool padded = used != stride;
    bool fits = true;
    if (memory.dataType != Memory::DataTypes::eCustom)
        fits = !padded && (!runtime || memory.bytes() < binding.fixedSize ||
                           (memory.bytes() - binding.fixedSize) % stride == 0);
    else if (array && (!runtime || binding.fixedSize == 0)) // not behind other members
        fits = structs  ? given == stride
               : padded ? given % stride == 0
                        : given % stride == 0 || stride % given == 0;
    if (fits)
        return;
    const bool uniform = binding.kind == BindingKind::eUniformBuffer;
    fail<ShaderError>(
        "{} is declared as {}, but was given {} of {} bytes each, {} bytes in all; {}. {}, or ask "
        "for reinterpretation if they are laid out so (reinterpret=True in Python, "
        "reinterpreted() or the launcher's option in C++)",
        describeDescriptor(binding, descriptor), describeElements(binding, stride, array),
        describeMemory(memory), given, memory.bytes(),
        uniform ? "std140 begins each element of an array, each vec3 and each struct at a multiple "
                  "of 16 bytes"
                : "std430 begins each vec3, and each struct with a vec3 or vec4, at a multiple of "
                  "16 bytes (of doubles 32)",
        uniform ? "Pad the data, or declare vectors of 4 or a readonly buffer"
                : "Declare the buffer with layout(scalar), which has no such gaps (of "
                  "GL_EXT_scalar_block_layout), or pad the elements");
}

/// Checks the size and place of a uniform block.
void checkUniform(const shader::Binding& binding, uint32_t element, const Memory::Impl& memory,
                  const vulkan::Device& device) {
    const VkPhysicalDeviceLimits& limits = device.physical().properties.limits;
    if (binding.fixedSize > limits.maxUniformBufferRange)
        fail<ShaderError>("{}: a uniform block of {} bytes is over {}'s maxUniformBufferRange of "
                          "{}; declare a readonly buffer instead",
                          describeDescriptor(binding, element), binding.fixedSize, device.name(),
                          limits.maxUniformBufferRange);
    const uint64_t alignment = std::max<uint64_t>(limits.minUniformBufferOffsetAlignment, 1);
    if (memory.buffer->offset() % alignment != 0)
        fail<InvalidArgument>(
            "{}: the tensor begins {} bytes behind the start of its buffer, which "
            "is not a multiple of {}'s minUniformBufferOffsetAlignment of {}",
            describeDescriptor(binding, element), memory.buffer->offset(), device.name(),
            alignment);
}

void checkStorage(const shader::Binding& binding, uint32_t element, const Memory::Impl& memory,
                  const vulkan::Device& device) {
    const uint64_t range = device.physical().properties.limits.maxStorageBufferRange;
    if (memory.bytes() > range)
        fail<InvalidArgument>("{}: a tensor of {} bytes is over {}'s maxStorageBufferRange of {}; "
                              "use several tensors",
                              describeDescriptor(binding, element), memory.bytes(), device.name(),
                              range);
}

void checkTensor(const shader::Binding& binding, uint32_t element, const Memory::Impl& memory,
                 const vulkan::Device& device, TypeRule types) {
    if (binding.kind == BindingKind::eUniformBuffer)
        checkUniform(binding, element, memory, device);
    else
        checkStorage(binding, element, memory, device);
    const uint32_t given = Memory::dataTypeMemorySize(memory.dataType);
    const uint32_t declared = shader::sizeOf(binding.elementType);
    const bool fits = declared == given || declared * binding.elementComponents == given ||
                      canUnpack(binding.elementType, given);
    if (declared != 0 && given != 0 && !fits)
        fail<ShaderError>("{} is declared as {} ({} bytes), but was given {} ({} bytes each)",
                          describeDescriptor(binding, element), shader::nameOf(binding.elementType),
                          declared, describeMemory(memory), given);
    if (types == TypeRule::eSame && !takes(binding.elementType, memory.dataType))
        fail<ShaderError>("{} is declared as {}, but was given {}; convert the tensor, change "
                          "the shader, or ask for reinterpretation (reinterpret=True in Python, "
                          "reinterpreted() or the launcher's option in C++)",
                          describeDescriptor(binding, element), shader::nameOf(binding.elementType),
                          describeMemory(memory));
    if (types == TypeRule::eSame)
        checkElements(binding, element, memory);
    if (memory.bytes() < binding.fixedSize)
        fail<ShaderError>("{} is declared with {} bytes, but was given {} with {} bytes",
                          describeDescriptor(binding, element), binding.fixedSize,
                          describeMemory(memory), memory.bytes());
}

/// Checks everything about a binding that does not depend on the memory.
void checkDeclaration(const shader::Binding& binding) {
    if (binding.count == 0)
        fail<ShaderError>(
            "{} is an array of descriptors without a fixed length; declare its length "
            "as a plain number",
            describeBinding(binding));
    const bool buffer =
        binding.kind == BindingKind::eStorageBuffer || binding.kind == BindingKind::eUniformBuffer;
    if (!buffer && !binding.isImage() && binding.kind != BindingKind::eSampler)
        fail<ShaderError>("{} is neither a storage buffer, a uniform buffer, an image of 1 to 3 "
                          "dimensions nor a sampler of one; cubes, images of several samples per "
                          "texel, samplers that compare, and texel buffers cannot be bound",
                          describeBinding(binding));
}

/// Returns "0: binding 0 'a', 1 to 4: binding 1 'b'".
std::string describeArguments(const shader::Reflection& reflection) {
    std::vector<std::string> arguments;
    for (const shader::Binding& binding : reflection.bindings) {
        if (!binding.takesMemory())
            continue;
        const uint32_t first = binding.argument;
        arguments.push_back(binding.count == 1
                                ? formatted("{}: {}", first, describeBinding(binding))
                                : formatted("{} to {}: {}", first, first + binding.count - 1,
                                            describeBinding(binding)));
    }
    return join(arguments);
}

/// Checks each declaration, and that there is a memory object for each descriptor.
void requireArguments(const shader::Reflection& reflection, size_t given) {
    const char* const plural = given == 1 ? " was" : "s were";
    bool byBinding = true;
    uint64_t descriptors = 0;
    for (const shader::Binding& binding : reflection.bindings) {
        checkDeclaration(binding);
        byBinding = byBinding && binding.set == 0 && binding.count == 1 && binding.takesMemory();
        descriptors += binding.takesMemory() ? binding.count : 0;
    }
    if (!byBinding && given != descriptors)
        fail<ShaderError>("the shader takes {} memory objects, in the order of set, binding and "
                          "array element ({}), but {} memory object{} given",
                          descriptors, describeArguments(reflection), given, plural);
    for (const shader::Binding& binding : reflection.bindings)
        if (byBinding && binding.binding >= given)
            fail<ShaderError>("the shader uses {}, but only {} memory object{} given (binding i is "
                              "memory object i)",
                              describeBinding(binding), given, plural);
}

} // namespace

void requireObjects(const std::vector<std::shared_ptr<Memory>>& memObjects) {
    for (size_t i = 0; i < memObjects.size(); ++i)
        if (!memObjects[i])
            fail<InvalidArgument>("memory object {} is null", i);
}

void checkBinding(const shader::Binding& binding, uint32_t element, const Memory& object,
                  const vulkan::Device& device, TypeRule types) {
    checkDeclaration(binding);
    const Memory::Impl& memory = implOf(object);
    const bool image = binding.isImage();
    if (image != (memory.image != nullptr))
        fail<ShaderError>("{} is declared as {}, but was given {}",
                          describeDescriptor(binding, element), image ? "an image" : "a buffer",
                          describeMemory(memory));
    if (image)
        checkImage(binding, element, memory, device);
    else
        checkTensor(binding, element, memory, device, types);
}

void checkBindings(const shader::Reflection& reflection, const vulkan::Device& device,
                   const std::vector<std::shared_ptr<Memory>>& memObjects, TypeRule types) {
    requireObjects(memObjects);
    for (const std::shared_ptr<Memory>& memory : memObjects)
        requireSameDevice(*memory, device, "an algorithm");
    requireArguments(reflection, memObjects.size());
    for (const shader::Binding& binding : reflection.bindings)
        for (uint32_t element = 0; binding.takesMemory() && element < binding.count; ++element)
            checkBinding(binding, element, *memObjects[binding.argument + element], device, types);
}

} // namespace kp
