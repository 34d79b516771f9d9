# SPDX-License-Identifier: Apache-2.0
#
# Script mode (cmake -P): writes a SPIR-V file as a C++ header.
#   -DKOMPUTE_INPUT=<file.spv> -DKOMPUTE_OUTPUT=<file.hpp>
#   -DKOMPUTE_VARIABLE=<name of the array> -DKOMPUTE_NAMESPACE=<namespace, may be a::b>

foreach(_argument IN ITEMS INPUT OUTPUT VARIABLE NAMESPACE)
    if(NOT DEFINED KOMPUTE_${_argument} OR KOMPUTE_${_argument} STREQUAL "")
        message(FATAL_ERROR "KomputeSpirvToHeader.cmake: KOMPUTE_${_argument} is not set")
    endif()
endforeach()

file(READ "${KOMPUTE_INPUT}" _hex HEX)
string(LENGTH "${_hex}" _digits)
math(EXPR _words "${_digits} / 8")
math(EXPR _rest "${_digits} % 8")
string(SUBSTRING "${_hex}00000000" 0 8 _magic)
if(_magic STREQUAL "03022307")
    set(_order "\\4\\3\\2\\1")
elseif(_magic STREQUAL "07230203")
    set(_order "\\1\\2\\3\\4")
else()
    message(FATAL_ERROR "${KOMPUTE_INPUT} is not a SPIR-V file")
endif()
if(NOT _rest EQUAL 0 OR _words LESS 5)
    message(FATAL_ERROR "${KOMPUTE_INPUT} is truncated: a SPIR-V file is a whole number of words")
endif()

string(REGEX REPLACE "(..)(..)(..)(..)" "0x${_order}," _body "${_hex}")
set(_word "0x........,")
string(REGEX REPLACE "(${_word}${_word}${_word}${_word}${_word}${_word}${_word}${_word})"
    "\\1\n    " _body "${_body}")
string(REGEX REPLACE "[ \n]+$" "" _body "${_body}")

get_filename_component(_source "${KOMPUTE_INPUT}" NAME_WLE)
file(WRITE "${KOMPUTE_OUTPUT}.tmp"
"// SPIR-V of ${_source}, made by the build. Do not edit.
#pragma once

#include <array>
#include <cstdint>

namespace ${KOMPUTE_NAMESPACE} {

const std::array<uint32_t, ${_words}> ${KOMPUTE_VARIABLE} = {{
    ${_body}
}};

} // namespace ${KOMPUTE_NAMESPACE}
")
file(RENAME "${KOMPUTE_OUTPUT}.tmp" "${KOMPUTE_OUTPUT}")
