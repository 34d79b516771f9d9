# SPDX-License-Identifier: Apache-2.0
#
# The library:
#
#   kompute           what consumers link (alias kompute::kompute)
#   kompute_runtime   the same without compilers, for programs that only run saved programs (alias
#                     kompute::runtime)
#   kompute_objects   its sources compiled once, also linked by the tests
#   kompute_compiler_objects
#                     the sources that the runtime has others for
#   kompute_private   what those sources are compiled with; the tests use it too, and so reach
#                     everything inside

include(KomputeVolkNames)
include(KomputeStatic)
include(KomputeHardening)

set(KOMPUTE_GENERATED_FOLDER "${PROJECT_BINARY_DIR}/generated")
# The second is where kompute_add_shaders() puts the headers of kompute_objects.
set(KOMPUTE_PUBLIC_FOLDERS "${PROJECT_SOURCE_DIR}/include"
                           "${PROJECT_BINARY_DIR}/kompute_shaders/kompute_objects")

add_library(kompute_private INTERFACE)
target_link_libraries(kompute_private INTERFACE kompute_dependencies Threads::Threads
                                                ${CMAKE_DL_LIBS})
target_include_directories(
    kompute_private INTERFACE "${PROJECT_SOURCE_DIR}/src" ${KOMPUTE_PUBLIC_FOLDERS}
                              "${KOMPUTE_GENERATED_FOLDER}")
target_compile_features(kompute_private INTERFACE cxx_std_20)
if(WIN32)
    # Windows 10, and its headers without macros that clash with the standard library's names.
    target_compile_definitions(kompute_private INTERFACE NOMINMAX WIN32_LEAN_AND_MEAN
                                                         _WIN32_WINNT=0x0A00)
endif()
kompute_write_volk_names("${KOMPUTE_VOLK_FOLDER}/volk.h"
                         "${KOMPUTE_GENERATED_FOLDER}/kompute_volk_names.h")

# Warnings are for who works on kompute, never for who builds it as a part of something else.
add_library(kompute_warnings INTERFACE)
if(PROJECT_IS_TOP_LEVEL)
    if(MSVC)
        target_compile_options(kompute_warnings INTERFACE /W4 $<$<BOOL:${KOMPUTE_OPT_WERROR}>:/WX>)
    else()
        # Vulkan structures are named by their first member, and the rest starts as zero.
        target_compile_options(
            kompute_warnings INTERFACE -Wall -Wextra -Wno-missing-field-initializers
                                       $<$<BOOL:${KOMPUTE_OPT_WERROR}>:-Werror>)
        # What GCC guesses while optimizing is often wrong about the standard library's own code.
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            target_compile_options(
                kompute_warnings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                                           -Wno-stringop-overread)
        endif()
    endif()
endif()

file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.cpp")
list(FILTER sources EXCLUDE REGEX "/src/runtime/")
# The files that call glslang, SPIRV-Tools and SPIRV-Cross, or make programs that need them. The
# runtime has src/runtime in their place.
set(compiler_sources
    c/Primitives shader/Validate shader/compile/Compiler shader/compile/GlslangCompiler
    shader/module/ParseNodes shader/reflect/Reflection)
list(TRANSFORM compiler_sources REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/\\1.cpp")
list(REMOVE_ITEM sources ${compiler_sources})
add_library(kompute_objects OBJECT ${sources})
add_library(kompute_compiler_objects OBJECT ${compiler_sources})
add_library(kompute_runtime_objects OBJECT "${PROJECT_SOURCE_DIR}/src/runtime/WithoutCompilers.cpp")
foreach(objects IN ITEMS kompute_objects kompute_compiler_objects kompute_runtime_objects)
    target_link_libraries(${objects} PRIVATE kompute_private kompute_warnings)
    if(NOT MSVC)
        # The linker can then leave out what a program does not use.
        target_compile_options(${objects} PRIVATE -ffunction-sections -fdata-sections)
        # The names of files in messages of the log depend on no folder, so that compiler caches have
        # the objects of a build in another one.
        target_compile_options(${objects} PRIVATE "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
    endif()
    kompute_harden_objects(${objects})
    target_compile_definitions(
        ${objects} PRIVATE KOMPUTE_BUILDING
                           $<$<AND:$<BOOL:${BUILD_SHARED_LIBS}>,$<PLATFORM_ID:Windows>>:KOMPUTE_SHARED>)
    set_target_properties(
        ${objects}
        PROPERTIES CXX_VISIBILITY_PRESET hidden
                   VISIBILITY_INLINES_HIDDEN ON
                   CXX_EXTENSIONS OFF
                   POSITION_INDEPENDENT_CODE ON
                   UNITY_BUILD ${KOMPUTE_OPT_UNITY}
                   UNITY_BUILD_BATCH_SIZE 24)
endforeach()
# Files that define macros for the headers they include.
set_source_files_properties(
    "${PROJECT_SOURCE_DIR}/src/base/Text.cpp" "${PROJECT_SOURCE_DIR}/src/core/Native.cpp"
    "${PROJECT_SOURCE_DIR}/src/vulkan/device/Volk.cpp"
    "${PROJECT_SOURCE_DIR}/src/vulkan/fft/VkFft.cpp"
    "${PROJECT_SOURCE_DIR}/src/vulkan/memory/Allocator.cpp"
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
if(KOMPUTE_HAS_VKFFT)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/src/vulkan/fft/VkFft.cpp"
                                PROPERTIES COMPILE_DEFINITIONS KOMPUTE_HAS_VKFFT)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # What GCC guesses about VkFFT's functions, which are inlined.
        set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/vulkan/fft/VkFft.cpp"
                     APPEND PROPERTY COMPILE_OPTIONS -Wno-maybe-uninitialized)
    endif()
endif()

# The shaders of the built-in operations, as headers <ShaderName.hpp>. Consumers may include those
# that Kompute 0.9 has, from the include root.
file(GLOB shaders CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/shaders/*.comp")
set(public_shaders "${PROJECT_SOURCE_DIR}/shaders/ShaderLogisticRegression.comp"
                   "${PROJECT_SOURCE_DIR}/shaders/ShaderOpMult.comp")
list(REMOVE_ITEM shaders ${public_shaders})
kompute_add_shaders(kompute_objects NAMESPACE kp SOURCES ${public_shaders}
                    HEADERS_VARIABLE KOMPUTE_SHADER_HEADERS)
kompute_add_shaders(kompute_private NAMESPACE kp SOURCES ${shaders})
# Functions that shaders get on devices without wide numbers. Nothing in their module calls them.
kompute_add_shaders(kompute_private NAMESPACE kp OPTIONS --keep-uncalled
                    SOURCES "${PROJECT_SOURCE_DIR}/shaders/lib/wide/WideLibrary.comp")
# Texts that are completed and compiled when they are first used, and functions for them.
file(GLOB_RECURSE texts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/shaders/primitives/*.glsl"
     "${PROJECT_SOURCE_DIR}/shaders/lib/*.glsl")
# Shaders that older compilers do not know, as SPIR-V: see scripts/shaders/cooperative_shaders.py.
file(GLOB modules CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/shaders/cooperative/*.spv")
# What shaders may include, for those that are compiled at run time.
list(APPEND texts "${PROJECT_SOURCE_DIR}/include/kompute/check.glsl"
     "${PROJECT_SOURCE_DIR}/include/kompute/index.glsl")
# Device profiles, so that an installed library knows them by name.
file(GLOB profiles CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/profiles/*.json")
list(APPEND texts ${profiles})
kompute_add_texts(kompute_private NAMESPACE kp SOURCES ${texts} ${modules})

set(kompute_contents $<TARGET_OBJECTS:kompute_objects> $<TARGET_OBJECTS:kompute_compiler_objects>)
set(kompute_runtime_contents $<TARGET_OBJECTS:kompute_objects>
                             $<TARGET_OBJECTS:kompute_runtime_objects>)
add_library(kompute_runtime_private INTERFACE)
target_link_libraries(kompute_runtime_private INTERFACE spirv-cross-core Threads::Threads
                                                        ${CMAKE_DL_LIBS})

foreach(library IN ITEMS kompute kompute_runtime)
    set(private ${library}_private)
    if(BUILD_SHARED_LIBS)
        add_library(${library} SHARED ${${library}_contents})
        target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:${private}>)
        if(UNIX AND NOT APPLE)
            target_link_options(${library} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
        endif()
        kompute_harden_shared(${library})
        target_compile_definitions(${library} INTERFACE KOMPUTE_SHARED)
        set_target_properties(${library} PROPERTIES VERSION ${PROJECT_VERSION}
                                                    SOVERSION ${PROJECT_VERSION_MAJOR})
    else()
        kompute_add_static_library(${library} "${${library}_contents}" ${private})
    endif()
    add_dependencies(${library} kompute_objects)
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
    target_compile_features(${library} INTERFACE cxx_std_17)
    foreach(folder IN LISTS KOMPUTE_PUBLIC_FOLDERS)
        target_include_directories(${library} INTERFACE "$<BUILD_INTERFACE:${folder}>")
    endforeach()
    target_include_directories(${library} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endforeach()
add_library(kompute::kompute ALIAS kompute)
add_library(kompute::runtime ALIAS kompute_runtime)
set_target_properties(kompute_runtime PROPERTIES EXPORT_NAME runtime)
if(BUILD_SHARED_LIBS AND UNIX AND NOT APPLE)
    # Other functions are left out, with the code that no other one needs.
    set(script "${PROJECT_SOURCE_DIR}/cmake/runtime.map")
    target_link_options(kompute_runtime PRIVATE -Wl,--gc-sections "-Wl,--version-script=${script}")
    set_target_properties(kompute_runtime PROPERTIES LINK_DEPENDS "${script}")
endif()

# What projects written for Kompute 0.9 link.
set(KOMPUTE_LIBRARIES kompute CACHE INTERNAL "")
