// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "vulkan/memory/Image.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp {

/// Returns true if the host's texels have three channels and the device's four.
inline bool addsChannel(const vulkan::ImageInfo& info) {
    return info.hostTexelSize != info.texelSize;
}

/// Returns the host's texels as the device's, with a fourth channel of 1.
std::vector<unsigned char> withFourthChannel(const vulkan::ImageInfo& info, const void* host);
/// Copies the device's texels to @p host without their fourth channel.
void dropFourthChannel(const vulkan::ImageInfo& info, const void* texels, void* host);

/// Copy a whole image from and to packed host memory, with the host's channels.
void uploadTexels(vulkan::Transfer& transfer, const std::shared_ptr<vulkan::Image>& image,
                  const void* host);
void downloadTexels(vulkan::Transfer& transfer, const std::shared_ptr<vulkan::Image>& image,
                    void* host);

} // namespace kp
