# SPDX-License-Identifier: Apache-2.0
#
# Script mode (cmake -P): writes a text file as a C++ header, with structs of its push constants.
#   -DKOMPUTE_INPUT=<file> -DKOMPUTE_OUTPUT=<file.hpp>
#   -DKOMPUTE_VARIABLE=<name> -DKOMPUTE_NAMESPACE=<namespace, may be a::b>

foreach(_argument IN ITEMS INPUT OUTPUT VARIABLE NAMESPACE)
    if(NOT DEFINED KOMPUTE_${_argument} OR KOMPUTE_${_argument} STREQUAL "")
        message(FATAL_ERROR "KomputeTextToHeader.cmake: KOMPUTE_${_argument} is not set")
    endif()
endforeach()

file(READ "${KOMPUTE_INPUT}" _text)
# MSVC limits the length of one literal; neighbouring ones are joined.
set(_literals "")
string(LENGTH "${_text}" _left)
set(_at 0)
while(_left GREATER 0)
    string(SUBSTRING "${_text}" ${_at} 8000 _piece)
    string(APPEND _literals "\n    R\"GLSL(${_piece})GLSL\"")
    math(EXPR _at "${_at} + 8000")
    math(EXPR _left "${_left} - 8000")
endwhile()

get_filename_component(_source "${KOMPUTE_INPUT}" NAME)
set(_includes "#include <string_view>\n")
set(_structs "")
if(_source MATCHES "\\.glsl$")
    include("${CMAKE_CURRENT_LIST_DIR}/KomputePushStruct.cmake")
    kompute_push_structs("${_text}" "${_source}" _structs)
endif()
if(_structs)
    set(_includes "#include <array>\n#include <cstdint>\n${_includes}
#include \"base/Divider.hpp\"
#include \"primitives/plan/PushConstants.hpp\"\n")
endif()
file(WRITE "${KOMPUTE_OUTPUT}.tmp"
"// Text of ${_source}, made by the build. Do not edit.
#pragma once

${_includes}
namespace ${KOMPUTE_NAMESPACE} {

constexpr std::string_view ${KOMPUTE_VARIABLE} =${_literals};
${_structs}
} // namespace ${KOMPUTE_NAMESPACE}
")
file(RENAME "${KOMPUTE_OUTPUT}.tmp" "${KOMPUTE_OUTPUT}")
