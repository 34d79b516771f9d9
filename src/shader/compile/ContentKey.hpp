// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/Hash.hpp"

namespace kp::shader {

/// Returns a key of a module for caches in memory. Two modules never share a key unless they are
/// equal: their words are compared, because a module can be crafted to have another one's hash.
/// Equal modules have the same key as long as the process remembers the module (the 64 MiB of
/// modules that were used last). A forgotten module gets a new key, so caches miss it. Thread-safe.
Hash contentKey(std::span<const uint32_t> spirv);

} // namespace kp::shader
