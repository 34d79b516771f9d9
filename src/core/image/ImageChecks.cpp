// SPDX-License-Identifier: Apache-2.0
#include "core/image/ImageChecks.hpp"

#include <string>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/algorithm/BindingText.hpp"
#include "core/image/ImageFormat.hpp"
#include "core/image/SamplerImpl.hpp"
#include "core/memory/MemoryImpl.hpp"

namespace kp {
namespace {

using shader::BindingKind;
using shader::ScalarType;

bool isArray(VkImageViewType type) {
    return type == VK_IMAGE_VIEW_TYPE_1D_ARRAY || type == VK_IMAGE_VIEW_TYPE_2D_ARRAY;
}

/// Returns "an image2DArray", with the noun of the kind of binding.
std::string shapeName(const char* noun, uint32_t dimensions, bool arrayed) {
    return formatted("{}{}D{}", noun, dimensions, arrayed ? "Array" : "");
}

void checkUsage(const shader::Binding& binding, uint32_t element, const Memory::Impl& memory,
                const vulkan::Device& device) {
    const bool storage = binding.kind == BindingKind::eStorageImage;
    const VkImageUsageFlags needed =
        storage ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT;
    vulkan::ImageInfo info = memory.image->info();
    if (info.usage & needed)
        return;
    info.usage = needed;
    const char* const verb = storage ? "stored to or loaded from" : "sampled";
    if (vulkan::Image::supported(device, info))
        fail<ShaderError>("{} is a {}, but was given an image that was created without "
                          "ImageUsage::{}",
                          describeDescriptor(binding, element),
                          storage ? "storage image" : "sampled image",
                          storage ? "eStorage" : "eSampled");
    fail<ShaderError>("{} is a {}, but was given an image of format {}, which cannot be {} on {} "
                      "with {} tiling; choose another format or tiling",
                      describeDescriptor(binding, element),
                      storage ? "storage image" : "sampled image", nameOfFormat(info.format), verb,
                      device.name(), info.tiling == VK_IMAGE_TILING_LINEAR ? "linear" : "optimal");
}

/// Returns why an image cannot be read with a sampler; "" if it can.
std::string whyUnreadable(const vulkan::ImageInfo& info, const vulkan::Sampler& sampler,
                          const vulkan::Device& device) {
    if (sampler.filtersLinearly() && !vulkan::Image::filters(device, info.format, info.tiling))
        return formatted("is read with a linear filter, but was given an image of format {}, "
                         "which {} cannot filter; use Filter::eNearest, or another format",
                         nameOfFormat(info.format), device.name());
    if (sampler.unnormalized() && (isArray(info.type) || info.type == VK_IMAGE_VIEW_TYPE_3D))
        return "is read with unnormalized coordinates, which Vulkan has for images of type e1D "
               "and e2D alone";
    return {};
}

} // namespace

void checkImage(const shader::Binding& binding, uint32_t element, const Memory::Impl& memory,
                const vulkan::Device& device) {
    const vulkan::ImageInfo& info = memory.image->info();
    const uint32_t dimensions = static_cast<uint32_t>(info.dimensions()) + 1;
    if (binding.imageDimensions != dimensions || binding.imageArrayed != isArray(info.type)) {
        const char* const noun = binding.kind == BindingKind::eStorageImage   ? "image"
                                 : binding.kind == BindingKind::eSampledImage ? "texture"
                                                                              : "sampler";
        fail<ShaderError>(
            "{} is declared as {}, but was given an image for {} (ImageOptions::type)",
            describeDescriptor(binding, element),
            shapeName(noun, binding.imageDimensions, binding.imageArrayed),
            shapeName(noun, dimensions, isArray(info.type)));
    }
    const VkFormat declared = formatOfSpirv(binding.imageFormat);
    if (binding.imageFormat != 0 && declared != info.format)
        fail<ShaderError>("{} is declared with format {}, but was given {} with format {}",
                          describeDescriptor(binding, element),
                          declared == VK_FORMAT_UNDEFINED
                              ? formatted("number {} of SPIR-V", binding.imageFormat)
                              : nameOfFormat(declared),
                          describeMemory(memory), nameOfFormat(info.format));
    const ScalarType given = shaderTypeOf(info.format);
    if (binding.imageType != ScalarType::eUnknown && binding.imageType != given)
        fail<ShaderError>("{} is declared as an image of {}, but was given {} with format {}, "
                          "whose texels are {}",
                          describeDescriptor(binding, element), shader::nameOf(binding.imageType),
                          describeMemory(memory), nameOfFormat(info.format), shader::nameOf(given));
    checkUsage(binding, element, memory, device);
}

const std::shared_ptr<Sampler>& samplerFor(const AlgorithmOptions& options,
                                           const shader::Binding& binding, uint32_t element) {
    return options.samplers.size() == 1 ? options.samplers[0]
                                        : options.samplers[binding.sampler + element];
}

void checkSamplers(const shader::Reflection& reflection, const vulkan::Device& device,
                   const AlgorithmOptions& options,
                   const std::vector<std::shared_ptr<Memory>>& memObjects) {
    uint64_t needed = 0;
    std::string names;
    for (const shader::Binding& binding : reflection.bindings) {
        if (!binding.takesSampler())
            continue;
        needed += binding.count;
        names += formatted("{}{}", names.empty() ? "" : ", ", describeBinding(binding));
    }
    const size_t given = options.samplers.size();
    if (needed == 0 && given != 0)
        fail<InvalidArgument>("{} sampler{} given, but the shader declares none (sampler, "
                              "sampler2D, ...)",
                              given, given == 1 ? " was" : "s were");
    if (needed != 0 && given != 1 && given != needed)
        fail<InvalidArgument>("{} samplers were given, but the shader takes {} ({}); give one of "
                              "Manager::sampler() for all, or one for each in "
                              "AlgorithmOptions::samplers",
                              given, needed, names);
    for (const std::shared_ptr<Sampler>& sampler : options.samplers) {
        if (!sampler)
            throw InvalidArgument("a sampler in AlgorithmOptions::samplers is null");
        const Sampler::Impl& impl = implOf(*sampler);
        if (impl.device.get() != &device)
            failForeign("a sampler", *impl.device, "an algorithm", device);
    }
    for (const shader::Binding& binding : reflection.bindings)
        for (uint32_t element = 0; binding.isImage() && element < binding.count; ++element) {
            const vulkan::ImageInfo& info =
                implOf(*memObjects[binding.argument + element]).image->info();
            std::string why;
            bool readable = true;
            const auto tryWith = [&](const shader::Binding& with, uint32_t index) {
                const Sampler& sampler = *samplerFor(options, with, index);
                const std::string found = whyUnreadable(info, *implOf(sampler).sampler, device);
                readable = found.empty();
                why = readable ? why : found;
                return readable;
            };
            if (binding.takesSampler())
                tryWith(binding, element);
            // One that fits is enough: which of several is used may depend on anything.
            for (const uint32_t with : binding.imageSamplers) {
                const shader::Binding& sampler = reflection.bindings[with];
                for (uint32_t each = 0; sampler.takesSampler() && each < sampler.count; ++each)
                    if (tryWith(sampler, each))
                        break;
                if (readable)
                    break;
            }
            if (!readable)
                fail<ShaderError>("{} {}", describeDescriptor(binding, element), why);
        }
}

} // namespace kp
