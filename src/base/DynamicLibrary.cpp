// SPDX-License-Identifier: Apache-2.0
#include "base/DynamicLibrary.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include "base/Text.hpp"
#include "base/files/Path.hpp"

namespace kp {

void* openLibrary(const std::string& library, std::string& reason) {
#ifdef _WIN32
    HMODULE handle = LoadLibraryW(toPath(library).c_str());
    if (!handle)
        reason = formatted("LoadLibrary failed with error {}", GetLastError());
    return handle;
#else
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* text = dlerror();
        reason = text != nullptr ? text : "dlopen failed";
    }
    return handle;
#endif
}

void* findLoadedLibrary(const std::string& library) {
#ifdef _WIN32
    return GetModuleHandleW(toPath(library).c_str());
#else
    return dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
#endif
}

void* findFunction(void* library, const char* name) {
    if (library == nullptr)
        return nullptr;
#ifdef _WIN32
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
#else
    return dlsym(library, name);
#endif
}

} // namespace kp
