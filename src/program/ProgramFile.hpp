// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "program/ProgramData.hpp"

namespace kp::program {

// The file: a magic number, the version of the format, the size and the hash of what follows, and
// then the fields of Data in their order. Numbers are little-endian; lists begin with their length.

/// Raised with each change of the format. Files of later versions are refused.
constexpr uint32_t kFormat = 1;

std::vector<unsigned char> toFile(const Data& data);

/// Reads a file of any content. Numbers of kernels, slots and the like are in range afterwards, and
/// so are all offsets into memory; what the device allows is checked by requireDevice().
/// @throws InvalidArgument that says what is wrong
Data fromFile(std::span<const unsigned char> file);

} // namespace kp::program
