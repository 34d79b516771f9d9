// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Defined if the program is built with the address or the thread sanitizer, by GCC or Clang.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KOMPUTE_TEST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KOMPUTE_TEST_SANITIZED
#endif
#endif
