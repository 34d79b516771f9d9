// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <kompute/Export.hpp>

namespace kp {

namespace vulkan {
class Device;
}

/// How a sampler reads between texels, with the values of VkFilter.
enum class Filter : uint32_t { eNearest = 0, eLinear = 1 };

/// How a sampler reads outside of the image, with the values of VkSamplerAddressMode.
enum class AddressMode : uint32_t {
    eRepeat = 0,
    eMirroredRepeat = 1,
    eClampToEdge = 2,
    eClampToBorder = 3
};

/// The colour of eClampToBorder; Vulkan's float and integer variants, whichever the image needs.
enum class BorderColor : uint32_t { eTransparentBlack = 0, eOpaqueBlack = 1, eOpaqueWhite = 2 };

/// Options of a sampler.
struct SamplerOptions {
    Filter filter = Filter::eLinear;
    /// In x, y and z.
    std::array<AddressMode, 3> address{AddressMode::eClampToEdge, AddressMode::eClampToEdge,
                                       AddressMode::eClampToEdge};
    BorderColor border = BorderColor::eTransparentBlack;
    /// True for a border of integers: images of Uint and Sint formats.
    bool integerBorder = false;
    /// True: coordinates are texels, from 0 to the size, instead of 0 to 1. Needs eClampToEdge or
    /// eClampToBorder, images of type e1D or e2D, and textureLod in the shader.
    bool unnormalizedCoordinates = false;
};

/// How shaders read sampled images: filter, address modes, coordinates. Manager::sampler creates
/// samplers, and AlgorithmOptions::samplers hands them to algorithms, which keep them alive.
///
/// Thread safety: immutable. The caller owns it; Manager::destroy() does not affect it.
class KOMPUTE_API Sampler {
public:
    ~Sampler();
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    const SamplerOptions& getOptions() const;

    struct Impl;

private:
    friend class Manager;
    friend struct Internals;
    Sampler(std::shared_ptr<vulkan::Device> device, const SamplerOptions& options);

    std::unique_ptr<Impl> mImpl;
};

} // namespace kp
