# SPDX-License-Identifier: Apache-2.0
#
# Fails where HEADER, preprocessed as C++17, has over CEILING lines of code or reaches Vulkan.

set(includes "")
foreach(folder IN LISTS FOLDERS)
    list(APPEND includes "-I${folder}")
endforeach()
get_filename_component(name "${HEADER}" NAME_WE)
set(source "${CMAKE_CURRENT_BINARY_DIR}/preprocessed_lines_${name}.cpp")
file(WRITE "${source}" "#include <${HEADER}>\n")
execute_process(COMMAND "${COMPILER}" -std=c++17 -E ${includes} "${source}"
                OUTPUT_FILE "${source}.ii" RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "<${HEADER}> does not preprocess")
endif()

file(STRINGS "${source}.ii" markers REGEX "^# [0-9]+ \".*(vulkan|volk|vk_mem_alloc|fmt|spirv|glslang)[a-z_]*/?[A-Za-z_]*\\.(h|hpp)\"")
if(markers)
    list(GET markers 0 marker)
    message(FATAL_ERROR "<${HEADER}> includes a private dependency: ${marker}")
endif()
# As wc -l counts, without blank lines and line markers.
file(STRINGS "${source}.ii" lines REGEX "^[^#]")
list(LENGTH lines count)
message(STATUS "<${HEADER}>: ${count} lines after preprocessing, at most ${CEILING} allowed")
if(count GREATER CEILING)
    message(FATAL_ERROR "<${HEADER}> has grown over the ceiling")
endif()
