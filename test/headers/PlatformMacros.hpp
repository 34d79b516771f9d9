// SPDX-License-Identifier: Apache-2.0
//
// Macros that a program may have included before the public headers: names that headers of
// platforms define as macros. Each becomes text that compiles nowhere. Standard headers come first,
// since some of them undefine min and max.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if defined(__has_include)
#if __has_include(<X11/Xlib.h>)
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#endif
#endif

#define KOMPUTE_PLATFORM_MACRO @a macro of the platform @

// <X11/X.h>, <X11/Xlib.h>, <X11/Xutil.h>
#undef Above
#undef AllValues
#undef Always
#undef Below
#undef Bool
#undef Complex
#undef Convex
#undef CurrentTime
#undef CursorShape
#undef DestroyAll
#undef False
#undef FocusIn
#undef FocusOut
#undef GenericEvent
#undef KeyPress
#undef KeyRelease
#undef None
#undef Status
#undef Success
#undef True
#undef Unsorted
#define Above KOMPUTE_PLATFORM_MACRO
#define AllValues KOMPUTE_PLATFORM_MACRO
#define Always KOMPUTE_PLATFORM_MACRO
#define Below KOMPUTE_PLATFORM_MACRO
#define Bool KOMPUTE_PLATFORM_MACRO
#define Complex KOMPUTE_PLATFORM_MACRO
#define Convex KOMPUTE_PLATFORM_MACRO
#define CurrentTime KOMPUTE_PLATFORM_MACRO
#define CursorShape KOMPUTE_PLATFORM_MACRO
#define DestroyAll KOMPUTE_PLATFORM_MACRO
#define False KOMPUTE_PLATFORM_MACRO
#define FocusIn KOMPUTE_PLATFORM_MACRO
#define FocusOut KOMPUTE_PLATFORM_MACRO
#define GenericEvent KOMPUTE_PLATFORM_MACRO
#define KeyPress KOMPUTE_PLATFORM_MACRO
#define KeyRelease KOMPUTE_PLATFORM_MACRO
#define None KOMPUTE_PLATFORM_MACRO
#define Status KOMPUTE_PLATFORM_MACRO
#define Success KOMPUTE_PLATFORM_MACRO
#define True KOMPUTE_PLATFORM_MACRO
#define Unsorted KOMPUTE_PLATFORM_MACRO

// <windows.h> and the headers it includes
#undef max
#undef min
#define max(a, b) KOMPUTE_PLATFORM_MACRO
#define min(a, b) KOMPUTE_PLATFORM_MACRO
#define CONST KOMPUTE_PLATFORM_MACRO
#define CreateEvent KOMPUTE_PLATFORM_MACRO
#define CreateSemaphore KOMPUTE_PLATFORM_MACRO
#define DELETE KOMPUTE_PLATFORM_MACRO
#define ERROR KOMPUTE_PLATFORM_MACRO
#define GetMessage KOMPUTE_PLATFORM_MACRO
#define GetObject KOMPUTE_PLATFORM_MACRO
#define IN KOMPUTE_PLATFORM_MACRO
#define INFINITE KOMPUTE_PLATFORM_MACRO
#define NO_ERROR KOMPUTE_PLATFORM_MACRO
#define OPAQUE KOMPUTE_PLATFORM_MACRO
#define OPTIONAL KOMPUTE_PLATFORM_MACRO
#define OUT KOMPUTE_PLATFORM_MACRO
#define Yield KOMPUTE_PLATFORM_MACRO
#define far KOMPUTE_PLATFORM_MACRO
#define interface KOMPUTE_PLATFORM_MACRO
#define near KOMPUTE_PLATFORM_MACRO
#define small KOMPUTE_PLATFORM_MACRO

// <math.h>, <sys/sysmacros.h>, <termios.h>, <sys/param.h> and headers of macOS
#undef major
#undef minor
#define DEBUG KOMPUTE_PLATFORM_MACRO
#define DOMAIN KOMPUTE_PLATFORM_MACRO
#define MAX KOMPUTE_PLATFORM_MACRO
#define MIN KOMPUTE_PLATFORM_MACRO
#define OVERFLOW KOMPUTE_PLATFORM_MACRO
#define major KOMPUTE_PLATFORM_MACRO
#define minor KOMPUTE_PLATFORM_MACRO
