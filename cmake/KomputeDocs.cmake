# SPDX-License-Identifier: Apache-2.0
#
# kompute_docs: the reference pages, from the comments in the public headers. A comment that
# Doxygen cannot make sense of is an error.

find_package(Doxygen REQUIRED)
set(KOMPUTE_DOCS_FOLDER "${PROJECT_BINARY_DIR}/docs")
configure_file("${PROJECT_SOURCE_DIR}/docs/Doxyfile" "${PROJECT_BINARY_DIR}/Doxyfile" @ONLY)
add_custom_target(
    kompute_docs
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${KOMPUTE_DOCS_FOLDER}"
    COMMAND "${DOXYGEN_EXECUTABLE}" "${PROJECT_BINARY_DIR}/Doxyfile"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    COMMENT "Writing the reference into ${KOMPUTE_DOCS_FOLDER}/html"
    VERBATIM)
