// SPDX-License-Identifier: Apache-2.0
#include <kompute/image/Sampler.hpp>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/image/SamplerImpl.hpp"

namespace kp {
namespace {

template <typename Enum>
void requireKnown(Enum value, Enum last, const char* what) {
    if (static_cast<uint32_t>(value) > static_cast<uint32_t>(last))
        fail<InvalidArgument>("the {} {} of a sampler is unknown; the last one is {}", what,
                              static_cast<uint32_t>(value), static_cast<uint32_t>(last));
}

void requireConsistent(const SamplerOptions& options) {
    requireKnown(options.filter, Filter::eLinear, "filter");
    requireKnown(options.border, BorderColor::eOpaqueWhite, "border colour");
    for (const AddressMode mode : options.address) {
        requireKnown(mode, AddressMode::eClampToBorder, "address mode");
        if (options.unnormalizedCoordinates && mode != AddressMode::eClampToEdge &&
            mode != AddressMode::eClampToBorder)
            throw InvalidArgument("a sampler with unnormalized coordinates clamps to the edge or "
                                  "to the border, and cannot repeat");
    }
}

VkBorderColor borderColor(const SamplerOptions& options) {
    switch (options.border) {
    case BorderColor::eOpaqueBlack:
        return options.integerBorder ? VK_BORDER_COLOR_INT_OPAQUE_BLACK
                                     : VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK;
    case BorderColor::eOpaqueWhite:
        return options.integerBorder ? VK_BORDER_COLOR_INT_OPAQUE_WHITE
                                     : VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
    default:
        return options.integerBorder ? VK_BORDER_COLOR_INT_TRANSPARENT_BLACK
                                     : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
    }
}

} // namespace

Sampler::Sampler(std::shared_ptr<vulkan::Device> device, const SamplerOptions& options)
    : mImpl(std::make_unique<Impl>()) {
    requireConsistent(options);
    device->requireAlive();
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    info.magFilter = static_cast<VkFilter>(options.filter);
    info.minFilter = info.magFilter;
    info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
    info.addressModeU = static_cast<VkSamplerAddressMode>(options.address[0]);
    info.addressModeV = static_cast<VkSamplerAddressMode>(options.address[1]);
    info.addressModeW = static_cast<VkSamplerAddressMode>(options.address[2]);
    info.borderColor = borderColor(options);
    info.unnormalizedCoordinates = options.unnormalizedCoordinates ? VK_TRUE : VK_FALSE;
    mImpl->sampler = std::make_shared<const vulkan::Sampler>(*device, info);
    mImpl->options = options;
    mImpl->device = std::move(device);
}

Sampler::~Sampler() = default;

const SamplerOptions& Sampler::getOptions() const {
    return mImpl->options;
}

} // namespace kp
