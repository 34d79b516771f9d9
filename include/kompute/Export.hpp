// SPDX-License-Identifier: Apache-2.0
#pragma once

// The CMake target and the pkg-config file of a shared build define KOMPUTE_SHARED.
// KOMPUTE_BUILDING is defined only while the library itself is compiled.
#if defined(_WIN32) && defined(KOMPUTE_SHARED)
#if defined(KOMPUTE_BUILDING)
#define KOMPUTE_API __declspec(dllexport)
#else
#define KOMPUTE_API __declspec(dllimport)
#endif
#elif defined(__GNUC__) || defined(__clang__)
#define KOMPUTE_API __attribute__((visibility("default")))
#else
#define KOMPUTE_API
#endif

#ifdef _GLIBCXX_DEBUG
namespace kp::detail {
/// In the debug mode of libstdc++, containers have another layout. Only a library built in that
/// mode has this function, so that a program in debug mode does not link to any other.
KOMPUTE_API bool needsLibkomputeBuiltWith_GLIBCXX_DEBUG();
[[maybe_unused]] static const bool kHasDebugMode = needsLibkomputeBuiltWith_GLIBCXX_DEBUG();
} // namespace kp::detail
#endif
