// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kp::shader {

/// The folder that caches on disk live in: @p chosen, else the environment variable
/// KOMPUTE_CACHE_DIR, else the platform's convention. Empty where there is none, and where the
/// choice is "off".
std::string cacheFolder(const std::string& chosen = {});

} // namespace kp::shader
