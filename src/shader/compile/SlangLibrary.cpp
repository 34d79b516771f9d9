// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/SlangLibrary.hpp"

#include <atomic>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/Shader.hpp>

#include "base/DynamicLibrary.hpp"
#include "base/Environment.hpp"
#include "base/Text.hpp"

namespace kp {
namespace shader::slang {
namespace {

// Newer names first. The terminal library S-Lang is also called libslang.
#if defined(_WIN32)
constexpr const char* kSystemLibraries[] = {"slang-compiler.dll", "slang.dll"};
#elif defined(__APPLE__)
constexpr const char* kSystemLibraries[] = {"libslang-compiler.dylib", "libslang.dylib"};
#else
constexpr const char* kSystemLibraries[] = {"libslang-compiler.so", "libslang.so"};
#endif

struct ChosenLibrary {
    std::mutex mutex;
    std::string path;
};

ChosenLibrary& chosenLibrary() {
    static auto& chosen = *new ChosenLibrary;
    return chosen;
}

/// Returns the places to look for the library, in order.
std::vector<std::string> libraryPlaces() {
    if (const std::string named = environment("KOMPUTE_SLANG_LIBRARY"); !named.empty())
        return {named};
    std::vector<std::string> places(std::begin(kSystemLibraries), std::end(kSystemLibraries));
    const std::lock_guard lock(chosenLibrary().mutex);
    if (!chosenLibrary().path.empty())
        places.insert(places.begin(), chosenLibrary().path);
    return places;
}

} // namespace

Library& Library::get() {
    static auto& mutex = *new std::mutex;
    // Found without the lock, which another thread may hold while the process is copied.
    static std::atomic<Library*> opened{nullptr};
    if (Library* const library = opened)
        return *library;
    const std::lock_guard lock(mutex);
    if (Library* const library = opened)
        return *library;
    static auto& library = *new Library;
    std::vector<std::string> reasons;
    for (const std::string& place : libraryPlaces()) {
        std::string reason;
        if (library.open(place, reason)) {
            opened = &library;
            return library;
        }
        reasons.push_back(formatted("{}: {}", place, reason));
    }
    throw Unsupported("compile: Slang's library, which compiles shaders in Slang, was not found. "
                      "Install Slang or the Vulkan SDK (for Python: pip install slangpy), or name "
                      "the library in the environment variable KOMPUTE_SLANG_LIBRARY",
                      std::move(reasons));
}

bool Library::open(const std::string& library, std::string& reason) {
    void* const handle = openLibrary(library, reason);
    if (handle == nullptr)
        return false;
    const char* missing = nullptr;
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
            findFunction(handle, name));
        if (function == nullptr && missing == nullptr)
            missing = name;
    };
    find(createSession, "spCreateSession");
    find(findProfile, "spFindProfile");
    find(buildTag, "spGetBuildTagString");
    find(createRequest, "spCreateCompileRequest");
    find(destroyRequest, "spDestroyCompileRequest");
    find(setFileSystem, "spSetFileSystem");
    find(setTarget, "spSetCodeGenTarget");
    find(setProfile, "spSetTargetProfile");
    find(setDebugInfo, "spSetDebugInfoLevel");
    find(addSearchPath, "spAddSearchPath");
    find(addTranslationUnit, "spAddTranslationUnit");
    find(addSource, "spAddTranslationUnitSourceStringSpan");
    find(addEntryPoint, "spAddEntryPoint");
    find(compile, "spCompile");
    find(diagnostics, "spGetDiagnosticOutput");
    find(entryPointCode, "spGetEntryPointCode");
    if (missing != nullptr) {
        reason = formatted("it has no function {}; it is another library, or another version of "
                           "Slang than 2025 and 2026",
                           missing);
        return false;
    }
    mVersion = buildTag();
    return true;
}

Session* Library::session() {
    if (mSession == nullptr)
        mSession = createSession(nullptr);
    if (mSession == nullptr)
        throw Unsupported("compile: Slang's library cannot be initialised");
    return mSession;
}

} // namespace shader::slang

void setSlangLibrary(const std::string& path) {
    const std::lock_guard lock(shader::slang::chosenLibrary().mutex);
    shader::slang::chosenLibrary().path = path;
}

} // namespace kp
