# SPDX-License-Identifier: Apache-2.0
#
# The part that every consumer here shares: one program, compiled as C++17.

function(add_consumer)
    add_executable(consumer "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/main.cpp")
    target_link_libraries(consumer PRIVATE kompute::kompute)
    set_target_properties(consumer PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
                                              CXX_EXTENSIONS OFF)
    target_compile_options(consumer PRIVATE -Wall -Wextra -Wpedantic -Werror)
endfunction()
