// SPDX-License-Identifier: Apache-2.0
#include "Png.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include <png.h>

void writePng(const std::string& path, uint32_t width, uint32_t height,
              const std::vector<float>& values) {
    std::vector<uint8_t> pixels;
    pixels.reserve(values.size());
    for (float value : values)
        pixels.push_back(static_cast<uint8_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 255.0f)));

    png_image image;
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_GRAY;
    if (!png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr))
        throw std::runtime_error(path + ": " + image.message);
}
