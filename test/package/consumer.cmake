# SPDX-License-Identifier: Apache-2.0
#
# What every consumer here shares: programs of one file, compiled as C++17.

# add_consumer(<program> <source>)
function(add_consumer program source)
    add_executable(${program} "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${source}")
    target_link_libraries(${program} PRIVATE kompute::kompute)
    set_target_properties(${program} PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
                                                CXX_EXTENSIONS OFF)
    target_compile_options(${program} PRIVATE -Wall -Wextra -Wpedantic -Werror)
endfunction()
