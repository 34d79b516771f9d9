# SPDX-License-Identifier: Apache-2.0
#
# Everything a person can choose when configuring. The names that Kompute 0.9 had are kept.

option(KOMPUTE_OPT_BUILD_TESTS "Build the unit, device and header tests" OFF)
option(KOMPUTE_OPT_ENABLE_BENCHMARK "Build the benchmarks" OFF)
option(KOMPUTE_OPT_BUILD_EXAMPLES "Build the examples" OFF)
option(KOMPUTE_OPT_BUILD_PYTHON "Build the Python package kp (needs Python 3.10 or newer)" OFF)
option(KOMPUTE_OPT_BUILD_DOCS "Add the target kompute_docs (needs Doxygen)" OFF)
option(KOMPUTE_OPT_INSTALL "Add install rules" ${PROJECT_IS_TOP_LEVEL})
option(KOMPUTE_OPT_WERROR "Treat warnings in this project's own sources as errors" OFF)
option(KOMPUTE_OPT_UNITY "Compile source files in groups, which is several times as fast" ON)
option(KOMPUTE_OPT_HARDEN "Compile and link with flags that make faults harder to exploit" ON)
option(KOMPUTE_OPT_FETCH "Fetch dependencies that are not installed" ON)
option(KOMPUTE_OPT_FFT "Build OpFFT and OpConvolve, which need VkFFT; without, they throw" ON)
set(KOMPUTE_OPT_SANITIZE
    ""
    CACHE STRING "Sanitizers to build with: 'address,undefined', 'thread' or nothing")

# A project that adds this one may have chosen no build type, which means no optimisation.
if(NOT PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    add_compile_options(-O2)
endif()

# No C++ modules here: looking for them costs time and keeps ccache from working.
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

if(PROJECT_IS_TOP_LEVEL)
    option(BUILD_SHARED_LIBS "Build a shared library" OFF)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        set(CMAKE_BUILD_TYPE
            Release
            CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
    endif()

    find_program(KOMPUTE_CCACHE ccache)
    mark_as_advanced(KOMPUTE_CCACHE)
    if(KOMPUTE_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
        set(CMAKE_CXX_COMPILER_LAUNCHER "${KOMPUTE_CCACHE}")
    endif()

    # The whole build carries the sanitizer, so that library, tests and examples agree.
    if(KOMPUTE_OPT_SANITIZE)
        add_compile_options(-fsanitize=${KOMPUTE_OPT_SANITIZE} -fno-omit-frame-pointer)
        add_link_options(-fsanitize=${KOMPUTE_OPT_SANITIZE})
        if(KOMPUTE_OPT_SANITIZE MATCHES "undefined")
            # glslang is packaged without run-time type information, which the vptr check needs.
            add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=vptr)
        endif()
    endif()
elseif(KOMPUTE_OPT_SANITIZE)
    message(WARNING "KOMPUTE_OPT_SANITIZE is ignored here: set the flags for your whole project instead.")
endif()
