# SPDX-License-Identifier: Apache-2.0
#
# Builds for 64-bit Windows with the mingw-w64 compiler of a Linux distribution. The environment variable
# KOMPUTE_CROSS_ROOT may name a folder in which headers and packages are looked for, too.
#
# The programs need DLLs of the compiler beside them: libstdc++-6.dll, libgcc_s_seh-1.dll, libssp-0.dll and
# libwinpthread-1.dll. With CMAKE_EXE_LINKER_FLAGS=-static and a static libkompute, they need none.

set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
# With POSIX threads, where there are two: the other has no std::thread before GCC 13.
find_program(KOMPUTE_MINGW_CC NAMES x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-gcc REQUIRED)
find_program(KOMPUTE_MINGW_CXX NAMES x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-g++ REQUIRED)
find_program(KOMPUTE_MINGW_RC NAMES x86_64-w64-mingw32-windres REQUIRED)
mark_as_advanced(KOMPUTE_MINGW_CC KOMPUTE_MINGW_CXX KOMPUTE_MINGW_RC)
set(CMAKE_C_COMPILER "${KOMPUTE_MINGW_CC}")
set(CMAKE_CXX_COMPILER "${KOMPUTE_MINGW_CXX}")
set(CMAKE_RC_COMPILER "${KOMPUTE_MINGW_RC}")

set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 "$ENV{KOMPUTE_CROSS_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
