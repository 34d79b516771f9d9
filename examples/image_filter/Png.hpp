// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// A picture: rows from top to bottom, with interleaved channels.
struct Picture {
    uint32_t width = 0;
    uint32_t height = 0;
    uint32_t channels = 0;
    std::vector<uint8_t> pixels;
};

/// Reads any PNG, gray or in colour, as four channels (red, green, blue, alpha).
/// @throws std::runtime_error with libpng's message
Picture readPng(const std::string& path);

/// Writes a picture with one channel (gray).
/// @throws std::runtime_error with libpng's message
void writePng(const std::string& path, const Picture& picture);
