# SPDX-License-Identifier: Apache-2.0
#
# `cpack --config build/release/CPackConfig.cmake` makes an archive and a Debian package of everything
# that `cmake --install` installs.

set(CPACK_PACKAGE_VENDOR "Kompute developers")
set(CPACK_PACKAGE_CONTACT "Kompute developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}, on any vendor's hardware")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ${BUILD_SHARED_LIBS})
set(CPACK_VERBATIM_VARIABLES ON)
if(WIN32)
    set(CPACK_GENERATOR ZIP)
else()
    set(CPACK_GENERATOR TGZ)
endif()
find_program(KOMPUTE_DPKG dpkg)
mark_as_advanced(KOMPUTE_DPKG)
if(KOMPUTE_DPKG AND NOT CMAKE_CROSSCOMPILING)
    list(APPEND CPACK_GENERATOR DEB)
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
    # The library opens Vulkan's loader at run time.
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libvulkan1, mesa-vulkan-drivers | vulkan-icd")
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ${BUILD_SHARED_LIBS})
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ${BUILD_SHARED_LIBS})
endif()
include(CPack)
