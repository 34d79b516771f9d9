# SPDX-License-Identifier: Apache-2.0
#
# Install rules: the library, its headers, a CMake package and a pkg-config file. All of it can be
# moved to another prefix.

include(CMakePackageConfigHelpers)

if(NOT BUILD_SHARED_LIBS AND NOT KOMPUTE_STATIC_IS_SELF_CONTAINED)
    message(
        STATUS
            "kompute: no install rules, since this static library needs its dependencies beside it. "
            "Use BUILD_SHARED_LIBS=ON, or a build without sanitizers and link-time optimization.")
    return()
endif()

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/kompute")

install(
    TARGETS kompute kompute_runtime
    EXPORT komputeTargets
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/include/kompute"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING
    PATTERN "*.hpp"
    PATTERN "*.h"
    PATTERN "*.glsl")
install(FILES ${KOMPUTE_SHADER_HEADERS} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.txt"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(
    EXPORT komputeTargets
    NAMESPACE kompute::
    DESTINATION "${package_folder}")
configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/komputeConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/komputeConfig.cmake"
    INSTALL_DESTINATION "${package_folder}"
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/komputeConfigVersion.cmake"
                                 COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/komputeConfig.cmake"
              "${PROJECT_BINARY_DIR}/komputeConfigVersion.cmake" DESTINATION "${package_folder}")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/KomputeShaders.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/KomputeSpirvToHeader.cmake"
        DESTINATION "${package_folder}")

# The pkg-config file finds its prefix from where it lies itself.
set(pc_folder "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH KOMPUTE_PC_PREFIX "${pc_folder}" "${CMAKE_INSTALL_PREFIX}")
file(RELATIVE_PATH KOMPUTE_PC_LIB "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH KOMPUTE_PC_INCLUDE "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
set(KOMPUTE_PC_CFLAGS "")
set(KOMPUTE_PC_LIBS "")
if(BUILD_SHARED_LIBS)
    set(KOMPUTE_PC_CFLAGS " -DKOMPUTE_SHARED")
else()
    set(KOMPUTE_PC_LIBS " -Wl,--gc-sections -ldl -lpthread")
endif()
foreach(library IN ITEMS kompute kompute_runtime)
    string(REPLACE _ - name ${library})
    configure_file("${PROJECT_SOURCE_DIR}/cmake/kompute.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
