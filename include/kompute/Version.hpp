// SPDX-License-Identifier: Apache-2.0
#pragma once

// The version of the library, which the build reads from here. Compare it in the preprocessor:
//
//     #if KOMPUTE_VERSION >= KOMPUTE_MAKE_VERSION(1, 1, 0)
#define KOMPUTE_VERSION_STRING "1.0.0"
#define KOMPUTE_VERSION_MAJOR 1
#define KOMPUTE_VERSION_MINOR 0
#define KOMPUTE_VERSION_PATCH 0
#define KOMPUTE_MAKE_VERSION(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define KOMPUTE_VERSION                                                                            \
    KOMPUTE_MAKE_VERSION(KOMPUTE_VERSION_MAJOR, KOMPUTE_VERSION_MINOR, KOMPUTE_VERSION_PATCH)
