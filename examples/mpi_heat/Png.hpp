// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Writes values from 0 to 1, row by row, as a grayscale picture.
/// @throws std::runtime_error with libpng's message
void writePng(const std::string& path, uint32_t width, uint32_t height,
              const std::vector<float>& values);
