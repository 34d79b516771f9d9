// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

namespace kp {

/// Returns an environment variable, or @p otherwise if it is unset or empty.
std::string environment(const char* name, const std::string& otherwise = {});

/// Returns true if the variable is 1, true, on or yes, in any case.
bool environmentFlag(const char* name);

/// Returns true if a stream goes to a terminal.
bool isTerminal(std::FILE* stream);

/// Returns the folder for caches on disk: @p chosen, else the environment variable
/// KOMPUTE_CACHE_DIR, else the platform's convention. Empty if there is none, or for "off".
std::string cacheFolder(const std::string& chosen = {});

} // namespace kp
