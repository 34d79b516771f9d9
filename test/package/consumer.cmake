# SPDX-License-Identifier: Apache-2.0
#
# The common part of all consumers here: programs of one file, compiled as C++17 or what
# CONSUMER_STANDARD names.

set(CONSUMER_STANDARD 17 CACHE STRING "C++ standard of the programs: 17, 20 or 23")

# add_consumer(<program> <source>)
function(add_consumer program source)
    add_executable(${program} "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${source}")
    target_link_libraries(${program} PRIVATE kompute::kompute)
    set_target_properties(${program} PROPERTIES CXX_STANDARD ${CONSUMER_STANDARD}
                                                CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
    target_compile_definitions(${program} PRIVATE CONSUMER_STANDARD=${CONSUMER_STANDARD})
    target_compile_options(${program} PRIVATE -Wall -Wextra -Wpedantic -Werror)
endfunction()
