// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace kp {

/// Opens a shared library at run time. It is never closed: drivers and compilers keep threads and
/// thread-local data. Thread-safe.
/// @param library  a path, or a name that the system's loader searches for
/// @param reason   set to the system's reason if the library cannot be opened
/// @return null if it cannot be opened
void* openLibrary(const std::string& library, std::string& reason);

/// Returns a library that the program or a tool has loaded; null if none has. Thread-safe.
void* findLoadedLibrary(const std::string& library);

/// Returns a function of a library; null if it has none of this name, or @p library is null.
/// Thread-safe.
void* findFunction(void* library, const char* name);

} // namespace kp
