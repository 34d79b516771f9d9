// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kp {

/// Returns the folder for caches on disk: @p chosen, else the environment variable
/// KOMPUTE_CACHE_DIR, else the platform's convention. Empty if there is none, or for "off".
std::string cacheFolder(const std::string& chosen = {});

} // namespace kp
