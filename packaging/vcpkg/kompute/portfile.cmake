# SPDX-License-Identifier: Apache-2.0
#
# A vcpkg port of the source tree that it lies in, used as an overlay:
#
#   vcpkg install kompute --overlay-ports=packaging/vcpkg
#
# NOT RUN in the project's own tests, which do not reach vcpkg. It builds a shared library, so that the
# ports it takes its dependencies from need not be linked by consumers.

vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DKOMPUTE_OPT_FETCH=OFF -DKOMPUTE_OPT_FFT=OFF
            "-DKOMPUTE_GLSLANG_VALIDATOR=${CURRENT_HOST_INSTALLED_DIR}/tools/glslang/glslang${VCPKG_HOST_EXECUTABLE_SUFFIX}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME kompute CONFIG_PATH lib/cmake/kompute)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/THIRD_PARTY_NOTICES.txt")
