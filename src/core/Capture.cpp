// SPDX-License-Identifier: Apache-2.0
#include "core/Capture.hpp"

#include <array>
#include <cstdint>

#include <kompute/Error.hpp>

#include "base/DynamicLibrary.hpp"
#include "base/Text.hpp"

namespace kp {
namespace {

#ifdef _WIN32
constexpr const char* kLibrary = "renderdoc.dll";
#else
constexpr const char* kLibrary = "librenderdoc.so";
#endif

// Functions of RenderDoc's table, in version 1.0.0 of its interface and all later ones.
constexpr int kVersion = 10000;
constexpr size_t kStart = 19;
constexpr size_t kIsCapturing = 20;
constexpr size_t kEnd = 21;
using Table = std::array<void*, 22>;

using GetApi = int (*)(int version, void** table);
using Start = void (*)(void* device, void* window);
using IsCapturing = uint32_t (*)();
using End = uint32_t (*)(void* device, void* window);

/// @throws Unsupported if RenderDoc is not loaded
const Table& renderDoc() {
    void* const library = findLoadedLibrary(kLibrary);
    if (!library)
        fail<Unsupported>("a capture was asked for, but {} is not loaded; start the program with "
                          "RenderDoc, as in renderdoccmd capture ./program",
                          kLibrary);
    const auto getApi = reinterpret_cast<GetApi>(findFunction(library, "RENDERDOC_GetAPI"));
    void* table = nullptr;
    if (!getApi || getApi(kVersion, &table) != 1 || !table)
        fail<Unsupported>("a capture was asked for, but {} does not have version 1.0.0 of its "
                          "in-application interface; use a newer RenderDoc",
                          kLibrary);
    return *static_cast<const Table*>(table);
}

template <typename Function>
Function functionOf(const Table& table, size_t index) {
    return reinterpret_cast<Function>(table[index]);
}

/// RenderDoc names a device by its instance's dispatch table.
void* deviceOf(VkInstance instance) {
    return *reinterpret_cast<void**>(instance);
}

} // namespace

void startCapture(VkInstance instance) {
    const Table& table = renderDoc();
    if (functionOf<IsCapturing>(table, kIsCapturing)() != 0)
        throw InvalidArgument("a capture has begun already; end it with endCapture() first");
    functionOf<Start>(table, kStart)(deviceOf(instance), nullptr);
}

void endCapture(VkInstance instance) {
    const Table& table = renderDoc();
    if (functionOf<IsCapturing>(table, kIsCapturing)() == 0)
        throw InvalidArgument("no capture has begun; begin one with startCapture()");
    if (functionOf<End>(table, kEnd)(deviceOf(instance), nullptr) != 1)
        throw Unsupported("RenderDoc could not write its capture; its log has the reason");
}

} // namespace kp
