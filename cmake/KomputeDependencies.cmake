# SPDX-License-Identifier: Apache-2.0
#
# Finds each dependency where it is installed, and fetches a pinned release of it otherwise. The ids
# of the commits are those that at least two other projects name for the release; for SPIRV-Cross, which
# has no other releases, for the second commit after the tag.
# Every dependency is private: no consumer of kompute sees it. The result is the target
#
#   kompute_dependencies   include folders and libraries that the sources need
#
# and KOMPUTE_VOLK_FOLDER, the folder that holds volk.h and volk.c.

include(KomputeFetch)
find_package(Threads REQUIRED)

# The release of the Vulkan SDK whose versions of six projects are fetched, because they match.
set(KOMPUTE_SDK_TAG vulkan-sdk-1.4.304.0)
set(KOMPUTE_OLDEST_VULKAN_HEADERS 239)

add_library(kompute_dependencies INTERFACE)

# Adds a folder whose headers raise no warnings.
function(kompute_dependency_folder folder)
    target_include_directories(kompute_dependencies SYSTEM INTERFACE "${folder}")
endfunction()

# --- Vulkan-Headers (C and C++) ---------------------------------------------------------------
find_path(KOMPUTE_VULKAN_HEADERS_FOLDER vulkan/vulkan.hpp HINTS "$ENV{VULKAN_SDK}/include")
mark_as_advanced(KOMPUTE_VULKAN_HEADERS_FOLDER)
set(kompute_vulkan_headers_found OFF)
if(TARGET Vulkan::Headers)
    target_link_libraries(kompute_dependencies INTERFACE Vulkan::Headers)
    set(kompute_vulkan_headers_found ON)
elseif(KOMPUTE_VULKAN_HEADERS_FOLDER)
    file(STRINGS "${KOMPUTE_VULKAN_HEADERS_FOLDER}/vulkan/vulkan_core.h" line
         REGEX "^#define VK_HEADER_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+$" version "${line}")
    file(STRINGS "${KOMPUTE_VULKAN_HEADERS_FOLDER}/vulkan/vulkan_core.h" line
         REGEX "^#define VK_HEADER_VERSION_COMPLETE ")
    if(line MATCHES "1, 3," AND version LESS KOMPUTE_OLDEST_VULKAN_HEADERS)
        message(STATUS "kompute: the installed Vulkan headers (1.3.${version}) are too old")
    else()
        kompute_dependency_folder("${KOMPUTE_VULKAN_HEADERS_FOLDER}")
        set(kompute_vulkan_headers_found ON)
    endif()
endif()
if(NOT kompute_vulkan_headers_found)
    kompute_fetch_files(vulkan_headers https://github.com/KhronosGroup/Vulkan-Headers.git v1.4.304
                        COMMIT d4a196d8c84e032d27f999adcea3075517c1c97f)
    kompute_dependency_folder("${vulkan_headers_SOURCE_DIR}/include")
endif()

# --- volk: the two files, compiled as a part of src/vulkan --------------------------------------
find_path(KOMPUTE_VOLK_FOLDER NAMES volk.c HINTS "$ENV{VULKAN_SDK}/include" PATH_SUFFIXES volk Volk)
mark_as_advanced(KOMPUTE_VOLK_FOLDER)
if(NOT KOMPUTE_VOLK_FOLDER)
    kompute_fetch_files(volk https://github.com/zeux/volk.git 1.4.304
                        COMMIT 0b17a763ba5643e32da1b2152f8140461b3b7345)
    set(KOMPUTE_VOLK_FOLDER "${volk_SOURCE_DIR}")
endif()
kompute_dependency_folder("${KOMPUTE_VOLK_FOLDER}")

# --- VulkanMemoryAllocator: one header -----------------------------------------------------------
find_path(KOMPUTE_VMA_FOLDER vk_mem_alloc.h HINTS "$ENV{VULKAN_SDK}/include"
          PATH_SUFFIXES vma VulkanMemoryAllocator)
mark_as_advanced(KOMPUTE_VMA_FOLDER)
if(KOMPUTE_VMA_FOLDER)
    kompute_dependency_folder("${KOMPUTE_VMA_FOLDER}")
else()
    kompute_fetch_files(vma https://github.com/GPUOpen-LibrariesAndSDKs/VulkanMemoryAllocator.git
                        v3.2.1 COMMIT c788c52156f3ef7bc7ab769cb03c110a53ac8fcb)
    kompute_dependency_folder("${vma_SOURCE_DIR}/include")
endif()

# --- glslang and SPIRV-Tools: taken together, since one is built against the other ---------------
find_package(glslang CONFIG QUIET)
if(glslang_FOUND)
    foreach(package IN ITEMS SPIRV-Tools SPIRV-Tools-opt)
        find_package(${package} CONFIG QUIET)
        if(NOT ${package}_FOUND)
            message(FATAL_ERROR "glslang is installed, but ${package}, which it was built against, "
                                "is not. Install both or neither.")
        endif()
    endforeach()
    find_package(SPIRV-Tools-link CONFIG QUIET)
else()
    set(SPIRV_SKIP_TESTS ON)
    set(SPIRV_SKIP_EXECUTABLES ON)
    set(SPIRV_WERROR OFF)
    set(SKIP_SPIRV_TOOLS_INSTALL ON)
    set(SPIRV_HEADERS_ENABLE_INSTALL OFF)
    set(SPIRV_HEADERS_ENABLE_TESTS OFF)
    set(ALLOW_EXTERNAL_SPIRV_TOOLS ON)
    set(ENABLE_OPT ON)
    set(ENABLE_GLSLANG_BINARIES ON)
    set(GLSLANG_TESTS OFF)
    set(GLSLANG_ENABLE_INSTALL OFF)
    set(SKIP_GLSLANG_INSTALL ON) # the name before release 14
    # The release of glslang names the commits of the other two.
    kompute_fetch(spirv_headers https://github.com/KhronosGroup/SPIRV-Headers.git ${KOMPUTE_SDK_TAG}
                  COMMIT 3f17b2af6784bfa2c5aa5dbb8e0e74a607dd8b3b)
    set(SPIRV-Headers_SOURCE_DIR "${spirv_headers_SOURCE_DIR}")
    kompute_fetch(spirv_tools https://github.com/KhronosGroup/SPIRV-Tools.git v2024.4
                  COMMIT 4d2f0b40bfe290dea6c6904dafdf7fd8328ba346)
    kompute_fetch(glslang https://github.com/KhronosGroup/glslang.git 15.1.0
                  COMMIT 1062752a891c95b2bfeed9e356562d88f9df84ac)

    # kompute_add_shaders() uses the compiler that comes with it.
    if(NOT KOMPUTE_GLSLANG_VALIDATOR)
        set(KOMPUTE_GLSLANG_VALIDATOR glslang-standalone
            CACHE STRING "Compiler from GLSL and HLSL to SPIR-V: a program or a target")
    endif()

    # Installed headers are <glslang/SPIRV/...>, in the source tree <SPIRV/...>.
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/generated/glslang")
    foreach(header IN ITEMS GlslangToSpv.h Logger.h SpvTools.h spirv.hpp)
        file(WRITE "${folder}/glslang/SPIRV/${header}" "#include <SPIRV/${header}>\n")
    endforeach()
    kompute_dependency_folder("${folder}")
    kompute_dependency_folder("${glslang_SOURCE_DIR}")
    kompute_dependency_folder("${spirv_tools_SOURCE_DIR}/include")
endif()
# Packages differ in which of these names they define; old ones name SPIRV-Tools in their link
# interface without defining it.
if(TARGET SPIRV-Tools-static AND NOT TARGET SPIRV-Tools)
    add_library(SPIRV-Tools INTERFACE IMPORTED)
    target_link_libraries(SPIRV-Tools INTERFACE SPIRV-Tools-static)
endif()
foreach(name IN ITEMS glslang SPIRV HLSL glslang-default-resource-limits)
    if(TARGET glslang::${name})
        target_link_libraries(kompute_dependencies INTERFACE glslang::${name})
    elseif(TARGET ${name})
        target_link_libraries(kompute_dependencies INTERFACE ${name})
    endif()
endforeach()
set(KOMPUTE_SPIRV_TOOLS SPIRV-Tools)
if(TARGET SPIRV-Tools-static)
    set(KOMPUTE_SPIRV_TOOLS SPIRV-Tools-static)
endif()
target_link_libraries(kompute_dependencies INTERFACE SPIRV-Tools-opt ${KOMPUTE_SPIRV_TOOLS})

# --- SPIRV-Cross: reflection only, included as <spirv_cross/...> ---------------------------------
find_package(spirv_cross_core CONFIG QUIET)
if(NOT TARGET spirv-cross-core)
    set(SPIRV_CROSS_CLI OFF)
    set(SPIRV_CROSS_ENABLE_TESTS OFF)
    set(SPIRV_CROSS_SKIP_INSTALL ON)
    foreach(part IN ITEMS GLSL HLSL MSL CPP REFLECT C_API UTIL)
        set(SPIRV_CROSS_ENABLE_${part} OFF)
    endforeach()
    kompute_fetch(spirv_cross https://github.com/KhronosGroup/SPIRV-Cross.git ${KOMPUTE_SDK_TAG}
                  COMMIT 6173e24b31f09a0c3217103a130e74c4ddec14a6)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/generated/spirv_cross")
    foreach(header IN ITEMS GLSL.std.450.h spirv.hpp spirv_cross.hpp)
        file(WRITE "${folder}/spirv_cross/${header}"
             "#include \"${spirv_cross_SOURCE_DIR}/${header}\"\n")
    endforeach()
    kompute_dependency_folder("${folder}")
endif()
target_link_libraries(kompute_dependencies INTERFACE spirv-cross-core)

# --- fmt: headers alone, so that programs do not need it at run time. src/base/Text.cpp compiles
# it. --
if(NOT TARGET fmt::fmt-header-only)
    find_package(fmt CONFIG QUIET)
endif()
if(NOT TARGET fmt::fmt-header-only)
    set(FMT_INSTALL OFF)
    kompute_fetch(fmt https://github.com/fmtlib/fmt.git 11.1.4
                  COMMIT 123913715afeb8a437e6388b4473fcc4753e1c9a)
endif()
kompute_dependency_folder(
    "$<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>")

# --- nlohmann/json: headers alone ---------------------------------------------------------------
if(NOT TARGET nlohmann_json::nlohmann_json)
    find_package(nlohmann_json CONFIG QUIET)
endif()
if(TARGET nlohmann_json::nlohmann_json)
    kompute_dependency_folder(
        "$<TARGET_PROPERTY:nlohmann_json::nlohmann_json,INTERFACE_INCLUDE_DIRECTORIES>")
else()
    kompute_fetch_files(nlohmann_json https://github.com/nlohmann/json.git v3.11.3
                        COMMIT 9cca280a4d0ccf0c08f47a99aa71d1b0e52f8d03)
    kompute_dependency_folder("${nlohmann_json_SOURCE_DIR}/include")
endif()

# --- VkFFT: headers alone, which src/vulkan/fft/VkFft.cpp compiles -------------------------------
set(KOMPUTE_HAS_VKFFT OFF)
if(KOMPUTE_OPT_FFT)
    find_path(KOMPUTE_VKFFT_FOLDER vkFFT.h PATH_SUFFIXES vkFFT VkFFT)
    mark_as_advanced(KOMPUTE_VKFFT_FOLDER)
    if(KOMPUTE_VKFFT_FOLDER)
        kompute_dependency_folder("${KOMPUTE_VKFFT_FOLDER}")
        set(KOMPUTE_HAS_VKFFT ON)
    elseif(KOMPUTE_OPT_FETCH)
        kompute_fetch_files(vkfft https://github.com/DTolm/VkFFT.git v1.3.4
                            COMMIT 066a17c17068c0f11c9298d848c2976c71fad1c1)
        kompute_dependency_folder("${vkfft_SOURCE_DIR}/vkFFT")
        set(KOMPUTE_HAS_VKFFT ON)
    else()
        message(STATUS "kompute: VkFFT is not installed, and KOMPUTE_OPT_FETCH is off: OpFFT and "
                       "OpConvolve will throw Unsupported")
    endif()
endif()

# --- GoogleTest: for the tests alone --------------------------------------------------------------
if(KOMPUTE_OPT_BUILD_TESTS AND NOT TARGET GTest::gtest)
    find_package(GTest CONFIG QUIET)
    if(NOT TARGET GTest::gtest)
        set(INSTALL_GTEST OFF)
        kompute_fetch(googletest https://github.com/google/googletest.git v1.15.2
                      COMMIT b514bdc898e2951020cbdca1304b75f5950d1f59)
    endif()
endif()

# --- Python and pybind11: for the Python package alone --------------------------------------------
if(KOMPUTE_OPT_BUILD_PYTHON)
    find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
    set(PYBIND11_FINDPYTHON ON)
    # A pybind11 that was installed by pip says itself where it is.
    if(NOT pybind11_DIR AND NOT SKBUILD)
        execute_process(
            COMMAND "${Python_EXECUTABLE}" -m pybind11 --cmakedir
            OUTPUT_VARIABLE folder
            OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    else()
        set(folder "")
    endif()
    find_package(pybind11 3.1...<4 CONFIG QUIET HINTS "${folder}")
    if(NOT pybind11_FOUND)
        if(NOT KOMPUTE_OPT_FETCH)
            message(FATAL_ERROR "pybind11 3.1 or newer is not installed, and KOMPUTE_OPT_FETCH is "
                                "off. Run '${Python_EXECUTABLE} -m pip install pybind11'.")
        endif()
        set(PYBIND11_INSTALL OFF)
        set(PYBIND11_TEST OFF)
        kompute_fetch(pybind11 https://github.com/pybind/pybind11.git v3.1.0
                      COMMIT 97bf890db679505a14dfe547a5e77bb2bd05dc90)
    endif()
endif()

# --- Google Benchmark: for the benchmarks alone ---------------------------------------------------
if(KOMPUTE_OPT_ENABLE_BENCHMARK AND NOT TARGET benchmark::benchmark)
    find_package(benchmark CONFIG QUIET)
    if(NOT TARGET benchmark::benchmark)
        set(BENCHMARK_ENABLE_TESTING OFF)
        set(BENCHMARK_ENABLE_INSTALL OFF)
        kompute_fetch(benchmark https://github.com/google/benchmark.git v1.9.1
                      COMMIT c58e6d0710581e3a08d65c349664128a8d9a2461)
    endif()
endif()
