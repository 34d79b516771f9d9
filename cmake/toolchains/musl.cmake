# SPDX-License-Identifier: Apache-2.0
#
# Builds for x86-64 Linux with the C library musl, by Zig's compiler, which brings musl and libc++. The environment
# variable KOMPUTE_ZIG_TOOLS names a folder with its tools cc, c++, ar and ranlib, KOMPUTE_CROSS_ROOT one in which
# headers are looked for.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER "$ENV{KOMPUTE_ZIG_TOOLS}/cc")
set(CMAKE_CXX_COMPILER "$ENV{KOMPUTE_ZIG_TOOLS}/c++")
set(CMAKE_AR "$ENV{KOMPUTE_ZIG_TOOLS}/ar")
set(CMAKE_RANLIB "$ENV{KOMPUTE_ZIG_TOOLS}/ranlib")

set(CMAKE_FIND_ROOT_PATH "$ENV{KOMPUTE_CROSS_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
