// SPDX-License-Identifier: Apache-2.0
#include "core/image/ImageChannels.hpp"

#include <cstdint>
#include <cstring>

#include "core/image/ImageFormat.hpp"

namespace kp {
namespace {

uint64_t texelsOf(const vulkan::ImageInfo& info) {
    return info.width * info.rows();
}

/// Calls @p function with a number of the size of a channel.
template <typename Function>
void withChannelType(const vulkan::ImageInfo& info, Function&& function) {
    switch (info.texelSize / 4) {
    case 1:
        return function(uint8_t{});
    case 2:
        return function(uint16_t{});
    default:
        return function(uint32_t{});
    }
}

} // namespace

std::vector<unsigned char> withFourthChannel(const vulkan::ImageInfo& info, const void* host) {
    std::vector<unsigned char> texels(texelsOf(info) * info.texelSize);
    withChannelType(info, [&](auto channel) {
        channel = static_cast<decltype(channel)>(bitsOfOne(info.format));
        const auto* from = static_cast<const unsigned char*>(host);
        for (unsigned char* to = texels.data(); to != texels.data() + texels.size();
             to += 4 * sizeof channel, from += 3 * sizeof channel) {
            std::memcpy(to, from, 3 * sizeof channel);
            std::memcpy(to + 3 * sizeof channel, &channel, sizeof channel);
        }
    });
    return texels;
}

void dropFourthChannel(const vulkan::ImageInfo& info, const void* texels, void* host) {
    withChannelType(info, [&](auto channel) {
        const auto* from = static_cast<const unsigned char*>(texels);
        auto* to = static_cast<unsigned char*>(host);
        for (uint64_t left = texelsOf(info); left > 0; --left) {
            std::memcpy(to, from, 3 * sizeof channel);
            from += 4 * sizeof channel;
            to += 3 * sizeof channel;
        }
    });
}

void uploadTexels(vulkan::Transfer& transfer, const std::shared_ptr<vulkan::Image>& image,
                  const void* host) {
    if (addsChannel(image->info()))
        transfer.upload(image, withFourthChannel(image->info(), host).data());
    else
        transfer.upload(image, host);
}

void downloadTexels(vulkan::Transfer& transfer, const std::shared_ptr<vulkan::Image>& image,
                    void* host) {
    const vulkan::ImageInfo& info = image->info();
    if (!addsChannel(info)) {
        transfer.download(image, host);
        return;
    }
    std::vector<unsigned char> texels(texelsOf(info) * info.texelSize);
    transfer.download(image, texels.data());
    dropFourthChannel(info, texels.data(), host);
}

} // namespace kp
